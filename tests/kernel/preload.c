/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The modelled kernel in front of libc's functions of any program: which
 * machine, and where its files are, is in the environment (tests/kernel/on).
 * Time is the CPU time that threads really use.
 *
 * A process that starts tells of its exec, one that ends of its last counts. A
 * task that the model has not seen yet is met at its first call.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "tests/kernel/calls.h"
#include "tests/kernel/kernel.h"

#define EXPORT __attribute__((visibility("default")))

__attribute__((constructor)) static void begin(void)
{
	const char *root = getenv("MODEL_ROOT");
	const char *name = getenv("MODEL_MACHINE");
	int task;

	if (!root || !name)
		return;
	if (!mk_join(root)) {
		mk_boot(name, root, 2);
		mk->privileged = true;
		mk->cpu_clock = true;
	}
	mk_files_init(root);
	mk_enter();
	task = mk_task_self();
	mk->tasks[task].address = getauxval(AT_ENTRY);
	mk_task_exec(task);
	mk_leave();
}

static void end_self(void)
{
	int task;

	if (!mk)
		return;
	mk_enter();
	task = mk_task_self();
	mk->tasks[task].final = mk_task_clock(task);
	mk_task_end(task);
	mk_leave();
}

__attribute__((destructor)) static void end(void)
{
	end_self();
}

EXPORT __attribute__((noreturn)) void _exit(int status)
{
	end_self();
	for (;;)
		raw_call(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

/* The child inherits before it runs. */
EXPORT pid_t fork(void)
{
	static pid_t (*real)(void);
	pid_t pid;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "fork");
	if (!mk)
		return real();
	mk_enter();
	pid = real();
	if (pid == 0)
		mk_forget_self();
	else if (pid > 0 && mk_task_find(pid) < 0)
		mk_task_add(pid, pid, mk_task_self());
	mk_leave_quietly(pid == 0);
	return pid;
}

struct start {
	void *(*function)(void *);
	void *argument;
};

static void *run_thread(void *data)
{
	struct start start = *(struct start *)data;
	void *result;

	free(data);
	mk_enter();
	mk_leave();
	result = start.function(start.argument);
	end_self();
	return result;
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*function)(void *), void *argument)
{
	static int (*real)(pthread_t *, const pthread_attr_t *,
			   void *(*)(void *), void *);
	struct start *start;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
	start = mk ? malloc(sizeof(*start)) : NULL;
	if (!start)
		return real(thread, attr, function, argument);
	*start = (struct start){ function, argument };
	return real(thread, attr, run_thread, start);
}
