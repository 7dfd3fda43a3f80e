/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Appending, cutting and handing over. A failed allocation is remembered, so
 * that the caller can check once, at the end.
 */
#include "base/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(struct strbuf *sb, size_t more)
{
	size_t need = sb->len + more + 1;
	size_t capacity = sb->capacity ? sb->capacity : 64;
	char *grown;

	if (sb->failed)
		return false;
	if (need <= sb->capacity)
		return true;
	while (capacity < need)
		capacity *= 2;
	grown = realloc(sb->text, capacity);
	if (!grown) {
		sb->failed = true;
		return false;
	}
	sb->text = grown;
	sb->capacity = capacity;
	return true;
}

void strbuf_addn(struct strbuf *sb, const char *text, size_t n)
{
	if (!make_room(sb, n))
		return;
	memcpy(sb->text + sb->len, text, n);
	sb->len += n;
	sb->text[sb->len] = '\0';
}

void strbuf_add(struct strbuf *sb, const char *text)
{
	strbuf_addn(sb, text, strlen(text));
}

static void add_formatted(struct strbuf *sb, const char *format, va_list args)
{
	va_list again;
	size_t left;
	int n;

	if (!make_room(sb, 0))
		return;
	left = sb->capacity - sb->len; /* which is enough most of the times */
	va_copy(again, args);
	n = vsnprintf(sb->text + sb->len, left, format, again);
	va_end(again);
	if (n >= 0 && (size_t)n >= left && make_room(sb, (size_t)n))
		n = vsnprintf(sb->text + sb->len, (size_t)n + 1, format, args);
	if (n >= 0 && !sb->failed)
		sb->len += (size_t)n;
	sb->text[sb->len] = '\0';
}

void strbuf_addf(struct strbuf *sb, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_formatted(sb, format, args);
	va_end(args);
}

void strbuf_cut(struct strbuf *sb, size_t len)
{
	if (len >= sb->len)
		return;
	sb->len = len;
	sb->text[len] = '\0';
}

const char *strbuf_text(const struct strbuf *sb)
{
	return sb->text ? sb->text : "";
}

char *strbuf_take(struct strbuf *sb)
{
	char *text = NULL;

	strbuf_addn(sb, "", 0);
	if (!sb->failed) {
		text = sb->text;
		sb->text = NULL;
	}
	strbuf_fini(sb);
	return text;
}

void strbuf_fini(struct strbuf *sb)
{
	free(sb->text);
	*sb = (struct strbuf){ 0 };
}

char *str_format(const char *format, ...)
{
	struct strbuf sb = { 0 };
	va_list args;

	va_start(args, format);
	add_formatted(&sb, format, args);
	va_end(args);
	return strbuf_take(&sb);
}
