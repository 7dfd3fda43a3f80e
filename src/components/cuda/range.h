/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A set of metrics that one pass can count, and a range of work on a GPU over
 * which they are counted.
 */
#pragma once

#include "components/cuda/host.h"

struct range {
	struct host host;
	const char **names; /* owned; the names themselves are borrowed */
	size_t n;
	size_t passes; /* that the set needs; counted are sets of one */
	uint8_t *config;
	size_t config_bytes;
	double *values; /* as they were at the last range_end() */

	void *context;
	void *profiler; /* borrowed */
	uint8_t *data;
	size_t data_bytes;
};

/* Plan to count @n metrics on a chip. range_fini() undoes it. */
int range_init(struct range *r, const struct calls *calls, const char *chip,
	       const char *const *names, size_t n, struct diag *diag);
void range_fini(struct range *r);

/* Count what is launched in @context from now on, with its profiler. */
int range_begin(struct range *r, void *profiler, void *context,
		struct diag *diag);

/* Wait for what was launched, and take the values. It is ended either way. */
int range_end(struct range *r, struct diag *diag);
