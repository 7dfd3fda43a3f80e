/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads that any processor runs: written in C, held in shape by barriers that
 * the compiler cannot look through. What needs instructions of its own is in
 * arch.h.
 */
#ifndef MACHINE_LOADS_H
#define MACHINE_LOADS_H

#include <stdint.h>

/* No work. */
void loads_nothing(void *arg, uint64_t times);

/* The cycle ruler: this many dependent additions, one cycle each, a time. */
#define LOAD_RULER_ADDS 1000
void loads_ruler(void *arg, uint64_t times);

/* Follow pointers from *(void **)arg, and leave there how far it came. */
#define LOAD_CHASE_STEPS 16
void loads_chase(void *arg, uint64_t times);

/*
 * Conditional branches, 31 for each word, that wait for nothing but one test
 * of a bit of it; @times words from *(const uint32_t **)arg on.
 */
#define LOAD_BRANCHES 31
#define LOAD_TEST     1 /* cycle that the test takes */
void loads_branches(void *arg, uint64_t times);

#endif /* MACHINE_LOADS_H */
