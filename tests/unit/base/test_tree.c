/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * JSON as a tree: what is in it, where a damaged text is damaged, and that
 * another reader of JSON accepts the same texts and sees the same values.
 */
#include <cjson/cJSON.h>
#include <dlfcn.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

#include "base/array.h"
#include "base/strbuf.h"
#include "base/tree.h"

static bool no_locales;

locale_t newlocale(int mask, const char *name, locale_t base)
{
	static locale_t (*real)(int, const char *, locale_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "newlocale");
	return no_locales ? (locale_t)0 : real(mask, name, base);
}

static struct tree *parse(const char *text)
{
	struct tree *tree = NULL;

	assert_int_equal(tree_parse(text, &tree, NULL), 0);
	return tree;
}

TEST(test_members_have_their_kinds)
{
	struct tree *t = parse("{\"s\": \"x\", \"n\": -1.5e3, \"t\": true,"
			       " \"f\": false, \"z\": null, \"a\": [1, 2]}");

	assert_string_equal(tree_text(t, "s"), "x");
	assert_true(tree_number(tree_member(t, "n")) == -1500);
	assert_true(tree_is(tree_member(t, "t"), TREE_TRUE));
	assert_true(tree_is(tree_member(t, "f"), TREE_FALSE));
	assert_true(tree_is(tree_member(t, "z"), TREE_NULL));
	assert_true(tree_number(tree_item(tree_member(t, "a"), 1)) == 2);
	tree_free(t);
}

TEST(test_what_is_not_there_is_none)
{
	struct tree *t = parse("{\"s\": \"1\", \"a\": [1]}");

	assert_null(tree_member(t, "x"));
	assert_null(tree_member(NULL, "x"));
	assert_null(tree_member(tree_member(t, "a"), "x"));
	assert_null(tree_item(tree_member(t, "a"), 1));
	assert_null(tree_item(t, 0));
	assert_null(tree_string(tree_member(t, "a")));
	assert_null(tree_text(t, "a"));
	assert_true(isnan(tree_number(tree_member(t, "s"))));
	assert_true(tree_is(NULL, TREE_NULL));
	tree_free(t);
	tree_free(NULL);
}

TEST(test_numbers_are_kept_as_written)
{
	struct tree *t = parse("[18446744073709551615, 1e400, 0.10]");

	assert_string_equal(t->items[0].text, "18446744073709551615");
	assert_true(isinf(t->items[1].number));
	assert_string_equal(t->items[2].text, "0.10");
	tree_free(t);
}

TEST(test_strings_are_utf8)
{
	struct tree *t = parse("[\"\\u00e9\\u20ac\\ud83d\\ude00\\n\\/ä\"]");

	assert_string_equal(tree_string(tree_item(t, 0)),
			    "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\n/ä");
	tree_free(t);
}

/* Accepted by both readers, or by neither. */
TEST(test_another_reader_agrees)
{
	static const char *const texts[] = {
		"0",          "-0",   "1.5",     "1e5",      "1E+5",    "[]",
		"{}",         "[[]]", "\"\"",    "[1,2]",    " [1] ",   "",
		"[",          "[1,]", "{\"a\"}", "{\"a\":}", "tru",     "truee",
		"nulll",      "\"a",  "[1 2]",   "{,}",      "\"\\q\"", "nan",
		"{\"a\":1,}", "[1]x", "--1",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		cJSON *other = cJSON_ParseWithOpts(texts[i], NULL, true);
		struct tree *tree = NULL;
		int err = tree_parse(texts[i], &tree, NULL);

		if ((err == 0) != (other != NULL))
			fail_msg("'%s': %d", texts[i], err);
		if (cJSON_IsNumber(other))
			assert_true(tree_number(tree) == other->valuedouble);
		cJSON_Delete(other);
		tree_free(tree);
	}
}

TEST(test_damage_is_located)
{
	static const struct {
		const char *text;
		size_t line, column;
	} rows[] = {
		{ "{\n \"a\": 01}", 2, 7 },
		{ "[1.]", 1, 2 },
		{ "[1e]", 1, 2 },
		{ "[-]", 1, 2 },
		{ "[.5]", 1, 2 },
		{ "[\"\t\"]", 1, 3 },
		{ "[\n\n\"\\u0000\"]", 3, 8 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct diag diag = { 0 };
		struct tree *tree = NULL;

		assert_int_equal(tree_parse(rows[i].text, &tree, &diag),
				 PAPI_EINVAL);
		assert_null(tree);
		assert_int_equal(diag.line, rows[i].line);
		assert_int_equal(diag.column, rows[i].column);
	}
}

TEST(test_depth_has_an_end)
{
	struct strbuf text = { 0 };
	struct tree *tree = NULL;

	for (int i = 0; i < 100000; i++)
		strbuf_add(&text, "[");
	assert_int_equal(tree_parse(strbuf_text(&text), &tree, NULL),
			 PAPI_EINVAL);
	strbuf_fini(&text);
}

/* A program that prints 1,5 reads 1.5 all the same. */
TEST(test_the_locale_does_not_matter)
{
	struct tree *t;

	if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
		skip();
	t = parse("1.5");
	setlocale(LC_NUMERIC, "C");
	assert_true(tree_number(t) == 1.5);
	tree_free(t);
}

TEST(test_no_memory_for_a_locale)
{
	struct diag diag = { .text = "" };
	struct tree *tree = NULL;

	no_locales = true;
	assert_int_equal(tree_parse("[1]", &tree, &diag), PAPI_ENOMEM);
	no_locales = false;
	assert_null(tree);
	assert_string_equal(diag.text, "out of memory");
	assert_int_equal(tree_parse("[1]", &tree, &diag), 0);
	tree_free(tree);
}

RUN_ALL_TESTS
