/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance files: written, read, damaged, merged. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "taskfile/taskfile.h"
#include "tests/unit/testing.h"

static char folder[] = "/tmp/assay-taskfile-XXXXXX";

static int setup(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static const struct task_head head = { .program = "a<b>",
				       .task = 3,
				       .tasks = 1,
				       .pid = 77,
				       .started = 1000,
				       .seconds = 1.5,
				       .pmu = "sim",
				       .model = "icx",
				       .complete = true };

static struct task_datum datum(const char *name, double value)
{
	return (struct task_datum){ .name = name,
				    .value = value,
				    .raw = value + 3,
				    .correction = 3,
				    .uncertainty = NAN,
				    .exclusive = value / 2,
				    .mean = value / 10,
				    .stddev = 0,
				    .min = 1,
				    .max = value,
				    .task_n = NAN,
				    .task_mean = NAN,
				    .task_stddev = NAN,
				    .task_min = NAN,
				    .task_max = NAN,
				    .min_task = -1,
				    .max_task = -1,
				    .shown = true,
				    .formula = "",
				    .unit = "",
				    .verdict = "",
				    .sbad = NAN,
				    .sgood = NAN,
				    .dbad = NAN,
				    .dgood = NAN };
}

static void write_section(FILE *to, const char *label, long task, double ins)
{
	struct task_datum data[] = { datum("Count", 10),
				     datum("PAPI_TOT_INS", ins) };
	struct task_section section = { .lid = "x.c10",
					.label = label,
					.file = "x.c",
					.line_start = 10,
					.line_end = 20,
					.tid = 0,
					.task = task,
					.id = 1,
					.parent = -1,
					.kind = "thread",
					.data = data,
					.n = 2 };

	taskfile_writer(to).section(to, &section);
}

/* What a sink was handed. */
static struct {
	int heads, events, problems, sections;
	char label[64], program[64];
	struct task_datum ins;
	long task;
	struct task_problem problem; /* the last; its strings are gone */
} got;

static int take_head(void *context, const struct task_head *h)
{
	(void)context;
	got.heads++;
	snprintf(got.program, sizeof(got.program), "%s", h->program);
	return 0;
}

static int take_problem(void *context, const struct task_problem *p)
{
	(void)context;
	assert_string_equal(p->what, "stopped but not started");
	got.problems++;
	got.problem = *p;
	return 0;
}

static int take_section(void *context, const struct task_section *s)
{
	(void)context;
	got.sections++;
	snprintf(got.label, sizeof(got.label), "%s", s->label);
	got.task = s->task;
	assert_int_equal(s->n, 2);
	got.ins = s->data[1];
	return 0;
}

static const struct taskfile_sink sink = { .head = take_head,
					   .problem = take_problem,
					   .section = take_section };

static int read_text(const char *text, struct diag *diag)
{
	FILE *from = fmemopen((void *)text, strlen(text), "r");
	int err;

	memset(&got, 0, sizeof(got));
	err = taskfile_read(from, "input.xml", &sink, diag);
	fclose(from);
	return err;
}

TEST(test_what_is_written_is_read)
{
	const struct task_problem problem = { "stopped but not started", 4,
					      "x.c", 9, 2 };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	taskfile_writer(to).head(to, &head);
	taskfile_writer(to).problem(to, &problem);
	write_section(to, "\"loop\" <1> & more", 3, 1e15 + 1);
	taskfile_write_end(to);
	fclose(to);
	assert_int_equal(read_text(text, NULL), 0);
	free(text);
	assert_int_equal(got.heads, 1);
	assert_int_equal(got.problems, 1);
	assert_string_equal(got.program, "a<b>");
	assert_string_equal(got.label, "\"loop\" <1> & more");
	assert_true(got.ins.value == 1e15 + 1);
	assert_true(isnan(got.ins.uncertainty));
	assert_int_equal(got.task, 3);
}

TEST(test_damage_is_refused_with_its_line)
{
	static const struct {
		int line;
		const char *text;
		size_t at;
		const char *says;
	} rows[] = {
		{ __LINE__, "", 0, "is empty" },
		{ __LINE__, "text\n", 0, "not a performance file" },
		{ __LINE__, "<hpm version=\"1\">\n<Event", 2, "truncated" },
		{ __LINE__, "<other/>", 1, "not a performance file" },
		{ __LINE__, "<hpm version=\"2\"/>", 1, "newer" },
		{ __LINE__, "<hpm version=\"1\">\n\n</hpn>", 3, "" },
		{ __LINE__,
		  "<!DOCTYPE hpm [<!ENTITY a \"aaaa\">]>\n<hpm version=\"1\">"
		  "&a;</hpm>",
		  1, "document type" },
		{ __LINE__,
		  "<!DOCTYPE hpm SYSTEM \"file:///etc/passwd\"><hpm/>", 1,
		  "document type" },
		{ __LINE__, "<hpm version=\"1\">\xff</hpm>", 1, "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct diag diag = { 0 };

		CHECK_AT(rows[i].line,
			 read_text(rows[i].text, &diag) == PAPI_EINVAL);
		CHECK_AT(rows[i].line, diag.line == rows[i].at);
		CHECK_AT(rows[i].line, strstr(diag.text, rows[i].says));
		CHECK_AT(rows[i].line,
			 strcmp(rows[i].at ? diag.file : "input.xml",
				"input.xml") == 0);
	}
}

TEST(test_later_versions_may_add)
{
	assert_int_equal(read_text("<hpm version=\"1\" new=\"x\">"
				   "<Novelty><deep/></Novelty></hpm>",
				   NULL),
			 0);
}

TEST(test_merge_adds_and_compares_tasks)
{
	struct taskfile_sink keep = sink;
	struct taskfile_merge *merge;
	char path[128];

	assert_int_equal(taskfile_merge_new(&merge), 0);
	for (long task = 0; task < 16; task++) {
		FILE *to;

		snprintf(path, sizeof(path), "%s/t%ld.xml", folder, task);
		to = fopen(path, "w");
		taskfile_writer(to).head(to, &head);
		for (long id = 7; id < 9; id++)
			taskfile_writer(to).problem(
				to, &(struct task_problem){
					    "stopped but not started", id,
					    "a.c", 12, 3 });
		write_section(to, "loop", task, 100.0 + (double)task);
		write_section(to, task % 2 ? "odd" : "even", task, 5);
		taskfile_write_end(to);
		fclose(to);
		assert_int_equal(taskfile_merge_add(merge, path, NULL), 0);
	}
	memset(&got, 0, sizeof(got));
	assert_int_equal(taskfile_merge_give(merge, &keep), 0);
	assert_int_equal(got.sections, 3);
	assert_int_equal(got.problems, 2);
	assert_int_equal(got.problem.id, 8);
	assert_int_equal(got.problem.line, 12);
	assert_true(got.problem.count == 48);
	keep.section = take_section;
	assert_string_equal(got.label, "odd");
	assert_true(got.ins.value == 40);
	assert_true(got.ins.task_stddev == 0);
	assert_int_equal(got.task, -1);
	taskfile_merge_free(merge);
}

static int take_loop(void *context, const struct task_section *s)
{
	if (strcmp(s->label, "loop") == 0)
		*(struct task_datum *)context = s->data[1];
	return 0;
}

TEST(test_merge_says_which_task_has_most)
{
	struct task_datum loop = { 0 };
	const struct taskfile_sink take = { .context = &loop,
					    .section = take_loop };
	struct taskfile_merge *merge;
	char path[128];

	assert_int_equal(taskfile_merge_new(&merge), 0);
	for (long task = 0; task < 16; task++) {
		snprintf(path, sizeof(path), "%s/t%ld.xml", folder, task);
		assert_int_equal(taskfile_merge_add(merge, path, NULL), 0);
	}
	assert_int_equal(taskfile_merge_give(merge, &take), 0);
	assert_true(loop.value == 1720); /* 16 * 100 + 0 + 1 + ... + 15 */
	assert_true(loop.task_mean == 107.5);
	assert_true(fabs(loop.task_stddev - 4.760952) < 1e-6);
	assert_int_equal(loop.min_task, 0);
	assert_int_equal(loop.max_task, 15);
	assert_true(loop.task_max == 115);
	assert_true(fabs(loop.mean - 10.75) < 1e-12);
	taskfile_merge_free(merge);
}

RUN_ALL_TESTS_WITH(setup, teardown)
