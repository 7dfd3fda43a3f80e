/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reader of definition files: what it makes of each line, and what it
 * refuses.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "metric/defs.h"
#include "metric/names.h"
#include "tests/unit/testing.h"

static struct defs *parse(const char *text)
{
	struct diag diag = { 0 };
	struct defs *defs = NULL;

	if (defs_parse("test", text, strlen(text), &defs, &diag))
		fail_msg("%zu:%zu: %s", diag.line, diag.column, diag.text);
	return defs;
}

/* The definition's value; @counts in the order its names are first used. */
static double eval(const struct defs *defs, size_t i, const double *counts)
{
	struct name_list list = { 0 };
	struct formula_names names = { name_list_push, &list };
	struct formula *f = NULL;
	struct diag diag = { 0 };
	double value;

	if (defs_compile(defs, &defs->defs[i], &names, &f, &diag))
		fail_msg("%s", diag.text);
	value = formula_eval(f, counts);
	formula_free(f);
	name_list_fini(&list);
	return value;
}

/* The paper's figure 1, its separators repaired. */
TEST(test_figure_1)
{
	static const char text[] =
		"#define BR_lat 5\n"
		"#define BR_miss_lat 45\n"
		"#define L1_lat 3\n"
		"#define L2_lat 13\n"
		"#define Mem_lat 450\n"
		"\n"
		"Branch_cat, PAPI_BR_INS|BR_lat|*|PAPI_BR_MSP|BR_miss_lat|*|+|"
		"PAPI_TOT_INS|/\n"
		"Mem_cat, PAPI_L1_DCA|L1_lat|*|PAPI_L2_DCA|L2_lat|*|+|"
		"PAPI_L2_DCM|Mem_lat|*|+\n";
	static const double branch[] = { 200, 10, 1000 };
	static const double memory[] = { 400, 30, 7 };
	struct defs *defs = parse(text);

	assert_int_equal(defs->n_constants, 5);
	assert_int_equal(defs->n, 2);
	assert_string_equal(defs->defs[0].name, "Branch_cat");
	/* (200*5 + 10*45) / 1000 */
	assert_true(eval(defs, 0, branch) == 1.45);
	/* 400*3 + 30*13 + 7*450 */
	assert_true(eval(defs, 1, memory) == 4740);
	defs_free(defs);
}

