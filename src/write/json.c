/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A JSON emitter. NULL strings and numbers that are not finite become null:
 * what was not measured never looks like a number.
 */

#include "write/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/err.h"
#include "base/utf8.h"
#include "write/number.h"

void json_init(struct json *j, FILE *to)
{
	memset(j, 0, sizeof(*j));
	j->to = to;
}

void json_listen(struct json *j, const struct json_listener *listener,
		 void *context)
{
	json_init(j, NULL);
	j->listener = listener;
	j->context = context;
}

static void put_string(const char *text, FILE *to)
{
	putc('"', to);
	for (const char *s = text; *s;) {
		size_t n = utf8_length(s);

		if (n == 0) { /* a stray byte, as in an odd file name */
			fputs("\\ufffd", to);
			n = 1;
		} else if (*s == '"' || *s == '\\') {
			fprintf(to, "\\%c", *s);
		} else if ((unsigned char)*s < 0x20) {
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

	assert(j->depth + 1 < JSON_DEPTH);
	if (j->listener) {
		j->listener->begin(j->context, name, false);
		j->depth++;
		return;
	}
	begin(j, name);
	putc(bracket, j->to);
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
	if (j->listener) {
		j->listener->end(j->context);
		return;
	}
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

void json_table(struct json *j, const char *name)
{
	if (!j->listener) {
		json_array(j, name);
		return;
	}
	j->listener->begin(j->context, name, true);
	j->depth++;
}

/* A value that needs no quotes; NULL: none. */
static void put_plain(struct json *j, const char *name, const char *text)
{
	if (j->listener) {
		j->listener->value(j->context, name, text);
		return;
	}
	begin(j, name);
	fputs(text ? text : "null", j->to);
}

void json_string(struct json *j, const char *name, const char *text)
{
	if (j->listener || !text) {
		put_plain(j, name, text);
		return;
	}
	begin(j, name);
	put_string(text, j->to);
}

void json_number(struct json *j, const char *name, long double value)
{
	char text[NUMBER_CAPACITY];

	put_plain(j, name, isfinite(value) ? number_exact(text, value) : NULL);
}

void json_count(struct json *j, const char *name, long double value)
{
	char text[NUMBER_CAPACITY];

	if (fabsl(value) > NUMBER_DOUBLE_MAX && value == floorl(value) &&
	    isfinite(value))
		json_string(j, name, number_exact(text, value));
	else
		json_number(j, name, value);
}

void json_unsigned(struct json *j, const char *name, uint64_t value)
{
	char text[NUMBER_CAPACITY];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	put_plain(j, name, text);
}

void json_bool(struct json *j, const char *name, bool value)
{
	put_plain(j, name, value ? "true" : "false");
}

void json_numbers(struct json *j, const char *name, const double *values,
		  size_t n)
{
	json_list(j, name);
	for (size_t i = 0; i < n; i++)
		json_number(j, NULL, values[i]);
	json_end_array(j);
}

void json_strings(struct json *j, const char *name, const char *const *texts,
		  size_t n)
{
	json_list(j, name);
	for (size_t i = 0; i < n; i++)
		json_string(j, NULL, texts[i]);
	json_end_array(j);
}

void json_cells(struct json *j, const char *format, ...)
{
	va_list cells;

	va_start(cells, format);
	json_list(j, NULL);
	for (const char *f = strchr(format, '%'); f; f = strchr(f + 1, '%')) {
		if (f[1] == 's')
			json_string(j, NULL, va_arg(cells, const char *));
		else if (f[1] == 'L')
			json_count(j, NULL, va_arg(cells, long double));
		else
			json_number(j, NULL, va_arg(cells, double));
	}
	json_end_array(j);
	va_end(cells);
}

/* The member called @name, whose value is of the kind that @letter says. */
static void put_member(struct json *j, const char *name, char letter,
		       va_list *values)
{
	switch (letter) {
	case 's':
		json_string(j, name, va_arg(*values, const char *));
		break;
	case 'g':
		json_number(j, name, va_arg(*values, double));
		break;
	case 'L':
		json_number(j, name, va_arg(*values, long double));
		break;
	case 'i':
		json_number(j, name, va_arg(*values, int));
		break;
	case 'u':
		json_unsigned(j, name, va_arg(*values, unsigned));
		break;
	case 'z':
		json_unsigned(j, name, va_arg(*values, size_t));
		break;
	default:
		json_bool(j, name, va_arg(*values, int));
	}
}

void json_row_of(struct json *j, const char *name, const char *format, ...)
{
	va_list values;
	size_t n;

	va_start(values, format);
	json_row(j, name);
	for (; *format;
	     format += strcspn(format, ","), format += strspn(format, ", ")) {
		char member[32] = "";

		n = strcspn(format, " ");
		assert(n < sizeof(member));
		memcpy(member, format, n);
		put_member(j, member, format[n + 2], &values);
	}
	json_end_object(j);
	va_end(values);
}

int json_finish(struct json *j)
{
	assert(j->depth == 0);
	putc('\n', j->to);
	return fflush(j->to) || ferror(j->to) ? PAPI_ESYS : 0;
}
