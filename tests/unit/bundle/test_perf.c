/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines as perf 6.1 prints them, and as others do. */
#include <math.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundle/counts.h"
#include "bundle/foreign.h"
#include "tests/unit/testing.h"

static const struct kernel_machine machine = {
	.line_bytes = 64,
	.page_bytes = 4096,
};

/* What the bundle prints when branch/1 runs @times times. */
static void add_run(struct strbuf *to, uint64_t times)
{
	const struct experiment_unit unit = {
		.kernel = kernels_find("branch/1"),
		.point = { .times = times },
	};

	strbuf_add(to, PERF_RUN "assay 0.1.0\nwhere x86_64, Linux 6.1\n"
				"cpu A Processor\n");
	counts_geometry(to, &machine);
	counts_unit(to, &unit, &machine);
}

/* Runs of branch/1, 100 and 200 times, and what perf says of each. */
static char *file_of(const char *first, const char *second)
{
	struct strbuf text = { 0 };

	add_run(&text, 100);
	strbuf_add(&text, first);
	add_run(&text, 200);
	strbuf_add(&text, second);
	return strbuf_take(&text);
}

static void read_file(char *text, struct counts *counts)
{
	struct strbuf made = { 0 };
	struct diag diag = { .text = "" };

	assert_true(perf_is(text));
	if (perf_read(text, &made, &diag) ||
	    counts_parse(made.text, made.len, counts, &diag))
		fail_msg("%s", diag.text);
	strbuf_fini(&made);
	free(text);
}

static double at(const struct counts *c, size_t unit, unsigned repeat,
		 size_t event)
{
	return experiment_count(c->result, unit, repeat, event);
}

TEST(test_counts_are_those_of_perf)
{
	struct counts c;

	read_file(file_of("# started on Thu Nov 19 14:43:59 2026\n\n"
			  "1234,,branches:u,403856,100.00,,\n"
			  ",,,,,,1.20,insn per cycle\n"
			  "567,,cache-misses:u,403856,100.00,0.464,of all\n",
			  "2234,,branches:u,403856,100.00,,\n"
			  "<not counted>,,cache-misses:u,0,0.00,,\n"),
		  &c);
	assert_int_equal(c.n_units, 2);
	assert_int_equal(c.units[1].point.times, 200);
	assert_int_equal(c.result->n_events, 2);
	assert_string_equal(c.result->events[0].name, "branches:u");
	assert_null(c.result->events[0].reason);
	assert_string_equal(c.cpu, "A Processor");
	assert_string_equal(c.kind, "hw");
	assert_true(at(&c, 0, 0, 0) == 1234 && at(&c, 1, 0, 0) == 2234);
	assert_true(at(&c, 0, 0, 1) == 567 && isnan(at(&c, 1, 0, 1)));
	counts_fini(&c);
}

/* Both ways in which versions of perf order the fields. */
TEST(test_mean_and_error_of_r_are_kept)
{
	struct counts c;
	double mean, error;

	read_file(file_of("1000,,branches,2.00%,403856,100.00,,\n",
			  "2000,,branches,403856,100.00,1.00%,,\n"),
		  &c);
	assert_int_equal(c.result->repeats, 2);
	for (size_t u = 0; u < 2; u++) {
		mean = (at(&c, u, 0, 0) + at(&c, u, 1, 0)) / 2;
		/* the standard error of the mean of two */
		error = fabs(at(&c, u, 1, 0) - at(&c, u, 0, 0)) / 2;
		assert_true(mean == (u ? 2000 : 1000));
		assert_true(error == 20);
	}
	counts_fini(&c);
}

/* The same kernel again is a repeat, also when it has counts of fewer events.
 */
TEST(test_runs_of_a_kernel_are_repeats)
{
	struct strbuf text = { 0 };
	struct counts c;

	add_run(&text, 100);
	strbuf_add(&text, "10,,a,1,100.00,,\n20,,b,1,100.00,,\n");
	add_run(&text, 100); /* -r 2 runs it twice before perf prints */
	add_run(&text, 100);
	strbuf_add(&text, "12,,a,1,100.00,,\n");
	read_file(strbuf_take(&text), &c);
	assert_int_equal(c.n_units, 1);
	assert_int_equal(c.result->repeats, 2);
	assert_true(at(&c, 0, 0, 0) == 10 && at(&c, 0, 1, 0) == 12);
	assert_true(at(&c, 0, 0, 1) == 20 && isnan(at(&c, 0, 1, 1)));
	counts_fini(&c);
}

