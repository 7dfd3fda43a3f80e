/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON of assay count, read as the one section of a task. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "taskfile/taskfile.h"
#include "tests/unit/testing.h"

#define HEAD                                                                   \
	"{\"assay\":1,\"command\":[\"/bin/a b\",\"<c>\"],\"exit\":3,"          \
	"\"runs\":5,\"task\":2,\"tasks\":4,\"pid\":7,"                         \
	"\"machine\":{\"cpu\":\"C\",\"hypervisor\":\"H\",\"kernel\":\"6\"},"

/* A program that took 2 s, and one on the simulator. */
static const char native[] = HEAD
	"\"pmu\":{\"kind\":\"hw\",\"model\":\"icx\"},"
	"\"time\":{\"wall_s\":2,\"native\":true,"
	"\"wall_spread\":{\"stddev\":0.25,\"min\":1,\"max\":3}},"
	"\"events\":["
	"{\"name\":\"CYC\",\"value\":100,\"quality\":\"scaled\","
	"\"enabled_ns\":200,\"running_ns\":50,\"stddev\":10,\"min\":90,"
	"\"max\":110},"
	"{\"name\":\"GONE\",\"value\":null,\"reason\":\"no such counter\"}],"
	"\"metrics\":["
	"{\"name\":\"rate\",\"value\":50,\"unit\":\"%\",\"verdict\":\"poor\","
	"\"threshold\":\"good >= 95, poor < 80\",\"formula\":\"CYC / #\"},"
	"{\"name\":\"m\",\"value\":null,\"formula\":\"GONE / CYC\","
	"\"reason\":\"GONE was not counted\"},"
	"{\"name\":\"n\",\"value\":null,\"formula\":\"GONE\","
	"\"reason\":\"GONE was not counted\"}],"
	"\"notes\":[\"a note\"]}";
static const char simulated[] = HEAD
	"\"pmu\":{\"kind\":\"sim\"},\"time\":{\"wall_s\":2,\"native\":false},"
	"\"events\":[{\"name\":\"CYC\",\"value\":100}],"
	"\"metrics\":[{\"name\":\"per_second\",\"value\":null,"
	"\"formula\":\"CYC / wall_s\",\"reason\":\"no time\"}]}";

struct seen {
	char text[4096];
	size_t n;
};

__attribute__((format(printf, 2, 3))) static void put(struct seen *s,
						      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	s->n += (size_t)vsnprintf(s->text + s->n, sizeof(s->text) - s->n,
				  format, args);
	va_end(args);
}

static int take_head(void *seen, const struct task_head *h)
{
	put(seen, "%s task %ld of %ld, %g s, %s %s\n", h->program, h->task,
	    h->tasks, h->seconds, h->pmu, h->model);
	return 0;
}

static int take_event(void *seen, const struct task_event *e)
{
	if (!e->counted)
		put(seen, "not %s: %s\n", e->name, e->reason);
	return 0;
}

static int take_section(void *seen, const struct task_section *s)
{
	put(seen, "%s %s\n", s->label, s->kind);
	for (size_t i = 0; i < s->n; i++) {
		const struct task_datum *d = &s->data[i];

		put(seen, " %s %g ± %g, %g %g\n", d->name, (double)d->value,
		    d->stddev, d->dgood, d->sbad);
	}
	return 0;
}

static int take_remark(void *seen, const char *name, const char *text)
{
	put(seen, "%s: %s\n", name, text);
	return 0;
}

static struct taskfile_sink sink_of(struct seen *seen)
{
	return (struct taskfile_sink){ .context = seen,
				       .head = take_head,
				       .event = take_event,
				       .section = take_section,
				       .remark = take_remark };
}

static int read_text(const char *text, const struct taskfile_sink *sink,
		     struct diag *diag)
{
	FILE *from = fmemopen((void *)text, strlen(text), "r");
	int err = taskfile_read(from, "count.json", sink, diag);

	fclose(from);
	return err;
}

TEST(test_a_count_is_one_section)
{
	struct seen seen = { .n = 0 };
	struct taskfile_sink sink = sink_of(&seen);

	assert_int_equal(read_text(native, &sink, NULL), 0);
	assert_string_equal(seen.text,
			    "a b task 2 of 4, 2 s, hw icx\n"
			    "not GONE: no such counter\n"
			    "Command: /bin/a b <c>\n"
			    "Processor: C (H)\n"
			    "Kernel: 6\n"
			    "Runs: 5; numbers are means\n"
			    "Exit status: 3\n"
			    ": CYC is an estimate: it was counted 25 % of the "
			    "time\n"
			    ": No value of m, n: GONE was not counted\n"
			    ": a note\n"
			    "whole program program\n"
			    " Count 5 ± nan, nan nan\n"
			    " ExcSec 2 ± 0.25, nan nan\n"
			    " IncSec 2 ± 0.25, nan nan\n"
			    " CYC 100 ± 10, nan nan\n"
			    " rate 50 ± nan, 95 -80\n"
			    " m nan ± nan, nan nan\n"
			    " n nan ± nan, nan nan\n");
}

