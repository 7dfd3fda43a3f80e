/* SPDX-License-Identifier: BSD-3-Clause */
/* Escapes, byte by byte. */
#include "write/xml.h"

#include <stdbool.h>

#include "base/utf8.h"

/* What stands for @c; NULL: itself. */
static const char *escape_of(char c, bool attribute)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return attribute ? "&quot;" : NULL;
	case '\n':
		return attribute ? "&#10;" : "\n";
	case '\t':
		return attribute ? "&#9;" : "\t";
	default:
		/* other control characters are not XML's */
		return (unsigned char)c < 0x20 ? "?" : NULL;
	}
}

static void put(const char *text, bool attribute, FILE *to)
{
	for (size_t n; *text; text += n ? n : 1) {
		const char *escape = escape_of(*text, attribute);

		n = utf8_length(text);
		if (escape)
			fputs(escape, to);
		else if (n == 0)
			putc('?', to);
		else
			fwrite(text, 1, n, to);
	}
}

void xml_put_text(const char *text, FILE *to)
{
	put(text, false, to);
}

void xml_put_attribute(const char *text, FILE *to)
{
	put(text, true, to);
}
