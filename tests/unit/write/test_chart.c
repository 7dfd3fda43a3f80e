/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts are well-formed and have their points. */
#include <expat.h>
#include <math.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/full.h"
#include "write/chart.h"

static const double x[] = { 8192, 16384, 32768, 65536, 131072 };
static const double y[] = { 0, 0, 0.5, NAN, 1 };
static const double error[] = { 0.1, 0.1, 0.1, 0.1, NAN };

static char *draw(const struct chart *c)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	assert_int_equal(chart_write_svg(c, to), 0);
	fclose(to);
	return text;
}

static size_t count(const char *text, const char *word)
{
	size_t n = 0;

	while ((text = strstr(text, word)) != NULL) {
		text += strlen(word);
		n++;
	}
	return n;
}

static int is_xml(const char *text)
{
	XML_Parser parser = XML_ParserCreate(NULL);
	int ok = XML_Parse(parser, text, (int)strlen(text), 1) == XML_STATUS_OK;

	XML_ParserFree(parser);
	return ok;
}

TEST(test_a_chart_is_xml_with_its_points)
{
	static const double marks[] = { 32768, 1e9 };
	static const char *const names[] = { "L1", "far" };
	const struct chart_series series[] = {
		{ "L1 <hit> & miss", x, y, error, 5, CHART_LINE, 0 },
		{ "expected", x, y, NULL, 5, CHART_DASHED, 0 },
		{ "points", x, y, NULL, 5, CHART_POINTS, 0 },
	};
	const struct chart c = { "Figure", "bytes", "share", CHART_BYTES, 0, 0,
				 series,   3,       marks,   names,       2 };
	char *text = draw(&c);

	assert_true(is_xml(text));
	assert_int_equal(count(text, "<circle"), 8); /* a NaN is left out */
	assert_non_null(strstr(text, "&lt;hit&gt; &amp; miss"));
	assert_non_null(strstr(text, ">32K<"));
	assert_non_null(strstr(text, ">L1<"));
	assert_null(strstr(text, ">far<"));
	assert_null(strstr(text, "nan"));
	free(text);
}

TEST(test_nothing_to_draw_is_a_chart)
{
	const struct chart empty = { .title = "t",
				     .x_label = "x",
				     .y_label = "y" };
	const double one = 3;
	const struct chart_series series = { "one", &one,       &one, NULL,
					     1,     CHART_LINE, 0 };
	struct chart single = empty;
	char *text = draw(&empty);

	assert_true(is_xml(text) && !strstr(text, "nan"));
	free(text);
	single.series = &series;
	single.n = 1;
	text = draw(&single);
	assert_true(is_xml(text) && !strstr(text, "nan") &&
		    !strstr(text, "inf"));
	free(text);
}

TEST(test_a_full_disk_is_noticed)
{
	const struct chart_series series = {
		"s", x, y, error, 5, CHART_LINE, 0
	};
	const struct chart c = { .title = "Figure",
				 .x_label = "bytes",
				 .y_label = "share",
				 .series = &series,
				 .n = 1 };
	FILE *to = open_full(true);

	assert_int_equal(chart_write_svg(&c, to), PAPI_ESYS);
	fclose(to);
}

RUN_ALL_TESTS
