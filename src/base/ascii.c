/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Comparison and lower case of ASCII letters only. Text for people is UTF-8 and
 * is left to utf8.c.
 */
#include "base/ascii.h"

#include <stdint.h>

bool ascii_is_same(const char *a, const char *b)
{
	return ascii_is_same_n(a, b, SIZE_MAX);
}

bool ascii_is_same_n(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ascii_lower(a[i]) != ascii_lower(b[i]))
			return false;
		if (!a[i])
			break;
	}
	return true;
}

size_t ascii_list_name(const char *list)
{
	bool inside = false;
	size_t n = 0;

	for (; list[n] && (inside || list[n] != ','); n++)
		if (list[n] == '/')
			inside = !inside;
	return n;
}
