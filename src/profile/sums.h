/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over a profile: samples of each function and of each source line. */
#ifndef PROFILE_SUMS_H
#define PROFILE_SUMS_H

#include "profile/profile.h"

/* Samples of something, by event. */
struct profile_sum {
	size_t function; /* of functions; or PROFILE_NONE */
	size_t file;     /* of lines; or PROFILE_NONE */
	long line;
	size_t location; /* of instructions; or PROFILE_NONE */
	uint64_t *own;   /* it was there itself */
	uint64_t *total; /* it was there, or something that it called */
};

/* Sorted by the first event, most first; without those that have none. */
struct profile_sums {
	struct profile_sum *rows;
	size_t n;
};

/* 0 or PAPI_ENOMEM. Lines that are not known are left out. */
int profile_sum_functions(const struct profile *p, struct profile_sums *out);
int profile_sum_lines(const struct profile *p, struct profile_sums *out);
int profile_sum_instructions(const struct profile *p,
			     struct profile_sums *out); /* own ones only */
void profile_sums_fini(struct profile_sums *sums);

/* Whether any stack has a caller. */
bool profile_has_stacks(const struct profile *p);

#endif /* PROFILE_SUMS_H */
