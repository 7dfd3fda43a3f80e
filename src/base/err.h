/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Error codes are PAPI's (0 or negative PAPI_E*); the sentence for the user
 * travels beside them in a diag.
 */
#pragma once

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <papi.h>

/* Why something was refused. Written only by a call that fails. */
struct diag {
	const char *file; /* borrowed from the caller who named it, or NULL */
	size_t line;      /* 1 is the first; 0: not about a line */
	size_t column;    /* of the offending token; 1 is the first byte */
	char text[256];   /* one sentence, no newline */
};

/* PAPI's code for @error, an errno value. Call it before errno can change. */
int err_from_errno(int error);

/* Put a sentence into @diag (which may be NULL) and return @code. */
int diag_fail(struct diag *diag, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, about the byte at @column (from 1) of the text being parsed. */
int diag_fail_at(struct diag *diag, int code, size_t column, const char *format,
		 ...) __attribute__((format(printf, 4, 5)));

/*
 * A local pointer to what malloc() gave, or NULL, from its declaration on: it
 * is freed on every way out of its scope. What is returned or handed on is not
 * declared so.
 */
#define OWNED __attribute__((cleanup(owned_free)))

static inline void owned_free(void *pointer)
{
	void *owned;

	memcpy(&owned, pointer, sizeof(owned)); /* of whatever type */
	free(owned);
}
