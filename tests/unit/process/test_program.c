/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs found in PATH, and launchers of MPI recognised. */
#include "tests/unit/testing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "process/process.h"

TEST(test_programs_are_found_in_path)
{
	char *path;

	setenv("PATH", "/nowhere:/usr/bin:/bin", 1);
	path = program_find("sh");
	assert_non_null(path);
	assert_true(strcmp(path, "/usr/bin/sh") == 0 ||
		    strcmp(path, "/bin/sh") == 0);
	free(path);
	path = program_find("/bin/sh");
	assert_string_equal(path, "/bin/sh");
	free(path);
}

TEST(test_what_cannot_run_says_why)
{
	assert_null(program_find("no-such-program-here"));
	assert_int_equal(errno, ENOENT);
	assert_null(program_find(""));
	assert_int_equal(errno, ENOENT);
	assert_null(program_find("/"));
	assert_int_equal(errno, EISDIR);
	assert_null(program_find("/etc/passwd"));
	assert_int_equal(errno, EACCES);
	setenv("PATH", "/etc", 1);
	assert_null(program_find("passwd"));
	assert_int_equal(errno, EACCES);
	setenv("PATH", "/usr/bin:/bin", 1);
}

static void expect_order(char **argv, const char *expected)
{
	char *order = program_launcher_order("hpmcount", argv);

	if (!expected)
		assert_null(order);
	else
		assert_string_equal(order, expected);
	free(order);
}

TEST(test_launchers_are_put_in_order)
{
	char *plain[] = { (char *)"/bin/true", NULL };
	char *mpi[] = { (char *)"/usr/bin/mpirun", (char *)"-np", (char *)"4",
			(char *)"/bin/true",       (char *)"x",   NULL };
	char *slurm[] = { (char *)"srun", (char *)"--ntasks=4",
			  (char *)"./not-built-yet", NULL };
	char *bare[] = { (char *)"mpiexec", NULL };
	char *none[] = { NULL };

	expect_order(plain, NULL);
	expect_order(none, NULL);
	expect_order(mpi, "/usr/bin/mpirun -np 4 hpmcount /bin/true x");
	expect_order(slurm,
		     "srun --ntasks=4 ./not-built-yet hpmcount ./program");
	expect_order(bare, "mpiexec hpmcount ./program");
}

RUN_ALL_TESTS
