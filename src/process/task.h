/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which task of a parallel program this is, by what launchers leave in the
 * environment, and names of files that differ from task to task.
 */
#ifndef PROCESS_TASK_H
#define PROCESS_TASK_H

#include "console/console.h"

struct task {
	long rank; /* -1: not started by a launcher */
	long size; /* how many tasks; 0: not known */
};

struct task task_find(void);

/*
 * The path that @pattern means for @task, to be freed: %r is the rank (0 if
 * there is none), %p the process, %q{NAME} a variable of the environment, %% a
 * percent sign. A pattern without any gets the rank before its suffix if there
 * are several tasks, so that they do not write over each other. NULL after a
 * message.
 */
char *task_path(const struct console *console, const char *pattern,
		const struct task *task);

#endif /* PROCESS_TASK_H */
