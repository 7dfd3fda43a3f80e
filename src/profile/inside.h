/* SPDX-License-Identifier: BSD-3-Clause */
/* What the writers and the reader of profiles share. */
#pragma once

#include "profile/profile.h"

/* Words of profile files, in the order of the enums of profile.h. */

extern const char *const profile_kind_names[];    /* ends with NULL */
extern const char *const profile_symbols_names[]; /* likewise */

/* Sums over a profile: samples of each function and of each source line. */

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

/* What the formats that other programs read have in common. */

/*
 * The frames of stack @stack, outermost first, each inlined function one of
 * its own; to be freed. NULL: no memory.
 */
struct profile_frame **profile_walk(const struct profile *p, size_t stack,
				    size_t *n);

/* How many events the samples of @event in @sample stand for. */
uint64_t profile_weight(const struct profile *p,
			const struct profile_sample *sample, size_t event);

/* "" for a plain count, else what pprof and speedscope call the unit. */
const char *profile_unit(const struct profile_event *event);

/* Write @text with what is no text, and each of @unwanted, as '_'. */
void profile_put_plain(const char *text, const char *unwanted, FILE *to);
