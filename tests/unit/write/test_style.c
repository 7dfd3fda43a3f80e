/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrapping, columns and colour of text. */
#include "tests/unit/testing.h"

#include <stdlib.h>
#include <string.h>

#include "write/style.h"

static char *wrapped(const struct report_style *style, const char *text,
		     size_t at, size_t indent)
{
	char *out;
	size_t n;
	FILE *to = open_memstream(&out, &n);

	assert_non_null(to);
	style_wrap(style, text, at, indent, to);
	fclose(to);
	return out;
}

TEST(test_lines_break_between_words)
{
	struct report_style style = { .width = 20 };
	char *out = wrapped(&style, "one two three four five six", 4, 2);

	assert_string_equal(out, "one two three\n  four five six\n");
	free(out);
}

TEST(test_a_word_wider_than_the_line_stays_whole)
{
	struct report_style style = { .width = 10 };
	char *out = wrapped(&style, "a incomprehensibilities b", 0, 0);

	assert_string_equal(out, "a\nincomprehensibilities\nb\n");
	free(out);
}

TEST(test_letters_beyond_ascii_are_one_column)
{
	struct report_style style = { .width = 9 };
	char *out = wrapped(&style,
			    "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc "
			    "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc",
			    0, 0);

	assert_ptr_equal(strchr(out, '\n'), out + strlen(out) - 1);
	assert_int_equal(style_columns("\xc3\xbc\xe2\x89\xa5x"), 3);
	free(out);
}

TEST(test_no_color_means_no_escape_codes)
{
	struct report_style plain = { .width = 80 };
	struct report_style color = { .width = 80, .color = true };

	assert_string_equal(style_on(&plain, INK_POOR), "");
	assert_string_equal(style_off(&plain), "");
	assert_true(strlen(style_on(&color, INK_POOR)) > 0);
	assert_true(strlen(style_off(&color)) > 0);
}

TEST(test_what_others_chose_is_shown_and_not_acted_on)
{
	static const struct {
		int line;
		const char *text;
		size_t most;
		const char *shown;
		size_t left;
	} cases[] = {
		{ __LINE__, "plain", 9, "plain", 4 },
		{ __LINE__, "a\033[31mb\nc\177", 20, "a?[31mb?c?", 10 },
		{ __LINE__, "gr\303\274n", 3, "gr\303\274", 0 },
		{ __LINE__, "\302\233x", 5, "?x", 3 },
		{ __LINE__, "\377\376", 5, "??", 3 },
		{ __LINE__, "abc", 0, "", 0 },
		{ __LINE__, "", 7, "", 7 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *shown = NULL;
		size_t size = 0;
		FILE *to = open_memstream(&shown, &size);
		size_t left = style_put(cases[i].text, cases[i].most, to);

		fclose(to);
		if (left != cases[i].left || strcmp(shown, cases[i].shown) != 0)
			fail_msg("line %d: '%s', %zu left", cases[i].line,
				 shown, left);
		free(shown);
	}
}

RUN_ALL_TESTS
