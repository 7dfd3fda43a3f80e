/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Performance files that cannot be read, merged or written: without memory, on
 * a full disk, or because they are something else. What is wrong is said.
 */
#include "tests/unit/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/runfile.h"
#include "taskfile/tree.h"
#include "tests/unit/folder.h"
#include "tests/unit/full.h"
#include "tests/unit/refuse.h"

#define SEEDS FIXTURES "/../fuzz/seeds/"

static const char *const files[] = {
	SEEDS "taskfile/small.xml",
	SEEDS "taskfile/merged.xml",
	SEEDS "taskfile/count.json",
	SEEDS "taskfile/regions.json",
};

/* A file with a metric, and one of all that `assay count` may have to say. */
static const char metric_file[] =
	"<hpm version=\"1\" task=\"0\" pmu=\"hw\">\n"
	"<InstrumentationPt lid=\"a\" label=\"a\" id=\"1\" task=\"0\" "
	"tid=\"0\" kind=\"thread\">\n"
	"<data name=\"Count\" value=\"2\"/><data name=\"m\" value=\"1\" "
	"formula=\"Count\" unit=\"u\" verdict=\"good\"/>\n"
	"</InstrumentationPt>\n</hpm>\n";
static const char count_file[] =
	"{\"assay\": 1, \"command\": [\"./a\", \"b\"], \"exit\": 3, "
	"\"runs\": 5, \"machine\": {\"cpu\": \"c\", \"hypervisor\": \"h\"}, "
	"\"pmu\": {\"kind\": \"hw\"}, \"time\": {\"wall_s\": 2, \"native\": "
	"true}, \"events\": [{\"name\": \"CYC\", \"value\": 9, \"quality\": "
	"\"scaled\", \"enabled_ns\": 4, \"running_ns\": 1}], \"metrics\": "
	"[{\"name\": \"m\", \"value\": null, \"reason\": \"why\"}, "
	"{\"name\": \"rate\", \"value\": 2, \"formula\": \"CYC\"}], "
	"\"notes\": [\"a note\"]}\n";

static void write_file(const char *text)
{
	FILE *to = fopen(path, "w");

	assert_non_null(to);
	fputs(text, to);
	assert_int_equal(fclose(to), 0);
}

/* For every file in turn. */
static void each_file(void (*check)(const char *name))
{
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		check(files[i]);
	write_file(metric_file);
	check(path);
	write_file(count_file);
	check(path);
}

/* Without memory, a file may seem not to open. */
static void check_said(int err, const struct diag *diag)
{
	if (err && err != PAPI_ENOMEM &&
	    !strstr(diag->text, "Cannot allocate memory"))
		fail_msg("%d: %s", err, diag->text);
	if (err && !diag->text[0])
		fail_msg("%d, and nothing is said", err);
}

static enum runfile_rows rows;

static int try_to_load(void *context)
{
	struct diag diag = { .text = "" };
	struct runfile run;
	int err = runfile_load(context, rows, &run, &diag);

	check_said(err, &diag);
	if (!err)
		runfile_fini(&run);
	return err;
}

static void check_runfile(const char *name)
{
	for (rows = RUNFILE_TOTALS; rows <= RUNFILE_THREADS; rows++)
		assert_true(refuse_each(try_to_load, (char *)name) > 10);
}

TEST(test_runs_without_memory)
{
	if (!REFUSE_WORKS)
		skip();
	each_file(check_runfile);
}

static int take_remark(void *context, const char *name, const char *text)
{
	(void)context, (void)name, (void)text;
	return 0;
}

/* Remarks are wanted as well. */
static int try_to_read(void *context)
{
	struct tree tree = { 0 };
	struct taskfile_sink sink = tree_builder(&tree);
	struct diag diag = { .text = "" };
	int err;

	sink.remark = take_remark;
	err = taskfile_load(context, &sink, &diag);
	check_said(err, &diag);
	tree_fini(&tree);
	return err;
}

static void check_reading(const char *name)
{
	assert_true(refuse_each(try_to_read, (char *)name) > 10);
}

TEST(test_reading_without_memory)
{
	if (!REFUSE_WORKS)
		skip();
	each_file(check_reading);
}

/* Two files into one, once alone and once by the way of many. */
static int try_to_merge(void *context)
{
	const char *const both[] = { context, context };
	struct diag diag = { .text = "out of memory" };
	struct taskfile_merge *merge;
	int err = taskfile_merge_new(&merge);

	if (err)
		return err;
	err = taskfile_merge_many(merge, both, 2, &diag);
	check_said(err, &diag);
	taskfile_merge_free(merge);
	return err;
}

