/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many files merged by several threads are what they are merged one by one,
 * and the first that cannot be read is named.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "taskfile/taskfile.h"
#include "tests/unit/testing.h"

#define FILES 500

static char folder[] = "/tmp/test_taskfile_many.XXXXXX";
static char *paths[FILES];

static void write_task(const char *path, int task)
{
	FILE *to = fopen(path, "w");

	assert_non_null(to);
	fprintf(to,
		"<hpm version=\"1\" program=\"p\" task=\"%d\" pid=\"1\" "
		"started=\"%d\" seconds=\"1\" pmu=\"hw\" complete=\"true\">\n"
		"<Problem what=\"w\" id=\"1\" file=\"f\" line=\"2\" "
		"count=\"1\"/>\n",
		task, 1000 - task);
	for (int id = 1; id <= 3; id++)
		fprintf(to,
			"<InstrumentationPt lid=\"a.c%d\" label=\"s%d\" "
			"file=\"a.c\" linestart=\"%d\" lineend=\"9\" "
			"tid=\"0\" task=\"%d\" id=\"%d\" kind=\"thread\">\n"
			"<data name=\"Count\" value=\"2\"/>\n"
			"<data name=\"X\" value=\"%d\" mean=\"%d.5\" "
			"stddev=\"1.25\" min=\"-3\" max=\"1e3\"/>\n"
			"</InstrumentationPt>\n",
			id, id, id, task, id, (task * 37) % 251 + id, task % 7);
	fputs("</hpm>\n", to);
	assert_int_equal(fclose(to), 0);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	for (int i = 0; i < FILES; i++) {
		if (asprintf(&paths[i], "%s/%d.xml", folder, i) < 0)
			return -1;
		write_task(paths[i], i);
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (int i = 0; i < FILES; i++) {
		unlink(paths[i]);
		free(paths[i]);
	}
	return rmdir(folder);
}

struct seen {
	struct task_head head;
	double problems;
	struct task_datum x[3];
	size_t n;
};

static int take_head(void *context, const struct task_head *head)
{
	((struct seen *)context)->head = *head;
	return 0;
}

static int take_problem(void *context, const struct task_problem *problem)
{
	((struct seen *)context)->problems += problem->count;
	return 0;
}

static int take_section(void *context, const struct task_section *section)
{
	struct seen *seen = context;

	if (seen->n < 3)
		seen->x[seen->n] = section->data[1];
	seen->n++;
	return 0;
}

static struct seen what_is_in(struct taskfile_merge *merge)
{
	struct seen seen = { 0 };
	const struct taskfile_sink sink = { .context = &seen,
					    .head = take_head,
					    .problem = take_problem,
					    .section = take_section };

	assert_int_equal(taskfile_merge_give(merge, &sink), 0);
	assert_int_equal(seen.n, 3);
	return seen;
}

static bool is_near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

TEST(test_many_are_as_one_by_one)
{
	struct taskfile_merge *one, *many;
	struct seen a, b;

	assert_int_equal(taskfile_merge_new(&one), 0);
	assert_int_equal(taskfile_merge_new(&many), 0);
	for (int i = 0; i < FILES; i++)
		assert_int_equal(taskfile_merge_add(one, paths[i], NULL), 0);
	assert_int_equal(taskfile_merge_many(many, (const char *const *)paths,
					     FILES, NULL),
			 0);
	a = what_is_in(one);
	b = what_is_in(many);
	assert_int_equal(b.head.tasks, FILES);
	assert_int_equal(b.head.started, a.head.started);
	assert_true(b.problems == FILES);
	for (size_t i = 0; i < 3; i++) {
		assert_true(a.x[i].value == b.x[i].value);
		assert_true(b.x[i].min == -3 && b.x[i].max == 1000);
		assert_true(b.x[i].task_n == FILES);
		assert_true(a.x[i].task_min == b.x[i].task_min);
		assert_int_equal(a.x[i].min_task, b.x[i].min_task);
		assert_int_equal(a.x[i].max_task, b.x[i].max_task);
		assert_true(is_near(a.x[i].mean, b.x[i].mean));
		assert_true(is_near(a.x[i].stddev, b.x[i].stddev));
		assert_true(is_near(a.x[i].task_mean, b.x[i].task_mean));
		assert_true(is_near(a.x[i].task_stddev, b.x[i].task_stddev));
	}
	taskfile_merge_free(one);
	taskfile_merge_free(many);
}

TEST(test_the_first_bad_file_is_named)
{
	const char *list[FILES];
	struct diag diag = { 0 };
	struct taskfile_merge *merge;

	for (int i = 0; i < FILES; i++)
		list[i] = paths[i];
	list[123] = "/nowhere/first.xml";
	list[400] = "/nowhere/second.xml";
	assert_int_equal(taskfile_merge_new(&merge), 0);
	assert_int_equal(taskfile_merge_many(merge, list, FILES, &diag),
			 PAPI_ESYS);
	assert_non_null(strstr(diag.text, "/nowhere/first.xml"));
	taskfile_merge_free(merge);
}

TEST(test_none_and_few)
{
	struct taskfile_merge *merge;

	assert_int_equal(taskfile_merge_new(&merge), 0);
	assert_int_equal(taskfile_merge_many(merge, NULL, 0, NULL), 0);
	assert_int_equal(
		taskfile_merge_many(merge, (const char *const *)paths, 1, NULL),
		0);
	assert_true(what_is_in(merge).x[0].value == 1);
	taskfile_merge_free(merge);
}

RUN_ALL_TESTS_WITH(setup, teardown)
