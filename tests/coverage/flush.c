/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In a build with counters of lines: libhpm ends programs by a system call of
 * its own and lets a signal that it has caught kill them, and neither passes by
 * where the counters are written. So they are written before.
 */
#include <stdarg.h>
#include <sys/syscall.h>

void __gcov_dump(void); /* libgcov's, of this library */

long __real_syscall(long number, ...);
int __real_raise(int signal);
long __wrap_syscall(long number, ...);
int __wrap_raise(int signal);

long __wrap_syscall(long number, ...)
{
	long a[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_exit_group)
		__gcov_dump();
	return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int __wrap_raise(int signal)
{
	__gcov_dump();
	return __real_raise(signal);
}
