/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an event counts besides, or instead of, what it is said to count.
 *
 * The claim expects a value in each kernel. Where measured slopes depart from
 * it, the difference is explained by few other expectations: the kinds that are
 * left out, counted several times, or counted too. They are chosen one by one,
 * each time the one that leaves the least, with all amounts fitted anew
 * (orthogonal matching pursuit; Pati, Rezaiifar and Krishnaprasad 1993).
 */
#pragma once

#include <stddef.h>

#include "analysis/posterior.h"

#define DEPARTURE_TERMS 4

struct departure {
	size_t kernels; /* that the claim speaks of and that were measured */
	size_t off;     /* of these, how many contradict it */
	size_t left;    /* how many still do with all terms below */
	size_t worst;   /* the kernel that is farthest off before them */
	size_t rest;    /* the same with them */
	size_t n;       /* terms: so much of each is added to the claim */
	size_t term[DEPARTURE_TERMS];
	double amount[DEPARTURE_TERMS];
	double error[DEPARTURE_TERMS];
};

/*
 * Hold @claim against @e. A kernel contradicts if it is off by more than
 * @tolerance of the expected value (of one, if that is less) and four standard
 * errors. Explanations are the @n expectations @x but those that are @barred
 * (NULL: none is). Where one says nothing it explains nothing, and what is left
 * there is not held against it. Into @out. 0, or PAPI_ENOMEM.
 */
int departure_find(const struct evidence *e, const struct expectation *claim,
		   const struct expectation *x, size_t n,
		   const unsigned char *barred, double tolerance,
		   struct departure *out);

/*
 * @value as a fraction whose denominator is at most 12, if one lies within
 * @error of it: *@over and *@under. Else *@under is 0.
 */
void departure_fraction(double value, double error, int *over, int *under);
