/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A JSON emitter. NULL strings and numbers that are not finite become null:
 * what was not measured never looks like a number.
 */

#include "report/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "report/number.h"

void json_init(struct json *j, FILE *to)
{
	memset(j, 0, sizeof(*j));
	j->to = to;
}

/*
 * Length of the UTF-8 character at @s, or 0 if there is none (RFC 3629: no
 * overlong forms, no surrogates, nothing above U+10FFFF).
 */
static size_t utf8_length(const unsigned char *s)
{
	static const struct {
		unsigned char first, last; /* of the first byte */
		unsigned char low, high;   /* of the second */
		unsigned char length;
	} forms[] = {
		{ 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
		{ 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 },
		{ 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
		{ 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	if (*s < 0x80)
		return 1;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		size_t n = forms[i].length;

		if (*s < forms[i].first || *s > forms[i].last)
			continue;
		if (s[1] < forms[i].low || s[1] > forms[i].high)
			return 0;
		for (size_t k = 2; k < n; k++)
			if ((s[k] & 0xc0) != 0x80)
				return 0;
		return n;
	}
	return 0;
}

static void put_string(const char *text, FILE *to)
{
	const unsigned char *s = (const unsigned char *)text;

	putc('"', to);
	while (*s) {
		size_t n = utf8_length(s);

		if (n == 0) { /* a stray byte, as in an odd file name */
			fputs("\\ufffd", to);
			n = 1;
		} else if (*s == '"' || *s == '\\') {
			fprintf(to, "\\%c", *s);
		} else if (*s < 0x20) {
			fprintf(to, "\\u%04x", (unsigned)*s);
		} else {
			fwrite(s, 1, n, to);
		}
		s += n;
	}
	putc('"', to);
}

static void new_line(struct json *j)
{
	if (j->inline_[j->depth]) {
		putc(' ', j->to);
		return;
	}
	putc('\n', j->to);
	for (unsigned i = 0; i < j->depth; i++)
		fputs("  ", j->to);
}

/* What stands before a value: comma, place, name. */
static void begin(struct json *j, const char *name)
{
	if (j->more[j->depth])
		putc(',', j->to);
	if (j->depth > 0)
		new_line(j);
	j->more[j->depth] = true;
	if (name) {
		put_string(name, j->to);
		fputs(": ", j->to);
	}
}

static void open_level(struct json *j, const char *name, char bracket,
		       bool on_one_line)
{
	bool within = j->inline_[j->depth];

	begin(j, name);
	putc(bracket, j->to);
	assert(j->depth + 1 < JSON_DEPTH);
	j->depth++;
	j->more[j->depth] = false;
	j->inline_[j->depth] = within || on_one_line;
}

static void close_level(struct json *j, char bracket)
{
	bool any = j->more[j->depth];
	bool on_one_line = j->inline_[j->depth];

	assert(j->depth > 0);
	j->depth--;
	if (any && on_one_line)
		putc(' ', j->to);
	else if (any)
		new_line(j);
	putc(bracket, j->to);
}

void json_object(struct json *j, const char *name)
{
	open_level(j, name, '{', false);
}

void json_row(struct json *j, const char *name)
{
	open_level(j, name, '{', true);
}

void json_end_object(struct json *j)
{
	close_level(j, '}');
}

void json_array(struct json *j, const char *name)
{
	open_level(j, name, '[', false);
}

void json_list(struct json *j, const char *name)
{
	open_level(j, name, '[', true);
}

void json_end_array(struct json *j)
{
	close_level(j, ']');
}

void json_string(struct json *j, const char *name, const char *text)
{
	begin(j, name);
	if (text)
		put_string(text, j->to);
	else
		fputs("null", j->to);
}

void json_number(struct json *j, const char *name, double value)
{
	char text[NUMBER_ROOM];

	begin(j, name);
	fputs(isfinite(value) ? number_exact(text, value) : "null", j->to);
}

void json_unsigned(struct json *j, const char *name, uint64_t value)
{
	begin(j, name);
	fprintf(j->to, "%" PRIu64, value);
}

void json_bool(struct json *j, const char *name, bool value)
{
	begin(j, name);
	fputs(value ? "true" : "false", j->to);
}

int json_finish(struct json *j)
{
	assert(j->depth == 0);
	putc('\n', j->to);
	return fflush(j->to) || ferror(j->to) ? PAPI_ESYS : 0;
}
