/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that count the same, or a multiple of the same.
 *
 * Two events are kin if their slopes agree in every kernel within their errors,
 * up to a factor that is known to be a whole number or one over one. All
 * members of a family are compared with its head: a chain of small differences
 * cannot join what is different.
 */
#pragma once

#include <stddef.h>

struct kin {
	size_t head;  /* the family's first event; itself if it is alone */
	double scale; /* this event is so many times the head */
};

/*
 * Families of @n events over @kernels kernels; @slope and @error are rows of
 * events. @floor is a relative error that is always allowed for; but in kernels
 * that are @exact (NULL: none is) all events count the same run, and how well
 * their slopes are known does not matter. Events that count nothing anywhere
 * are nobody's kin. Into @out (@n).
 */
void equivalence_find(const double *slope, const double *error, size_t n,
		      size_t kernels, double floor, const unsigned char *exact,
		      struct kin *out);

/*
 * Whether event @e is @times event @f to the last digit in every kernel, and
 * not nothing: noise that coincides is the same noise.
 */
int equivalence_is_exact(const double *e, const double *f, size_t kernels,
			 double times);

/*
 * Whether two events add up to event @event in every kernel: to the last digit,
 * but for a few kernels in which counts differ from run to run. Each must be
 * seen where the sum is exact.
 */
int equivalence_is_sum(const double *slope, const double *error, size_t kernels,
		       size_t event, const size_t part[2]);

/* Two such events that are not @barred. 1, and which they are in @part. */
int equivalence_find_sum(const double *slope, const double *error, size_t n,
			 size_t kernels, size_t event,
			 const unsigned char *barred, size_t part[2]);
