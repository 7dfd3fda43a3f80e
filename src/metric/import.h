/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics that other tools have, as a file of definitions: perf's and Intel's
 * JSON, and likwid's groups. Not part of the library.
 *
 * What their formulas can say and ours cannot (conditions, comparisons, the
 * machine's topology) is not taken: a comment tells of each such metric, with
 * the reason. Events keep their meaning but get libpfm4's spelling.
 */
#pragma once

#include "base/strbuf.h"
#include "metric/formula.h"

struct import_counts {
	size_t taken;
	size_t left; /* not taken, each with a comment */
};

/*
 * Append the text format's lines for a file of @len bytes (NUL-terminated)
 * to @out. PAPI_EINVAL if it is malformed; @diag has line and column.
 */
int import_likwid(const char *text, struct strbuf *out,
		  struct import_counts *counts, struct diag *diag);
int import_json(const char *text, struct strbuf *out,
		struct import_counts *counts, struct diag *diag);

/* One metric as it was found, all texts borrowed; any but name and formula
   may be NULL. */
struct import_metric {
	const char *name;
	const char *formula; /* in our infix */
	const char *unit;
	const char *title;
	const char *text;
	const char *category;
};

/* For the importers: add @metric, or a comment if its formula is refused. */
void import_put(struct strbuf *out, const struct import_metric *metric,
		struct import_counts *counts);
