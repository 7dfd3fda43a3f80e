/* SPDX-License-Identifier: BSD-3-Clause */
/* Which PMU the user asked for: --pmu, --model and --engine. */
#ifndef MEASURE_PMU_CHOICE_H
#define MEASURE_PMU_CHOICE_H

enum pmu_kind {
	PMU_AUTO,
	PMU_HARDWARE,
	PMU_SIMULATED,
	PMU_NONE,
};

struct pmu_choice {
	enum pmu_kind kind;
	const char *model;  /* machine model of the simulated PMU, or NULL */
	const char *engine; /* what runs programs on it; NULL: the default */
	int pid; /* a process that runs on the simulated one already; or 0 */
};

#endif /* MEASURE_PMU_CHOICE_H */
