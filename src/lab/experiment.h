/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An experiment: kernels, each at several points, run several times, while
 * events are counted; in the end a table of counts.
 *
 * The kernels run in worker processes (libexec/kernels), on the simulated PMU
 * or on the machine's own. A worker packs the events into as few sets as the
 * counters hold, as the library accepts them, and runs a kernel once for each
 * set and repeat. Before each unit of work (a kernel at a point) what the
 * simulated machine has learnt is forgotten, so that a unit's counts do not
 * depend on what ran before it: two workers, or an interrupted experiment that
 * is taken up again, give the counts of one that ran through.
 */
#pragma once

#include <assay/assay.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "console/console.h"
#include "kernels/kernel.h"
#include "measure/pmu.h"

/* Between which calls of the library a kernel is run. */

enum experiment_pattern {
	PATTERN_START_STOP,
	PATTERN_START_READ,
	PATTERN_READ_READ,
	PATTERN_READ_STOP,
	PATTERN_COUNT
};

/* One unit of work. */
struct experiment_unit {
	const struct kernel *kernel;
	struct kernel_point point;
	enum experiment_pattern pattern;
	/* Bit i: event i is wanted here. 0: all are. Events beyond the 64th
	 * are wanted only if all are. */
	uint64_t events;
};

struct experiment_result;

struct experiment {
	/* Which machine: simulated as these say, or (NULL) the real one. */
	const struct simulator_options *simulator;
	const char *worker; /* program; NULL: the one that is installed */

	/* Names; none: every native event of the PMU (n_events 0). */
	const char *const *events;
	size_t n_events;

	bool without_pmu; /* the events are none of a PMU's */

	const struct experiment_unit *units;
	size_t n_units;
	unsigned repeats; /* 0: 1 */

	unsigned workers; /* processes; 0: one for each CPU, at most two;
			     on a real machine always one */
	double budget_s;  /* begin nothing after so long; 0: no limit */
	/*
	 * The unit to run next, by what was counted so far; the number of units
	 * if all are @taken: begun or done. NULL: one after the other.
	 */
	size_t (*choose)(void *chooser, const struct experiment_result *so_far,
			 const bool *taken);
	void *chooser;
	const char *journal; /* file to go on from, and to keep; or NULL */
	const char *what;    /* what progress is shown as: "classifying" */
};

struct experiment_event {
	char *name;
	unsigned set; /* in which set it was counted */
	char *reason; /* why it cannot be counted; NULL: it can */
};

struct experiment_result {
	struct experiment_event *events;
	size_t n_events;
	size_t n_units;
	unsigned repeats;
	unsigned sets;     /* that the events were packed into */
	unsigned counters; /* of the PMU */
	size_t runs;       /* of kernels: units, sets and repeats; now made */
	size_t resumed;    /* units taken from the journal */
	size_t refused;    /* those of them that could not be run */
	bool cut_short;    /* the budget ended before the last unit */

	/* [unit][repeat][event]; NaN: none. Use experiment_count(). */
	double *counts;
	char **reasons; /* [unit]: why it could not be run; NULL: it was, or
			   there was no time */
};

/*
 * Run @experiment. 0 with *@result, to be freed with experiment_free(); or an
 * exit status after a message. Progress is shown on a terminal. Interrupted
 * by a signal, it ends its workers and returns CMD_SIGNAL plus its number;
 * the journal then holds what was finished.
 */
int experiment_run(const struct console *console,
		   const struct experiment *experiment,
		   struct experiment_result **result);
void experiment_free(struct experiment_result *result);

/* What @event counted in a repeat of a unit; NaN: nothing was counted. */
double experiment_count(const struct experiment_result *result, size_t unit,
			unsigned repeat, size_t event);

/*
 * The units of @kernels (NULL: all) at their own points on @machine. To be
 * freed; *@n of them. NULL: no memory.
 */
struct experiment_unit *experiment_units(const struct kernel *const *kernels,
					 size_t n_kernels,
					 const struct kernel_machine *machine,
					 size_t *n);

/*
 * The geometry of the machine that is counted on: of the simulated model
 * (NULL: the default), or of this computer if @simulated is false. 0, or a
 * status after a message.
 */
int experiment_machine(const struct console *console, bool simulated,
		       const char *model, struct kernel_machine *machine);

/* The parts of a machine that counts depend on, from a model or the host. */

/* Of a model of the simulated PMU. */
void geometry_of_model(const struct assay_model *model,
		       struct kernel_machine *machine);

/* Of this computer. 0 or PAPI_ENOMEM. */
int geometry_of_host(struct kernel_machine *machine);

/*
 * Experiments on a GPU's events. There a change from one set of events to
 * another takes longer than many kernels, so each set has an experiment of its
 * own, with all the kernels, and the results are put together.
 */

/*
 * As experiment_run(). @experiment names its events; it has no journal. The
 * library is not open.
 */
int experiment_gpu_run(const struct console *console,
		       const struct experiment *experiment,
		       struct experiment_result **result);
