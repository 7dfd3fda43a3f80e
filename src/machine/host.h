/* SPDX-License-Identifier: BSD-3-Clause */
/* This machine: measured, with progress shown, and as a model to simulate. */
#ifndef MACHINE_HOST_H
#define MACHINE_HOST_H

#include "console/console.h"
#include "machine/machine.h"
#include "machine/measure.h"

/* Measure by @clock and show progress; 0 or PAPI_ENOMEM. */
int machine_measure_by(const struct console *console, struct lab_clock clock,
		       bool quick, struct machine *m);

/* Measure this machine, beside what it says of itself; 0 or PAPI_ENOMEM. */
int machine_measure_host(const struct console *console, bool quick,
			 struct machine *m);

/*
 * Write the model file of this machine, and let *@path be its name, to be
 * freed. A machine that was not measured yet, or has another processor now, is
 * measured first.
 */
int machine_host_model(const struct console *console, char **path,
		       struct diag *diag);

#endif /* MACHINE_HOST_H */
