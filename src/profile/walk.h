/* SPDX-License-Identifier: BSD-3-Clause */
/* What the formats that other programs read have in common. */
#ifndef PROFILE_WALK_H
#define PROFILE_WALK_H

#include "profile/profile.h"

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

#endif /* PROFILE_WALK_H */
