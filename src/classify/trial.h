/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trial of one event by what kernels say of concepts: what concepts.c and
 * near_miss.c share.
 */
#pragma once

#include "classify/inside.h"

/* One event that is judged, and room to do it in. */
struct trial {
	struct classification *c;
	size_t event;
	struct evidence evidence;
	double none;                /* log-likelihood of "none of these" */
	double *posterior;          /* a number for each term, and one more */
	struct expectation *usable; /* terms that some bench makes count */
	size_t *which;              /* their numbers */
	size_t n;
	unsigned char *barred; /* of all terms, for formulas of this event */
};

/* The candidate that the event is usable term @i. */
struct classify_candidate trial_one_term(const struct trial *t, size_t i);
/* Lower the confidence of @x by what was never put to the test. */
void trial_temper(const struct trial *t, struct classify_candidate *x);
/* Propose one concept that the event counts a little more or less often than it
 * happens, where that is what it was found to be or nothing else fits. */
void trial_near_misses(const struct trial *t, struct classify_event *e);
