/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What timing cannot tell of a processor, by its family: the sizes of its
 * buffers, and whether L3 holds what the other levels hold.
 */
#pragma once

#include "machine/machine.h"

struct family {
	const char *vendor;           /* as CPUID tells it */
	unsigned family, first, last; /* models */
	const char *name;
	unsigned retire, rob, rs, lq, sq;
	unsigned misses; /* lines that L1D waits for at a time */
	const char *l3;  /* kind, as in a model file */
};

/* NULL if the processor is not known. */
const struct family *family_of(const struct machine *m);
