/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests that count on this machine share. */
#pragma once

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "components/components.h"
#include "core/slice.h"
#include "tests/unit/testing.h"

#define PAGES 200

static inline int setup_component(void **state)
{
	static const struct fs machine = { .root = "" };
	struct component *c = component_new(&perf_event_component);

	if (!c || component_probe(c, &machine))
		return -1;
	*state = c;
	return 0;
}

static inline int free_component(void **state)
{
	component_free(*state);
	return 0;
}

#define SKIP_IF_DISABLED(c)                                                    \
	do {                                                                   \
		if ((c)->disabled) {                                           \
			print_message("%s\n", (c)->reason);                    \
			skip();                                                \
		}                                                              \
	} while (0)

/*
 * The thread sanitizer has pages of its own for those of the program, and holds
 * signals back: neither page faults nor overflows are what they are.
 */
#if defined(__SANITIZE_THREAD__)
#define SKIP_IF_DISTORTED()                                                    \
	do {                                                                   \
		print_message("the thread sanitizer distorts this\n");         \
		skip();                                                        \
	} while (0)
#else
#define SKIP_IF_DISTORTED() ((void)0)
#endif

/* Stacks that the address sanitizer keeps elsewhere cost page faults. */
#if defined(__SANITIZE_ADDRESS__)
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_stack_use_after_return=0";
}
#endif

/* An ordinary user may not count what happens in the kernel. */
static inline void skip_if_refused(struct component *c,
				   const char *const *names)
{
	for (; *names; names++) {
		const char *why = "";
		size_t i;

		if (component_find_event(c, *names, &i, NULL) ||
		    component_try_event(c, i, &why) != PAPI_EPERM)
			continue;
		print_message("%s\n", why);
		skip();
	}
}

/* A closed slice of the events called @names, which end with NULL. */
static inline struct slice *closed_slice(struct component *c,
					 const char *const *names)
{
	struct slice *s;

	assert_int_equal(slice_new(c, &s), 0);
	for (; *names; names++) {
		struct diag diag = { 0 };
		size_t i;

		if (component_find_event(c, *names, &i, &diag))
			fail_msg("%s: %s", *names, diag.text);
		assert_int_equal(slice_append(s, i), 0);
	}
	return s;
}

static inline struct slice *open_slice(struct component *c,
				       const char *const *names)
{
	struct slice *s = closed_slice(c, names);

	if (slice_open(s))
		fail_msg("%s", s->diag.text);
	return s;
}

/*
 * Sleep until this thread has left its CPU @n times, as the kernel has it: a
 * sleep that is over before it begins does not count.
 */
__attribute__((unused)) static void leave_cpu(long n)
{
	struct rusage used;
	long until;

	getrusage(RUSAGE_THREAD, &used);
	until = used.ru_nvcsw + n;
	while (used.ru_nvcsw < until) {
		usleep(50);
		getrusage(RUSAGE_THREAD, &used);
	}
}

/*
 * PAGES page faults, all in here. The address sanitizer is not asked: it has
 * pages of its own for these, and some versions give them back with munmap().
 */
__attribute__((noinline, unused, no_sanitize_address)) static void
touch_fresh_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *area = (char *)syscall(SYS_mmap, NULL, PAGES * page,
				     PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);

	if (area == MAP_FAILED)
		return;
	madvise(area, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		*(volatile char *)(area + i * page) = 1;
	syscall(SYS_munmap, area, PAGES * page);
}
