/* SPDX-License-Identifier: BSD-3-Clause */
/* The program that a verb is to run. */
#ifndef PROCESS_PROGRAM_H
#define PROCESS_PROGRAM_H

#include "console/console.h"

/*
 * The file that execvp() would run for @name, to be freed. NULL with errno
 * set: ENOENT if there is none, else why it cannot be executed.
 */
char *program_find(const char *name);

/*
 * The same with a message: 0, or CMD_NOT_FOUND or CMD_CANNOT_EXECUTE, after
 * saying why.
 */
int program_need(const struct console *console, const char *name, char **path);

/* Say that executing @name failed by @error; the exit status for that. */
int program_exec_failed(const struct console *console, const char *name,
			int error);

/*
 * If @argv starts a parallel launcher (mpirun, srun and their like), the same
 * command with @as before the program instead: the order that counts each
 * task. To be freed; NULL if it starts something else.
 */
char *program_launcher_order(const char *as, char **argv);

#endif /* PROCESS_PROGRAM_H */
