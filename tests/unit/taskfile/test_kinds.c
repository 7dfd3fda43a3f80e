/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance files with metrics, and PAPI's regions read as sections. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "taskfile/taskfile.h"
#include "tests/unit/testing.h"

/* Every number that a sink was handed, as lines. */
struct lines {
	char text[4096];
	size_t n;
};

static int take_section(void *context, const struct task_section *s)
{
	struct lines *lines = context;

	lines->n += (size_t)snprintf(lines->text + lines->n,
				     sizeof(lines->text) - lines->n,
				     "%s %s %s task %ld parent %ld\n", s->lid,
				     s->label, s->kind, s->task, s->parent);
	for (size_t i = 0; i < s->n; i++)
		lines->n += (size_t)snprintf(
			lines->text + lines->n, sizeof(lines->text) - lines->n,
			" %s %g %g %s\n", s->data[i].name,
			(double)s->data[i].value, (double)s->data[i].exclusive,
			s->data[i].verdict);
	return 0;
}

static int take_problem(void *context, const struct task_problem *p)
{
	struct lines *lines = context;

	lines->n += (size_t)snprintf(lines->text + lines->n,
				     sizeof(lines->text) - lines->n,
				     "problem: %s\n", p->what);
	return 0;
}

static int read_text(const char *text, const char *path, struct lines *lines,
		     struct diag *diag)
{
	const struct taskfile_sink sink = { .context = lines,
					    .problem = take_problem,
					    .section = take_section };
	FILE *from = fmemopen((void *)text, strlen(text), "r");
	int err = taskfile_read(from, path, &sink, diag);

	fclose(from);
	return err;
}

TEST(test_regions_are_read_as_sections)
{
	/* numbers as we write them, and as PAPI does */
	static const char text[] =
		"{\"event_definitions\":{\"E\":{\"component\":\"c\"}},"
		"\"threads\":{\"0\":{\"regions\":{"
		"\"0\":{\"name\":\"outer\",\"parent_region_id\":-1,"
		"\"region_count\":3,"
		"\"real_time_nsec\":{\"region_value\":5e9,\"exclusive\":2e9},"
		"\"E\":{\"region_value\":7,\"exclusive\":4}},"
		"\"1\":{\"name\":\"inner\",\"parent_region_id\":\"0\","
		"\"region_count\":\"2\",\"real_time_nsec\":\"1000000000\","
		"\"E\":\"9\"}}}},"
		"\"notes\":[{\"region\":\"x\",\"unfinished\":1}]}";
	struct lines lines = { .n = 0 };

	assert_int_equal(read_text(text, "papi_hl_output/rank_000012.json",
				   &lines, NULL),
			 0);
	assert_string_equal(lines.text,
			    "problem: a region was left open\n"
			    "outer outer region task 12 parent -1\n"
			    " Count 3 nan \n ExcSec 2 nan \n IncSec 5 nan \n"
			    " E 7 4 \n"
			    "outer/inner inner region task 12 parent 0\n"
			    " Count 2 nan \n IncSec 1 nan \n E 9 nan \n");
}

TEST(test_other_json_is_refused_with_its_line)
{
	struct lines lines = { .n = 0 };
	struct diag diag = { 0 };

	assert_int_equal(
		read_text("{\n\"threads\":{\n", "x.json", &lines, &diag),
		PAPI_EINVAL);
	assert_true(diag.line >= 2);
	assert_string_equal(diag.file, "x.json");
	assert_int_equal(read_text("{\"assay\":1}", "x.json", &lines, &diag),
			 PAPI_EINVAL);
	assert_non_null(strstr(diag.text, "threads"));
}

TEST(test_a_region_inside_itself_ends)
{
	struct lines lines = { .n = 0 };

	assert_int_equal(
		read_text("{\"threads\":{\"0\":{\"regions\":{\"0\":{\"name\":"
			  "\"a\",\"parent_region_id\":0}}}}}",
			  "x.json", &lines, NULL),
		0);
}

#define METRIC                                                                 \
	"<data name=\"ipc\" value=\"%g\" formula=\"INS / CYC\" sbad=\"-0.5\" " \
	"sgood=\"1\" verdict=\"good\"/>"

static void add_task(struct taskfile_merge *merge, int task, double ins,
		     double cyc)
{
	char path[] = "/tmp/assay-metric-XXXXXX";
	int fd = mkstemp(path);
	FILE *to = fdopen(fd, "w");

	fprintf(to,
		"<hpm version=\"1\"><InstrumentationPt lid=\"a\" label=\"a\" "
		"id=\"1\" kind=\"thread\" task=\"%d\"><data name=\"INS\" "
		"value=\"%g\"/><data name=\"CYC\" value=\"%g\"/>" METRIC
		"</InstrumentationPt></hpm>",
		task, ins, cyc, ins / cyc);
	fclose(to);
	assert_int_equal(taskfile_merge_add(merge, path, NULL), 0);
	unlink(path);
}

TEST(test_a_merged_metric_is_that_of_the_sums)
{
	struct lines lines = { .n = 0 };
	const struct taskfile_sink sink = { .context = &lines,
					    .section = take_section };
	struct taskfile_merge *merge;

	assert_int_equal(taskfile_merge_new(&merge), 0);
	add_task(merge, 0, 100, 100);
	add_task(merge, 1, 20, 300);
	assert_int_equal(taskfile_merge_give(merge, &sink), 0);
	assert_string_equal(lines.text, "a a thread task -1 parent -1\n"
					" INS 120 nan \n CYC 400 nan \n"
					" ipc 0.3 nan poor\n");
	taskfile_merge_free(merge);
}

RUN_ALL_TESTS
