/* SPDX-License-Identifier: BSD-3-Clause */
/* Formulas evaluated, against arithmetic in C. */
#include <assay/metric.h>

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "metric/formula.h"
#include "metric/names.h"
#include "tests/unit/testing.h"

/* @counts are those of the names in the order in which they appear. */
TEST(test_eval)
{
	static const struct {
		int line;
		const char *text;
		double counts[3];
		double want;
	} rows[] = {
		{ __LINE__, "2|3|+", { 0 }, 5 },
		{ __LINE__, "2|3|-", { 0 }, -1 },
		{ __LINE__, "2|3|-|", { 0 }, -1 },
		{ __LINE__, " 2 | 3 | - | ", { 0 }, -1 },
		{ __LINE__, "2|-3|*", { 0 }, -6 },
		{ __LINE__, "2|3|neg|*", { 0 }, -6 },
		{ __LINE__, "2|3|max", { 0 }, 3 },
		{ __LINE__, "2|3|min", { 0 }, 2 },
		{ __LINE__, "1|0|/|7|guard", { 0 }, 7 },
		{ __LINE__, "PAPI_TOT_INS|PAPI_TOT_CYC|/", { 6, 4 }, 1.5 },
		{ __LINE__, "PAPI_TOT_INS|PAPI_TOT_INS|*", { 3 }, 9 },
		{ __LINE__, "perf::TASK-CLOCK|1e9|/", { 5e8 }, 0.5 },
		{ __LINE__, "cpu/event=0x3c/|2|*", { 4 }, 8 },
		{ __LINE__, "\"cpu/event=0x3c,umask=1/\"|2|*", { 4 }, 8 },
		{ __LINE__, "a-b-c|1|*", { 4 }, 4 },
		{ __LINE__, "a-b-c", { 10, 3, 2 }, 5 },
		{ __LINE__, "a/b/c", { 24, 4, 2 }, 3 },
		{ __LINE__, "a-(b-c)", { 10, 3, 2 }, 9 },
		{ __LINE__, "a+b*c", { 10, 3, 2 }, 16 },
		{ __LINE__, "(a+b)*c", { 10, 3, 2 }, 26 },
		{ __LINE__, "-a*b", { 10, 3 }, -30 },
		{ __LINE__, "a*-b", { 10, 3 }, -30 },
		{ __LINE__, "a--b", { 10, 3 }, 13 },
		{ __LINE__, "a-+-b", { 10, 3 }, 13 },
		{ __LINE__, "--a", { 10 }, 10 },
		{ __LINE__, "-(a+b)", { 10, 3 }, -13 },
		{ __LINE__, "2-3*4/6+1", { 0 }, 1 },
		{ __LINE__, "1.5e3", { 0 }, 1500 },
		{ __LINE__, "1.5E+3", { 0 }, 1500 },
		{ __LINE__, ".5", { 0 }, 0.5 },
		{ __LINE__, "5.", { 0 }, 5 },
		{ __LINE__, "25e-2*4", { 0 }, 1 },
		{ __LINE__, "min(a,b,c)", { 10, 3, 2 }, 2 },
		{ __LINE__, "max( a , b + c )", { 10, 3, 8 }, 11 },
		{ __LINE__, "max(min(a,b),c)*2", { 10, 3, 2 }, 6 },
		{ __LINE__, "guard(a/b, c)", { 10, 0, 2 }, 2 },
		{ __LINE__, "guard(a/b, c)", { 10, 5, 9 }, 2 },
		{ __LINE__, "guard(c+(a-b)*(b-a), 1/0)", { 1, 2, 3 }, 0 },
		{ __LINE__, "'perf::TASK-CLOCK' / 2", { 10 }, 5 },
		{ __LINE__, "\"a-b\" - 'c,d'", { 10, 3 }, 7 },
		{ __LINE__, "RS_UOPS_DISPATCHED:C=1 / x", { 10, 4 }, 2.5 },
		{ __LINE__, "icx::BR_INST_RETIRED:COND*2", { 10 }, 20 },
		{ __LINE__, "min + max", { 1, 2 }, 3 },
		{ __LINE__, "a*#", { 2, 100 }, 200 },
		{ __LINE__, "((((((a))))))", { 2 }, 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct assay_metric *m = NULL;

		CHECK_AT(rows[i].line,
			 assay_metric_compile(rows[i].text, &m, NULL) == 0);
		CHECK_AT(rows[i].line,
			 assay_metric_eval(m, rows[i].counts) == rows[i].want);
		assay_metric_free(m);
	}
}

TEST(test_no_value_is_nan)
{
	static const struct {
		int line;
		const char *text;
		double counts[2];
	} rows[] = {
		{ __LINE__, "a/b", { 3, 0 } },
		{ __LINE__, "b/b", { 0 } },
		{ __LINE__, "-1/(b*2)", { 0 } },
		{ __LINE__, "1+a/b", { 3, 0 } },
		{ __LINE__, "a/b*0", { 3, 0 } },
		{ __LINE__, "a|b|/|0|min", { 3, 0 } },
		{ __LINE__, "max(0, a/b)", { 3, 0 } },
		{ __LINE__, "min(a/b, 0)", { 3, 0 } },
		{ __LINE__, "guard(a/b, a/b)", { 3, 0 } },
		{ __LINE__, "1e308*10*a", { 3 } },
		{ __LINE__, "(1e308*10)-(1e308*10)", { 0 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct assay_metric *m = NULL;

		CHECK_AT(rows[i].line,
			 assay_metric_compile(rows[i].text, &m, NULL) == 0);
		CHECK_AT(rows[i].line,
			 isnan(assay_metric_eval(m, rows[i].counts)));
		assay_metric_free(m);
	}
}

TEST(test_a_missing_count_has_no_value)
{
	struct assay_metric *m = NULL;
	double counts[2] = { NAN, 4 };

	assert_int_equal(assay_metric_compile("a*0 + b", &m, NULL), 0);
	assert_true(isnan(assay_metric_eval(m, counts)));
	assay_metric_free(m);
}

TEST(test_events_are_listed_once)
{
	struct assay_metric *m = NULL;

	assert_int_equal(assay_metric_compile("A + B*A - 'c-d'", &m, NULL), 0);
	assert_int_equal(assay_metric_event_count(m), 3);
	assert_string_equal(assay_metric_event(m, 0), "A");
	assert_string_equal(assay_metric_event(m, 1), "B");
	assert_string_equal(assay_metric_event(m, 2), "c-d");
	assert_null(assay_metric_event(m, 3));
	assay_metric_free(m);
}

static int is_linear(const char *text, int *weights)
{
	struct name_list list = { 0 };
	struct formula_names names = { name_list_push, &list };
	struct formula *f = NULL;
	int linear;

	assert_int_equal(formula_compile(text, &names, &f, NULL), 0);
	linear = formula_is_linear(f, weights);
	formula_free(f);
	name_list_fini(&list);
	return linear;
}

TEST(test_whole_sums_are_linear)
{
	static const struct {
		int line;
		const char *text;
		int weights[3]; /* all 0: not linear */
	} rows[] = {
		{ __LINE__, "a", { 1 } },
		{ __LINE__, "a+b", { 1, 1 } },
		{ __LINE__, "a-b-c", { 1, -1, -1 } },
		{ __LINE__, "a-(b-c)", { 1, -1, 1 } },
		{ __LINE__, "2*a+b*4*c*0+c", { 0 } },
		{ __LINE__, "2*a+b*4", { 2, 4 } },
		{ __LINE__, "-(a+b)*3", { -3, -3 } },
		{ __LINE__, "a+1-1", { 1 } },
		{ __LINE__, "(a+1)*2-2", { 2 } },
		{ __LINE__, "a+1", { 0 } },
		{ __LINE__, "a*b", { 0 } },
		{ __LINE__, "a/2", { 0 } },
		{ __LINE__, "a*1.5", { 0 } },
		{ __LINE__, "max(a,b)", { 0 } },
		{ __LINE__, "a*2147483647", { 2147483647 } },
		{ __LINE__, "a*2147483647*2", { 0 } },
		{ __LINE__, "a*2147483647*2147483647*4", { 0 } },
		{ __LINE__,
		  "a*1073741824*1073741824*4+a*1073741824*1073741824*4",
		  { 0 } },
		{ __LINE__, "a-(-1073741824)*1073741824*8", { 0 } },
		{ __LINE__, "1+2", { 0 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int weights[3] = { 0 };
		int want = rows[i].weights[0] != 0;

		CHECK_AT(rows[i].line,
			 is_linear(rows[i].text, weights) == want);
		CHECK_AT(rows[i].line, memcmp(weights, rows[i].weights,
					      sizeof(weights)) == 0);
	}
}

/* Each of these needs a deep stack, or recursion, if done simply. */
TEST(test_depth_has_no_limit)
{
	enum {
		DEPTH = 100000
	};
	struct strbuf sb = { 0 };
	struct assay_metric *m = NULL;
	double count = 1;

	for (int i = 0; i < DEPTH; i++)
		strbuf_add(&sb, "(");
	strbuf_add(&sb, "a");
	for (int i = 0; i < DEPTH; i++)
		strbuf_add(&sb, ")");
	assert_int_equal(assay_metric_compile(strbuf_text(&sb), &m, NULL), 0);
	assert_true(assay_metric_eval(m, &count) == 1);
	assay_metric_free(m);
	strbuf_fini(&sb);

	for (int i = 0; i < DEPTH; i++)
		strbuf_add(&sb, "a-(");
	strbuf_add(&sb, "a");
	for (int i = 0; i < DEPTH; i++)
		strbuf_add(&sb, ")");
	assert_int_equal(assay_metric_compile(strbuf_text(&sb), &m, NULL), 0);
	assert_true(assay_metric_eval(m, &count) == 1);
	assay_metric_free(m);
	strbuf_fini(&sb);

	for (int i = 0; i < DEPTH; i++)
		strbuf_add(&sb, "a|");
	for (int i = 1; i < DEPTH; i++)
		strbuf_add(&sb, "+|");
	assert_int_equal(assay_metric_compile(strbuf_text(&sb), &m, NULL), 0);
	assert_true(assay_metric_eval(m, &count) == DEPTH);
	assay_metric_free(m);
	strbuf_fini(&sb);
}

/* A balanced tree is the one that needs the most. */
TEST(test_largest_balanced_tree)
{
	struct formula_builder b = { 0 };
	struct formula *f = NULL;
	double count = 1;
	int err = 0;

	for (size_t i = 1; !err && i <= FORMULA_MAX_NODES / 2; i++) {
		err = builder_count(&b, 0);
		for (size_t bit = i; !err && !(bit & 1); bit >>= 1)
			err = builder_op(&b, OP_ADD);
	}
	assert_int_equal(err, 0);
	assert_int_equal(builder_finish(&b, &f), 0);
	assert_true(formula_eval(f, &count) == FORMULA_MAX_NODES / 2);
	formula_free(f);
	builder_fini(&b);
}

TEST(test_a_formula_too_large_is_refused)
{
	struct formula_builder b = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i <= FORMULA_MAX_NODES; i++)
		err = builder_const(&b, 1);
	assert_int_equal(err, PAPI_ENOMEM);
	builder_fini(&b);
}

TEST(test_numbers_do_not_follow_the_locale)
{
	static const char *const locales[] = { "de_DE.UTF-8", "fr_FR.UTF-8" };
	struct assay_metric *m = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(locales); i++)
		if (setlocale(LC_NUMERIC, locales[i]))
			break;
	assert_int_equal(assay_metric_compile("1.5", &m, NULL), 0);
	assert_true(assay_metric_eval(m, NULL) == 1.5);
	assay_metric_free(m);
	setlocale(LC_NUMERIC, "C");
}

RUN_ALL_TESTS
