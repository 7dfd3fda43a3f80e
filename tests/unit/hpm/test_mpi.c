/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks that put their sections together while memory runs out in one of them:
 * whatever is refused, it hands on or takes what others wait for, ends as it
 * should, and the file is whole or is not there. MPI's calls are ours here:
 * the other task is one that has the same section.
 */
#include <hpm.h>
#include <mpi.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "hpm/hold.h"
#include "tests/unit/refuse.h"
#include "tests/unit/testing.h"

#define MOST 5000 /* more allocations than it takes to merge two tasks */

static char folder[] = "/tmp/assay-mpi-XXXXXX";
static char path[64];

/* This task, and what it does with the other. */
static struct {
	int rank;
	char *theirs; /* what the other one has to send */
	char *sent;   /* what it was sent */
	int sends, receives, ends;
	bool goes_on; /* when a call of MPI fails */
	bool whole;   /* this task says that nothing was lost */
} world;

#ifndef MPI_Comm_f2c /* a macro in older MPICHs */
MPI_Comm MPI_Comm_f2c(MPI_Fint comm)
{
	return (MPI_Comm)comm;
}
#endif

int PMPI_Initialized(int *begun)
{
	*begun = 1;
	return MPI_SUCCESS;
}

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *out)
{
	*out = comm;
	return MPI_SUCCESS;
}

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
	(void)comm;
	world.goes_on = handler == MPI_ERRORS_RETURN;
	return MPI_SUCCESS;
}

int PMPI_Comm_free(MPI_Comm *comm)
{
	(void)comm;
	return MPI_SUCCESS;
}

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
	(void)comm;
	*rank = world.rank;
	return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm comm, int *size)
{
	(void)comm;
	*size = 2;
	return MPI_SUCCESS;
}

int PMPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
	(void)tag;
	(void)comm;
	(void)status;
	assert_int_equal(from, 1);
	return MPI_SUCCESS;
}

int PMPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
	(void)status;
	(void)type;
	*count = (int)strlen(world.theirs);
	return MPI_SUCCESS;
}

int PMPI_Recv(void *to, int room, MPI_Datatype type, int from, int tag,
	      MPI_Comm comm, MPI_Status *status)
{
	(void)type;
	(void)from;
	(void)tag;
	(void)comm;
	(void)status;
	world.receives++;
	assert_true(world.goes_on);
	if ((size_t)room < strlen(world.theirs))
		return MPI_ERR_TRUNCATE;
	memcpy(to, world.theirs, strlen(world.theirs));
	return MPI_SUCCESS;
}

int PMPI_Send(const void *from, int size, MPI_Datatype type, int to, int tag,
	      MPI_Comm comm)
{
	(void)type;
	(void)tag;
	(void)comm;
	assert_int_equal(to, 0);
	refuse_countdown = 0;
	free(world.sent);
	world.sent = strndup(from, (size_t)size);
	world.sends++;
	return MPI_SUCCESS;
}

/* The other task has lost nothing. */
int PMPI_Allreduce(const void *mine, void *all, int n, MPI_Datatype type,
		   MPI_Op op, MPI_Comm comm)
{
	(void)type;
	(void)op;
	(void)comm;
	assert_int_equal(n, 1);
	refuse_countdown = 0;
	memcpy(all, mine, sizeof(int));
	world.whole = *(const int *)mine;
	return MPI_SUCCESS;
}

int PMPI_Abort(MPI_Comm comm, int status)
{
	(void)comm;
	(void)status;
	return MPI_SUCCESS;
}

int PMPI_Finalize(void)
{
	world.ends++;
	return MPI_SUCCESS;
}

/* With an event, and a call that makes no sense. */
static void run_section(void)
{
	hpmInit(world.rank, "mpi");
	hpmTstart(1, "section");
	hpmTstop(1);
	hpmTstop(2);
	hpmTerminate(world.rank);
}

static bool is_whole(const char *text)
{
	const char *end = text + strlen(text);

	return strncmp(text, "<?xml", 5) == 0 && end - text > 7 &&
	       strncmp(end - 6, "</hpm>", 6) == 0;
}

