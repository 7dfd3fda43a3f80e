/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A wanted count made of raw events: which ones, with which factors, and how
 * far to trust it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analysis/compose.h"
#include "analysis/pivot.h"

struct recipe {
	bool made;            /* else the events cannot give it */
	struct blend formula; /* its terms are events */
	struct reach reach;   /* of all events together */
	double worst;    /* largest error over the kernels it was made of */
	double held_out; /* the largest when each kernel in turn is left out
			    of the fit and then predicted */
	size_t kernels;  /* that say something of it */
};

/*
 * Make @target (over @kernels kernels; NaN: not stated there) of @n events
 * whose slopes are @events. Few events are better than many: at most @counters
 * of them. 0 or PAPI_ENOMEM.
 */
int recipe_make(const struct expectation *target, size_t kernels,
		const struct expectation *events, size_t n, size_t counters,
		struct recipe *out);

/*
 * The same of one event, which is known to be the wanted count: @out says how
 * far to trust it beside @n events. The term of its formula is 0.
 */
int recipe_take(const struct expectation *target, size_t kernels,
		const struct expectation *event,
		const struct expectation *events, size_t n, struct recipe *out);
