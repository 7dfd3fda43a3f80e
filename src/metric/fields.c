/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields cut and copied; what they mean, defs_read.c knows. */
#include "metric/fields.h"

#include <string.h>

static int is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static int keep(struct fields *from, struct field *out, const char *start,
		const char *end)
{
	size_t n = (size_t)(end - start);

	out->text = texts_reserve(from->texts, n);
	if (!out->text)
		return PAPI_ENOMEM;
	memcpy(out->text, start, n);
	return 0;
}

/* Stand before the next field. */
static int begin(struct fields *from, struct field *out)
{
	if (!from->next)
		return PAPI_ENOEVNT;
	while (is_blank(*from->next))
		from->next++;
	*out = (struct field){
		.column = (size_t)(from->next - from->line) + 1,
	};
	return 0;
}

/* Go past the comma at @end, if it is not the line's end. */
static void pass(struct fields *from, const char *end)
{
	from->next = *end == ',' ? end + 1 : NULL;
}

/* The end of a quoted text whose first quote is at @s; NULL: not closed. */
static const char *closing_quote(const char *s)
{
	char quote = *s++;

	for (; *s; s++) {
		if (*s != quote)
			continue;
		if (s[1] != quote)
			return s;
		s++;
	}
	return NULL;
}

/* Make one quote of each two. */
static void undouble(char *text, char quote)
{
	char *to = text;

	for (; *text; text++) {
		*to++ = *text;
		if (*text == quote && text[1] == quote)
			text++;
	}
	*to = '\0';
}

static int read_quoted(struct fields *from, struct field *out,
		       struct diag *diag)
{
	const char *start = from->next;
	const char *end = closing_quote(start);
	const char *after;
	int err;

	if (!end)
		return diag_fail_at(diag, PAPI_EINVAL, out->column,
				    "this quote is never closed");
	for (after = end + 1; is_blank(*after); after++)
		;
	if (*after && *after != ',')
		return diag_fail_at(diag, PAPI_EINVAL,
				    (size_t)(after - from->line) + 1,
				    "a comma is missing after the quoted text");
	err = keep(from, out, start + 1, end);
	if (err)
		return err;
	undouble(out->text, *start);
	out->quoted = 1;
	pass(from, after);
	return 0;
}

int fields_read(struct fields *from, struct field *out, struct diag *diag)
{
	const char *start, *end;
	int err = begin(from, out);

	if (err)
		return err;
	start = from->next;
	if (*start == '"' || *start == '\'')
		return read_quoted(from, out, diag);
	end = start + strcspn(start, ",");
	pass(from, end);
	while (end > start && is_blank(end[-1]))
		end--;
	return keep(from, out, start, end);
}

/* The end of the formula at @s: a comma outside quotes and parentheses. */
static const char *formula_end(const char *s)
{
	size_t open = 0;
	char quote = '\0';

	for (; *s; s++) {
		if (quote)
			quote = *s == quote ? '\0' : quote;
		else if (*s == '"' || *s == '\'')
			quote = *s;
		else if (*s == '(')
			open++;
		else if (*s == ')')
			open -= open > 0;
		else if (*s == ',' && open == 0)
			break;
	}
	return s;
}

int fields_read_formula(struct fields *from, struct field *out,
			struct diag *diag)
{
	const char *start, *end;
	int err = begin(from, out);

	(void)diag;
	if (err)
		return err;
	start = from->next;
	end = formula_end(start);
	pass(from, end);
	while (end > start && is_blank(end[-1]))
		end--;
	return keep(from, out, start, end);
}
