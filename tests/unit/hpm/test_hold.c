/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance files that are held for MPI: kept, given out, written, or not. */
#include <fcntl.h>
#include <hpm.h>
#include <papi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fs.h"
#include "hpm/file.h"
#include "hpm/hold.h"
#include "hpm/state.h"
#include "tests/unit/refuse.h"
#include "tests/unit/testing.h"

#define MOST 2000 /* more allocations than a program with one section makes */

/* What becomes of files in memory, in which text is held. */
static enum {
	FINE,
	FULL,
	UNREADABLE
} memory_files;

int memfd_create(const char *name, unsigned flags)
{
	if (memory_files == FULL)
		return open("/dev/full", O_RDWR | O_CLOEXEC);
	return (int)syscall(SYS_memfd_create, name, flags);
}

ssize_t pread(int fd, void *to, size_t n, off_t from)
{
	return memory_files == UNREADABLE
		       ? -1
		       : syscall(SYS_pread64, fd, to, n, from);
}

static char folder[] = "/tmp/assay-hold-XXXXXX";
static char path[64];

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	/* what HPM_OUTPUT names is the file of all tasks */
	snprintf(path, sizeof(path), "%s/out.xml", folder);
	setenv("HPM_OUTPUT", path, 1);
	snprintf(path, sizeof(path), "%s/hpm_00000_hold.xml", folder);
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

/* A task that dies before the tasks meet leaves its sections behind. */
TEST(test_a_held_file_is_written_as_well)
{
	struct hpm_held *held;

	hpm_hold();
	run_section();
	assert_int_equal(access(path, F_OK), 0);
	held = hold_first();
	assert_non_null(held);
	assert_null(hold_first());
	assert_string_equal(held->path, path);
	assert_non_null(strstr(held->text, "label=\"section\""));
	hpm_release(held);
	hpm_release(NULL);
}

/* Then it is written only, or nothing is: never half of it. */
TEST(test_no_memory_to_hold_it)
{
	long n = 1, written = 0;

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
		hpm_release(held);
		PAPI_shutdown();
		if (!refused)
			break;
	}
	assert_in_range(n, 10, MOST - 1);
	assert_in_range(written, 1, n);
}

static char *written(void)
{
	struct fs here = { .root = folder };

	return fs_read(&here, "hpm_00000_hold.xml");
}

TEST(test_what_cannot_be_held_is_written_at_once)
{
	hpm_hold();
	for (memory_files = FULL; memory_files <= UNREADABLE; memory_files++) {
		char *text;

		unlink(path);
		run_section();
		assert_null(hold_first());
		text = written();
		assert_non_null(text);
		assert_non_null(strstr(text, "label=\"section\""));
		assert_non_null(strstr(text, "</hpm>"));
		free(text);
	}
	memory_files = FINE;
}

/* A program that dies while a thread is at its sections does not wait. */
TEST(test_sections_in_use_are_left_out_by_who_dies)
{
	struct hpm_state *current;
	char *text;

	hpmInit(0, "hold");
	hpmTstart(1, "section");
	hpmTstop(1);
	current = state_current();
	assert_non_null(current);
	thread_lock(current->threads);
	assert_int_equal(file_write(current, FILE_DYING), 0);
	thread_unlock(current->threads);
	text = written();
	assert_non_null(text);
	assert_null(strstr(text, "label=\"section\""));
	assert_non_null(strstr(text, "<Problem what=\"a thread's sections were "
				     "in use\" id=\"0\" count=\"1\"/>"));
	assert_non_null(strstr(text, "complete=\"false\""));
	free(text);
	assert_int_equal(file_write(current, FILE_DYING), 0);
	text = written();
	assert_non_null(text);
	assert_non_null(strstr(text, "label=\"section\""));
	free(text);
	hpmTerminate(0);
	hpm_release(hold_first());
}

RUN_ALL_TESTS_WITH(setup, teardown)
