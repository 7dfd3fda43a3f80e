/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names and keywords without regard to case, the same wherever they are read:
 * to strcasecmp() "i" and "I" are different letters where the program that the
 * library is in has a Turkish locale.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

static inline char ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether two names are the same, or the first @n characters of them. */
bool ascii_is_same(const char *a, const char *b);
bool ascii_is_same_n(const char *a, const char *b, size_t n);

/*
 * Bytes of the first name of a list of names and commas; a comma between
 * slashes belongs to its name ("cpu/event=0x3c,umask=1/").
 */
size_t ascii_list_name(const char *list);