static int take_errors(void *seen, const struct task_section *s)
{
	for (size_t i = 0; i < s->n; i++)
		put(seen, "%s %g; ", s->data[i].name,
		    (double)s->data[i].uncertainty);
	return 0;
}

TEST(test_estimates_keep_their_errors)
{
	static const char estimated[] =
		"{\"assay\":1,\"command\":[\"a\"],\"pmu\":{\"kind\":\"sim\"},"
		"\"events\":[{\"name\":\"CYC\",\"value\":100,"
		"\"quality\":\"scaled\",\"enabled_ns\":8,\"running_ns\":8,"
		"\"stderr\":2.5}],\"metrics\":[{\"name\":\"ipc\","
		"\"value\":2,\"formula\":\"x\",\"stderr\":0.5}]}";
	struct seen seen = { .n = 0 };
	struct taskfile_sink sink = { .context = &seen,
				      .section = take_errors,
				      .remark = take_remark };

	assert_int_equal(read_text(estimated, &sink, NULL), 0);
	assert_non_null(strstr(seen.text, "CYC 2.5; ipc 0.5; "));
	assert_non_null(
		strstr(seen.text,
		       ": CYC is an estimate from samples of the program\n"));
}

static int take_reasons(void *seen, const struct task_section *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->data[i].reason && s->data[i].reason[0])
			put(seen, "%s %g: %s; ", s->data[i].name,
			    (double)s->data[i].value, s->data[i].reason);
	return 0;
}

/* Counts that lack something still say so when they are merged. */
TEST(test_merged_counts_keep_what_is_missing)
{
	static const char partial[] =
		"{\"assay\":1,\"command\":[\"a\"],\"pmu\":{\"kind\":\"sim\"},"
		"\"events\":[{\"name\":\"CYC\",\"value\":100,"
		"\"reason\":\"a killed process\"}]}";
	struct seen seen = { .n = 0 };
	struct taskfile_sink sink = { .context = &seen,
				      .section = take_reasons };
	struct taskfile_merge *merge;
	struct taskfile_sink into;

	assert_int_equal(taskfile_merge_new(&merge), 0);
	into = taskfile_merge_sink(merge);
	assert_int_equal(read_text(partial, &into, NULL), 0);
	assert_int_equal(read_text(simulated, &into, NULL), 0);
	assert_int_equal(taskfile_merge_give(merge, &sink), 0);
	assert_non_null(strstr(seen.text, "CYC 200: a killed process; "));
	taskfile_merge_free(merge);
}

/* The clock's rate is not in the file: the metric is right as it stands. */
TEST(test_metrics_of_one_task_stay)
{
	struct seen seen = { .n = 0 };
	struct taskfile_sink sink = { .context = &seen,
				      .section = take_section };
	struct taskfile_merge *merge;
	struct taskfile_sink into;

	assert_int_equal(taskfile_merge_new(&merge), 0);
	into = taskfile_merge_sink(merge);
	assert_int_equal(read_text(native, &into, NULL), 0);
	assert_int_equal(taskfile_merge_give(merge, &sink), 0);
	assert_non_null(strstr(seen.text, " rate 50 "));
	assert_non_null(strstr(seen.text, " m nan "));
	taskfile_merge_free(merge);
}

TEST(test_the_simulator_has_no_time)
{
	struct seen seen = { .n = 0 };
	struct taskfile_sink sink = { .context = &seen,
				      .section = take_section };
	struct taskfile_merge *merge;
	struct taskfile_sink into;

	assert_int_equal(taskfile_merge_new(&merge), 0);
	into = taskfile_merge_sink(merge);
	assert_int_equal(read_text(simulated, &into, NULL), 0);
	assert_int_equal(read_text(simulated, &into, NULL), 0);
	assert_int_equal(taskfile_merge_give(merge, &sink), 0);
	assert_null(strstr(seen.text, "Sec"));
	assert_non_null(strstr(seen.text, " CYC 200 "));
	assert_non_null(strstr(seen.text, " per_second nan "));
	taskfile_merge_free(merge);
}

TEST(test_what_is_wrong_in_it_is_left_out)
{
	static const char odd[] =
		"{\"assay\":1,\"command\":[5,null],\"runs\":\"x\","
		"\"events\":[3,{\"value\":1},{\"name\":\"E\",\"value\":\"2\"}],"
		"\"metrics\":{\"a\":1},\"notes\":[7],\"pmu\":[]}";
	struct seen seen = { .n = 0 };
	struct taskfile_sink sink = sink_of(&seen);

	assert_int_equal(read_text(odd, &sink, NULL), 0);
	assert_non_null(strstr(seen.text, "whole program program\n"
					  " Count 1 ± nan, nan nan\n"));
	assert_null(strstr(seen.text, " E "));
}

TEST(test_other_json_is_refused)
{
	struct seen seen = { .n = 0 };
	struct taskfile_sink sink = sink_of(&seen);
	struct diag diag = { .text = "" };

	assert_int_equal(read_text("{\"assay\":1,\"rows\":[]}", &sink, &diag),
			 PAPI_EINVAL);
	assert_non_null(strstr(diag.text, "neither a report of assay count"));
}

RUN_ALL_TESTS
