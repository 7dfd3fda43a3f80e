/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "tests/unit/testing.h"

static void test_grows_past_its_first_room(void **state)
{
	struct strbuf sb = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		strbuf_addf(&sb, "%d,", i % 10);
	assert_int_equal(sb.len, 2000);
	assert_memory_equal(sb.text + 1998, "9,", 3);
	strbuf_fini(&sb);
}

static void test_text_of_nothing_is_empty(void **state)
{
	struct strbuf sb = { 0 };
	char *text;

	(void)state;
	assert_string_equal(strbuf_text(&sb), "");
	text = strbuf_take(&sb);
	assert_string_equal(text, "");
	free(text);
}

static void test_formats_a_string_of_its_own(void **state)
{
	char *text = str_format("%s:%s", "eth0", "rx:bytes");

	(void)state;
	assert_string_equal(text, "eth0:rx:bytes");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grows_past_its_first_room),
		cmocka_unit_test(test_text_of_nothing_is_empty),
		cmocka_unit_test(test_formats_a_string_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
