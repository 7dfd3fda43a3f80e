/* SPDX-License-Identifier: BSD-3-Clause */
/* The system: calls of it, and pages that are touched for the first time. */

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernels/tables.h"

#define PAGE 4096

static void system_calls(struct kernel_run *run)
{
	uint64_t n = run->point.times;

	do {
		syscall(SYS_getppid);
	} while (--n);
}

/* Fresh pages, which nobody has touched. */
static void map_pages(struct kernel_run *run)
{
	void *pages =
		mmap(NULL, run->point.times * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (pages == MAP_FAILED) {
		run->failed = "cannot map pages";
		return;
	}
	madvise(pages, run->point.times * PAGE, MADV_NOHUGEPAGE);
	run->cursor = pages;
}

static void unmap_pages(struct kernel_run *run)
{
	munmap(run->cursor, run->point.times * PAGE);
}

static void touch_pages(struct kernel_run *run)
{
	volatile char *p = run->cursor;
	uint64_t n = run->point.times;

	do {
		*p = 1;
		p += PAGE;
	} while (--n);
}

static const struct kernel rows[] = {
	{
		.name = "system/call",
		.text = "a trivial system call",
		.run = system_calls,
		.none = 1u << FAMILY_FP,
		.expect = EXPECT({ CONCEPT_SYSCALL, 1, 0 }),
	},
	{
		.name = "system/page",
		.text = "a page touched for the first time",
		.large = LARGE_DATA,
		.prepare = map_pages,
		.code = "touch_pages",
		.run = touch_pages,
		.release = unmap_pages,
		.none = 1u << FAMILY_FP,
		.expect = EXPECT(
			{ CONCEPT_PAGE_TOUCH, 1, 0 }, { CONCEPT_INS, 4, 0 },
			{ CONCEPT_STORE_INS, 1, 0 },
			{ CONCEPT_LOAD_STORE_INS, 1, 0 },
			{ CONCEPT_STORE_1, 1, 0 }, { CONCEPT_BR_COND, 1, 0 },
			{ CONCEPT_BR_COND_EXEC, 1, 0 },
			{ CONCEPT_BR_TAKEN, 1, 0 },
			{ CONCEPT_BR_TAKEN_EXEC, 1, 0 }),
		.times = { 64, 128, 256, 512, 1024 },
	},
};

KERNEL_TABLE(kernels_system, rows);
