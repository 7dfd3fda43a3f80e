/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of sections: its order, shares, imbalance, and what is hidden. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "outline/outline.h"
#include "tests/unit/refuse.h"
#include "tests/unit/testing.h"
#include "write/html.h"

static char folder[] = "/tmp/assay-outline-XXXXXX";

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

/* A section of the file that is written. */
struct section {
	int id;
	int parent; /* 0: none */
	const char *label;
	const char *kind;
	int thread;
	double inclusive;
	double exclusive;
};

static void put_section(FILE *to, const struct section *s, int task)
{
	fprintf(to,
		"<InstrumentationPt lid='x%d' label='%s' file='x.c' "
		"linestart='1' lineend='2' tid='%d' task='%d' id='%d' "
		"kind='%s'",
		s->id, s->label, s->thread, task, s->id, s->kind);
	if (s->parent)
		fprintf(to, " parent='%d'", s->parent);
	fprintf(to,
		"><data name='Count' value='1'/>"
		"<data name='ExcSec' value='%g'/>"
		"<data name='IncSec' value='%g'/>"
		"<data name='INS' value='%g' exclusive='%g'/>"
		"</InstrumentationPt>",
		s->exclusive, s->inclusive, s->inclusive * 100,
		s->exclusive * 100);
}

static void load(struct view *v, const char *pmu, int task,
		 const struct section *sections)
{
	char *path = str_format("%s/%d.xml", folder, task);
	struct diag diag = { 0 };
	FILE *to = fopen(path, "w");

	assert_non_null(to);
	fprintf(to,
		"<hpm version='1' program='p' task='%d' pid='1' started='1' "
		"seconds='1' pmu='%s' model='' complete='true'>"
		"<Event name='INS' counted='true'/>",
		task, pmu);
	for (; sections->id; sections++)
		put_section(to, sections, task);
	fputs("</hpm>", to);
	fclose(to);
	if (view_add_file(v, path, &diag))
		fail_msg("%s", diag.text);
	free(path);
}

static const struct section nested[] = {
	{ 1, 0, "small", "process", 0, 10, 10 },
	{ 2, 0, "large", "process", 0, 90, 40 },
	{ 3, 2, "inner", "process", 0, 20, 20 },
	{ 4, 2, "more", "process", 0, 30, 30 },
	{ 0 },
};

/* The labels of what is shown, each with its depth. */
static char *labels_of(const struct outline *o)
{
	struct strbuf text = { 0 };

	for (size_t i = 0; i < o->n; i++)
		if (!o->nodes[i].hidden)
			strbuf_addf(&text, "%s%s%zu", i ? " " : "",
				    o->nodes[i].section.label,
				    o->nodes[i].depth);
	return strbuf_take(&text);
}

static void check_labels(const struct section *sections,
			 const struct outline_options *options,
			 const char *expected)
{
	struct view v = { 0 };
	struct outline o;
	char *labels;

	load(&v, "hw", 0, sections);
	assert_int_equal(view_name_runs(&v), 0);
	assert_int_equal(outline_build(&o, v.runs[0], options, NULL), 0);
	labels = labels_of(&o);
	assert_string_equal(labels, expected);
	free(labels);
	outline_fini(&o);
	view_fini(&v);
}

TEST(test_sections_stand_below_the_one_around_them)
{
	check_labels(nested, &(struct outline_options){ 0 },
		     "large0 more1 inner1 small0");
}

TEST(test_every_order_can_be_asked_for)
{
	check_labels(nested, &(struct outline_options){ .sort = OUTLINE_FILE },
		     "small0 large0 inner1 more1");
	check_labels(nested, &(struct outline_options){ .sort = OUTLINE_LABEL },
		     "large0 inner1 more1 small0");
	check_labels(nested,
		     &(struct outline_options){ .sort = OUTLINE_EXCLUSIVE },
		     "large0 more1 inner1 small0");
}

TEST(test_depth_and_share_hide_sections)
{
	check_labels(nested, &(struct outline_options){ .depth = 1 },
		     "large0 small0");
	check_labels(nested, &(struct outline_options){ .min_share = 25 },
		     "large0 more1");
}

/* No program writes that, but a file may be damaged. */
TEST(test_sections_around_each_other_are_all_shown)
{
	static const struct section ring[] = {
		{ 1, 2, "a", "process", 0, 1, 1 },
		{ 2, 1, "b", "process", 0, 1, 1 },
		{ 3, 3, "c", "process", 0, 1, 1 },
		{ 4, 9, "d", "process", 0, 1, 1 },
		{ 0 },
	};

	check_labels(ring, &(struct outline_options){ .sort = OUTLINE_FILE },
		     "c0 d0 a0 b1");
}

