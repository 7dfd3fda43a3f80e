/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A result described once, for every format that programs read. A verb says
 * what its result holds; each format here makes a file of that. A format for
 * all verbs is a function here and a row in DATA_FORMATS.
 */
#ifndef WRITE_DOCUMENT_H
#define WRITE_DOCUMENT_H

#include <stdio.h>

#include "write/format.h"
#include "write/json.h"

/* 0, PAPI_ESYS if @to failed, PAPI_ENOMEM, or what @describe gave back. */
int document_write_json(describe_fn describe, const void *what, FILE *to);
int document_write_csv(describe_fn describe, const void *what, FILE *to);

/*
 * Rows of a verb's formats, one for each format here. A format for all verbs
 * is added to this list. Where a verb writes one in its own way, that row
 * stands before these.
 */
#define DATA_FORMATS(describe_)                                                \
	{ .name = "json",                                                      \
	  .suffix = ".json",                                                   \
	  .describe = (describe_),                                             \
	  .document = document_write_json },                                   \
	{                                                                      \
		.name = "csv", .suffix = ".csv", .describe = (describe_),      \
		.document = document_write_csv                                 \
	}

#endif /* WRITE_DOCUMENT_H */
