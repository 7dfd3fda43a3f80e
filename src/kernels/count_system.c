/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For the validation of what the operating system counts: so many page faults,
 * context switches, or microseconds, and no more of our own making.
 */
#include <sys/mman.h>
#include <time.h>

#include "kernels/tables.h"

#define PAGE 4096

/* Fresh pages. Small ones: one fault is to bring one page. */
static void map_pages(struct kernel_run *run)
{
	size_t bytes = (run->point.times + 1) * PAGE;
	void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (pages == MAP_FAILED) {
		run->failed = "cannot map pages";
		return;
	}
	madvise(pages, bytes, MADV_NOHUGEPAGE);
	run->cursor = pages;
}

static void unmap_pages(struct kernel_run *run)
{
	munmap(run->cursor, (run->point.times + 1) * PAGE);
}

static void touch_pages_once(struct kernel_run *run)
{
	volatile char *page = run->cursor;

	for (uint64_t n = run->point.times; n > 0; n--) {
		*page = 1;
		page += PAGE;
	}
}

/* A thread that sleeps leaves the CPU once, however short it is. */
static void sleep_often(struct kernel_run *run)
{
	const struct timespec moment = { .tv_nsec = 1 };

	for (uint64_t n = run->point.times; n > 0; n--)
		nanosleep(&moment, NULL);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

/* Microseconds on a CPU; while others have it, the thread's clock stands. */
static void spend_time(struct kernel_run *run)
{
	uint64_t end =
		run->point.times ? cpu_ns() + run->point.times * 1000 : 0;

	while (end && cpu_ns() < end)
		;
}

static const struct kernel rows[] = {
	{ .name = "software/page-fault",
	  .text = "a page that is touched for the first time",
	  .role = ROLE_VALIDATE,
	  .large = LARGE_DATA,
	  .zero = true,
	  .prepare = map_pages,
	  .run = touch_pages_once,
	  .release = unmap_pages },
	{ .name = "software/switch",
	  .text = "a sleep",
	  .role = ROLE_VALIDATE,
	  .large = LARGE_DATA | LARGE_CODE,
	  .zero = true,
	  .run = sleep_often },
	{ .name = "software/cpu-time",
	  .text = "a microsecond on the CPU",
	  .role = ROLE_VALIDATE,
	  .large = LARGE_DATA | LARGE_CODE,
	  .zero = true,
	  .run = spend_time },
};

KERNEL_TABLE(kernels_count_system, rows);
