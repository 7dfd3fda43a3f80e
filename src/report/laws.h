/* SPDX-License-Identifier: BSD-3-Clause */
/* What must hold of counts that belong together (laws.def). */
#pragma once

#include "report/report.h"

typedef int law_event_fn(void *ctx, const char *name);
typedef void law_broken_fn(void *ctx, const char *sentence);

/* Call @add for each event of the simulated PMU that a law names; may be called
 * twice for one. 0, or the first that is not 0. */
int laws_events(law_event_fn *add, void *ctx);

struct laws_result {
	size_t checked;
	size_t broken;
	bool failed; /* no memory */
};

/*
 * Check all laws whose events have values that were counted all the time and in
 * one pass, and that threads add up to the process. Of those that do not hold,
 * @tell hears in a sentence, and their events get it as their reason.
 */
struct laws_result laws_check(struct report *r, law_broken_fn *tell, void *ctx);
