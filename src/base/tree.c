/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reader, by recursive descent, and look-ups in what it read. Writing JSON
 * is left to src/write.
 */
#include "base/tree.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "base/utf8.h"

#define MAX_DEPTH 64

struct scan {
	const char *text;
	const char *at;
	struct diag *diag;
	unsigned depth;
	locale_t c_locale; /* in which a number has a point */
};

static int refuse(struct scan *s, const char *sentence)
{
	size_t line = 1;
	const char *begin = s->text;

	if (!*s->at)
		sentence = "the file is truncated";
	for (const char *c = s->text; c < s->at; c++) {
		if (*c == '\n') {
			line++;
			begin = c + 1;
		}
	}
	diag_fail_at(s->diag, PAPI_EINVAL, (size_t)(s->at - begin) + 1, "%s",
		     sentence);
	if (s->diag)
		s->diag->line = line;
	return PAPI_EINVAL;
}

static void skip_blanks(struct scan *s)
{
	s->at += strspn(s->at, " \t\r\n");
}

static bool skip_char(struct scan *s, char c)
{
	skip_blanks(s);
	if (*s->at != c)
		return false;
	s->at++;
	return true;
}

/* Four hexadecimal digits, or -1. */
static long read_hex(struct scan *s)
{
	char digits[5] = { 0 };

	if (strspn(s->at, "0123456789abcdefABCDEF") < 4)
		return -1;
	memcpy(digits, s->at, 4);
	s->at += 4;
	return strtol(digits, NULL, 16);
}

static void put_utf8(struct strbuf *out, unsigned long c)
{
	char bytes[4];
	size_t n = 0;

	if (c < 0x80) {
		bytes[n++] = (char)c;
	} else if (c < 0x800) {
		bytes[n++] = (char)(0xc0 | c >> 6);
		bytes[n++] = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		bytes[n++] = (char)(0xe0 | c >> 12);
		bytes[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		bytes[n++] = (char)(0x80 | (c & 0x3f));
	} else {
		bytes[n++] = (char)(0xf0 | c >> 18);
		bytes[n++] = (char)(0x80 | (c >> 12 & 0x3f));
		bytes[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		bytes[n++] = (char)(0x80 | (c & 0x3f));
	}
	strbuf_addn(out, bytes, n);
}

/* \u and its digits; two of them for a character beyond 0xffff. */
static int read_unicode(struct scan *s, struct strbuf *out)
{
	long high = read_hex(s), low;

	if (high <= 0 || high >= 0xfffe)
		return refuse(s, "not a character");
	if (high < 0xd800 || high > 0xdfff) {
		put_utf8(out, (unsigned long)high);
		return 0;
	}
	if (high > 0xdbff || s->at[0] != '\\' || s->at[1] != 'u')
		return refuse(s, "incomplete character");
	s->at += 2;
	low = read_hex(s);
	if (low < 0xdc00 || low > 0xdfff)
		return refuse(s, "incomplete character");
	put_utf8(out, 0x10000 + ((unsigned long)(high - 0xd800) << 10) +
			      (unsigned long)(low - 0xdc00));
	return 0;
}

static int read_escape(struct scan *s, struct strbuf *out)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char meant[] = "\"\\/\b\f\n\r\t";
	const char *letter = *s->at ? strchr(letters, *s->at) : NULL;

	if (*s->at == 'u') {
		s->at++;
		return read_unicode(s, out);
	}
	if (!letter)
		return refuse(s, "unknown escape sequence");
	strbuf_addn(out, &meant[letter - letters], 1);
	s->at++;
	return 0;
}

/* A string whose first quote has been read. */
static int read_string(struct scan *s, char **text)
{
	STRBUF(out);
	int err = 0;

	strbuf_add(&out, "");
	while (!err && *s->at != '"') {
		size_t n = utf8_length(s->at);

		if ((unsigned char)*s->at < ' ') {
			err = refuse(s, "the string is not closed");
		} else if (*s->at == '\\') {
			s->at++;
			err = read_escape(s, &out);
		} else if (n == 0) {
			err = refuse(s, "this byte is not UTF-8");
		} else {
			strbuf_addn(&out, s->at, n);
			s->at += n;
		}
	}
	if (err)
		return err;
	s->at++;
	*text = strbuf_take(&out);
	return *text ? 0 : diag_fail(s->diag, PAPI_ENOMEM, "out of memory");
}

static int read_value(struct scan *s, struct tree *out);

/* Items until @close; an object's have keys. */
static int read_items(struct scan *s, struct tree *out, char close)
{
	int err = 0;

	if (skip_char(s, close))
		return 0;
	do {
		struct tree item = { 0 };

		skip_blanks(s);
		if (array_grow(&out->items, out->n, sizeof(*out->items)))
			return diag_fail(s->diag, PAPI_ENOMEM, "out of memory");
		out->items[out->n++] = item;
		if (out->kind == TREE_OBJECT) {
			if (!skip_char(s, '"'))
				return refuse(s, "a member has no name");
			err = read_string(s, &out->items[out->n - 1].key);
			if (!err && !skip_char(s, ':'))
				return refuse(s, "':' is missing");
		}
		if (!err)
			err = read_value(s, &out->items[out->n - 1]);
	} while (!err && skip_char(s, ','));
	if (!err && !skip_char(s, close))
		return refuse(s, "',' or the end is missing");
	return err;
}

/* "-", digits, a fraction, an exponent: how much of @text is a number. */
static size_t number_length(const char *text)
{
	static const char digits[] = "0123456789";
	const char *at = text + (*text == '-');
	size_t n = strspn(at, digits);

	if (n == 0 || (*at == '0' && n > 1))
		return 0;
	at += n;
	if (*at == '.') {
		n = strspn(++at, digits);
		if (n == 0)
			return 0;
		at += n;
	}
	if (*at == 'e' || *at == 'E') {
		at++;
		at += *at == '+' || *at == '-';
		n = strspn(at, digits);
		if (n == 0)
			return 0;
		at += n;
	}
	return (size_t)(at - text);
}

static int read_number(struct scan *s, size_t n, struct tree *out)
{
	out->kind = TREE_NUMBER;
	out->text = strndup(s->at, n);
	if (!out->text)
		return diag_fail(s->diag, PAPI_ENOMEM, "out of memory");
	out->number = strtod_l(out->text, NULL, s->c_locale);
	s->at += n;
	return 0;
}

static int read_word(struct scan *s, struct tree *out)
{
	static const struct {
		const char *text;
		enum tree_kind kind;
	} words[] = { { "null", TREE_NULL },
		      { "false", TREE_FALSE },
		      { "true", TREE_TRUE } };
	size_t n = strspn(s->at, "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");

	if (n == 0)
		return refuse(s, "a value is missing");
	if (number_length(s->at) == n)
		return read_number(s, n, out);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strlen(words[i].text) != n ||
		    strncmp(s->at, words[i].text, n) != 0)
			continue;
		out->kind = words[i].kind;
		s->at += n;
		return 0;
	}
	return refuse(s, "this is not a JSON value");
}

