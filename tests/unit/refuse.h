/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An allocator that refuses the nth request of a test, for one source file that
 * includes this. With a sanitizer, which has an allocator of its own, nothing
 * is refused and such a test skips.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REFUSE_WORKS 0
#else
#define REFUSE_WORKS 1

/* glibc's own, under the names that it keeps for this. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
#endif

static long refuse_countdown; /* 0: nothing is refused */
static bool refused;

static inline void refuse_nth(long n)
{
	refuse_countdown = n;
	refused = false;
}

/*
 * Run @attempt with its 1st, 2nd, 3rd ... request refused, until it makes no
 * more of them. How often it returned other than 0.
 */
static inline long refuse_each(int (*attempt)(void *context), void *context)
{
	long failed = 0;
	long n = 0;

	do {
		int err;

		refuse_nth(++n);
		err = attempt(context);
		refuse_countdown = 0;
		failed += err != 0;
	} while (refused && n < 100000);
	return failed;
}

#if REFUSE_WORKS
static bool refuse_this(void)
{
	if (refuse_countdown == 0 || --refuse_countdown > 0)
		return false;
	refused = true;
	errno = ENOMEM;
	return true;
}

/* Seen by shared libraries, too: what they take can be refused as well. */
#define REFUSE_SEEN __attribute__((visibility("default")))

REFUSE_SEEN void *malloc(size_t size)
{
	return refuse_this() ? NULL : __libc_malloc(size);
}

REFUSE_SEEN void *calloc(size_t n, size_t size)
{
	return refuse_this() ? NULL : __libc_calloc(n, size);
}

REFUSE_SEEN void *realloc(void *p, size_t size)
{
	return refuse_this() ? NULL : __libc_realloc(p, size);
}
#endif
