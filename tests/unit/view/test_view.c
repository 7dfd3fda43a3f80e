/* SPDX-License-Identifier: BSD-3-Clause */
/* Which files make a run, and which sources are read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/testing.h"
#include <cjson/cJSON.h>

#include "base/strbuf.h"
#include "view/view.h"

static char folder[] = "/tmp/assay-view-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char *command = str_format("rm -rf %s", folder);
	int status = system(command);

	(void)state;
	free(command);
	return status;
}

static void put(const char *name, const char *text)
{
	char *path = str_format("%s/%s", folder, name);
	FILE *to = fopen(path, "w");

	assert_non_null(to);
	fputs(text, to);
	fclose(to);
	free(path);
}

/* A performance file with one section in @source. */
static void put_task(const char *name, const char *program, int task,
		     int started, const char *source)
{
	char *text = str_format(
		"<hpm version=\"1\" program=\"%s\" task=\"%d\" pid=\"1\" "
		"started=\"%d\" seconds=\"1\" pmu=\"hw\" model=\"\" "
		"complete=\"true\"><InstrumentationPt lid=\"x1\" label=\"a\" "
		"file=\"%s\" linestart=\"1\" lineend=\"2\" tid=\"0\" "
		"task=\"%d\" id=\"1\" kind=\"process\">"
		"<data name=\"Count\" value=\"2\"/>"
		"<data name=\"IncSec\" value=\"%d\"/>"
		"</InstrumentationPt></hpm>",
		program, task, started, source, task, task + 1);

	put(name, text);
	free(text);
}

static void add(struct view *v, const char *name)
{
	char *path = str_format("%s/%s", folder, name);
	struct diag diag = { 0 };

	if (view_add_file(v, path, &diag))
		fail_msg("%s: %s", name, diag.text);
	free(path);
}

TEST(test_tasks_of_one_program_are_one_run)
{
	struct view v = { 0 };

	put_task("0.xml", "p", 0, 100, "a.c");
	put_task("1.xml", "p", 1, 101, "a.c");
	add(&v, "0.xml");
	add(&v, "1.xml");
	assert_int_equal(v.n_runs, 1);
	assert_int_equal(v.runs[0]->n_sections, 1);
	assert_int_equal(v.runs[0]->sections[0].n, 2);
	view_fini(&v);
}

TEST(test_a_second_file_of_a_task_begins_a_run)
{
	struct view v = { 0 };

	put_task("a0.xml", "p", 0, 100, "a.c");
	put_task("b0.xml", "p", 0, 200, "a.c");
	put_task("a1.xml", "p", 1, 102, "a.c");
	put_task("b1.xml", "p", 1, 203, "a.c");
	add(&v, "a0.xml");
	add(&v, "b0.xml");
	add(&v, "a1.xml");
	add(&v, "b1.xml");
	assert_int_equal(v.n_runs, 2);
	assert_int_equal(v.runs[0]->n_paths, 2);
	assert_non_null(strstr(v.runs[0]->paths[1], "a1.xml"));
	assert_non_null(strstr(v.runs[1]->paths[1], "b1.xml"));
	view_fini(&v);
}

TEST(test_another_program_is_another_run)
{
	struct view v = { 0 };

	put_task("p.xml", "p", 0, 100, "a.c");
	put_task("q.xml", "q", 1, 100, "a.c");
	add(&v, "p.xml");
	add(&v, "q.xml");
	assert_int_equal(v.n_runs, 2);
	view_fini(&v);
}

/* Whether the source that a file names is found. */
static bool finds(const char *source)
{
	struct view v = { 0 };
	char *text = NULL;
	size_t len;
	bool found;

	put_task("s.xml", "p", 0, 100, source);
	add(&v, "s.xml");
	assert_int_equal(view_complete(&v), 0);
	assert_int_equal(v.n_sources, 1);
	found = view_read_source(&v, 0, &text, &len, NULL) == 0;
	free(text);
	view_fini(&v);
	return found;
}

TEST(test_only_source_files_are_read)
{
	char *link = str_format("%s/link.c", folder);
	char *good = str_format("%s/good.c", folder);
	char *pipe = str_format("%s/pipe.c", folder);
	char *alias = str_format("%s/alias.c", folder);

	put("main.c", "int x;\n");
	put("secret", "key\n");
	assert_int_equal(symlink("/etc/passwd", link), 0);
	assert_int_equal(symlink("main.c", good), 0);
	assert_int_equal(symlink("secret", alias), 0);
	assert_int_equal(mkfifo(pipe, 0600), 0);

	assert_true(finds("main.c"));
	assert_true(finds("/somewhere/else/main.c")); /* it was moved */
	assert_true(finds("good.c"));
	assert_false(finds("link.c"));
	assert_false(finds("alias.c"));
	assert_false(finds("pipe.c"));
	assert_false(finds("secret"));
	assert_false(finds("/etc/passwd"));
	assert_false(finds("../../../../etc/passwd"));
	assert_false(finds("missing.c"));
	free(link);
	free(good);
	free(pipe);
	free(alias);
}

TEST(test_the_document_has_sums_and_rows)
{
	struct view v = { 0 };
	char *text;
	size_t len;
	FILE *to = open_memstream(&text, &len);
	cJSON *root, *run, *section;

	put_task("0.xml", "p", 0, 100, "a.c");
	put_task("1.xml", "p", 1, 100, "a.c");
	add(&v, "0.xml");
	add(&v, "1.xml");
	assert_int_equal(view_complete(&v), 0);
	assert_int_equal(view_write_json(&v, to), 0);
	fclose(to);
	root = cJSON_Parse(text);
	assert_non_null(root);
	run = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "runs"), 0);
	section = cJSON_GetArrayItem(cJSON_GetObjectItem(run, "sections"), 0);
	assert_int_equal(cJSON_GetObjectItem(run, "tasks")->valueint, 2);
	assert_int_equal(cJSON_GetObjectItem(section, "rows")->valueint, 2);
	/* Count, IncSec: 2 + 2 and 1 + 2 */
	assert_int_equal(
		cJSON_GetArrayItem(cJSON_GetObjectItem(section, "value"), 0)
			->valueint,
		4);
	assert_int_equal(
		cJSON_GetArrayItem(cJSON_GetObjectItem(section, "value"), 1)
			->valueint,
		3);
	assert_int_equal(
		cJSON_GetArrayItem(cJSON_GetObjectItem(section, "max"), 1)
			->valueint,
		2);
	cJSON_Delete(root);
	free(text);
	view_fini(&v);
}

RUN_ALL_TESTS_WITH(make_folder, remove_folder)