static int read_value(struct scan *s, struct tree *out)
{
	int err;

	if (s->depth == MAX_DEPTH)
		return refuse(s, "values are nested too deeply");
	s->depth++;
	if (skip_char(s, '{')) {
		out->kind = TREE_OBJECT;
		err = read_items(s, out, '}');
	} else if (skip_char(s, '[')) {
		out->kind = TREE_ARRAY;
		err = read_items(s, out, ']');
	} else if (skip_char(s, '"')) {
		out->kind = TREE_STRING;
		err = read_string(s, &out->text);
	} else {
		err = read_word(s, out);
	}
	s->depth--;
	return err;
}

/* Not deeper than MAX_DEPTH, so recursion is fine. */
static void fini(struct tree *tree)
{
	for (size_t i = 0; i < tree->n; i++)
		fini(&tree->items[i]);
	free(tree->items);
	free(tree->key);
	free(tree->text);
}

void tree_free(struct tree *tree)
{
	if (!tree)
		return;
	fini(tree);
	free(tree);
}

int tree_parse(const char *text, struct tree **out, struct diag *diag)
{
	struct scan s = { .text = text, .at = text, .diag = diag };
	struct tree *tree = calloc(1, sizeof(*tree));
	int err;

	s.c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	err = tree && s.c_locale
		      ? read_value(&s, tree)
		      : diag_fail(diag, PAPI_ENOMEM, "out of memory");
	if (!err) {
		skip_blanks(&s);
		if (*s.at)
			err = refuse(&s, "unexpected data after the value");
	}
	if (s.c_locale)
		freelocale(s.c_locale);
	if (err) {
		tree_free(tree);
		return err;
	}
	*out = tree;
	return 0;
}

const struct tree *tree_member(const struct tree *tree, const char *key)
{
	for (size_t i = 0; tree_is(tree, TREE_OBJECT) && i < tree->n; i++)
		if (strcmp(tree->items[i].key, key) == 0)
			return &tree->items[i];
	return NULL;
}

const struct tree *tree_item(const struct tree *tree, size_t i)
{
	return tree_is(tree, TREE_ARRAY) && i < tree->n ? &tree->items[i]
							: NULL;
}

bool tree_is(const struct tree *tree, enum tree_kind kind)
{
	return tree ? tree->kind == kind : kind == TREE_NULL;
}

double tree_number(const struct tree *tree)
{
	return tree_is(tree, TREE_NUMBER) ? tree->number : NAN;
}

/* Digits, and a sign before them. */
static bool is_whole(const char *text)
{
	size_t n;

	text += *text == '-';
	n = strspn(text, "0123456789");
	return n > 0 && text[n] == '\0';
}

long double tree_count(const struct tree *tree)
{
	long double value;

	if (!tree_is(tree, TREE_NUMBER) || !is_whole(tree->text))
		return tree_number(tree);
	value = strtold(tree->text, NULL); /* no point: in any locale */
	return fabsl(value) < 0x1p64L ? value : copysignl(INFINITY, value);
}

const char *tree_string(const struct tree *tree)
{
	return tree_is(tree, TREE_STRING) ? tree->text : NULL;
}

const char *tree_text(const struct tree *tree, const char *key)
{
	return tree_string(tree_member(tree, key));
}
