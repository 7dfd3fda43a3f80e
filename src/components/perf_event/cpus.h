/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of CPUs as the kernel writes them: "0-3,28". */
#pragma once

#include <stdbool.h>

/* A walk over a list; begins as { list }. */
struct pe_cpus {
	const char *at;
	long next, last;
	bool inside; /* a range that has more */
};

/* The next CPU of the list, in *@cpu; false: there is none. */
bool pe_cpus_next(struct pe_cpus *walk, int *cpu);

bool pe_cpus_have(const char *list, int cpu);
