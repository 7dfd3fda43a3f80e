/* SPDX-License-Identifier: BSD-3-Clause */
/* What other people's tools have counted with kernels that are known here. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/strbuf.h"

/* The last line of a file of counts: a hash of all before it. */
void foreign_end(struct strbuf *to);

/*
 * The files of a directory as a file of counts (bundle/counts.h), added to @to.
 * 0; PAPI_EINVAL with what is wrong with them; PAPI_ENOMEM.
 */
int foreign_read(const char *folder, struct strbuf *to, struct diag *diag);

/* What a bundle prints first when perf stat runs it (--run). */
#define PERF_RUN "assay-run 1\n"

/* Whether a text has what perf stat counted while a bundle ran kernels. */
bool perf_is(const char *text);
/* The same of such a text, which is changed. */
int perf_read(char *text, struct strbuf *to, struct diag *diag);
