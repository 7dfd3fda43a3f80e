/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cycles by sampling: which instructions the cycle model sees, and what follows
 * from these for the rest.
 *
 * Caches, TLBs and predictors see everything (functional warming), so that a
 * window somewhere in the program finds them as they would be; only the
 * scoreboard is not run all the time. This is SMARTS (Wunderlich and others,
 * ISCA 2003). A program begins with an exact part. Behind it each unit of
 * SAMPLE_UNIT instructions has one window at a place drawn at random (from a
 * fixed sequence, so that runs repeat, and loops cannot keep step with it): the
 * pipeline is filled by SAMPLE_WARM instructions, then SAMPLE_WINDOW are
 * counted and stand for the unit. The variance is that of neighbouring units'
 * difference, which tells trends from noise.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "simpmu/model/tally.h"

/*
 * In instructions. SMARTS has 10,000 windows of 1,000 instructions, and 2,000
 * before each that fill the pipeline of an 8-way machine with slow caches. Here
 * (matmul and triad on icx) 1,000 before each leave no bias that can be seen,
 * where 500 leave 8 % in matmul; and windows of half the length, of which there
 * are twice as many, have smaller errors.
 * Longer programs need few more windows: units double with every doubling
 * beyond SAMPLE_SPAN. The variance of windows is then small beside SAMPLE_BIAS
 * (seven programs of 50 to 800 million instructions on icx).
 */
#define SAMPLE_EXACT  (UINT64_C(1) << 22)
#define SAMPLE_WINDOW 500u
#define SAMPLE_WARM   1000u
#define SAMPLE_UNIT   (UINT64_C(1) << 12)
#define SAMPLE_SPAN   (UINT64_C(1) << 24)

/*
 * What windows may miss in all of them alike, as a part of the estimate: code
 * that runs once, slowly, such as the end of a program, seldom lies in a
 * window, and the pipeline is not quite full at the beginning of one. Estimated
 * as what the differences from the full model have beyond the variance of
 * windows. With 0.6 %, which the 15 cases of the test fast-cycles suggest, 92
 * of 100 programs drawn for fast-intervals (seed 1) were within two standard
 * errors; with 0.9 % 97, and 100 of another 100 (seed 2).
 */
#define SAMPLE_BIAS 0.009

/*
 * What seldom happens and takes long, windows see once too often or not at all,
 * and if not at all their variance knows nothing of it. As much as the unit
 * that took longest may be missing, or counted once too often: this is part of
 * the standard error.
 */

/* Where one who replays is: instructions, of the thread. Each is moved by
 * another processor. */
struct sampler {
	_Alignas(64) uint64_t at;
	uint64_t start, until;       /* of the unit */
	uint64_t warm, counted, end; /* of its window */
	bool is_begun;
	bool was_detailed; /* the record before, for who tells of changes */
};

/* All is detailed from now on. */
extern bool sample_all;

/* Go on with the unit that begins at s->at. */
void sampler_next(struct sampler *s);

static inline bool sampler_is_over(const struct sampler *s)
{
	return s->at >= s->until;
}

/* Whether what comes next is detailed. */
static inline bool sampler_is_detailed(struct sampler *s)
{
	if (sampler_is_over(s))
		sampler_next(s);
	return s->at >= s->warm && s->at < s->end;
}

#define SAMPLE_TALLIES (TALLY_IDLE_LS - TALLY_CYCLES + 1)

/* Whether all of the unit is its window. */
static inline bool sampler_is_exact(const struct sampler *s)
{
	return s->warm == s->start && s->end == s->until;
}

/* What windows have told of a thread. */
struct estimate {
	uint64_t sum[SAMPLE_TALLIES];       /* of the units that are over */
	uint64_t estimated[SAMPLE_TALLIES]; /* of that, not exactly */
	/* the window at hand, or the last one */
	bool is_counting;
	uint64_t insns;
	uint64_t apart; /* instructions of the unit that are in no sample */
	uint64_t seen;  /* by the scoreboard, up to this instruction */
	uint64_t base[SAMPLE_TALLIES], counted[SAMPLE_TALLIES];
	/* the unit before */
	uint32_t units;
	uint64_t old_insns;
	uint64_t old[SAMPLE_TALLIES];
	double change[SAMPLE_TALLIES]; /* of the rate, squared */
	double variance[SAMPLE_TALLIES];
	uint64_t most[SAMPLE_TALLIES]; /* estimate of any unit */
};

/* The window begins, or goes on behind records whose notes found no room; what
 * it has counted is brought up to date. @tallies are those of the core. */
void estimate_begin(struct estimate *e, const uint64_t *tallies);
void estimate_update(struct estimate *e, const uint64_t *tallies);
/* What the core counted since its tallies were @before, in @insns instructions,
 * is no part of the sample: it stands for itself, and for nothing else. */
void estimate_add_apart(struct estimate *e, const uint64_t *before,
			const uint64_t *tallies, uint64_t insns);
/* Cycles since the scoreboard saw the last instruction, now that @at is next:
 * as many for each as in the window before. */
uint64_t estimate_unseen(const struct estimate *e, uint64_t at);
/* The unit of @s is over. */
void estimate_end_unit(struct estimate *e, const struct sampler *s);

/* Add all there is up to where @s is: to tallies, and to variances. */
void estimate_add(const struct estimate *e, const struct sampler *s,
		  uint64_t out[TALLY_COUNT]);
void estimate_add_variance(const struct estimate *e, const struct sampler *s,
			   double out[SAMPLE_TALLIES]);