static void strip_end(char *text)
{
	size_t n = strlen(text);

	if (n > 0 && text[n - 1] == '\n')
		text[n - 1] = '\0';
}

static bool has_all(const char *text)
{
	return strstr(text, "label=\"section\"") &&
	       strstr(text, "tasks=\"2\"") &&
	       strstr(text, "perf::PAGE-FAULTS") &&
	       strstr(text, "stopped but not started");
}

/* Both tasks' sections, or NULL: there is no file. */
static char *written(void)
{
	struct fs here = { .root = folder };

	return fs_read(&here, "out.xml");
}

/* This task's own file: there until its sections are in another. */
static void check_own_file(int rank)
{
	char own[80];

	snprintf(own, sizeof(own), "%s/hpm_%05d_mpi.xml", folder, rank);
	assert_int_equal(access(own, F_OK) == 0, !world.whole);
	unlink(own);
}

/* One that is first, with the nth allocation refused, or without. */
static void finish(int rank, long n)
{
	world.rank = rank;
	world.sends = world.receives = world.ends = 0;
	unlink(path);
	run_section();
	refuse_nth(n);
	assert_int_equal(MPI_Finalize(), MPI_SUCCESS);
	refuse_countdown = 0;
	assert_int_equal(world.ends, 1);
	assert_int_equal(world.sends, rank == 1);
	assert_int_equal(world.receives, rank == 0);
	assert_null(hold_first());
	check_own_file(rank);
	PAPI_shutdown();
}

TEST(test_the_first_task_has_no_memory)
{
	long n = 0, without = 0;

	if (!REFUSE_WORKS)
		skip();
	do {
		char *text;

		finish(0, ++n);
		text = written();
		without += !text;
		if (text && !is_whole(text))
			fail_msg("%ld: %s", n, text);
		if (text && !strstr(text, "complete=\"false\"") &&
		    !has_all(text))
			fail_msg("%ld: %s", n, text);
		if (!refused || world.whole)
			assert_true(text && has_all(text));
		free(text);
	} while (refused && n < MOST);
	assert_in_range(n, 10, MOST - 1);
	assert_true(without > 0);
}

TEST(test_another_task_has_no_memory)
{
	long n = 0, without = 0;

	if (!REFUSE_WORKS)
		skip();
	do {
		finish(1, ++n);
		assert_null(written());
		assert_non_null(world.sent);
		strip_end(world.sent);
		without += !*world.sent;
		if (*world.sent && !is_whole(world.sent))
			fail_msg("%ld: %s", n, world.sent);
		if (!refused)
			assert_non_null(strstr(world.sent, "section"));
	} while (refused && n < MOST);
	assert_in_range(n, 10, MOST - 1);
	assert_true(without > 0);
}

/* What it has so far is written before MPI ends it. */
TEST(test_abort_leaves_the_file)
{
	char own[80];

	snprintf(own, sizeof(own), "%s/hpm_00004_mpi.xml", folder);
	hpmInit(4, "mpi");
	hpmTstart(1, "section");
	hpmTstop(1);
	assert_int_equal(MPI_Abort(MPI_COMM_WORLD, 3), MPI_SUCCESS);
	assert_int_equal(unlink(own), 0);
	hpmTerminate(4);
	hpm_release(hold_first());
	assert_int_equal(unlink(own), 0);
	PAPI_shutdown();
}

static int setup(void **state)
{
	struct hpm_held *held;

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/out.xml", folder);
	setenv("HPM_OUTPUT", path, 1);
	setenv("HPM_EVENTS", "perf::PAGE-FAULTS", 1);
	world.rank = 1;
	hpm_hold();
	run_section();
	held = hold_first();
	world.theirs = held ? strdup(held->text) : NULL;
	if (held)
		unlink(held->path);
	hpm_release(held);
	return world.theirs ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	free(world.theirs);
	free(world.sent);
	unlink(path);
	return rmdir(folder);
}

RUN_ALL_TESTS_WITH(setup, teardown)
