/* SPDX-License-Identifier: BSD-3-Clause */
/* Formulas that must be refused, and the column that is to blame. */
#include <assay/metric.h>

#include <papi.h>

#include "base/array.h"
#include "metric/formula.h"
#include "tests/unit/testing.h"

TEST(test_malformed_formulas_name_their_column)
{
	static const struct {
		int line;
		const char *text;
		size_t column;
	} rows[] = {
		/* infix */
		{ __LINE__, "", 1 },
		{ __LINE__, "   ", 1 },
		{ __LINE__, "a+", 2 },
		{ __LINE__, "a+ ", 2 },
		{ __LINE__, "a -", 3 },
		{ __LINE__, "-", 1 },
		{ __LINE__, "+", 1 },
		{ __LINE__, "*a", 1 },
		{ __LINE__, "/a", 1 },
		{ __LINE__, "a b", 3 },
		{ __LINE__, "a 2", 3 },
		{ __LINE__, "2 a", 3 },
		{ __LINE__, "a**b", 3 },
		{ __LINE__, "a*/b", 3 },
		{ __LINE__, "a+*b", 3 },
		{ __LINE__, "(a", 1 },
		{ __LINE__, "((a)", 1 },
		{ __LINE__, "a*(b+c", 3 },
		{ __LINE__, "a)", 2 },
		{ __LINE__, "(a))", 4 },
		{ __LINE__, ")", 1 },
		{ __LINE__, "()", 2 },
		{ __LINE__, "a+()", 4 },
		{ __LINE__, "(a)(b)", 4 },
		{ __LINE__, "a(b)", 1 },
		{ __LINE__, "2(b)", 2 },
		{ __LINE__, "sqrt(a)", 1 },
		{ __LINE__, "1+sqrt(a)", 3 },
		{ __LINE__, "min()", 5 },
		{ __LINE__, "min(a)", 1 },
		{ __LINE__, "min(a,)", 7 },
		{ __LINE__, "min(,a)", 5 },
		{ __LINE__, "min(a,b", 1 },
		{ __LINE__, "min(a b)", 7 },
		{ __LINE__, "guard(a)", 1 },
		{ __LINE__, "guard(a,b,c)", 1 },
		{ __LINE__, "max", 0 },
		{ __LINE__, "a,b", 2 },
		{ __LINE__, "(a,b)", 3 },
		{ __LINE__, "min((a,b),c)", 7 },
		{ __LINE__, "a^2", 2 },
		{ __LINE__, "a%b", 2 },
		{ __LINE__, "a&b", 2 },
		{ __LINE__, "a<b", 2 },
		{ __LINE__, "$a", 1 },
		{ __LINE__, "a;b", 2 },
		{ __LINE__, "[a]", 1 },
		{ __LINE__, "=a", 1 },
		{ __LINE__, ":a", 1 },
		{ __LINE__, "a\n", 2 },
		{ __LINE__, "\xc3\xa4", 1 },
		{ __LINE__, "1.2.3", 1 },
		{ __LINE__, "a+1.2.3", 3 },
		{ __LINE__, "1e", 1 },
		{ __LINE__, "1e+", 1 },
		{ __LINE__, "1e5x", 1 },
		{ __LINE__, "3abc", 1 },
		{ __LINE__, "0x10", 1 },
		{ __LINE__, ".", 1 },
		{ __LINE__, "a+.", 3 },
		{ __LINE__, "1e999", 1 },
		{ __LINE__, "\"a", 1 },
		{ __LINE__, "a+'b", 3 },
		{ __LINE__, "''", 1 },
		{ __LINE__, "a+\"\"", 3 },
		{ __LINE__, "'a''b'", 4 },
		{ __LINE__, "'a\"", 1 },
		/* reverse Polish */
		{ __LINE__, "|", 1 },
		{ __LINE__, " | ", 2 },
		{ __LINE__, "|a", 1 },
		{ __LINE__, "a||", 3 },
		{ __LINE__, "a||b|+", 3 },
		{ __LINE__, "a|b|+||", 7 },
		{ __LINE__, "PAPI_TOT_INS|/", 14 },
		{ __LINE__, "a|+|", 3 },
		{ __LINE__, "+|a|b", 1 },
		{ __LINE__, "a|b|+|-", 7 },
		{ __LINE__, "a|b", 3 },
		{ __LINE__, "a|b|c|+", 3 },
		{ __LINE__, "a|b|+|c|d|*", 7 },
		{ __LINE__, "a b|+", 3 },
		{ __LINE__, "a|b +", 5 },
		{ __LINE__, "a|b|**", 5 },
		{ __LINE__, "a|b|*+", 5 },
		{ __LINE__, "a|b|^", 5 },
		{ __LINE__, "a|b|%", 5 },
		{ __LINE__, "a|b|min|max", 9 },
		{ __LINE__, "neg|a", 1 },
		{ __LINE__, "guard|a|b", 1 },
		{ __LINE__, "a|(b)|+", 3 },
		{ __LINE__, "a|b)|+", 4 },
		{ __LINE__, "a|1.2.3|+", 3 },
		{ __LINE__, "a|1e|+", 3 },
		{ __LINE__, "a|-1x|+", 3 },
		{ __LINE__, "a|--1|+", 3 },
		{ __LINE__, "a|1e999|+", 3 },
		{ __LINE__, "a|0x10|+", 3 },
		{ __LINE__, "a|'b|+", 3 },
		{ __LINE__, "a|''|+", 3 },
		{ __LINE__, "a|'b'c|+", 6 },
		{ __LINE__, "a|:b|+", 3 },
		{ __LINE__, "a|b|+\t|\x01", 8 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct assay_metric *m = NULL;
		struct assay_diag diag = { 0 };
		int err = assay_metric_compile(rows[i].text, &m, &diag);

		if (rows[i].column == 0) { /* a row to show the check works */
			CHECK_AT(rows[i].line, err == 0 && m);
			assay_metric_free(m);
			continue;
		}
		CHECK_AT(rows[i].line, err == PAPI_EINVAL);
		CHECK_AT(rows[i].line, m == NULL);
		CHECK_AT(rows[i].line, diag.text[0] != '\0');
		if (diag.column != rows[i].column)
			fail_msg("row at line %d: \"%s\" is refused at column "
				 "%zu, not %zu: %s",
				 rows[i].line, rows[i].text, diag.column,
				 rows[i].column, diag.text);
	}
}

TEST(test_an_empty_formula_is_refused)
{
	const struct formula_names names = { 0 };
	struct formula *formula = NULL;
	struct diag diag = { 0 };

	assert_int_equal(formula_compile_rpn(" ", &names, &formula, &diag),
			 PAPI_EINVAL);
	assert_string_equal(diag.text, "the formula is empty");
	assert_null(formula);
}

TEST(test_no_formula_is_refused)
{
	struct assay_metric *m = NULL;
	struct assay_diag diag = { 0 };

	assert_int_equal(assay_metric_compile(NULL, &m, &diag), PAPI_EINVAL);
	assert_int_equal(assay_metric_compile("a", NULL, &diag), PAPI_EINVAL);
	assert_int_equal(assay_metric_compile("a+", &m, NULL), PAPI_EINVAL);
	assert_null(m);
}

RUN_ALL_TESTS
