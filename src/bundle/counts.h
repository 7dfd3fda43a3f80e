/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of counts: what a bundle brings back (docs/formats/counts.md). A text
 * file in lines:
 *
 *   assay-counts 1
 *   assay VERSION              that packed the bundle
 *   where WORDS                architecture and kernel
 *   cpu WORDS
 *   pmu KIND COUNTERS MODEL    KIND: hw or sim, or none beside a GPU
 *   geometry NUMBER ...        of caches and TLBs, as in counts_geometry()
 *   repeats N
 *   event NAME                 in order, from 0
 *   refused EVENT SENTENCE     it cannot be counted there
 *   set EVENT EVENT ...        in order, from 0: counted together
 *   unit KERNEL TIMES FOOTPRINT UNIT OFFSET PAGES K FINGERPRINT
 *   counts
 *   c UNIT SET COUNT ... .     the set's events, repeat by repeat
 *   x UNIT SENTENCE .          it could not be run
 *   end HASH                   of every byte before this line
 *
 * Without the last line a file is not finished, and the bundle goes on with it.
 * A fingerprint stands for what a kernel is expected to count: a unit whose
 * kernel is another one here is left out.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "lab/experiment.h"

#define COUNTS_MAGIC "assay-counts 1\n"

struct counts {
	char *version, *where, *cpu, *kind, *model;
	struct kernel_machine machine;
	struct experiment_unit *units; /* those known here */
	size_t n_units;
	struct experiment_result *result; /* of these units */
	char *left_out; /* kernels that are unknown or others here; or NULL */
};

/*
 * Read a whole file: @n bytes at @text, with a NUL behind them; they are
 * changed. 0, PAPI_ENOMEM, or PAPI_EINVAL with what is wrong with it.
 */
int counts_parse(char *text, size_t n, struct counts *counts,
		 struct diag *diag);
void counts_fini(struct counts *counts);

/* For those who write: lines as above. */
void counts_geometry(struct strbuf *to, const struct kernel_machine *machine);
void counts_unit(struct strbuf *to, const struct experiment_unit *unit,
		 const struct kernel_machine *machine);

/* The inverse of counts_geometry(), of what follows the word. */
bool counts_take_geometry(const char *text, struct kernel_machine *machine);

/* What @kernel is expected to count at @point, as a number. */
uint64_t counts_fingerprint(const struct kernel *kernel,
			    const struct kernel_point *point,
			    const struct kernel_machine *machine);

/* Whether @line ends as lines of counts do: it was written whole. */
bool counts_is_whole(const char *line);