static void check_merging(const char *name)
{
	assert_true(refuse_each(try_to_merge, (char *)name) > 10);
}

TEST(test_merging_without_memory)
{
	if (!REFUSE_WORKS)
		skip();
	each_file(check_merging);
}

static const struct {
	const char *name;
	int (*write)(const struct tree *tree, FILE *to);
} formats[] = {
	{ "caliper", tree_write_caliper },
	{ "tau", tree_write_tau },
	{ "trace", tree_write_trace },
};

static void load_tree(struct tree *tree)
{
	struct taskfile_sink sink = tree_builder(tree);

	assert_int_equal(taskfile_load(files[0], &sink, NULL), 0);
}

struct writing {
	struct tree tree;
	size_t format;
	FILE *to;
};

static int try_to_write(void *context)
{
	struct writing *w = context;
	int err = tree_order(&w->tree);

	if (!err)
		err = formats[w->format].write(&w->tree, w->to);
	assert_true(!err || err == PAPI_ENOMEM);
	return err;
}

TEST(test_formats_without_memory)
{
	struct writing w = { .to = fopen("/dev/null", "w") };
	static char room[4096];

	if (!REFUSE_WORKS)
		skip();
	setvbuf(w.to, room, _IOFBF, sizeof(room));
	load_tree(&w.tree);
	for (w.format = 0; w.format < ARRAY_SIZE(formats); w.format++)
		assert_true(refuse_each(try_to_write, &w) >= 2);
	tree_fini(&w.tree);
	fclose(w.to);
}

TEST(test_formats_on_a_full_disk)
{
	struct tree tree = { 0 };

	load_tree(&tree);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		FILE *to = open_full(true);

		if (formats[i].write(&tree, to) != PAPI_ESYS)
			fail_msg("%s", formats[i].name);
		fclose(to);
	}
	tree_fini(&tree);
}

/* It has no names of values, which is no lack of memory. */
TEST(test_a_section_without_values_is_written)
{
	struct tree tree = { 0 };
	struct taskfile_sink sink = tree_builder(&tree);
	FILE *to = fopen("/dev/null", "w");

	write_file("<hpm version=\"1\"><InstrumentationPt label=\"a\"/></hpm>");
	assert_int_equal(taskfile_load(path, &sink, NULL), 0);
	assert_int_equal(tree.n, 1);
	assert_int_equal(tree_write_caliper(&tree, to), 0);
	tree_fini(&tree);
	fclose(to);
}

TEST(test_what_is_no_such_file)
{
	static const struct {
		int line;
		const char *text; /* NULL: a folder */
		int code;
		const char *why;
	} wrong[] = {
		{ __LINE__, NULL, PAPI_ESYS, "Is a directory" },
		{ __LINE__, "<html/>", PAPI_EINVAL, "not a performance file" },
		{ __LINE__,
		  "<hpm version=\"1\"><a><a><a><a><a><a><a><a><a/></a></a></a>"
		  "</a></a></a></a></a></hpm>",
		  PAPI_EINVAL, "too deep" },
		{ __LINE__, "{\"assay\": 1}", PAPI_EINVAL,
		  "not written by assay" },
		{ __LINE__, "{\"assay\"", PAPI_EINVAL, "" },
	};
	const struct taskfile_sink sink = { 0 };
	struct runfile run;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		const char *name = wrong[i].text ? path : folder;
		struct diag diag = { .text = "" };

		if (wrong[i].text)
			write_file(wrong[i].text);
		CHECK_AT(wrong[i].line,
			 runfile_load(name, RUNFILE_THREADS, &run, &diag) ==
				 wrong[i].code);
		if (!strstr(diag.text, wrong[i].why))
			fail_msg("line %d: %s", wrong[i].line, diag.text);
		diag.text[0] = '\0';
		CHECK_AT(wrong[i].line,
			 taskfile_load(name, &sink, &diag) == wrong[i].code);
		CHECK_AT(wrong[i].line, diag.text[0]);
	}
}

TEST(test_what_is_not_there)
{
	const struct taskfile_sink sink = { 0 };
	struct diag diag = { .text = "" };
	struct runfile run;

	assert_int_equal(runfile_load("/nowhere", RUNFILE_TOTALS, &run, &diag),
			 PAPI_ESYS);
	assert_non_null(strstr(diag.text, "cannot read /nowhere: No such"));
	diag.text[0] = '\0';
	assert_int_equal(taskfile_load("/nowhere", &sink, &diag), PAPI_ESYS);
	assert_non_null(strstr(diag.text, "cannot read /nowhere: No such"));
}

RUN_ALL_TESTS_WITH(make_folder, remove_folder)
