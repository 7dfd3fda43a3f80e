/* SPDX-License-Identifier: BSD-3-Clause */
/* Beginnings and ends of processes and threads, as the guest asks for them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* How the engine was started, for programs that the guest executes. */
struct process {
	char self[4096];  /* the engine's file */
	char guest[4096]; /* the guest's, as /proc/self/exe has it */
	const char *options[32];
	unsigned n_options;
	const char *fallback; /* what to start where the guest cannot be run */
	char **argv;          /* the engine's */
	unsigned first_argument; /* the program's name, in argv */
	const char *program;     /* its file, as it was given */
	char **environment;
	bool had_effect; /* of the guest, on anything outside it */
	/* The guest forbids itself system calls (seccomp): the engine makes
	 * none of its own where it can do without. The publisher is free. */
	bool is_confined;
	int first_fd;        /* that the guest opened */
	uint64_t first_mask; /* of signals, as the process began */
	int shared_fd;       /* of the control file; -1: none */
};

extern struct process process;

/* clone, fork and vfork: the result for the guest, or SYSCALL_AGAIN. */
int64_t process_clone(struct thread *t, uint64_t flags, uint64_t stack,
		      uint64_t parent_tid, uint64_t child_tid, uint64_t tls);
/* execve of @path with the guest's other arguments; returns if it fails. */
int64_t process_exec(struct thread *t, const char *path, char **argv,
		     char **environment);

void process_exit_thread(struct thread *t) __attribute__((noreturn));
void process_exit(struct thread *t, int status) __attribute__((noreturn));
/* By a signal that the guest does not handle. */
void process_die(struct thread *t, int sig) __attribute__((noreturn));

/* The guest cannot go on here: start the fallback if nothing is lost by it,
 * else say @why and end. */
void process_refuse(struct thread *t, const char *why)
	__attribute__((noreturn));
/* The program has not begun: it does not fit beside the engine. */
void process_cannot_load(const char *why) __attribute__((noreturn));
