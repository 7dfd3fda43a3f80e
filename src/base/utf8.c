/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks one sequence at a time: overlong forms, surrogates and values beyond
 * Unicode are refused.
 */
#include "base/utf8.h"

#include <stdint.h>

static int is_tail(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

size_t utf8_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	uint32_t code = s[0] & (0xffu >> (n + 1));
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	if (n == 1)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if (!is_tail(s[i]))
			return 0;
		code = code << 6 | (s[i] & 0x3fu);
	}
	/* not longer than need be, no half of a pair, not beyond Unicode */
	if (code < least[n] || (code >= 0xd800 && code < 0xe000) ||
	    code > 0x10ffff || code == 0xfffe || code == 0xffff)
		return 0;
	return n;
}
