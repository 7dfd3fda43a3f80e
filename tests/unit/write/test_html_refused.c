/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages of a viewer that is not there or not whole, without memory, and on a
 * full disk. The viewer is a text of this test's own.
 */
#include "tests/unit/testing.h"

#include <errno.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tests/unit/full.h"
#include "tests/unit/refuse.h"
#include "write/html.h"
#include "write/page_files.h"

static char page[64];
const struct embedded page_files[] = { { "page.html", page }, { NULL, NULL } };

TEST(test_a_viewer_that_is_not_whole)
{
	static const struct {
		int line;
		const char *page;
		int begin, end;
	} rows[] = {
		{ __LINE__, "", PAPI_ENOSUPP, PAPI_ENOSUPP },
		{ __LINE__, "<a>", PAPI_ENOSUPP, PAPI_ENOSUPP },
		{ __LINE__, "@CONNECT@", PAPI_ENOSUPP, PAPI_ENOSUPP },
		{ __LINE__, "@CONNECT@@TITLE@", PAPI_ENOSUPP, PAPI_ENOSUPP },
		{ __LINE__, "@CONNECT@@TITLE@@DATA@", 0, 0 },
	};
	FILE *to = fopen("/dev/null", "w");

	assert_non_null(to);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		strcpy(page, rows[i].page);
		CHECK_AT(rows[i].line,
			 html_begin("t", HTML_SERVED, to) == rows[i].begin);
		CHECK_AT(rows[i].line, html_end(to) == rows[i].end);
		errno = 0;
		CHECK_AT(rows[i].line,
			 html_write("report", "{}", to) == rows[i].begin);
		CHECK_AT(rows[i].line, errno == (rows[i].begin ? ENOTSUP : 0));
		CHECK_AT(rows[i].line, !html_missing() == !!*rows[i].page);
	}
	fclose(to);
}

TEST(test_a_full_disk_is_noticed)
{
	FILE *to = open_full(true);

	strcpy(page, "<a>@CONNECT@<b>@TITLE@<c>@DATA@<d>");
	assert_int_equal(html_begin("t", HTML_SERVED, to), PAPI_ESYS);
	clearerr(to);
	assert_int_equal(html_end(to), PAPI_ESYS);
	fclose(to);
}

static int try_to_report(void *context)
{
	struct html_report r;
	int err = html_report_open(&r, "title", "subtitle");

	if (err)
		return err;
	html_report_fact(&r, "name", "value");
	html_report_part(&r, "table", "title");
	html_report_columns(&r, "a", "text", "b", "number", NULL);
	html_report_more(&r, "c", "code");
	html_report_rows(&r);
	json_cells(&r.json, "%s %g %s", "x", 1.0, "y");
	html_report_end(&r);
	return html_report_close(&r, context);
}

TEST(test_no_memory)
{
	static char room[4096];
	FILE *to = fopen("/dev/null", "w");

	if (!REFUSE_WORKS)
		skip();
	assert_non_null(to);
	setvbuf(to, room, _IOFBF, sizeof(room));
	strcpy(page, "@CONNECT@@TITLE@@DATA@");
	assert_true(refuse_each(try_to_report, to) >= 1);
	fclose(to);
}

RUN_ALL_TESTS
