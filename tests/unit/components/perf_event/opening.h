/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_event_open() as the test answers it: libc's syscall() is ours here, and
 * hands that one call to open_event(), which the test has.
 */
#pragma once

#include <dlfcn.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A call with its six arguments. */
static long real_syscall(long number, const long *a)
{
	static long (*real)(long, ...);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* The answer to perf_event_open() with these arguments. */
static long open_event(const long *a);

/* Most calls have fewer than six: what is read for the rest is not theirs. */
__attribute__((no_sanitize_address)) long syscall(long number, ...)
{
	long a[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	return number == SYS_perf_event_open ? open_event(a)
					     : real_syscall(number, a);
}
