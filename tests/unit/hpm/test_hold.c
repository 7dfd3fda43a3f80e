/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance files that are held for MPI: kept, given out, written, or not. */
#include <fcntl.h>
#include <hpm.h>
#include <papi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hpm/hold.h"
#include "hpm/state.h"
#include "tests/unit/refuse.h"
#include "tests/unit/testing.h"

#define MOST 2000 /* more allocations than a program with one section makes */

static char folder[] = "/tmp/assay-hold-XXXXXX";
static char path[64];

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/out.xml", folder);
	setenv("HPM_OUTPUT", path, 1);
	setenv("HPM_EVENTS", "", 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

static void run_section(void)
{
	hpmInit(0, "hold");
	hpmTstart(1, "section");
	hpmTstop(1);
	hpmTerminate(0);
}

/* What is said on stderr meanwhile goes to a pipe; @text gets it. */
static void write_and_hear(const struct hpm_held *held, char *text, size_t size)
{
	int ends[2], before = dup(STDERR_FILENO);
	ssize_t n;

	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	dup2(ends[1], STDERR_FILENO);
	hpm_write_held(held);
	dup2(before, STDERR_FILENO);
	n = read(ends[0], text, size - 1);
	text[n > 0 ? n : 0] = '\0';
	close(before);
	close(ends[0]);
	close(ends[1]);
}

static void test_a_held_file_is_written_later(void **state)
{
	struct hpm_held *held;
	char said[512];

	(void)state;
	hpm_hold();
	run_section();
	assert_int_not_equal(access(path, F_OK), 0);
	held = hold_first();
	assert_non_null(held);
	assert_null(hold_first());
	assert_string_equal(held->path, path);
	assert_non_null(strstr(held->text, "label=\"section\""));
	write_and_hear(held, said, sizeof(said));
	assert_string_equal(said, "");
	assert_int_equal(access(path, F_OK), 0);

	snprintf(held->path, sizeof(held->path), "/nowhere/out.xml");
	write_and_hear(held, said, sizeof(said));
	assert_string_equal(said, "libhpm: cannot write /nowhere/out.xml: "
				  "No such file or directory\n");
	hpm_release(held);
	hpm_release(NULL);
}

/* Then it is written at once, or nothing is: never half of it. */
static void test_no_memory_to_hold_it(void **state)
{
	long n = 1, written = 0;

	(void)state;
	if (!REFUSE_WORKS)
		skip();
	hpm_hold();
	for (; n < MOST; n++) {
		struct hpm_held *held;

		unlink(path);
		refuse_nth(n);
		run_section();
		refuse_countdown = 0;
		written += access(path, F_OK) == 0;
		held = hold_first();
		if (held)
			assert_non_null(strstr(held->text, "</hpm>"));
		if (held && refused) { /* nor is there memory to write it */
			char said[512];

			refuse_nth(1);
			write_and_hear(held, said, sizeof(said));
			refuse_countdown = 0;
			assert_non_null(strstr(said, "Cannot allocate memory"));
		}
		hpm_release(held);
		PAPI_shutdown();
		if (!refused)
			break;
	}
	assert_in_range(n, 10, MOST - 1);
	assert_in_range(written, 1, n - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_held_file_is_written_later),
		cmocka_unit_test(test_no_memory_to_hold_it),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
