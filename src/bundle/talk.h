/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process of a bundle that runs kernels (lab/worker.h): the bundle's own
 * code in a child, or the second program that the bundle brings.
 */
#pragma once

#include <stdio.h>
#include <sys/types.h>

#include "bundle/request.h"

struct talk {
	pid_t pid; /* 0: it does not run */
	FILE *to, *from;
	char *line; /* the last one */
	size_t room;
	int status; /* as waitpid() gives it, once it has ended */
};

/* 0, or an errno. */
int talk_start(struct talk *talk, const struct request *request);

/* Send a line. What is sent to a process that has ended gets no answer. */
void talk_send(struct talk *talk, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The next line of the answer, without its end; NULL: the process ended. */
char *talk_line(struct talk *talk);

/* End it. */
void talk_end(struct talk *talk);

/* How it ended, as "was killed by signal 4". */
const char *talk_fate(const struct talk *talk, char *text, size_t room);
