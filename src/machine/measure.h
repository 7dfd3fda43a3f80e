/* SPDX-License-Identifier: BSD-3-Clause */
/* All parts of a machine, one after another, within a given time. */
#ifndef MACHINE_MEASURE_H
#define MACHINE_MEASURE_H

#include "machine/lab.h"
#include "machine/machine.h"

struct measure_options {
	struct lab_clock clock;
	bool quick;
	/* Called as work goes on, with the share that is done; may be NULL. */
	lab_progress_fn progress;
	void *context;
};

/* Fill @m, which is zeroed or has its head filled in. 0 or PAPI_ENOMEM. */
int machine_measure(const struct measure_options *options, struct machine *m);

#endif /* MACHINE_MEASURE_H */
