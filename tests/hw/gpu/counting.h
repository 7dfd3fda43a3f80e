/* SPDX-License-Identifier: BSD-3-Clause */
/* What programs that measure a real GPU share: sets, skipping, the clock. */
#pragma once

#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <assay/assay.h>

#include "kernels/gpu/driver.h"

#define SKIPPED 77

static inline double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Open the library, or end: what is missing is no failure of ours. */
static inline void need_gpu(void)
{
	if (!driver_is_there()) {
		printf("skipped: %s\n", driver_why_not());
		exit(SKIPPED);
	}
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) {
		printf("the library cannot be initialised\n");
		exit(1);
	}
}

/* A set of @n events, or the end with the reason. */
static inline int need_set(const char *const *names, size_t n)
{
	int set = PAPI_NULL;
	int err = PAPI_create_eventset(&set);

	for (size_t i = 0; !err && i < n; i++)
		err = PAPI_add_named_event(set, names[i]);
	if (err) {
		printf("cannot count %s: %s\n", names[0], assay_error());
		exit(err == PAPI_EPERM || err == PAPI_ECMP_DISABLED ? SKIPPED
								    : 1);
	}
	return set;
}

static inline void need(int err, const char *what)
{
	if (!err)
		return;
	printf("%s failed: %s\n", what,
	       *assay_error() ? assay_error() : PAPI_strerror(err));
	exit(err == PAPI_EPERM ? SKIPPED : 1);
}
