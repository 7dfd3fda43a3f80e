/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of likwid and metrics of perf and Intel, brought in. */
#include <string.h>

#include "base/array.h"
#include "metric/defs.h"
#include "metric/import.h"
#include "tests/unit/testing.h"

typedef int (*importer)(const char *text, struct strbuf *out,
			struct import_counts *counts, struct diag *diag);

/* @text gives @want, which is a file that can be read. */
static void check(int line, importer import, const char *text, const char *want)
{
	struct import_counts counts = { 0 };
	struct strbuf out = { 0 };
	struct diag diag = { 0 };
	struct defs *defs = NULL;

	if (import(text, &out, &counts, &diag))
		fail_msg("line %d: %zu:%zu: %s", line, diag.line, diag.column,
			 diag.text);
	if (strcmp(strbuf_text(&out), want) != 0)
		fail_msg("line %d: got\n%s", line, strbuf_text(&out));
	if (defs_parse("out", strbuf_text(&out), out.len, &defs, &diag))
		fail_msg("line %d: %s", line, diag.text);
	assert_int_equal(defs->n, counts.taken);
	assert_int_equal(defs->n_lines, counts.taken + counts.left);
	defs_free(defs);
	strbuf_fini(&out);
}

TEST(test_a_likwid_group)
{
	check(__LINE__, import_likwid,
	      "SHORT  Two words\r\n"
	      "\n"
	      "EVENTSET\n"
	      "FIXC0 INSTR_RETIRED_ANY\n"
	      "FIXC1 CPU_CLK_UNHALTED_CORE\n"
	      "PMC0  UOPS_ISSUED_ANY\n"
	      "\n"
	      "METRICS\n"
	      "Runtime (RDTSC) [s] time\n"
	      "CPI  FIXC1/FIXC0\n"
	      "Clock [MHz]  1.E-06*(FIXC1/PMC0)/inverseClock\n"
	      "Bad one\tFIXC1^2\n"
	      "LONG\n"
	      "Formulas: METRICS here are text\n",
	      "Runtime__RDTSC_, wall_s, UNIT, \"s\", CATEGORY, \"Two words\", "
	      "SDESC, \"Runtime (RDTSC)\"\n"
	      "CPI, \"PAPI_TOT_CYC\"/\"PAPI_TOT_INS\", CATEGORY, \"Two "
	      "words\", SDESC, \"CPI\"\n"
	      "Clock, 1.E-06*(\"PAPI_TOT_CYC\"/\"UOPS_ISSUED_ANY\")/(1/#), "
	      "UNIT, \"MHz\", CATEGORY, \"Two words\", SDESC, \"Clock\"\n"
	      "# not converted: Bad_one: '^' is not an operator\n");
}

TEST(test_metrics_of_perf)
{
	check(__LINE__, import_json,
	      "[ { \"EventName\": \"x\" },\n"
	      "{ \"MetricName\": \"ipc\", \"MetricExpr\": "
	      "\"INST_RETIRED.ANY / CPU_CLK_UNHALTED.THREAD\",\n"
	      " \"BriefDescription\": \"Say \\\"why\\\"\\u00e4\", "
	      "\"ScaleUnit\": \"1per_cycle\" },\n"
	      "{ \"MetricName\": \"share\", \"MetricExpr\": "
	      "\"d_ratio(a.b, max(c, 2e3)) - tma_x\", \"ScaleUnit\": "
	      "\"100%\", \"MetricGroup\": \"A;B\" },\n"
	      "{ \"MetricName\": \"with\", \"MetricExpr\": "
	      "\"cpu@UOPS.ANY\\\\,cmask\\\\=0x10\\\\,inv@ / duration_time\" },\n"
	      "{ \"MetricName\": \"raw\", \"MetricExpr\": "
	      "\"cha@event\\\\=0x36\\\\,umask\\\\=1@ + topdown\\\\-x\" },\n"
	      "{ \"MetricName\": \"not-this\", \"MetricExpr\": "
	      "\"a if #SMT_on else b\" },\n"
	      "{ \"MetricName\": \"nor_this\", \"MetricExpr\": \"a < b\" } ]",
	      "ipc, INST_RETIRED:ANY / CPU_CLK_UNHALTED:THREAD, UNIT, "
	      "\"per_cycle\", SDESC, \"Say \"\"why\"\"\xc3\xa4\"\n"
	      "share, 100 * (guard((a.b)/( max(c, 2e3)), 0) - tma_x), UNIT, "
	      "\"%\", CATEGORY, \"A;B\"\n"
	      "with, \"UOPS:ANY:c=16:i=1\" / wall_s\n"
	      "raw, \"cha/event=0x36,umask=1/\" + \"topdown-x\"\n"
	      "# not converted: not_this: 'if': an operator is missing before it\n"
	      "# not converted: nor_this: '<' is not an operator\n");
}

