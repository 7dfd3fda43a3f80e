/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A result described once, for every format that programs read. A verb says
 * what its result holds; each format here makes a file of that. A format for
 * all verbs is a function here and a row in DATA_FORMATS.
 */
#pragma once

#include <stdio.h>

#include "write/format.h"
#include "write/json.h"

/* 0, PAPI_ESYS if @to failed, PAPI_ENOMEM, or what @describe gave back. */
int document_write_json(describe_fn describe, const void *what, FILE *to);
int document_write_csv(describe_fn describe, const void *what, FILE *to);
/* Also PAPI_ENOSUPP where this build has no viewer (html.h). */
int document_write_html(describe_fn describe, const void *what, FILE *to);

/*
 * Rows of a verb's formats, one for each format here. A format for all verbs
 * is added to this list. Where a verb writes one in its own way, its row is
 * taken instead.
 */
#define DATA_FORMATS(describe_)                                                \
	DATA_FORMAT("json", ".json", describe_, document_write_json),          \
		DATA_FORMAT("csv", ".csv", describe_, document_write_csv),     \
		DATA_FORMAT("html", ".html", describe_, document_write_html)

#define DATA_FORMAT(name_, suffix_, describe_, document_)                      \
	{                                                                      \
		.name = (name_), .suffix = (suffix_), .describe = (describe_), \
		.document = (document_)                                        \
	}
