/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs: found, started, waited for and watched, with their threads; and the
 * programs and files that the command itself is made of.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/err.h"
#include "console/console.h"

/* Waiting for a process to end, with things to do meanwhile. */

/* Something to be done every so often. */
struct watch_timer {
	uint64_t every_ns; /* 0: never */
	void (*fire)(void *context, uint64_t elapsed_ns);
	void *context;
};

#define WATCH_TIMERS 2

struct watch {
	struct watch_timer timers[WATCH_TIMERS];
	uint64_t limit_ns; /* wait no longer; 0: until the end */
	/* NULL, or what a signal handler sets to end the waiting */
	volatile sig_atomic_t *stop;
};

/*
 * Wait until process @pid, a child or not, has ended (a child is not reaped),
 * or @watch says enough. Elapsed times are since @start_ns.
 */
void watch_process(pid_t pid, const struct watch *watch, uint64_t start_ns);

/*
 * A program as a child: made, held until the counters are attached to it, let
 * go, waited for.
 */

/*
 * Turns the held child into the program. Returns only if that failed, with
 * errno set. Runs between fork and exec.
 */
typedef void (*child_exec_fn)(void *context, char **argv);

struct child {
	pid_t pid;
	int go;   /* a byte written here lets the child go */
	int told; /* what it used before, the errno of a failed exec */
};

struct child_result {
	pid_t pid;
	int status; /* exit status as a shell sees it: 128 + n on a signal */
	uint64_t wall_ns;    /* from child_run() to its end */
	struct rusage usage; /* since child_run(), but for the peak memory */
	long rss_before_kb;  /* peak memory of the child before that */
};

/* Fork; the child waits. 0, or an errno. */
int child_start(struct child *child, char **argv, child_exec_fn exec,
		void *context);

/*
 * Let it run, and wait for its end. Signals that would end us are passed on
 * to it meanwhile, but for the keyboard's, which it gets as well. @watch (may
 * be NULL) says what to do meanwhile. 0, or the errno of the exec that failed;
 * then the child is gone.
 */
int child_run(struct child *child, const struct watch *watch,
	      struct child_result *result);

/*
 * Seconds that it took, without those in which it waited: for other programs on
 * this machine, or on purpose. That is its processors' time where it used no
 * more than one.
 */
double child_busy_seconds(const struct child_result *result);

/* End a child that was never let go. */
void child_abandon(struct child *child);

/* Files that come with the command: programs it starts, libraries it loads. */

struct companion {
	const char *build;     /* where it is in a build, beside the command */
	const char *installed; /* its name in libexec/assay */
	const char *variable;  /* environment: names another one */
	int mode;              /* X_OK for a program, R_OK for others */
	const char *missing;   /* the sentence if there is none */
};

/* Its path, to be freed; NULL with the sentence. */
char *companion_find(const struct companion *companion, struct diag *diag);

/*
 * assay's own libpapi.so.7.0, 7.1 and 7.2, for programs that are linked with
 * PAPI: they lie beside a real libpapi and are found by nobody who does not
 * ask.
 */

/*
 * Have the dynamic linker look there first, in this process's environment, and
 * note which libpapi @program gets, if it is linked with one.
 */
void dropin_use(const struct console *console, const char *program);

/* The program that a verb is to run. */

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

/*
 * Which task of a parallel program this is, by what launchers leave in the
 * environment, and names of files that differ from task to task.
 */

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

/* The threads of a running process, as the kernel lists them. */

struct threads {
	pid_t *ids; /* ascending; the first is most often the process's own */
	size_t n;
};

/* 0; PAPI_EINVAL if there is no such process; PAPI_ENOMEM. */
int threads_list(pid_t pid, struct threads *out);
void threads_fini(struct threads *t);

/* The process that thread @tid belongs to; 0 if there is no such thread. */
pid_t threads_process(pid_t tid);

/* Whether thread @tid of @pid has ended, or is about to. */
bool threads_is_ending(pid_t pid, pid_t tid);

/* Its name, cut to @capacity bytes; "" if it is gone. */
void threads_name(pid_t pid, pid_t tid, char *name, size_t capacity);

/* A child that is spoken to in lines. */

struct process {
	pid_t pid; /* 0: not running */
	int to;    /* its standard input */
	int from;  /* its standard output */
	char *text;
	size_t len, capacity; /* bytes read */
	size_t taken;         /* of these, bytes handed out as lines */
	int status;           /* as waitpid() gives it, once it has ended */
};

/*
 * Fork a child whose input and output are pipes; it calls @become, which does
 * not return if all goes well. 0, or PAPI_ESYS with a sentence in @diag.
 */
int process_spawn(struct process *process, void (*become)(const void *context),
		  const void *context, struct diag *diag);

/* Send a line. 0, or a PAPI error: the process has ended. */
int process_send(const struct process *process, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

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
			 size_t capacity);
