/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What became of the processes of a run on the simulated PMU: whether the
 * simulator failed, what it could not count, and what may make the counts
 * differ the next time.
 */
#ifndef MEASURE_SIMULATION_H
#define MEASURE_SIMULATION_H

#include "console/console.h"
#include "measure/measure.h"

/* Sentences on the last run; simulation_fini() frees them. */
struct simulation {
	char *missing;      /* what is not in the counts; NULL: nothing */
	char *varies;       /* what may differ from run to run; NULL: nothing */
	const char *engine; /* that counted: "fast", "valgrind", "both" */
};

/*
 * After a run of children on the simulated PMU that ended with @status. If the
 * simulator failed, that is said and CMD_FAILED returned; if it did not run the
 * program at all, the events of @m get the reason in place of values. What else
 * is missing goes to
 * @s and, as a note, to standard error.
 */
int simulation_judge(const struct console *console, struct measure *m,
		     int status, struct simulation *s);

void simulation_fini(struct simulation *s);

#endif /* MEASURE_SIMULATION_H */
