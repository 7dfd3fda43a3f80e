/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing text, formatted and cut. */
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "tests/unit/testing.h"

TEST(test_grows_past_its_first_room)
{
	struct strbuf sb = { 0 };

	for (int i = 0; i < 1000; i++)
		strbuf_addf(&sb, "%d,", i % 10);
	assert_int_equal(sb.len, 2000);
	assert_memory_equal(sb.text + 1998, "9,", 3);
	strbuf_fini(&sb);
}

TEST(test_text_of_nothing_is_empty)
{
	struct strbuf sb = { 0 };
	char *text;

	assert_string_equal(strbuf_text(&sb), "");
	text = strbuf_take(&sb);
	assert_string_equal(text, "");
	free(text);
}

TEST(test_formats_a_string_of_its_own)
{
	char *text = str_format("%s:%s", "eth0", "rx:bytes");

	assert_string_equal(text, "eth0:rx:bytes");
	free(text);
}

RUN_ALL_TESTS
