/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of texts that are freed together: for structures that are made of
 * many. Zero-initialise it. Nothing is freed before all is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct texts {
	struct texts_block *newest;
	size_t left; /* bytes that are free in the newest block */
	bool failed; /* a copy found no memory; checked once, at the end */
};

/* Room for @n bytes and a NUL, which is there; NULL: memory ran out. */
char *texts_reserve(struct texts *texts, size_t n);

/* A copy of @text; NULL of NULL, and "" if memory ran out. */
const char *texts_copy(struct texts *texts, const char *text);

/* Take over @text, made by malloc(); NULL: memory ran out. As above. */
const char *texts_take(struct texts *texts, char *text);

/* PAPI_ENOMEM if anything found no memory; else 0. */
int texts_error(const struct texts *texts);

void texts_fini(struct texts *texts);
