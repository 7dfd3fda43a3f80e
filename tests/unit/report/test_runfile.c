/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a performance file is compared with another one's. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/runfile.h"
#include "tests/unit/testing.h"

/* Two threads in one section, 4 and 9 times; @line is where it stands. */
static void write_file(char *path, int line)
{
	FILE *to;
	int fd;

	strcpy(path, "/tmp/test_runfile.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	to = fdopen(fd, "w");
	assert_non_null(to);
	fputs("<?xml version=\"1.0\"?>\n<hpm version=\"1\" program=\"p\" "
	      "task=\"0\" pid=\"1\" started=\"1\" seconds=\"1\" pmu=\"hw\" "
	      "complete=\"true\">\n",
	      to);
	for (int tid = 0; tid < 2; tid++)
		fprintf(to,
			"<InstrumentationPt lid=\"a.c%d\" disp=\"true\" "
			"label=\"loop\" file=\"%s/a.c\" linestart=\"%d\" "
			"lineend=\"99\" tid=\"%d\" task=\"0\" id=\"1\" "
			"kind=\"thread\">\n"
			"<data name=\"Count\" value=\"%d\"/>\n"
			"<data name=\"ExcSec\" value=\"0.5\"/>\n"
			"<data name=\"X\" value=\"%d\" mean=\"10\" "
			"stddev=\"2\" min=\"8\" max=\"12\"/>\n"
			"</InstrumentationPt>\n",
			line, line > 5 ? "/other" : "/some", line, tid,
			tid ? 9 : 4, tid ? 90 : 40);
	fputs("</hpm>\n", to);
	assert_int_equal(fclose(to), 0);
}

static struct runfile load(int line, enum runfile_rows rows)
{
	struct diag diag = { 0 };
	struct runfile run;
	char path[64];

	write_file(path, line);
	if (runfile_load(path, rows, &run, &diag))
		fail_msg("%s", diag.text);
	unlink(path);
	return run;
}

static const struct run_value *find(const struct runfile *run, size_t nth,
				    const char *name)
{
	for (size_t i = 0; i < run->n; i++)
		if (strcmp(run->values[i].name, name) == 0 && nth-- == 0)
			return &run->values[i];
	fail_msg("no %s", name);
	return NULL;
}

TEST(test_threads_are_taken_together)
{
	struct runfile run = load(3, RUNFILE_TOTALS);
	const struct run_value *x = find(&run, 0, "X");

	assert_true(find(&run, 0, "Count")->value == 13);
	assert_true(find(&run, 0, "Count")->exact);
	assert_true(find(&run, 0, "Threads")->value == 2);
	assert_true(x->value == 130);
	assert_string_equal(x->section, "loop (/some/a.c:3)");
	assert_string_equal(x->file, "/some/a.c");
	assert_int_equal(x->line, 3);
	runfile_fini(&run);
}

/* 13 activations that vary by 2 each: their sum varies by 2 * sqrt(13). */
TEST(test_a_sum_varies_by_the_root_of_its_parts)
{
	struct runfile run = load(3, RUNFILE_TOTALS);
	const struct run_value *x = find(&run, 0, "X");
	double error = x->stddev / sqrt(x->n);

	assert_true(x->n == 13);
	/* pooled: (3 + 8) * 4 over 12 degrees of freedom */
	assert_true(fabs(error - sqrt(44.0 / 12) * sqrt(13)) < 1e-9);
	runfile_fini(&run);
}

TEST(test_without_a_spread_nothing_is_known)
{
	struct runfile run = load(3, RUNFILE_TOTALS);

	assert_true(find(&run, 0, "ExcSec")->n == 1);
	assert_true(find(&run, 0, "ExcSec")->value == 1);
	runfile_fini(&run);
}

TEST(test_lines_and_folders_may_change)
{
	struct runfile a = load(3, RUNFILE_TOTALS);
	struct runfile b = load(7, RUNFILE_TOTALS);

	assert_string_not_equal(find(&a, 0, "X")->section,
				find(&b, 0, "X")->section);
	assert_string_equal(find(&a, 0, "X")->match, find(&b, 0, "X")->match);
	runfile_fini(&a);
	runfile_fini(&b);
}

TEST(test_each_thread_by_its_number)
{
	struct runfile a = load(3, RUNFILE_THREADS);
	struct runfile b = load(7, RUNFILE_THREADS);

	assert_true(find(&a, 0, "X")->value == 40);
	assert_true(find(&a, 1, "X")->value == 90);
	assert_string_equal(find(&a, 1, "X")->section,
			    "loop (/some/a.c:3), task 0, thread 1");
	assert_string_not_equal(find(&a, 0, "X")->match,
				find(&a, 1, "X")->match);
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(find(&a, i, "X")->match,
				    find(&b, i, "X")->match);
	runfile_fini(&a);
	runfile_fini(&b);
}

/* Whether the simulated count of thread 0 is exact, with @second beside it. */
static bool is_row_exact(int second)
{
	static const char section[] =
		"<InstrumentationPt lid=\"1\" label=\"a\" file=\"\" tid=\"%d\" "
		"task=\"0\" id=\"1\" kind=\"thread\"><data name=\"Count\" "
		"value=\"1\"/><data name=\"X\" value=\"5\"/>"
		"</InstrumentationPt>";
	char path[] = "/tmp/test_runfile.XXXXXX";
	struct diag diag = { 0 };
	struct runfile run;
	int fd = mkstemp(path);
	bool exact;

	assert_true(fd >= 0);
	dprintf(fd, "<hpm version=\"1\" program=\"p\" task=\"0\" pmu=\"sim\">");
	dprintf(fd, section, 0);
	dprintf(fd, section, second);
	dprintf(fd, "</hpm>");
	close(fd);
	assert_int_equal(runfile_load(path, RUNFILE_THREADS, &run, &diag), 0);
	unlink(path);
	assert_true(find(&run, 0, "Count")->exact);
	exact = find(&run, 0, "X")->exact;
	runfile_fini(&run);
	return exact;
}

TEST(test_rows_of_several_threads_vary)
{
	assert_true(is_row_exact(0));
	assert_false(is_row_exact(1));
}

/* Whether a simulated count of a file that also says @more is exact. */
static bool is_exact(const char *more, const char *of_event)
{
	char path[] = "/tmp/test_runfile.XXXXXX";
	struct diag diag = { 0 };
	struct runfile run;
	int fd = mkstemp(path);
	bool exact;

	assert_true(fd >= 0);
	dprintf(fd,
		"{\"assay\": 1, \"runs\": 3, %s\"time\": {}, \"events\": "
		"[{\"name\": \"X\", \"value\": 7, \"source\": \"sim\", "
		"\"quality\": \"counted\"%s}]}",
		more, of_event);
	close(fd);
	if (runfile_load(path, RUNFILE_TOTALS, &run, &diag))
		fail_msg("%s", diag.text);
	unlink(path);
	exact = find(&run, 0, "X")->exact;
	runfile_fini(&run);
	return exact;
}

TEST(test_simulated_runs_that_differ_are_not_exact)
{
	assert_true(is_exact("", ""));
	assert_true(is_exact("", ", \"stddev\": 0"));
	assert_false(is_exact("", ", \"stddev\": 1.5"));
	assert_false(is_exact("\"varies\": \"threads\", ", ""));
	assert_false(is_exact("\"varies\": \"threads\", ", ", \"stddev\": 0"));
	assert_true(is_exact("", ", \"reason\": null"));
	assert_false(is_exact("", ", \"reason\": \"a killed process\""));
}

RUN_ALL_TESTS
