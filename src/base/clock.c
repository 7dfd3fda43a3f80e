/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads two clocks of the kernel. The time-stamp counter, and what a tick of it
 * is worth, are left to the rooms that measure.
 */
#include "base/clock.h"

#include <time.h>

static uint64_t read_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

uint64_t clock_real_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

uint64_t clock_thread_ns(void)
{
	return read_ns(CLOCK_THREAD_CPUTIME_ID);
}