TEST(test_metrics_of_intel)
{
	check(__LINE__, import_json,
	      "{ \"Header\": {}, \"Metrics\": [ { \"MetricName\": \"cpi\", "
	      "\"UnitOfMeasure\": \"per_instr\", \"Category\": \"Freq\",\n"
	      "\"Events\": [ { \"Name\": \"CPU_CLK_UNHALTED.THREAD\", "
	      "\"Alias\": \"a\" }, { \"Name\": \"INST_RETIRED.ANY\", "
	      "\"Alias\": \"b\" } ],\n"
	      "\"Constants\": [ { \"Name\": \"SYSTEM_TSC_FREQ\", \"Alias\": "
	      "\"freq\" } ], \"Formula\": \"100 * (a / b) + freq\" } ] }",
	      "cpi, 100 * (\"CPU_CLK_UNHALTED:THREAD\" / "
	      "\"INST_RETIRED:ANY\") + \"SYSTEM_TSC_FREQ\", UNIT, "
	      "\"per_instr\", CATEGORY, \"Freq\"\n");
}

TEST(test_metrics_without_a_formula_are_left)
{
	check(__LINE__, import_json,
	      "{ \"Header\": {}, \"Metrics\": [ { \"MetricName\": \"cpi\" }, "
	      "{ \"Formula\": \"a\" } ] }",
	      "");
}

TEST(test_names_that_would_clash)
{
	check(__LINE__, import_json,
	      "[ { \"MetricName\": \"cpu\", \"MetricExpr\": \"a\" }, "
	      "{ \"MetricName\": \"x-y\", \"MetricExpr\": \"a\" }, "
	      "{ \"MetricName\": \"x_y\", \"MetricExpr\": \"b\" }, "
	      "{ \"MetricName\": \"\", \"MetricExpr\": \"b\" }, "
	      "{ \"MetricName\": \"9\", \"MetricExpr\": \"b\" } ]",
	      "_cpu, a\n"
	      "x_y, a\n"
	      "# not converted: x_y: it is defined above\n"
	      "_, b\n"
	      "_9, b\n");
}

TEST(test_malformed_files_are_refused)
{
	static const struct {
		int at;
		importer import;
		const char *text;
		size_t line, column;
	} rows[] = {
		{ __LINE__, import_likwid, "SHORT x\noops\n", 2, 1 },
		{ __LINE__, import_likwid, "EVENTSET\nPMC0\n", 2, 5 },
		{ __LINE__, import_likwid, "METRICS\nCPI\n", 2, 4 },
		{ __LINE__, import_json, "", 1, 1 },
		{ __LINE__, import_json, "[", 1, 2 },
		{ __LINE__, import_json, "[1,]", 1, 4 },
		{ __LINE__, import_json, "[1 2]", 1, 4 },
		{ __LINE__, import_json, "[]\n x", 2, 2 },
		{ __LINE__, import_json, "{\"a\" 1}", 1, 6 },
		{ __LINE__, import_json, "{1}", 1, 2 },
		{ __LINE__, import_json, "[\"a\n\"]", 1, 4 },
		{ __LINE__, import_json, "[\"\\x\"]", 1, 4 },
		{ __LINE__, import_json, "[\"\\u12\"]", 1, 5 },
		{ __LINE__, import_json, "[\"\\ud800\"]", 1, 9 },
		{ __LINE__, import_json, "[\"\\ud800\\u0041\"]", 1, 15 },
		{ __LINE__, import_json, "[\"\\uffff\"]", 1, 9 },
		{ __LINE__, import_json, "[\"a\xff\"]", 1, 4 },
		{ __LINE__, import_json, "{\"\xc3\":1}", 1, 3 },
	};
	char deep[200];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct import_counts counts = { 0 };
		struct strbuf out = { 0 };
		struct diag diag = { 0 };

		CHECK_AT(rows[i].at, rows[i].import(rows[i].text, &out, &counts,
						    &diag) == PAPI_EINVAL);
		if (diag.line != rows[i].line || diag.column != rows[i].column)
			fail_msg("row at line %d is refused at %zu:%zu: %s",
				 rows[i].at, diag.line, diag.column, diag.text);
		strbuf_fini(&out);
	}
	memset(deep, '[', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	assert_int_equal(import_json(deep, NULL, NULL, NULL), PAPI_EINVAL);
	assert_int_equal(import_json("1", NULL, NULL, NULL), PAPI_EINVAL);
}

RUN_ALL_TESTS
