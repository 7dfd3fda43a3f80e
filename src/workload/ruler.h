/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processor's clock, by what takes a known number of cycles, and whether
 * another thread uses the core. It changes from one millisecond to the next,
 * so it is looked at beside each run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* CPU time of this thread so far. */
double ruler_cpu_ns(void);

/*
 * Nanoseconds of a cycle just now: of a chain of additions, a tenth of a
 * millisecond of them. One during which the thread was put off the CPU is made
 * again: what the kernel charges to whom is off by some microseconds then, and
 * the chain seems to be shorter than it was.
 */
double ruler_ns(void);

/*
 * A core may run another thread beside this one, of this machine or, in a
 * guest, of anybody's. A chain of additions is as fast then; independent ones,
 * which want the whole width of the core, are not.
 */
bool ruler_is_alone(void);

/*
 * The least of @n > 0 values in rising order that two more confirm, within a
 * fiftieth. A value between two rulers that were disturbed alike is too small,
 * and stands alone.
 */
double ruler_least(const double *sorted, size_t n);
