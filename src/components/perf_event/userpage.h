/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One counter, by the page that the kernel shows: which hardware counter an
 * event has just now, what to add to it, and how to turn the CPU's clock into
 * its time; a sequence number tells whether it changed meanwhile
 * [include/uapi/linux/perf_event.h, struct perf_event_mmap_page].
 *
 * Between any two of these reads the thread may be interrupted: by the kernel,
 * which moves the event to another counter or CPU, and by a signal whose
 * handler reads the same counter.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdatomic.h>

#include "components/perf_event/counter.h"
#include "core/component.h"

#ifndef PE_LOAD /* every read of the page; a test may interrupt there */
#define PE_LOAD(field) (field)
#endif

/* More changes than this while reading: the system call is the better way. */
#define PE_PAGE_TRIES 64

/*
 * In place of a counter, Intel's TopDown metrics have this bit and a register
 * of fractions [INTEL_PMC_FIXED_RDPMC_METRICS].
 */
#define PE_PAGE_METRICS (1U << 29)

typedef const volatile struct perf_event_mmap_page pe_page;

/* Nanoseconds since the times in @page were right, at clock @cycles. */
static inline uint64_t pe_page_since(pe_page *page, uint64_t cycles)
{
	uint64_t mult = PE_LOAD(page->time_mult);
	uint64_t from = PE_LOAD(page->time_cycles);
	unsigned shift = PE_LOAD(page->time_shift);
	uint64_t whole, rest;

	if (PE_LOAD(page->cap_user_time_short))
		cycles = from + ((cycles - from) & PE_LOAD(page->time_mask));
	whole = cycles >> (shift & 63);
	rest = cycles & ((1ULL << (shift & 63)) - 1);
	return PE_LOAD(page->time_offset) + whole * mult +
	       ((rest * mult) >> (shift & 63));
}

/*
 * The count is right up to a multiple of the counter's range: the kernel takes
 * off the counter's last value, and whether it holds that as a signed or an
 * unsigned number depends on what it did last (armpmu_event_update() and
 * armpmu_event_set_period(), Linux 6.1). Counts only grow, so one that is far
 * below the last known, @before, is short by one range. A little below it can
 * be as well: rdpmc is not ordered with what is around it.
 */
static inline uint64_t pe_page_settle(uint64_t value, unsigned width,
				      uint64_t before)
{
	uint64_t short_by = before - value;
	/* one path: the instructions of a read do not depend on the count */
	bool is_short =
		((int64_t)short_by > 0) & ((short_by >> (width - 1)) != 0);

	return value + ((uint64_t)is_short << (width & 63));
}

/* One try. False if it changed meanwhile or has no counter: *@gone tells. */
static inline bool pe_page_try(pe_page *page, struct count *out, bool *gone)
{
	uint32_t sequence = PE_LOAD(page->lock), index;
	uint64_t value, elapsed = 0;
	unsigned width;

	atomic_signal_fence(memory_order_seq_cst);
	index = PE_LOAD(page->index);
	width = PE_LOAD(page->pmc_width);
	*gone = index == 0 || width == 0 || width > 64 || sequence & 1 ||
		(index - 1) & PE_PAGE_METRICS;
	if (*gone)
		return false;
	/* Without it (kvm-clock) the times are those of the last change. */
	if (PE_LOAD(page->cap_user_time))
		elapsed = pe_page_since(page, pe_counter_clock());
	out->enabled_ns = PE_LOAD(page->time_enabled) + elapsed;
	out->running_ns = PE_LOAD(page->time_running) + elapsed;
	value = pe_counter_read(index - 1) << (64 - width);
	value = (uint64_t)((int64_t)value >> (64 - width));
	value += (uint64_t)PE_LOAD(page->offset);
	atomic_signal_fence(memory_order_seq_cst);
	out->value = pe_page_settle(value, width, out->value);
	return PE_LOAD(page->lock) == sequence;
}

/*
 * Read one counter into @count, which has the last known value. That is taken
 * first: a signal handler may put a newer one there meanwhile.
 */
static inline bool pe_page_read(pe_page *page, struct count *count)
{
	uint64_t before = count->value;
	struct count out;
	bool gone = false;

	for (int i = 0; i < PE_PAGE_TRIES && !gone; i++) {
		out.value = before;
		if (!pe_page_try(page, &out, &gone))
			continue;
		count->value = out.value;
		count->enabled_ns = out.enabled_ns;
		count->running_ns = out.running_ns;
		return true;
	}
	return false;
}
