/* SPDX-License-Identifier: BSD-3-Clause */
/* From a measurement to a report. */
#ifndef MEASURE_COUNT_H
#define MEASURE_COUNT_H

#include "measure/measure.h"
#include "measure/pmu.h"
#include "measure/simulation.h"
#include "process/child.h"
#include "report/report.h"

/* All that is known after the last run. */
struct counted {
	char **argv; /* the program */
	const struct pmu *pmu;
	const struct measure *measure;
	const struct child_result *results; /* one for each run */
	size_t runs;
	bool attached; /* to a process that ran already: no child's usage */
	const struct simulation *simulation; /* of children; or NULL */
};

/*
 * Fill @r with machine, PMU, times, resources and events. What it points to
 * belongs to @c or to @r. 0 or PAPI_ENOMEM.
 */
int count_report(const struct counted *c, struct report *r);

/* Each event's values thread by thread, or why there are none. */
int count_add_threads(const struct counted *c, struct report *r);

/* What the simulated PMU missed, and what may differ the next time. 0 or
 * PAPI_ENOMEM. */
int count_note_simulation(const struct counted *c, struct report *r);

/* A note on usual events for which no counter was left. 0 or PAPI_ENOMEM. */
int count_note_left_out(const struct counted *c, struct report *r);

/* A note on what validation here said of the events. 0 or PAPI_ENOMEM. */
int count_note_validated(const struct counted *c, struct report *r);

#endif /* MEASURE_COUNT_H */
