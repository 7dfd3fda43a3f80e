/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading counters in user space. The kernel shows in a page which hardware
 * counter an event has just now, what to add to it, and how to turn the CPU's
 * clock into its time; a sequence number tells whether it changed meanwhile
 * [include/uapi/linux/perf_event.h, struct perf_event_mmap_page].
 *
 * Only the counted thread may do so, and only while the event has a counter.
 */
#include "components/perf_event/fast.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "components/perf_event/state.h"

unsigned long pe_thread(void)
{
	static atomic_ulong count;
	static _Thread_local unsigned long self;

	if (!self)
		self = atomic_fetch_add(&count, 1) + 1;
	return self;
}

#if defined(__x86_64__)

static uint64_t read_counter(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return low | (uint64_t)high << 32;
}

static uint64_t read_clock(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return low | (uint64_t)high << 32;
}

#elif defined(__aarch64__)

#define CASE(n)                                                                \
	case n:                                                                \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value));  \
		break

/* @index 31 is the cycle counter [arch/arm64, ARMV8_PMU_CYCLE_IDX_USER]. */
static uint64_t read_counter(uint32_t index)
{
	uint64_t value = 0;

	switch (index) {
		CASE(0);
		CASE(1);
		CASE(2);
		CASE(3);
		CASE(4);
		CASE(5);
		CASE(6);
		CASE(7);
		CASE(8);
		CASE(9);
		CASE(10);
		CASE(11);
		CASE(12);
		CASE(13);
		CASE(14);
		CASE(15);
		CASE(16);
		CASE(17);
		CASE(18);
		CASE(19);
		CASE(20);
		CASE(21);
		CASE(22);
		CASE(23);
		CASE(24);
		CASE(25);
		CASE(26);
		CASE(27);
		CASE(28);
		CASE(29);
		CASE(30);
	case 31:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
		break;
	default:
		break;
	}
	return value;
}
#undef CASE

static uint64_t read_clock(void)
{
	uint64_t value;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(value)::"memory");
	return value;
}

#else

static uint64_t read_counter(uint32_t index)
{
	(void)index;
	return 0;
}

static uint64_t read_clock(void)
{
	return 0;
}

#endif

bool pe_fast_wanted(const struct slice *s)
{
	if (s->opt.target != TARGET_SELF || s->opt.inherit || s->opt.on_exec ||
	    s->opt.multiplex ||
	    (s->opt.granularity && s->opt.granularity != PAPI_GRN_THR))
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (pe_event_of(s, i)->code.place != PE_CORE ||
		    s->thresholds[i])
			return false;
	return true;
}

void pe_fast_set_attr(struct perf_event_attr *attr)
{
#if defined(__aarch64__)
	attr->config1 |= 2; /* "rdpmc" in the PMU's format, Linux 5.17 */
#else
	(void)attr;
#endif
}

static bool can_read(const struct perf_event_mmap_page *page)
{
	return page->cap_user_rdpmc && page->cap_user_time && page->pmc_width &&
	       page->pmc_width <= 64;
}

void pe_fast_open(struct pe_slice *ps)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);

	if (!pe_fast_wanted(ps->slice))
		return;
	ps->pages = calloc(ps->n, sizeof(*ps->pages));
	if (!ps->pages)
		return; /* reading by system call will do */
	for (size_t k = 0; k < ps->n_groups; k++) {
		const struct pe_group *g = &ps->groups[k];

		for (size_t i = 0; i < g->n; i++) {
			void *page = mmap(NULL, bytes, PROT_READ, MAP_SHARED,
					  g->fds[i], 0);

			if (page == MAP_FAILED) {
				pe_fast_close(ps);
				return;
			}
			ps->pages[g->members[i]] = page;
			if (!can_read(page)) {
				pe_fast_close(ps);
				return;
			}
		}
	}
}

void pe_fast_close(struct pe_slice *ps)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);

	if (!ps->pages)
		return;
	/* A child of fork() does not have them: they are not copied. */
	for (size_t i = 0; i < ps->n && !pe_slice_is_stale(ps); i++)
		if (ps->pages[i])
			munmap(ps->pages[i], bytes);
	free(ps->pages);
	ps->pages = NULL;
}

/* Nanoseconds since the times in @page were right, at clock @cycles. */
static uint64_t since(const volatile struct perf_event_mmap_page *page,
		      uint64_t cycles)
{
	uint64_t mult = page->time_mult;
	uint64_t whole, rest;

	if (page->cap_user_time_short)
		cycles = page->time_cycles +
			 ((cycles - page->time_cycles) & page->time_mask);
	whole = cycles >> page->time_shift;
	rest = cycles & ((1ULL << page->time_shift) - 1);
	return page->time_offset + whole * mult +
	       ((rest * mult) >> page->time_shift);
}

/*
 * The count is right up to a multiple of the counter's range: the kernel takes
 * off the counter's last value, and whether it holds that as a signed or an
 * unsigned number depends on what it did last (armpmu_event_update() and
 * armpmu_event_set_period(), Linux 6.1). Counts only grow, so one that is less
 * than the last known, @before, is short by one range.
 */
static uint64_t settle(uint64_t value, unsigned width, uint64_t before)
{
	if (width < 64 && (int64_t)(value - before) < 0)
		value += 1ULL << width;
	return value;
}

/* Read one counter into @count, which has the last known value. */
static bool read_one(const volatile struct perf_event_mmap_page *page,
		     struct count *count)
{
	uint64_t value, elapsed, enabled, running;
	uint32_t sequence, index;
	unsigned width;

	do {
		sequence = page->lock;
		atomic_signal_fence(memory_order_seq_cst);
		index = page->index;
		width = page->pmc_width;
		if (index == 0 || width == 0 || width > 64)
			return false;
		elapsed = since(page, read_clock());
		enabled = page->time_enabled + elapsed;
		running = page->time_running + elapsed;
		value = read_counter(index - 1) << (64 - width);
		value = (uint64_t)((int64_t)value >> (64 - width));
		value += (uint64_t)page->offset;
		atomic_signal_fence(memory_order_seq_cst);
	} while (page->lock != sequence);

	count->value = settle(value, width, count->value);
	count->enabled_ns = enabled;
	count->running_ns = running;
	return true;
}

bool pe_fast_read(struct pe_slice *ps)
{
	if (!ps->pages || ps->thread != pe_thread())
		return false;
	for (size_t i = 0; i < ps->n; i++)
		if (!read_one(ps->pages[i], &ps->now[i]))
			return false;
	return true;
}
