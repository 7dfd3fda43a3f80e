/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine's constants: latencies, widths, peaks. They come from a file,
 * the user's or one that is shipped for the PMU's machine, and take the place
 * of those in files of metrics.
 */
#ifndef MEASURE_CONSTANTS_H
#define MEASURE_CONSTANTS_H

#include "base/fs.h"
#include "metric/defs.h"

struct constants {
	char *name;        /* "icx", or the user's file */
	bool is_users;     /* a file of the user's */
	bool is_guess;     /* nothing is known of this machine */
	struct defs *defs; /* its #define lines */
};

/*
 * Read @path: a text file of #define lines, or what `assay machine` wrote as
 * JSON. With NULL, what `assay machine` measured of this machine (of a modelled
 * one, only if none is shipped), else those shipped for the machine of PMU
 * @pmu ("sim-icx"), else the generic ones. 0, or a code with the sentence in
 * @diag.
 */
int constants_open(struct constants *c, const char *path, const char *pmu,
		   struct diag *diag);
/*
 * Let line_bytes be what the machine below @fs says, if it does: POWER has
 * lines of 128 bytes, the A64FX of 256. 0 or PAPI_ENOMEM.
 */
int constants_take_line(struct constants *c, const struct fs *fs);

void constants_fini(struct constants *c);

/* The value of @name; NaN if there is none. */
double constants_get(const struct constants *c, const char *name);

/* Put them into the place of those that @defs has by the same names. */
int constants_apply(const struct constants *c, struct defs *defs);

#endif /* MEASURE_CONSTANTS_H */
