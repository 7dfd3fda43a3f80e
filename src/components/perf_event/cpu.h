/* SPDX-License-Identifier: BSD-3-Clause */
/* Which CPU this is, by the name that libpfm4 gives to its PMU. */
#pragma once

#include <stdbool.h>

#include "base/fs.h"

struct pe_cpu {
	const char *pmu;   /* "icx", "arm_n1"; static */
	unsigned counters; /* programmable and fixed, for one thread */
};

/* False if the CPU is not in the table; libpfm4 may still know it. */
bool pe_cpu_find(const struct fs *fs, struct pe_cpu *out);