TEST(test_shares_are_of_sections_of_one_kind)
{
	static const struct section kinds[] = {
		{ 1, 0, "all", "process", 0, 80, 60 },
		{ 2, 1, "part", "process", 0, 20, 20 },
		{ 3, 0, "worker", "thread", 0, 7, 7 },
		{ 0 },
	};
	struct outline_options options = { .sort = OUTLINE_FILE };
	struct view v = { 0 };
	struct outline o;

	load(&v, "hw", 0, kinds);
	assert_int_equal(outline_build(&o, v.runs[0], &options, NULL), 0);
	assert_true(o.nodes[0].share == 100);
	assert_true(o.nodes[1].share == 25);
	assert_true(o.nodes[2].share == 100);
	outline_fini(&o);
	view_fini(&v);
}

TEST(test_no_share_is_above_the_whole)
{
	static const struct section kinds[] = {
		{ 1, 0, "all", "process", 0, 80, 40 },
		{ 2, 1, "loop", "thread", 0, 40, 10 },
		{ 3, 2, "inner", "thread", 0, 30, 30 },
		{ 4, 0, "whole", "region", 0, 30, 30 },
		{ 0 },
	};
	struct outline_options options = { .sort = OUTLINE_FILE };
	struct view v = { 0 };
	struct outline o;

	load(&v, "hw", 0, kinds);
	assert_int_equal(outline_build(&o, v.runs[0], &options, NULL), 0);
	assert_true(o.nodes[0].share == 100);
	assert_true(o.nodes[1].share == 100);
	assert_true(o.nodes[2].share == 75);
	assert_true(o.nodes[3].share == 100);
	outline_fini(&o);
	view_fini(&v);
}

TEST(test_imbalance_is_over_ranks_and_over_threads)
{
	static const struct section first[] = {
		{ 1, 0, "w", "thread", 0, 10, 10 },
		{ 1, 0, "w", "thread", 1, 30, 30 },
		{ 0 },
	};
	static const struct section second[] = {
		{ 1, 0, "w", "thread", 0, 20, 20 },
		{ 1, 0, "w", "thread", 1, 60, 60 },
		{ 0 },
	};
	struct outline_options options = { 0 };
	struct view v = { 0 };
	struct outline o;

	load(&v, "hw", 0, first);
	load(&v, "hw", 1, second);
	assert_int_equal(v.n_runs, 1);
	assert_int_equal(outline_build(&o, v.runs[0], &options, NULL), 0);
	assert_int_equal(o.n, 1);
	assert_int_equal(o.nodes[0].ranks.n, 2);
	assert_true(o.nodes[0].ranks.mean == 60);
	assert_int_equal(o.nodes[0].ranks.max_task, 1);
	assert_true(fabs(outline_imbalance(&o.nodes[0].ranks) - 100.0 / 3) <
		    1e-9);
	assert_int_equal(o.nodes[0].threads.n, 4);
	assert_int_equal(o.nodes[0].threads.max_task, 1);
	assert_int_equal(o.nodes[0].threads.max_thread, 1);
	assert_int_equal(o.nodes[0].threads.min_thread, 0);
	assert_true(outline_imbalance(&o.nodes[0].threads) == 100);
	outline_fini(&o);
	view_fini(&v);
}

TEST(test_simulated_times_are_not_compared)
{
	struct outline_options options = { 0 };
	struct view v = { 0 };
	struct outline o;

	load(&v, "sim", 0, nested);
	assert_int_equal(outline_build(&o, v.runs[0], &options, NULL), 0);
	assert_string_equal(o.by, "INS");
	assert_true(o.nodes[0].inclusive == 9000);
	assert_true(o.nodes[0].exclusive == 4000);
	outline_fini(&o);
	view_fini(&v);
}

TEST(test_an_event_that_is_not_there_is_refused)
{
	struct outline_options options = { .by = "nosuch" };
	struct diag diag = { 0 };
	struct view v = { 0 };
	struct outline o;

	load(&v, "hw", 0, nested);
	assert_int_equal(view_name_runs(&v), 0);
	assert_int_equal(outline_build(&o, v.runs[0], &options, &diag),
			 PAPI_EINVAL);
	assert_non_null(strstr(diag.text, "nosuch"));
	view_fini(&v);
}

static int write_all(void *context)
{
	struct view *v = context;
	struct outline_options options = { .per_thread = true };
	struct report_style style = { .width = 80, .verbose = true };
	struct outline o;
	struct outline_report r = { &o, 1, v };
	int err = outline_build(&o, v->runs[0], &options, NULL);

	if (err)
		return err;
	for (const struct format *f = outline_formats; f->name && !err; f++) {
		FILE *to = fopen("/dev/null", "w");

		err = to ? format_write(f, &r, &style, to) : PAPI_ENOMEM;
		if (err == PAPI_ENOSUPP && html_missing())
			err = 0; /* a build without the viewer */
		if (to)
			fclose(to);
	}
	outline_fini(&o);
	return err;
}

TEST(test_no_memory_is_an_error)
{
	struct view v = { 0 };

	if (!REFUSE_WORKS)
		skip();
	load(&v, "hw", 0, nested);
	assert_int_equal(view_name_runs(&v), 0);
	assert_true(refuse_each(write_all, &v) > 20);
	assert_int_equal(write_all(&v), 0);
	view_fini(&v);
}

RUN_ALL_TESTS_WITH(make_folder, remove_folder)
