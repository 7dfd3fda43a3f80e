/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nothing. What an event counts here is what counting itself costs, or what
 * the system does meanwhile.
 */
#include "kernels/tables.h"

/* On the page of what counts it: another one would cost a miss of the TLB. */
KERNEL_NEAR static void nothing(struct kernel_run *run)
{
	(void)run;
}

static const struct kernel rows[] = {
	{
		.name = "null",
		.text = "nothing at all",
		.run = nothing,
		/* the caches are cold before the first run: where the compiler
		 * put our own code would decide how many lines it misses */
		.rehearse = 1,
		.none = (1u << FAMILY_COUNT) - 1,
	},
};

KERNEL_TABLE(kernels_null, rows);
