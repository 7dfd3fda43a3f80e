/* SPDX-License-Identifier: BSD-3-Clause */
/* CSV as people's files have it (RFC 4180, blanks around fields allowed). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

/* Lines of a file, one at a time; zero-initialise all but path and from. */
struct csv {
	const char *path; /* for messages */
	FILE *from;
	char *line; /* the last one, without its end */
	size_t capacity;
	size_t number; /* of that line */
	char *at;      /* the next field in it; NULL: no more */
	size_t column; /* where the last field began */
};

/* The next line: 1, 0 at the end, or PAPI_ESYS with the sentence. */
int csv_next_line(struct csv *csv, struct diag *diag);

/*
 * The next field of the line, cut out of it, without quotes and blanks around
 * it. There must be one (at is not NULL). PAPI_EINVAL if a quote is open.
 */
int csv_next_field(struct csv *csv, char **field, struct diag *diag);

/* PAPI_EINVAL with @what about the last field. */
int csv_refuse(const struct csv *csv, const char *what, struct diag *diag);

/* A number; an empty field is NaN. False if it is neither, or infinite. */
bool csv_number(const char *field, double *value);

void csv_fini(struct csv *csv);