/* Each event that has no counts says why. */
TEST(test_what_was_not_counted_has_a_reason)
{
	static const struct {
		int line;
		const char *name, *why;
	} rows[] = {
		{ __LINE__, "good", NULL },
		{ __LINE__, "cycles", "not supported" },
		{ __LINE__, "shared", "48 % of the time" },
		{ __LINE__, "energy", "Joules" },
		{ __LINE__, "never", "did not count it" },
		{ __LINE__, "cpu/event=0x3c,umask=1/u", NULL },
	};
	const char *lines = "1,,good,9,100.00,,\n"
			    "<not supported>,,cycles,0,100.00,,\n"
			    "5,,shared,9,48.00,,\n"
			    "1.5,Joules,energy,9,100.00,,\n"
			    "<not counted>,,never,0,0.00,,\n"
			    "7,,cpu/event=0x3c,umask=1/u,9,100.00,,\n";
	struct counts c;

	read_file(file_of(lines, lines), &c);
	assert_int_equal(c.result->n_events, sizeof(rows) / sizeof(rows[0]));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct experiment_event *e = &c.result->events[i];

		CHECK_AT(rows[i].line, strcmp(e->name, rows[i].name) == 0);
		CHECK_AT(rows[i].line, !e->reason == !rows[i].why);
		CHECK_AT(rows[i].line,
			 !rows[i].why || strstr(e->reason, rows[i].why));
		CHECK_AT(rows[i].line, !rows[i].why == !isnan(at(&c, 1, 0, i)));
	}
	counts_fini(&c);
}

TEST(test_other_separators_are_known)
{
	struct counts c;

	read_file(file_of("10;;cpu/event=1,umask=2/;9;100.00;;\n",
			  "20\t\tcpu/event=1,umask=2/\t9\t100.00\t\t\n"),
		  &c);
	assert_int_equal(c.result->n_events, 1);
	assert_true(at(&c, 0, 0, 0) == 10 && at(&c, 1, 0, 0) == 20);
	counts_fini(&c);
}

TEST(test_what_cannot_be_used_is_refused)
{
	static const struct {
		int line;
		const char *first, *why;
	} rows[] = {
		{ __LINE__, "CPU0,5,,branches,9,100.00,,\n", "-A, -I" },
		{ __LINE__, " 0.1005,77,,branches,9,100.00,,\n", "-A, -I" },
		{ __LINE__, "0.1005,77,,branches,9,100.00,,\n", "-A, -I" },
		{ __LINE__, "0.1005,<not counted>,,branches,0,0.00,,\n",
		  "-A, -I" },
		{ __LINE__, "Segmentation fault\n", "no line of perf" },
		{ __LINE__, "5\n", "no line of perf" },
		{ __LINE__, "5,\n", "no line of perf" },
		{ __LINE__, "1e300,,branches,9,100.00,,\n", "no line of perf" },
		{ __LINE__, "", "no counts of perf" },
		{ __LINE__, "5,,branches,9,40.00,,\n", "none of its events" },
		{ __LINE__, "geometry 1 2 3\n", "another machine" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = file_of(rows[i].first, "");
		struct strbuf made = { 0 };
		struct diag diag = { .text = "" };

		CHECK_AT(rows[i].line,
			 perf_read(text, &made, &diag) == PAPI_EINVAL);
		if (!strstr(diag.text, rows[i].why))
			fail_msg("row at line %d: %s", rows[i].line, diag.text);
		strbuf_fini(&made);
		free(text);
	}
}

TEST(test_counts_without_a_kernel_are_refused)
{
	char text[] = "5,,branches,9,100.00,,\n" PERF_RUN;
	struct strbuf made = { 0 };
	struct diag diag = { .text = "" };

	assert_true(perf_is(text));
	assert_false(perf_is("5,,branches,9,100.00,,\n"));
	assert_false(perf_is(COUNTS_MAGIC "assay 0.1.0\n"));
	assert_int_equal(perf_read(text, &made, &diag), PAPI_EINVAL);
	assert_non_null(strstr(diag.text, "no kernel is named"));
	strbuf_fini(&made);
}

RUN_ALL_TESTS
