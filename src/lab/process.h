/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker process of an experiment. */
#pragma once

#include "base/err.h"
#include "measure/pmu.h"
#include "process/process.h"

/*
 * Start @program (NULL: the installed one) on the simulated machine, or
 * natively and on one CPU if @simulator is NULL. 0, or an exit status with the
 * sentence in @diag.
 */
int process_start(struct process *process, const char *program,
		  const struct simulator_options *simulator, struct diag *diag);

/* The path of the program that is installed with the command; to be freed. */
char *process_find_program(struct diag *diag);
