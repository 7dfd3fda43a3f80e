/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting a program's work on GPUs. Counters of a GPU are read from inside
 * the program only, by a library that NVIDIA's driver is told to load; counts
 * come back through a file. The cuda component does the rest.
 */
#ifndef MEASURE_GPU_H
#define MEASURE_GPU_H

#include <stdbool.h>

#include "console/console.h"
#include "measure/measure.h"
#include "measure/pmu_choice.h"
#include "measure/selection.h"

/* Zero-initialise it; gpu_close() ends it, whatever was done. */
struct cli_gpu {
	char *library; /* to be loaded into the program; NULL: none */
	char *control; /* the file; NULL: none */
};

/*
 * Which PMU --pmu auto means for these events and groups of metrics: a GPU's
 * work cannot be run in the simulator, and what all is another component's
 * needs no PMU.
 */
enum pmu_kind gpu_choose_pmu(enum pmu_kind asked,
			     const struct selection *events,
			     const struct selection *groups);

/*
 * Make ready for runs in which @m is counted, if it has a GPU's events. 0, or
 * the exit status after a message.
 */
int gpu_open(const struct console *console, struct cli_gpu *gpu,
	     const struct measure *m);
void gpu_close(struct cli_gpu *gpu);

/* In the child, before it becomes the program. */
void gpu_set_environment(const struct cli_gpu *gpu);

#endif /* MEASURE_GPU_H */
