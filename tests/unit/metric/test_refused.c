/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every allocation refused in turn, in all that reads definitions: it is said,
 * nothing is half made, and the same text is read when there is memory again.
 */
#include <string.h>

#include "base/array.h"
#include "metric/convert.h"
#include "metric/import.h"
#include "metric/set.h"
#include "tests/unit/refuse.h"
#include "tests/unit/testing.h"

#define MOST 2000 /* more allocations than any of these makes */

static int read_text(const char *text, struct diag *diag)
{
	const char *cpus[] = { "x", NULL };
	struct metric_set *set = NULL;
	struct defs *defs = NULL;
	int err = defs_parse("test", text, strlen(text), &defs, diag);

	if (!err)
		err = metric_set_new(defs, cpus, &set, diag);
	metric_set_free(set);
	defs_free(defs);
	return err;
}

static int read_xml(const char *text, struct diag *diag)
{
	struct defs *defs = NULL;
	int err = convert_parse_xml("test", text, strlen(text), &defs, diag);

	defs_free(defs);
	return err;
}

/* A metric that cannot be converted has a comment in the place of its line. */
static int import(int (*importer)(const char *text, struct strbuf *out,
				  struct import_counts *counts,
				  struct diag *diag),
		  const char *text, struct diag *diag)
{
	struct import_counts counts = { 0 };
	struct strbuf out = { 0 };
	int err = importer(text, &out, &counts, diag);

	if (!err &&
	    (out.failed || strstr(strbuf_text(&out), "# not converted")))
		err = PAPI_ENOMEM;
	if (!err && counts.taken != 1) {
		diag_fail(diag, 0, "wrong: %s", strbuf_text(&out));
		err = PAPI_EBUG;
	}
	strbuf_fini(&out);
	return err;
}

static int read_likwid(const char *text, struct diag *diag)
{
	return import(import_likwid, text, diag);
}

static int read_json(const char *text, struct diag *diag)
{
	return import(import_json, text, diag);
}

static const struct {
	const char *what;
	int (*read)(const char *text, struct diag *diag);
	const char *text;
} cases[] = {
	{ "text", read_text,
	  "#define c 3\n#define d c*2\nCPU,x\nCPU,y\n"
	  "a, b / (e + c) - min(f, d), UNIT, s\nr, b|e|+|c|*\n"
	  "EVENT,p,DERIVED_POSTFIX,N0|N1|/,b,e\n"
	  "PRESET,PAPI_TOT_INS,DERIVED_ADD,b,e\ng, a + r\n" },
	{ "XML", read_xml,
	  "<definitions xmlns=\"urn:assay:metrics:1\">\n"
	  "<constant name=\"c\" value=\"3\"/>\n"
	  "<metric name=\"a\" formula=\"b + c\"><unit>s</unit></metric>\n"
	  "</definitions>" },
	{ "a group of likwid", read_likwid,
	  "SHORT  Two words\nEVENTSET\nFIXC0 INSTR_RETIRED_ANY\n"
	  "PMC0 UOPS_ISSUED_ANY\nMETRICS\nCPI  FIXC0/PMC0\n" },
	{ "JSON", read_json,
	  "[ { \"MetricName\": \"ipc\", \"MetricExpr\": \"a.b / c\", "
	  "\"BriefDescription\": \"x\" } ]" },
};

TEST(test_no_memory_is_said)
{
	if (!REFUSE_WORKS)
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		long n = 1, without = 0;

		for (; n < MOST; n++) {
			struct diag diag = { .text = "" };
			int err;

			refuse_nth(n);
			err = cases[i].read(cases[i].text, &diag);
			refuse_countdown = 0;
			if (!refused) {
				assert_int_equal(err, 0);
				break;
			}
			if (err && err != PAPI_ENOMEM)
				fail_msg("%s, %ld: %d, %s", cases[i].what, n,
					 err, diag.text);
			without += err != 0;
		}
		assert_in_range(n, 5, MOST - 1);
		if (without < n / 2)
			fail_msg("%s: %ld of %ld refusals are not told",
				 cases[i].what, n - without, n);
	}
}

RUN_ALL_TESTS
