/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages: data in them stays data. */
#include "tests/unit/testing.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <papi.h>

#include "write/html.h"

TEST(test_no_text_ends_the_element_it_stands_in)
{
	static const char json[] = "{\"a\": \"</script><script>alert(1)\"}";
	char *text;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	html_block("data\"><b>", "report", json, strlen(json), to);
	fclose(to);
	assert_non_null(strstr(text, "\\u003c/script>\\u003cscript>alert(1)"));
	assert_null(strstr(text, "<b>"));
	/* only the element's own tags */
	assert_ptr_equal(strstr(text, "<script"), text);
	assert_null(strstr(text + 1, "<script"));
	assert_string_equal(strstr(text, "</script"), "</script>\n");
	free(text);
}

TEST(test_a_page_is_whole_or_says_why_not)
{
	char *text;
	size_t len;
	FILE *to = open_memstream(&text, &len);
	int err = html_write("report", "{}", to);

	fclose(to);
	if (html_missing()) {
		assert_int_equal(err, PAPI_ENOSUPP);
	} else {
		assert_int_equal(err, 0);
		assert_memory_equal(text, "<!doctype html>", 15);
		assert_non_null(
			strstr(text, "data-kind=\"report\">{}</script>"));
		assert_non_null(strstr(text, "connect-src 'none'"));
		assert_null(strstr(text, "@DATA@"));
		assert_null(strstr(text, "@TITLE@"));
	}
	free(text);
}

TEST(test_a_served_page_may_ask_its_server)
{
	char *text;
	size_t len;
	FILE *to = open_memstream(&text, &len);
	int err = html_begin("<i>", HTML_SERVED, to);

	fclose(to);
	if (!err) {
		assert_non_null(strstr(text, "connect-src 'self'"));
		assert_non_null(strstr(text, "<title>&lt;i&gt;</title>"));
	} else {
		assert_non_null(html_missing());
	}
	free(text);
}

RUN_ALL_TESTS
