/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fields of a line: separated by commas, blanks around them dropped. A field
 * that begins with a quote, " or ', goes to the same quote; the quote doubled
 * stands for itself. A formula's commas count only outside parentheses, and
 * its quotes stay.
 */
#pragma once

#include "base/err.h"
#include "base/texts.h"

struct fields {
	struct texts *texts; /* that fields are put into */
	const char *line;    /* NUL-terminated */
	const char *next;    /* NULL after the last field */
};

struct field {
	char *text;    /* of a quoted field: without its quotes */
	size_t column; /* of its first byte after blanks, from 1 */
	int quoted;
};

/*
 * Read the next field. PAPI_ENOEVNT if there is none; PAPI_EINVAL with the
 * column in @diag; PAPI_ENOMEM.
 */
int fields_read(struct fields *from, struct field *out, struct diag *diag);
int fields_read_formula(struct fields *from, struct field *out,
			struct diag *diag);
