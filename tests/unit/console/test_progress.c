/* SPDX-License-Identifier: BSD-3-Clause */
/* What is written of long work where there is no terminal. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "console/console.h"
#include "console/elapsed.h"
#include "tests/unit/testing.h"

static const struct console loud = { .as = "assay test" };
static const struct console quiet = { .as = "assay test", .quiet = true };
static char said[1000];

/* Let standard error go to a file, and read it back. */
static void listen(void (*speak)(const struct console *console),
		   const struct console *console)
{
	FILE *file = tmpfile();
	int old = dup(STDERR_FILENO);

	assert_non_null(file);
	fflush(stderr);
	dup2(fileno(file), STDERR_FILENO);
	speak(console);
	fflush(stderr);
	dup2(old, STDERR_FILENO);
	close(old);
	rewind(file);
	said[fread(said, 1, sizeof(said) - 1, file)] = '\0';
	fclose(file);
}

/* Notes with no time between them: every step but the last has one. */
static void step_at_once(const struct console *console)
{
	struct progress p;

	progress_start(&p, console, "classifying", "kernels", 3);
	p.every_ns = 0;
	for (size_t i = 1; i <= 3; i++)
		progress_step(&p, i);
	progress_end(&p);
}

static void step_quickly(const struct console *console)
{
	struct progress p;

	progress_start(&p, console, "classifying", "kernels", 300);
	for (size_t i = 1; i <= 300; i++)
		progress_step(&p, i);
	progress_end(&p);
}

TEST(test_a_log_has_a_note_now_and_then)
{
	listen(step_at_once, &loud);
	assert_string_equal(said,
			    "assay test: note: classifying: 1 of 3 kernels\n"
			    "assay test: note: classifying: 2 of 3 kernels\n");
}

TEST(test_short_work_and_quiet_write_nothing)
{
	listen(step_quickly, &loud);
	assert_string_equal(said, "");
	listen(step_at_once, &quiet);
	assert_string_equal(said, "");
}

#define S 1000000000ull

static void run_a_minute(const struct console *console)
{
	struct elapsed e;

	elapsed_init(&e, console);
	elapsed_work(&e, 30e9, 60 * S);
	elapsed_show(&e, 60 * S);
	elapsed_work(&e, 90e9, 120 * S);
	elapsed_show(&e, 120 * S);
}

TEST(test_speed_is_that_of_the_last_minute)
{
	listen(run_a_minute, &loud);
	assert_string_equal(said,
			    "assay test: note: running for 1 min 00 s, 30 G "
			    "instructions, 500 M/s\n"
			    "assay test: note: running for 2 min 00 s, 90 G "
			    "instructions, 1 G/s\n");
	listen(run_a_minute, &quiet);
	assert_string_equal(said, "");
}

/* The second of several runs starts again from 0. */
static void run_again(const struct console *console)
{
	struct elapsed e;

	elapsed_init(&e, console);
	elapsed_work(&e, 900, 60 * S);
	elapsed_work(&e, 600, 60 * S);
	elapsed_show(&e, 60 * S);
}

TEST(test_another_run_starts_from_nothing)
{
	listen(run_again, &loud);
	assert_string_equal(said, "assay test: note: running for 1 min 00 s, "
				  "600 instructions, 10/s\n");
}

RUN_ALL_TESTS
