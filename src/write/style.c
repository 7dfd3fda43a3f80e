/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dressing text for a terminal. Colours are the eight that every terminal has
 * and that its user may have chosen; verdicts are words too, so nothing is
 * lost to those who cannot tell red from green.
 */

#include "write/style.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

const char *style_on(const struct report_style *style, enum ink ink)
{
	static const char *const codes[] = {
		[INK_PLAIN] = "",           [INK_BOLD] = "\033[1m",
		[INK_DIM] = "\033[2m",      [INK_GOOD] = "\033[32m",
		[INK_FAIR] = "\033[33m",    [INK_POOR] = "\033[1;31m",
		[INK_HEADING] = "\033[36m",
	};

	return style->color ? codes[ink] : "";
}

const char *style_off(const struct report_style *style)
{
	return style->color ? "\033[0m" : "";
}

const char *style_sign(const struct report_style *style, enum sign sign)
{
	static const char *const signs[][2] = {
		[SIGN_PLUS_MINUS] = { "+-", "±" },
		[SIGN_AT_LEAST] = { ">=", "≥" },
		[SIGN_AT_MOST] = { "<=", "≤" },
		[SIGN_ELLIPSIS] = { "..", "…" },
		[SIGN_RULE] = { "-", "─" },
		[SIGN_BULLET] = { "-", "•" },
	};

	return signs[sign][style->unicode];
}

void style_blanks(size_t n, FILE *to)
{
	static const char blanks[] = "                                ";

	for (; n >= sizeof(blanks); n -= sizeof(blanks) - 1)
		fputs(blanks, to);
	fputs(blanks + sizeof(blanks) - 1 - n, to);
}

size_t style_columns(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

/* Controls, also those above ASCII, which UTF-8 has in two bytes. */
static bool is_control(const char *text)
{
	unsigned char c = (unsigned char)*text;

	return c < 0x20 || c == 0x7f ||
	       (c == 0xc2 && (unsigned char)text[1] < 0xa0);
}

/* Bytes of the first characters that can be shown as they are; @most of them.
 */
static size_t clean_bytes(const char *text, size_t *most)
{
	size_t bytes = 0;

	while (text[bytes] && *most > 0 && !is_control(text + bytes)) {
		size_t n = utf8_length(text + bytes);

		if (n == 0)
			break;
		bytes += n;
		(*most)--;
	}
	return bytes;
}

size_t style_put(const char *text, size_t most, FILE *to)
{
	for (;;) {
		size_t n = clean_bytes(text, &most);

		fwrite(text, 1, n, to);
		text += n;
		if (!*text || most == 0)
			return most;
		putc('?', to);
		most--;
		n = utf8_length(text);
		text += n ? n : 1;
	}
}

/* Bytes of the word at @text; how many columns it takes in *@columns. */
static size_t word_bytes(const char *text, size_t *columns)
{
	size_t n = 0;

	*columns = 0;
	for (; text[n] && text[n] != ' '; n++)
		*columns += ((unsigned char)text[n] & 0xc0) != 0x80;
	return n;
}

/* Whether @text is one line as it is. */
static bool fits(const char *text, size_t columns)
{
	return style_columns(text) <= columns && *text != ' ' &&
	       !strstr(text, "  ") && text[strlen(text) - 1] != ' ';
}

void style_wrap(const struct report_style *style, const char *text, size_t at,
		size_t indent, FILE *to)
{
	size_t column = at;
	bool fresh = true;

	if (*text && at < style->width && fits(text, style->width - at)) {
		fputs(text, to);
		putc('\n', to);
		return;
	}
	text += strspn(text, " ");
	while (*text) {
		size_t columns;
		size_t bytes = word_bytes(text, &columns);

		if (!fresh && column + 1 + columns > style->width) {
			putc('\n', to);
			style_blanks(indent, to);
			column = indent;
			fresh = true;
		}
		if (!fresh) {
			putc(' ', to);
			column++;
		}
		fwrite(text, 1, bytes, to);
		column += columns;
		fresh = false;
		text += bytes;
		while (*text == ' ')
			text++;
	}
	putc('\n', to);
}

void style_topic(const struct report_style *style, const char *topic,
		 enum ink ink, const char *text, FILE *to)
{
	fprintf(to, "%s%-*s%s%s", style_on(style, INK_HEADING), STYLE_TOPIC,
		topic, style_off(style), style_on(style, ink));
	style_wrap(style, text, STYLE_TOPIC, STYLE_TOPIC, to);
	fputs(style_off(style), to);
}

void style_heading(const struct report_style *style, const char *title,
		   FILE *to)
{
	const char *rule = style_sign(style, SIGN_RULE);
	size_t used = 4 + style_columns(title);

	fprintf(to, "\n%s%s%s %s ", style_on(style, INK_HEADING), rule, rule,
		title);
	for (; used < style->width; used++)
		fputs(rule, to);
	fprintf(to, "%s\n", style_off(style));
}
