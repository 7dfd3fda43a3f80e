/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Experiments on a GPU's events. There a change from one set of events to
 * another takes longer than many kernels, so each set has an experiment of its
 * own, with all the kernels, and the results are put together.
 */
#ifndef CLI_EXPERIMENT_GPU_H
#define CLI_EXPERIMENT_GPU_H

#include "cli/experiment.h"

/*
 * As experiment_run(). @experiment names its events; it has no journal. The
 * library is not open.
 */
int experiment_gpu_run(const struct console *console,
		       const struct experiment *experiment,
		       struct experiment_result **result);

#endif /* CLI_EXPERIMENT_GPU_H */
