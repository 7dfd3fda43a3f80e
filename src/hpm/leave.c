/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that leave by _exit() or _Exit() pass by what is to be done at their
 * end, so these stand before the C library's: they write the performance file,
 * marked as incomplete, and go. So does an exec, which puts another program in
 * the place of this one; if it fails, the program goes on, and its end writes
 * the file anew. The calls may come from a signal handler, or from the child of
 * a vfork() that shares all we have but is another process; the latter leaves
 * nothing.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <assay/api.h>

#include "hpm/file.h"
#include "hpm/hold.h"

void hpm_write_now(void)
{
	struct hpm_state *state = state_current();

	if (state && state->pid == getpid())
		file_write(state, FILE_DYING);
}

static _Noreturn void leave(int status)
{
	hpm_write_now();
	for (;;)
		syscall(SYS_exit_group, status);
}

ASSAY_API _Noreturn void _exit(int status)
{
	leave(status);
}

ASSAY_API _Noreturn void _Exit(int status)
{
	leave(status);
}

/* The C library's call of that name, which ours hides. */
#define NEXT(name, type) ((type)(uintptr_t)dlsym(RTLD_NEXT, name))

typedef int (*exec_fn)(const char *file, char *const argv[]);
typedef int (*exec_environment_fn)(const char *file, char *const argv[],
				   char *const envp[]);

static int no_such_call(void)
{
	errno = ENOSYS;
	return -1;
}

ASSAY_API int execve(const char *path, char *const argv[], char *const envp[])
{
	hpm_write_now();
	return (int)syscall(SYS_execve, path, argv, envp);
}

ASSAY_API int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

ASSAY_API int fexecve(int fd, char *const argv[], char *const envp[])
{
	hpm_write_now();
	return (int)syscall(SYS_execveat, fd, "", argv, envp, AT_EMPTY_PATH);
}

ASSAY_API int execveat(int fd, const char *path, char *const argv[],
		       char *const envp[], int flags)
{
	hpm_write_now();
	return (int)syscall(SYS_execveat, fd, path, argv, envp, flags);
}

ASSAY_API int execvp(const char *file, char *const argv[])
{
	exec_fn next = NEXT("execvp", exec_fn);

	hpm_write_now();
	return next ? next(file, argv) : no_such_call();
}

ASSAY_API int execvpe(const char *file, char *const argv[], char *const envp[])
{
	exec_environment_fn next = NEXT("execvpe", exec_environment_fn);

	hpm_write_now();
	return next ? next(file, argv, envp) : no_such_call();
}

/* Those with a list of arguments: how many there are, up to the NULL. */
static size_t count_arguments(va_list *arguments)
{
	size_t n = 1;

	while (va_arg(*arguments, char *))
		n++;
	return n;
}

/* Put a call's arguments into @argv; its list stands behind the NULL then. */
#define TAKE_ARGUMENTS(argv, first)                                            \
	va_list list;                                                          \
	size_t n;                                                              \
	va_start(list, first);                                                 \
	n = count_arguments(&list);                                            \
	va_end(list);                                                          \
	char **argv = __builtin_alloca((n + 1) * sizeof(char *));              \
	va_start(list, first);                                                 \
	argv[0] = (char *)(uintptr_t)(first);                                  \
	for (size_t i = 1; i <= n; i++)                                        \
	argv[i] = va_arg(list, char *)

ASSAY_API int execl(const char *path, const char *argument, ...)
{
	TAKE_ARGUMENTS(argv, argument);

	va_end(list);
	return execv(path, argv);
}

ASSAY_API int execlp(const char *file, const char *argument, ...)
{
	TAKE_ARGUMENTS(argv, argument);

	va_end(list);
	return execvp(file, argv);
}

ASSAY_API int execle(const char *path, const char *argument, ...)
{
	TAKE_ARGUMENTS(argv, argument);
	char **envp = va_arg(list, char **);

	va_end(list);
	return execve(path, argv, envp);
}
