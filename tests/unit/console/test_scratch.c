/* SPDX-License-Identifier: BSD-3-Clause */
/* Scratch files and folders are gone however the process ends. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "console/console.h"
#include "tests/unit/testing.h"

static char folder[] = "/tmp/assay-scratch-XXXXXX";

static int setup(void **state)
{
	(void)state;
	return mkdtemp(folder) && !setenv("TMPDIR", folder, 1) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(folder); /* fails if anything was left */
}

static void make_some(void)
{
	char *inner = scratch_folder("one", NULL);
	char *file = inner ? scratch_inside(inner, "file") : NULL;
	FILE *to = file ? fopen(file, "w") : NULL;

	if (!to || fclose(to) || !scratch_text("two", "text", NULL))
		_exit(1);
}

TEST(test_what_a_signal_ends_leaves_nothing)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		pid_t pid = fork();
		int how = 0;

		if (pid == 0) {
			signal(numbers[i], SIG_DFL);
			make_some();
			raise(numbers[i]);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &how, 0), pid);
		assert_true(WIFSIGNALED(how));
		assert_int_equal(WTERMSIG(how), numbers[i]);
		assert_int_equal(rmdir(folder), 0); /* as it is empty */
		assert_true(
			mkdtemp(strcpy(folder, "/tmp/assay-scratch-XXXXXX")));
		setenv("TMPDIR", folder, 1);
	}
}

TEST(test_child_leaves_its_parents_alone)
{
	struct diag diag = { .text = "" };
	char *file = scratch_text("three", "text", &diag);
	pid_t pid = fork();
	int how = 0;

	assert_non_null(file);
	if (pid == 0) {
		raise(SIGTERM);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &how, 0), pid);
	assert_true(WIFSIGNALED(how));
	assert_int_equal(access(file, R_OK), 0);
	scratch_remove(file);
	scratch_remove(NULL);
}

TEST(test_missing_place_is_named)
{
	struct diag diag = { .text = "" };

	setenv("TMPDIR", "/nowhere", 1);
	assert_null(scratch_folder("four", &diag));
	assert_non_null(strstr(diag.text, "/nowhere"));
	assert_null(scratch_file("five", &diag));
	setenv("TMPDIR", folder, 1);
}

RUN_ALL_TESTS_WITH(setup, teardown)
