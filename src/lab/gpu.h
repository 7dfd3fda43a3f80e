/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Experiments on a GPU's events. There a change from one set of events to
 * another takes longer than many kernels, so each set has an experiment of its
 * own, with all the kernels, and the results are put together.
 */
#ifndef LAB_GPU_H
#define LAB_GPU_H

#include "lab/experiment.h"

/*
 * As experiment_run(). @experiment names its events; it has no journal. The
 * library is not open.
 */
int experiment_gpu_run(const struct console *console,
		       const struct experiment *experiment,
		       struct experiment_result **result);

#endif /* LAB_GPU_H */
