/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Micro-benchmarks whose counts are known beforehand.
 *
 * A kernel knows nothing of counters: it runs its body a number of times. What
 * one time costs stands beside it as data, concept by concept, so validation,
 * classification and the simulator's tests all use the same numbers.
 */
#ifndef KERNELS_KERNEL_H
#define KERNELS_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/* What an event may count. One row of the papers' tables each. */
enum concept {
	CONCEPT_BR_COND_EXEC, /* conditional branches executed: CE */
	CONCEPT_BR_COND,      /* conditional branches retired: CR */
	CONCEPT_BR_TAKEN,     /* of these, taken: T */
	CONCEPT_BR_DIRECT,    /* direct unconditional branches: D */
	CONCEPT_BR_MISP,      /* conditional branches mispredicted: M */
	CONCEPT_COUNT
};

struct kernel {
	const char *name; /* "branch/1" */
	const char *text; /* one line */
	void (*run)(uint64_t times);
	/* What one time adds. Where chance decides, the expected value. */
	double expect[CONCEPT_COUNT];
	/* Standard deviation of one time's mispredictions; 0: no chance */
	double chance;
};

/* The seven kernels of the 2018 paper's Figure 11, in its order. */
extern const struct kernel branch_kernels[];
extern const size_t branch_kernels_n;

/*
 * The kernel of that paper's Figure 9: one in @k conditions is true. What it
 * mispredicts depends on the predictor.
 */
void branch_rate(uint64_t times, unsigned k);

#endif /* KERNELS_KERNEL_H */
