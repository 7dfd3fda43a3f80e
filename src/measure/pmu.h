/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which PMU counts for a verb: the machine's, the simulated one, or none. A
 * choice is made once, said aloud, and kept.
 */
#ifndef MEASURE_PMU_H
#define MEASURE_PMU_H

#include "console/console.h"
#include "measure/pmu_choice.h"
#include "measure/simulator.h"
#include "process/child.h"

struct pmu {
	enum pmu_kind kind; /* never PMU_AUTO */
	char model[64];     /* "": there is none */
	unsigned counters;  /* 0: none, or not known */
	char reason[256];   /* why there is none, or no machine's own; or "" */

	/* The simulated one: its control file, in a folder of its own. */
	char *folder;
	char *control;
	char *samples; /* what `record` has it write there, beside it */
	struct simulator_options simulator;
	bool browsed; /* nothing is going to be counted: no such file */
};

/*
 * Open the library on the PMU that --pmu asks for. With auto: the machine's if
 * a hardware event opens, else the simulated one if it is installed, else
 * none. @counters is how many a simulated one has; NULL: any number. 0, or a
 * status after a message. Closed with pmu_close().
 */
int pmu_open(const struct console *console, const struct pmu_choice *choice,
	     const char *counters, struct pmu *pmu);
void pmu_close(struct pmu *pmu);

/*
 * The same for a verb that asks what can be counted and counts nothing: a
 * simulated PMU then has no control file, which takes 4 ms to make and remove.
 */
int pmu_browse(const struct console *console, const struct pmu_choice *choice,
	       struct pmu *pmu);

/* The machine model's own name: "icx" for "sim-icx"; else @pmu->model. */
const char *pmu_model_name(const struct pmu *pmu);

/* Say which PMU it is, if that is not the machine's own. */
void pmu_announce(const struct console *console,
		  const struct pmu_choice *choice, const struct pmu *pmu);

/* Become the program in @argv on this PMU: a child_exec_fn. */
void pmu_exec(void *pmu, char **argv);

#endif /* MEASURE_PMU_H */
