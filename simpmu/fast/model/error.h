/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How far off estimated cycles may be; engine_variance() of the seam is here,
 * too. To be called by call_with_fpu().
 */
#pragma once

/* The thread of a struct modelled ends: keep its variances. */
void error_keep(void *modelled);

/* Standard error of the cycles of all threads, to a uint64_t. */
void error_of_cycles(void *out);
