/* SPDX-License-Identifier: BSD-3-Clause */
/* Valid and invalid UTF-8 by its definition. */
#include "base/utf8.h"
#include "tests/unit/testing.h"

TEST(test_only_utf8_has_a_length)
{
	static const struct {
		int line;
		const char *text;
		size_t length;
	} rows[] = {
		{ __LINE__, "", 1 }, /* its end is a character too */
		{ __LINE__, "a", 1 },
		{ __LINE__, "\x7f", 1 },
		{ __LINE__, "\xc3\xa4", 2 },
		{ __LINE__, "\xe2\x82\xac", 3 },
		{ __LINE__, "\xf0\x9f\x99\x82", 4 },
		{ __LINE__, "\x80", 0 },         /* no first byte */
		{ __LINE__, "\xc3", 0 },         /* cut short */
		{ __LINE__, "\xe2\x82", 0 },     /* cut short */
		{ __LINE__, "\xc3\x28", 0 },     /* no second byte */
		{ __LINE__, "\xc0\x80", 0 },     /* longer than need be */
		{ __LINE__, "\xe0\x80\x80", 0 }, /* the same */
		{ __LINE__, "\xed\xa0\x80", 0 }, /* half of a pair */
		{ __LINE__, "\xef\xbf\xbf", 0 }, /* no character */
		{ __LINE__, "\xf4\x90\x80\x80", 0 },
		{ __LINE__, "\xff", 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_AT(rows[i].line,
			 utf8_length(rows[i].text) == rows[i].length);
}

RUN_ALL_TESTS
