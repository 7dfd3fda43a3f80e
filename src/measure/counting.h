/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program run once or several times and counted: what `count` and `model`
 * have in common, from the choice of the PMU to the counts of every run.
 */
#ifndef MEASURE_COUNTING_H
#define MEASURE_COUNTING_H

#include "measure/count.h"
#include "measure/gpu.h"
#include "measure/metrics.h"

/* Zero-initialise it; counting_fini() ends it, whatever was done. */
struct counting {
	struct selection selection; /* the events */
	unsigned repeat;            /* runs asked for; 0 is 1 */
	bool no_multiplex;          /* further passes instead */
	const char *machine;        /* file of constants; NULL: shipped */
	const struct watch *watch;  /* what to do during a run; or NULL */
	const char *counters;       /* of the simulated PMU; NULL: unlimited */
	bool from_main;             /* leave out what comes before main() */
	bool repeatable;            /* the same random numbers in every run */
	bool sampled;               /* simulated cycles may be estimates */

	struct pmu pmu;
	bool is_open; /* pmu */
	struct constants constants;
	struct metrics metrics;
	struct measure measure;
	struct cli_gpu gpu;
	struct simulation simulation; /* the last run's */
	struct child_result *results;
	size_t runs; /* that there were */
};

/* Each of these: 0, or the exit status after a message. */

/* A program is named, and can be found and executed. */
int counting_need_program(const struct console *console, int argc, char **argv);

/* Choose and open the PMU; find the constants of its machine. */
int counting_open(const struct console *console,
		  const struct pmu_choice *choice, struct counting *c);

/* Look up the selected events. */
int counting_look_up(const struct console *console,
		     const struct pmu_choice *choice, struct counting *c);

/* All runs; fewer if one fails. */
int counting_run(const struct console *console, const struct pmu_choice *choice,
		 struct counting *c, char **argv);

/* What was counted, for reports; borrowed from @c. */
struct counted counting_result(const struct counting *c, char **argv);

/* Say what is wrong with a file of metrics. CMD_USAGE. */
int counting_bad_metrics(const struct console *console,
			 const struct diag *diag);

/* Say that there is no group @name, and which there are. CMD_USAGE. */
int counting_unknown_group(const struct console *console,
			   const struct metrics *m, const char *name);

void counting_fini(struct counting *c);

#endif /* MEASURE_COUNTING_H */
