/* SPDX-License-Identifier: BSD-3-Clause */
/* What XML cannot hold is escaped or marked. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/testing.h"
#include "write/xml.h"

static void check(int line, void (*put)(const char *, FILE *), const char *text,
		  const char *want)
{
	char *got = NULL;
	size_t size;
	FILE *to = open_memstream(&got, &size);

	put(text, to);
	fclose(to);
	if (strcmp(got, want) != 0)
		fail_msg("line %d: %s, not %s", line, got, want);
	free(got);
}

TEST(test_what_xml_gives_a_meaning_is_escaped)
{
	check(__LINE__, xml_put_text, "a<b> & \"c\"\n\td",
	      "a&lt;b&gt; &amp; \"c\"\n\td");
	check(__LINE__, xml_put_attribute, "a<b> & \"c\"\n\td",
	      "a&lt;b&gt; &amp; &quot;c&quot;&#10;&#9;d");
}

TEST(test_what_xml_has_no_place_for_is_marked)
{
	check(__LINE__, xml_put_text, "a\001b\033[0m", "a?b?[0m");
	check(__LINE__, xml_put_attribute, "caf\xc3\xa9 \xff!",
	      "caf\xc3\xa9 ?!");
}

RUN_ALL_TESTS
