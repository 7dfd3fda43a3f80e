/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts with one owner: kept, apart from each other, and out of memory. */
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/texts.h"
#include "tests/unit/refuse.h"
#include "tests/unit/testing.h"

TEST(test_copies_outlive_what_they_were_made_of)
{
	struct texts texts = { 0 };
	char text[] = "first";
	const char *copy = texts_copy(&texts, text);
	const char *taken = texts_take(&texts, str_format("%d", 42));

	text[0] = '\0';
	assert_string_equal(copy, "first");
	assert_string_equal(taken, "42");
	assert_null(texts_copy(&texts, NULL));
	assert_int_equal(texts_error(&texts), 0);
	texts_fini(&texts);
	assert_null(texts.newest);
}

/* A thousand, some longer than any block, each what it was at the end. */
TEST(test_texts_do_not_touch_each_other)
{
	struct texts texts = { 0 };
	static char text[40000];
	const char *copies[1000];

	memset(text, 'x', sizeof(text) - 1);
	for (size_t i = 0; i < 1000; i++)
		copies[i] = texts_copy(&texts,
				       text + sizeof(text) - 1 - i * i % 39999);
	for (size_t i = 0; i < 1000; i++) {
		assert_int_equal(strlen(copies[i]), i * i % 39999);
		assert_int_equal(strspn(copies[i], "x"), i * i % 39999);
	}
	texts_fini(&texts);
}

static int try_to_copy(void *context)
{
	struct texts texts = { 0 };
	char text[1000] = "";
	int err;

	(void)context;
	memset(text, 'x', sizeof(text) - 1);
	for (int i = 0; i < 12; i++)
		assert_non_null(texts_copy(&texts, text));
	err = texts_error(&texts);
	texts_fini(&texts);
	return err;
}

TEST(test_a_copy_without_memory_is_remembered)
{
	struct texts texts = { 0 };

	assert_string_equal(texts_take(&texts, NULL), "");
	assert_int_equal(texts_error(&texts), PAPI_ENOMEM);
	texts_fini(&texts);
	if (!REFUSE_WORKS)
		skip();
	assert_true(refuse_each(try_to_copy, NULL) >= 4);
}

RUN_ALL_TESTS
