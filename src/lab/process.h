/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker process of an experiment, and the lines to and from it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "measure/pmu.h"

struct process {
	pid_t pid; /* 0: not running */
	int to;    /* its standard input */
	int from;  /* its standard output */
	char *text;
	size_t len, room; /* bytes read */
	size_t taken;     /* of these, bytes handed out as lines */
	int status;       /* as waitpid() gives it, once it has ended */
};

/*
 * Start @program (NULL: the installed one) on the simulated machine, or
 * natively and on one CPU if @simulator is NULL. 0, or an exit status with the
 * sentence in @diag.
 */
int process_start(struct process *process, const char *program,
		  const struct simulator_options *simulator, struct diag *diag);

/* Write @text. 0, or a PAPI error: the process has ended. */
int process_send(struct process *process, const char *text);

/*
 * The next line, without its end; NULL if there is no whole one yet. Valid
 * until the next call.
 */
char *process_line(struct process *process);

/* Read what there is, waiting for it. False: there is no more. */
bool process_read(struct process *process);

/* The next line, waiting for it; NULL: the process has ended. */
char *process_wait_line(struct process *process);

/* End it, and wait for its end. */
void process_end(struct process *process);

/* A phrase for how it ended, as "was killed by signal 11". */
const char *process_fate(const struct process *process, char *text,
			 size_t room);

/* The path of the program that is installed with the command; to be freed. */
char *process_find_program(struct diag *diag);
