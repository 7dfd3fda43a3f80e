/* SPDX-License-Identifier: BSD-3-Clause */
/* A string that grows. Zero-initialise it; the text is never NULL. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct strbuf {
	char *text; /* owned; NULL until something was added */
	size_t len;
	size_t capacity;
	bool failed; /* an addition found no memory; checked once, at the end */
};

/* Add text. A failure is remembered, so callers need not check each one. */
void strbuf_add(struct strbuf *sb, const char *text);
void strbuf_addn(struct strbuf *sb, const char *text, size_t n);
void strbuf_addf(struct strbuf *sb, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Back to the first @len bytes. */
void strbuf_cut(struct strbuf *sb, size_t len);

/* The text so far, borrowed; "" when empty. */
const char *strbuf_text(const struct strbuf *sb);

/* Hand the text to the caller, to be freed; NULL if memory ran out. */
char *strbuf_take(struct strbuf *sb);

/* Empty it and release its memory. */
void strbuf_fini(struct strbuf *sb);

/* Declares an empty one that is released when its scope ends. */
#define STRBUF(name)                                                           \
	struct strbuf name __attribute__((cleanup(strbuf_fini))) = { 0 }

/* A formatted string of one's own; NULL if memory ran out. */
char *str_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
