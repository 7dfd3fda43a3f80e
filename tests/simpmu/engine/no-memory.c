/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * no-memory FILE N FROM END GUEST PROGRAM [ARGUMENT...]: runs PROGRAM and its
 * children, and makes the N-th call fail with ENOMEM by which the engine asks
 * the kernel for memory; 0: none. The engine's code lies from FROM to END, and
 * at GUEST the calls of the program that it runs return, which do not count.
 *
 * FILE gets a line a call: what may be return addresses on the engine's stack.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS 96
#define TASKS 4096
#define EVENTS                                                                 \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |    \
	 PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)

static struct {
	uint64_t from, end, guest;
	unsigned long calls, fail;
	FILE *out;
	bool has_failed;
	pid_t failing; /* between entry and exit of the call that fails */
	pid_t inside[TASKS];
	bool is_inside[TASKS];
} state;

static bool *inside_of(pid_t task)
{
	unsigned i = (unsigned)task % TASKS;

	while (state.inside[i] && state.inside[i] != task)
		i = (i + 1) % TASKS;
	state.inside[i] = task;
	return &state.is_inside[i];
}

static void note_stack(pid_t task, uint64_t sp)
{
	uint64_t words[WORDS] = { 0 };
	struct iovec to = { words, sizeof(words) };
	struct iovec from = { (void *)sp, sizeof(words) };

	if (process_vm_readv(task, &to, 1, &from, 1, 0) <= 0)
		memset(words, 0, sizeof(words));
	for (int i = 0; i < WORDS; i++)
		if (words[i] >= state.from && words[i] < state.end)
			fprintf(state.out, "%lx ", (unsigned long)words[i]);
	fputc('\n', state.out);
}

static bool wants_memory(const struct user_regs_struct *r)
{
	return (r->orig_rax == SYS_mmap || r->orig_rax == SYS_mremap) &&
	       r->rip >= state.from && r->rip < state.end &&
	       r->rip != state.guest;
}

static void enter(pid_t task)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, task, NULL, &r) || !wants_memory(&r))
		return;
	note_stack(task, r.rsp);
	if (++state.calls != state.fail)
		return;
	state.failing = task;
	r.orig_rax = (unsigned long)-1;
	ptrace(PTRACE_SETREGS, task, NULL, &r);
}

static void leave(pid_t task)
{
	struct user_regs_struct r;

	if (state.failing != task || ptrace(PTRACE_GETREGS, task, NULL, &r))
		return;
	state.failing = 0;
	state.has_failed = true; /* what follows takes the time it takes */
	r.rax = (unsigned long)-ENOMEM;
	ptrace(PTRACE_SETREGS, task, NULL, &r);
}

/* The signal that the task is to get. */
static int at_stop(pid_t task, int status)
{
	int sig = WSTOPSIG(status);
	bool *inside = inside_of(task);

	if (sig == (SIGTRAP | 0x80)) {
		*inside = !*inside;
		if (*inside)
			enter(task);
		else
			leave(task);
		return 0;
	}
	if (sig == SIGTRAP && status >> 16)
		return 0;
	return sig == SIGSTOP ? 0 : sig;
}

static int follow(pid_t first)
{
	int status, result = 1;
	pid_t task;

	while ((task = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFSTOPPED(status)) {
			int sig = at_stop(task, status);

			ptrace(state.has_failed ? PTRACE_CONT : PTRACE_SYSCALL,
			       task, NULL, (long)sig);
			continue;
		}
		*inside_of(task) = false;
		if (task == first)
			result = WIFEXITED(status) ? WEXITSTATUS(status)
						   : 128 + WTERMSIG(status);
	}
	return result;
}

int main(int argc, char **argv)
{
	pid_t child;
	int status;

	if (argc < 7)
		return 2;
	state.out = fopen(argv[1], "we");
	state.fail = strtoul(argv[2], NULL, 0);
	state.from = strtoul(argv[3], NULL, 16);
	state.end = strtoul(argv[4], NULL, 16);
	state.guest = strtoul(argv[5], NULL, 16);
	if (!state.out)
		return 2;
	child = fork();
	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(77);
		raise(SIGSTOP);
		execv(argv[6], argv + 6);
		_exit(127);
	}
	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		return 77;
	ptrace(PTRACE_SETOPTIONS, child, NULL, (long)EVENTS);
	ptrace(PTRACE_SYSCALL, child, NULL, NULL);
	status = follow(child);
	fclose(state.out);
	return status;
}