TEST(test_each_kind_of_derived_event)
{
	static const struct {
		int line;
		const char *text;
		double counts[4];
		double want;
	} rows[] = {
		{ __LINE__, "PRESET,PAPI_X,NOT_DERIVED,A", { 7 }, 7 },
		{ __LINE__, "PRESET,PAPI_X,DERIVED_CMPD,A,B", { 7, 8 }, 7 },
		{ __LINE__, "PRESET,PAPI_X,DERIVED_ADD,A,B,C", { 1, 2, 4 }, 7 },
		{ __LINE__, "EVENT,X,DERIVED_SUB,A,B,C", { 9, 2, 4 }, 3 },
		{ __LINE__, "EVENT,X,DERIVED_PS,A,B", { 6, 50, 3 }, 100 },
		{ __LINE__,
		  "EVENT,X,DERIVED_ADD_PS,A,B,C",
		  { 6, 1, 50, 10 },
		  35 },
		{ __LINE__, "EVENT,X,DERIVED_ADD,A,A", { 4 }, 8 },
		{ __LINE__,
		  "EVENT,X,DERIVED_POSTFIX,N0|N1|3|*|+|,A,B",
		  { 1, 2 },
		  7 },
		{ __LINE__,
		  "EVENT,X,DERIVED_POSTFIX,N1|N0|-,A,B",
		  { 9, 2 },
		  7 },
		{ __LINE__, "EVENT,X,DERIVED_POSTFIX,N0|#|*|,A", { 9, 2 }, 18 },
		{ __LINE__,
		  "EVENT,X,DERIVED_INFIX,N0-N1-N0,A,B",
		  { 9, 2 },
		  -2 },
		{ __LINE__,
		  "EVENT,X,DERIVED_INFIX,min(N0,N1)*2,A,B",
		  { 9, 2 },
		  4 },
		{ __LINE__, "event, X , derived_add , A , B ,", { 1, 2 }, 3 },
		{ __LINE__, "X,A/(B-1)", { 6, 3 }, 3 },
		{ __LINE__, "X , max(A,B) , UNIT , \"s\"", { 6, 3 }, 6 },
		{ __LINE__, "X,\"cpu/event=1,umask=2/\"|2|*", { 6 }, 12 },
		{ __LINE__, "  X,A\t", { 6 }, 6 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct defs *defs = parse(rows[i].text);

		CHECK_AT(rows[i].line, defs->n == 1);
		CHECK_AT(rows[i].line,
			 eval(defs, 0, rows[i].counts) == rows[i].want);
		defs_free(defs);
	}
}

TEST(test_texts_may_have_commas_and_quotes)
{
	struct defs *defs = parse(
		"EVENT,X,NOT_DERIVED,A,LDESC,\"one, \"\"two\"\", three\","
		"sdesc,'it''s short',NOTE,plain text\n"
		"Y,B,UNIT,GB/s,GOOD,\">=0.95\",BAD,\"< -1e3\",CATEGORY,cache");
	const struct def *x = &defs->defs[0], *y = &defs->defs[1];

	assert_string_equal(def_field(x, KEY_LDESC), "one, \"two\", three");
	assert_string_equal(def_field(x, KEY_SDESC), "it's short");
	assert_string_equal(def_field(x, KEY_NOTE), "plain text");
	assert_null(def_field(x, KEY_UNIT));
	assert_string_equal(def_field(y, KEY_UNIT), "GB/s");
	assert_string_equal(def_field(y, KEY_CATEGORY), "cache");
	assert_int_equal(def_verdict(y, 0.95), 1);
	assert_int_equal(def_verdict(y, 0.9), 0);
	assert_int_equal(def_verdict(y, -1000), 0);
	assert_int_equal(def_verdict(y, -1001), -1);
	assert_int_equal(def_verdict(y, NAN), PAPI_ENOEVNT);
	assert_int_equal(def_verdict(x, 1), PAPI_ENOEVNT);
	defs_free(defs);
}

TEST(test_sections_are_for_their_cpus)
{
	struct defs *defs = parse("A,x\n"
				  "CPU,one\n"
				  "# both\n"
				  "CPU,Two,4\n"
				  "A,y\n"
				  "CPU,three\n"
				  "A,z\n"
				  "CPU,*\n"
				  "B,z\n");

	assert_int_equal(defs->n_sections, 4);
	assert_true(defs_section_has(defs, 0, "anything"));
	assert_true(defs_section_has(defs, 1, "one"));
	assert_true(defs_section_has(defs, 1, "two"));
	assert_false(defs_section_has(defs, 1, "three"));
	assert_true(defs_section_has(defs, 2, "three"));
	assert_true(defs_section_has(defs, 3, "anything"));
	assert_int_equal(defs->defs[1].section, 1);
	assert_int_equal(defs->defs[3].section, 3);
	defs_free(defs);
}

TEST(test_only_what_is_for_a_cpu_is_read)
{
	static const char text[] = "everywhere, a\n"
				   "CPU,one\n"
				   "CPU,two\n"
				   "of_two, a\n"
				   "CPU,three\n"
				   "# not this\n"
				   "of_three, \"never closed\n"
				   "#define k 3\n"
				   "CPU,two\n"
				   "two_again, k * a\n";
	static const char *const cpus[] = { "TWO", NULL };
	struct defs *defs = NULL;

	assert_int_equal(
		defs_parse_for("t", text, strlen(text), cpus, &defs, NULL), 0);
	assert_int_equal(defs->n, 3);
	assert_string_equal(defs->defs[0].name, "everywhere");
	assert_string_equal(defs->defs[1].name, "of_two");
	assert_string_equal(defs->defs[2].name, "two_again");
	assert_int_equal(defs->defs[2].line, 10);
	assert_int_equal(defs->n_sections, 4);
	assert_int_equal(defs->sections[1].n, 2);
	assert_int_equal(defs->n_constants, 1);
	defs_free(defs);
}

TEST(test_constants_hold_from_their_line_on)
{
	static const double counts[] = { 5 };
	struct defs *defs = parse("Early,k*2\n"
				  "#define k 3\n"
				  "#define twice k*2 + 1e0 \n"
				  "#definitely a comment\n"
				  "Late,k*2\n"
				  "Later,twice|10|*\n");

	assert_int_equal(defs->n_constants, 2);
	assert_true(eval(defs, 0, counts) == 10); /* k is an event there */
	assert_true(eval(defs, 1, counts) == 6);
	assert_true(eval(defs, 2, counts) == 70);
	assert_string_equal(defs->constants[1].text, "k*2 + 1e0");
	defs_free(defs);
}

/* Line ends of other systems, a missing last one, an empty file. */
TEST(test_line_ends)
{
	struct defs *defs = parse("A,x\r\n\r\nB,y|2|*|\r\n#define C 4");

	assert_int_equal(defs->n, 2);
	assert_int_equal(defs->n_constants, 1);
	assert_string_equal(defs->defs[1].formula, "y|2|*|");
	defs_free(defs);
	defs = parse("");
	assert_int_equal(defs->n, 0);
	defs_free(defs);
}

TEST(test_malformed_files_name_line_and_column)
{
	static const struct {
		int at;
		const char *text;
		size_t line, column;
	} rows[] = {
		{ __LINE__, "X", 1, 2 },
		{ __LINE__, "A,b\nX", 2, 2 },
		{ __LINE__, "X,", 1, 3 },
		{ __LINE__, "X, ,UNIT,s", 1, 4 },
		{ __LINE__, "X,a+", 1, 4 },
		{ __LINE__, "X, a|+", 1, 6 },
		{ __LINE__, "X,a b", 1, 5 },
		{ __LINE__, "A,b\n\n# c\n  X,  a^2", 4, 8 },
		{ __LINE__, ",a", 1, 1 },
		{ __LINE__, "1X,a", 1, 1 },
		{ __LINE__, "two words,a", 1, 1 },
		{ __LINE__, "X,a,b", 1, 5 },
		{ __LINE__, "X,a,UNIT", 1, 5 },
		{ __LINE__, "X,a,UNIT,s,UNIT,t", 1, 12 },
		{ __LINE__, "X,a,GOOD,0.9", 1, 10 },
		{ __LINE__, "X,a,GOOD,\">x\"", 1, 10 },
		{ __LINE__, "X,a,BAD,\"=>3\"", 1, 9 },
		{ __LINE__, "X,a,LDESC,\"open", 1, 11 },
		{ __LINE__, "X,a,LDESC,\"a\" b", 1, 15 },
		{ __LINE__, "X,\"a", 1, 3 },
		{ __LINE__, "X,min(a,b", 1, 3 },
		{ __LINE__, "A,b\nA,c", 2, 1 },
		{ __LINE__, "CPU,x\nA,b\nA,c", 3, 1 },
		{ __LINE__, "CPU", 1, 4 },
		{ __LINE__, "CPU,", 1, 5 },
		{ __LINE__, "CPU,x,perf", 1, 7 },
		{ __LINE__, "PRESET", 1, 7 },
		{ __LINE__, "PRESET,", 1, 8 },
		{ __LINE__, "PRESET,PAPI_X", 1, 14 },
		{ __LINE__, "PRESET,PAPI X,NOT_DERIVED,A", 1, 8 },
		{ __LINE__, "PRESET,PAPI_X,DERIVED_MUL,A", 1, 15 },
		{ __LINE__, "PRESET,PAPI_X,FORMULA,A", 1, 15 },
		{ __LINE__, "PRESET,PAPI_X,NOT_DERIVED", 1, 15 },
		{ __LINE__, "PRESET,PAPI_X,NOT_DERIVED,NOTE,\"x\"", 1, 15 },
		{ __LINE__, "EVENT,X,DERIVED_PS,A", 1, 9 },
		{ __LINE__, "EVENT,X,DERIVED_POSTFIX", 1, 24 },
		{ __LINE__, "EVENT,X,DERIVED_POSTFIX,N0|+|,A", 1, 28 },
		{ __LINE__, "EVENT,X,DERIVED_POSTFIX,N0|N1|+|,A", 1, 28 },
		{ __LINE__, "EVENT,X,DERIVED_POSTFIX,N0|two|*|,A", 1, 28 },
		{ __LINE__, "EVENT,X,DERIVED_INFIX,N0-,A", 1, 25 },
		{ __LINE__, "EVENT,X,DERIVED_INFIX,N0*N,A", 1, 26 },
		{ __LINE__, "#define", 0, 0 }, /* only a comment */
		{ __LINE__, "#define ", 1, 9 },
		{ __LINE__, "#define k", 1, 10 },
		{ __LINE__, "#define k ", 1, 11 },
		{ __LINE__, "#define k x", 1, 11 },
		{ __LINE__, "#define k 1/0", 1, 11 },
		{ __LINE__, "#define k 1e999", 1, 11 },
		{ __LINE__, "#define 5 5", 1, 9 },
		{ __LINE__, "#define k 1\n#define k 2", 2, 9 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct defs *defs = NULL;
		struct diag diag = { 0 };
		int err = defs_parse("file", rows[i].text, strlen(rows[i].text),
				     &defs, &diag);

		if (rows[i].line == 0) {
			CHECK_AT(rows[i].at, err == 0);
			defs_free(defs);
			continue;
		}
		CHECK_AT(rows[i].at, err == PAPI_EINVAL && !defs);
		CHECK_AT(rows[i].at, strcmp(diag.file, "file") == 0);
		if (diag.line != rows[i].line || diag.column != rows[i].column)
			fail_msg("row at line %d is refused at %zu:%zu, not "
				 "%zu:%zu: %s",
				 rows[i].at, diag.line, diag.column,
				 rows[i].line, rows[i].column, diag.text);
	}
}

TEST(test_a_nul_byte_is_refused)
{
	struct defs *defs = NULL;
	struct diag diag = { 0 };

	assert_int_equal(defs_parse("f", "A,b\nB\0,c", 8, &defs, &diag),
			 PAPI_EINVAL);
	assert_int_equal(diag.line, 2);
	assert_int_equal(diag.column, 2);
}

/* Comments and blank lines are kept, for those who write the file again. */
TEST(test_every_line_is_kept)
{
	static const enum def_line_kind want[] = {
		LINE_COMMENT, LINE_CONSTANT, LINE_BLANK,
		LINE_CPU,     LINE_CPU,      LINE_DEF,
	};
	struct defs *defs =
		parse("# hello\n#define A 1\n\nCPU,x\nCPU,y\nB,c\n");

	assert_int_equal(defs->n_lines, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_int_equal(defs->lines[i].kind, want[i]);
	assert_string_equal(defs->lines[0].text, " hello");
	assert_int_equal(defs->lines[4].index, 1);
	assert_int_equal(defs->lines[4].section, 1);
	defs_free(defs);
}

RUN_ALL_TESTS
