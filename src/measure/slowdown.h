/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much longer programs take on the simulated PMU, as runs on this machine
 * have shown.
 *
 * What a run tells is its speed, in instructions per second, whatever else
 * this machine does meanwhile (child_busy_seconds()). It is kept for
 * the events that were counted and the engine that ran the program, for each
 * kind of processor in a file of its own. To compare it with, the processor's
 * native speed is measured once, with a few programs of the tool's own. All of
 * this varies between programs, so it says what to expect, not what will be.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "measure/measure.h"
#include "measure/pmu.h"

#define SLOWDOWN_TEXT 128 /* room for what is told */

/* What one set of events costs on one engine. */
struct slowdown_set {
	char *what; /* engine, model, exact or sampled, and the events */
	unsigned runs;
	double log_speed; /* mean of the runs' logarithms */
};

struct slowdowns {
	double native;             /* instructions per second; 0: not known */
	struct slowdown_set *sets; /* the one used last is the last */
	size_t n;
};

/* What is kept of this processor. 0 or PAPI_ENOMEM; without a file that can be
 * read, nothing is known. */
int slowdown_read(struct slowdowns *s);
void slowdown_fini(struct slowdowns *s);

/* 0, or a PAPI error with the reason in @diag (which may be NULL). */
int slowdown_write(const struct slowdowns *s, struct diag *diag);

/* A run of @what executed @instructions in @seconds. 0 or PAPI_ENOMEM. */
int slowdown_learn(struct slowdowns *s, const char *what, double instructions,
		   double seconds);

/*
 * A clause for messages: "about 30 times slower (4 runs on this machine)", or
 * what is known without @what having been run: @what may lack the engine ("-"),
 * or be NULL.
 */
void slowdown_describe(const struct slowdowns *s, const char *what, char *text,
		       size_t size);

/* Instructions per second of this processor, measured now; 0 if it cannot be.
 */
double slowdown_measure_native(void);

/* The clause for what is going to run on @pmu; NULL, or @m NULL: it is not
 * known what will be counted. */
void slowdown_expect(const struct pmu *pmu, const struct event_list *m,
		     char *text, size_t size);

/*
 * Learn from the last run of @m on @pmu by @engine, which took @seconds, if it
 * was long enough to tell and instructions were counted.
 */
void slowdown_note_run(const struct pmu *pmu, const struct event_list *m,
		       const char *engine, double seconds);
