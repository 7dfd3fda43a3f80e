/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libhpm_mpi: the sections of all tasks in one file.
 *
 * MPI_Finalize() is called by every task, so that is where they meet. Tasks
 * are the nodes of a binomial tree: each takes in the merged sections of its
 * children and hands the result to its parent. What travels is a performance
 * file as text. So nobody holds more than two of them, and time grows with the
 * sections and the depth of the tree. The files that tasks have written before
 * are removed when all know that the one file is there. MPI_Abort() writes one
 * as well.
 */
#include <hpm.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "hpm/hold.h"
#include "hpm/setting.h"
#include "taskfile/taskfile.h"

#define TAG 1

int MPI_Finalize(void) __attribute__((visibility("default")));
int MPI_Abort(MPI_Comm comm, int status) __attribute__((visibility("default")));

__attribute__((constructor)) static void keep_files(void)
{
	hpm_hold();
}

/* What a task goes through MPI_Finalize() with. */
struct reduction {
	struct taskfile_merge *merge; /* NULL: there was no memory */
	struct hpm_held *own;         /* this task's files */
	char program[128];
	bool whole; /* nothing was lost on the way */
};

/* A task without sections has no text. */
static void add_text(struct reduction *r, char *text, size_t size)
{
	FILE *from = NULL;

	if (size == 0)
		return;
	if (text && r->merge)
		from = fmemopen(text, size, "r");
	if (from && taskfile_merge_read(r->merge, from, "a task", NULL) == 0) {
		fclose(from);
		return;
	}
	if (from)
		fclose(from);
	else if (r->merge)
		taskfile_merge_miss(r->merge);
	r->whole = false;
}

/* Add this task's own sections. */
static void add_own(struct reduction *r)
{
	struct hpm_held *held;

	while ((held = hpm_take())) {
		snprintf(r->program, sizeof(r->program), "%s", held->program);
		add_text(r, held->text, held->size);
		held->next = r->own;
		r->own = held;
	}
}

/* Let go of this task's own files, and remove them if all are in another. */
static void release_own(struct reduction *r, bool remove)
{
	while (r->own) {
		struct hpm_held *held = r->own;

		r->own = held->next;
		if (remove)
			unlink(held->path);
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

static void receive(struct reduction *r, int from, MPI_Comm comm)
{
	MPI_Status status;
	OWNED char *text = NULL;
	int size = 0;

	PMPI_Probe(from, TAG, comm, &status);
	PMPI_Get_count(&status, MPI_CHAR, &size);
	text = malloc((size_t)size + 1);
	/* without memory its part is missing, but nobody waits for ever */
	if (PMPI_Recv(text, text ? size : 0, MPI_CHAR, from, TAG, comm,
		      &status) != MPI_SUCCESS)
		r->whole = false;
	add_text(r, text, (size_t)size);
}

static void send(struct reduction *r, int to, MPI_Comm comm)
{
	size_t size = 0;
	OWNED char *text = merged_text(r->merge, &size);

	if (!text)
		r->whole = false;
	if (PMPI_Send(text ? text : "", text ? (int)size : 0, MPI_CHAR, to, TAG,
		      comm) != MPI_SUCCESS)
		r->whole = false;
}

static char *output_name(const char *program)
{
	const char *whole = setting("HPM_OUTPUT");
	const char *folder = setting("HPM_LOG_DIR");

	if (whole)
		return strdup(whole);
	return str_format("%s%shpm_%s.xml", folder ? folder : "",
			  folder ? "/" : "", program);
}

/* Without sections in any task there is nothing to write. */
static bool write_file(const struct reduction *r)
{
	size_t size = 0;
	OWNED char *text = merged_text(r->merge, &size);
	OWNED char *path = output_name(r->program);
	bool written = text && size == 0;
	struct outfile *file;

	if (text && size > 0 && path && outfile_open(path, &file, NULL) == 0) {
		fwrite(text, 1, size, outfile_stream(file));
		written = outfile_commit(file, NULL) == 0;
	}
	return written;
}

/* Whether all tasks say that nothing was lost. */
static bool all_agree(bool whole, MPI_Comm comm)
{
	int mine = whole, all = 0;

	return PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm) ==
		       MPI_SUCCESS &&
	       all == 1;
}

static void reduce(MPI_Comm comm)
{
	struct reduction r = { .program = "mpi", .whole = true };
	bool keep = secure_getenv("HPM_TASK_FILES") != NULL;
	int rank, size;

	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_size(comm, &size);
	if (taskfile_merge_new(&r.merge))
		r.merge = NULL;
	add_own(&r);
	for (int bit = 1; bit < size; bit *= 2) {
		if (rank & bit) {
			send(&r, rank - bit, comm);
			break;
		}
		if (rank + bit < size)
			receive(&r, rank + bit, comm);
	}
	if (rank == 0 && !write_file(&r))
		r.whole = false;
	release_own(&r, all_agree(r.whole, comm) && !keep);
	taskfile_merge_free(r.merge);
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

/* It ends this task, too, and by a signal that cannot be caught. */
int MPI_Abort(MPI_Comm comm, int status)
{
	hpm_write_now();
	return PMPI_Abort(comm, status);
}

/* Fortran's calls, which do not come through C's. */
#define FORTRAN(finalize, abort)                                               \
	void finalize(int *status) __attribute__((visibility("default")));     \
	void finalize(int *status)                                             \
	{                                                                      \
		*status = MPI_Finalize();                                      \
	}                                                                      \
	void abort(const MPI_Fint *comm, const int *code, int *status)         \
		__attribute__((visibility("default")));                        \
	void abort(const MPI_Fint *comm, const int *code, int *status)         \
	{                                                                      \
		*status = MPI_Abort(MPI_Comm_f2c(*comm), *code);               \
	}

FORTRAN(mpi_finalize, mpi_abort)
FORTRAN(mpi_finalize_, mpi_abort_)
FORTRAN(mpi_finalize__, mpi_abort__)
FORTRAN(MPI_FINALIZE, MPI_ABORT)

/* Of the module mpi_f08, where the status may be left out. */
void mpi_finalize_f08_(int *status) __attribute__((visibility("default")));
void mpi_finalize_f08_(int *status)
{
	int result = MPI_Finalize();

	if (status)
		*status = result;
}

void mpi_abort_f08_(const MPI_Fint *comm, const int *code, int *status)
	__attribute__((visibility("default")));
void mpi_abort_f08_(const MPI_Fint *comm, const int *code, int *status)
{
	int result = MPI_Abort(MPI_Comm_f2c(*comm), *code);

	if (status)
		*status = result;
}
