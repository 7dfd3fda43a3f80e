/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libhpm_mpi: the sections of all tasks in one file.
 *
 * MPI_Finalize() is called by every task, so that is where they meet. Tasks
 * are the nodes of a binomial tree: each takes in the merged sections of its
 * children and hands the result to its parent. What travels is a performance
 * file as text. So nobody holds more than two of them, and time grows with the
 * sections and the depth of the tree.
 */
#include <hpm.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "hpm/hold.h"
#include "taskfile/taskfile.h"

#define TAG 1

int MPI_Finalize(void) __attribute__((visibility("default")));

__attribute__((constructor)) static void keep_files(void)
{
	hpm_hold();
}

/* A task without sections has no text; @merge is NULL without memory. */
static void add_text(struct taskfile_merge *merge, char *text, size_t size)
{
	FILE *from = NULL;

	if (!merge || size == 0)
		return;
	if (text)
		from = fmemopen(text, size, "r");
	if (!from) {
		taskfile_merge_miss(merge);
		return;
	}
	taskfile_merge_read(merge, from, "a task", NULL);
	fclose(from);
}

/* Add this task's own sections. Their files are written too if asked for. */
static void add_own(struct taskfile_merge *merge, char *program, size_t room)
{
	bool files = secure_getenv("HPM_TASK_FILES") != NULL;
	struct hpm_held *held;

	while ((held = hpm_take())) {
		snprintf(program, room, "%s", held->program);
		add_text(merge, held->text, held->size);
		if (files)
			hpm_write_held(held);
		hpm_release(held);
	}
}

/* The merged sections so far as text, to be freed; never a part of it. */
static char *merged_text(struct taskfile_merge *merge, size_t *size)
{
	char *text = NULL;
	FILE *to = merge ? open_memstream(&text, size) : NULL;
	struct taskfile_sink sink;
	bool whole;

	if (!to)
		return NULL;
	sink = taskfile_writer(to);
	whole = taskfile_merge_give(merge, &sink) == 0;
	if (whole && ftell(to) > 0)
		taskfile_write_end(to);
	whole = whole && !ferror(to);
	if (fclose(to) == 0 && whole)
		return text;
	free(text);
	return NULL;
}

static void receive(struct taskfile_merge *merge, int from, MPI_Comm comm)
{
	MPI_Status status;
	char *text;
	int size = 0;

	PMPI_Probe(from, TAG, comm, &status);
	PMPI_Get_count(&status, MPI_CHAR, &size);
	text = malloc((size_t)size + 1);
	/* without memory its part is missing, but nobody waits for ever */
	PMPI_Recv(text, text ? size : 0, MPI_CHAR, from, TAG, comm, &status);
	add_text(merge, text, (size_t)size);
	free(text);
}

static void send(struct taskfile_merge *merge, int to, MPI_Comm comm)
{
	size_t size = 0;
	char *text = merged_text(merge, &size);

	PMPI_Send(text ? text : "", text ? (int)size : 0, MPI_CHAR, to, TAG,
		  comm);
	free(text);
}

static char *output_name(const char *program)
{
	const char *whole = secure_getenv("HPM_OUTPUT");
	const char *folder = secure_getenv("HPM_LOG_DIR");

	if (whole)
		return strdup(whole);
	return str_format("%s%shpm_%s.xml", folder ? folder : "",
			  folder ? "/" : "", program);
}

static void write_file(struct taskfile_merge *merge, const char *program)
{
	size_t size = 0;
	char *text = merged_text(merge, &size);
	char *path = output_name(program);
	struct outfile *file;

	if (text && size > 0 && path && outfile_open(path, &file, NULL) == 0) {
		fwrite(text, 1, size, outfile_stream(file));
		outfile_commit(file, NULL);
	}
	free(path);
	free(text);
}

static void reduce(MPI_Comm comm)
{
	char program[128] = "mpi";
	struct taskfile_merge *merge;
	int rank, size;

	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_size(comm, &size);
	if (taskfile_merge_new(&merge))
		merge = NULL;
	add_own(merge, program, sizeof(program));
	for (int bit = 1; bit < size; bit *= 2) {
		if (rank & bit) {
			send(merge, rank - bit, comm);
			break;
		}
		if (rank + bit < size)
			receive(merge, rank + bit, comm);
	}
	if (rank == 0)
		write_file(merge, program);
	taskfile_merge_free(merge);
}

int MPI_Finalize(void)
{
	int begun = 0;
	MPI_Comm comm;

	PMPI_Initialized(&begun);
	if (begun && PMPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS) {
		/* what goes wrong here must not end the program */
		PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
		reduce(comm);
		PMPI_Comm_free(&comm);
	}
	return PMPI_Finalize();
}

/* Fortran's calls, which do not come through C's. */
#define FORTRAN(name)                                                          \
	void name(int *status) __attribute__((visibility("default")));         \
	void name(int *status)                                                 \
	{                                                                      \
		*status = MPI_Finalize();                                      \
	}

FORTRAN(mpi_finalize)
FORTRAN(mpi_finalize_)
FORTRAN(mpi_finalize__)
FORTRAN(MPI_FINALIZE)

/* Of the module mpi_f08, where the status may be left out. */
void mpi_finalize_f08_(int *status) __attribute__((visibility("default")));
void mpi_finalize_f08_(int *status)
{
	int result = MPI_Finalize();

	if (status)
		*status = result;
}
