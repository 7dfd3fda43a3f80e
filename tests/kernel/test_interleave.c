/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A counter that is read by the CPU's own instruction, while at every step the
 * kernel or a signal handler may come between, at random: 1 million reads, or
 * as many as the argument says, for every width and kind of index.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The counters and the clock are ours here, and so is every look at the page */
#define pe_counter_read  read_hardware
#define pe_counter_clock read_hardware_clock
#include "components/perf_event/counter.h"
#undef pe_counter_read
#undef pe_counter_clock
static uint64_t pe_counter_read(uint32_t index);
static uint64_t pe_counter_clock(void);
static void interrupt(void);
#define PE_LOAD(field) (interrupt(), field)

#include "components/perf_event/userpage.h"

#define CPUS     2
#define COUNTERS 40

static struct {
	struct perf_event_mmap_page page;
	unsigned width;
	uint64_t count;   /* what the event really has */
	uint64_t started; /* count when the counter was programmed */
	uint64_t programmed;
	uint64_t now; /* ns */
	uint64_t enabled, running, since;
	int index; /* -1: it has no counter */
	int cpu;   /* that the thread is on */
	bool rising;
	bool is_arm;
	int depth;
	unsigned faults; /* instructions that the CPU does not have */
} k;

/* volatile: gcc 12 fails on a constant that it finds by recursion */
static pe_page *volatile page = &k.page;
static uint64_t seed = 1;

static uint64_t chance(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

static uint64_t mask(void)
{
	return k.width >= 64 ? ~0ULL : (1ULL << k.width) - 1;
}

static int64_t extended(uint64_t value)
{
	return (int64_t)(value << (64 - k.width)) >> (64 - k.width);
}

/* The kernel writes the page, as perf_event_update_userpage() does. */
static void publish(void)
{
	k.page.lock++;
	k.page.index = (uint32_t)(k.index + 1);
	k.page.pmc_width = (uint16_t)k.width;
	k.page.offset = (int64_t)k.count;
	if (k.index >= 0)
		k.page.offset = (int64_t)k.started - extended(k.programmed);
	k.page.time_enabled = k.enabled;
	k.page.time_running = k.running;
	k.page.time_offset = 0 - k.now;
	k.page.time_mult = 1;
	k.page.time_shift = 0;
	k.page.cap_user_rdpmc = 1;
	k.page.lock++;
}

static void program(int index)
{
	k.index = index;
	k.started = k.count;
	k.programmed = (0 - ((mask() >> 1) - chance(1000))) & mask();
	publish();
}

/*
 * A system call reads the count, and maps the page: on arm64 the kernel then
 * holds the counter's last value as an unsigned number, so the offset is short
 * by a range if that was negative, until the counter is programmed again
 * [armpmu_event_update(), perf_mmap()].
 */
static void read_and_map(struct count *known)
{
	known->value = k.count;
	publish();
	if (k.is_arm && k.width < 64 && k.index >= 0 &&
	    extended(k.programmed + k.count - k.started) < 0)
		k.page.offset -= (int64_t)mask() + 1;
}

/* The event counts, and time goes by; a counter interrupts before it wraps. */
static void count(void)
{
	uint64_t most = k.width < 43 ? mask() >> 3 : 1ULL << 40;
	uint64_t n = chance(4) ? chance(1000) : chance(most);
	uint64_t ns = chance(100);

	k.now += ns;
	k.enabled += ns;
	if (k.index < 0)
		return;
	k.running += ns;
	k.count += n;
	if (k.count - k.started >= mask() >> 1)
		program(k.index);
}

static bool read_and_check(struct count *known)
{
	uint64_t before = k.count, enabled = k.enabled;

	if (!pe_page_read(page, known)) {
		known->value = k.count; /* by system call */
		return true;
	}
	if (known->value >= before && known->value <= k.count &&
	    known->running_ns <= known->enabled_ns &&
	    (!k.page.cap_user_time || known->enabled_ns >= enabled))
		return true;
	fprintf(stderr, "width %u: %llu, not in %llu..%llu\n", k.width,
		(unsigned long long)known->value, (unsigned long long)before,
		(unsigned long long)k.count);
	return false;
}

static struct count shared;
static bool failed;

/* What may come between any two instructions. */
static void interrupt(void)
{
	if (chance(3))
		return;
	switch (chance(12)) {
	case 0: /* the thread goes to another CPU, the event to a counter */
		k.cpu = (int)chance(CPUS);
		program((int)chance(COUNTERS));
		return;
	case 1: /* others have their turn, */
		program(-1);
		return;
	case 2: /* and the event again */
		program(k.index < 0 ? (int)chance(COUNTERS) : k.index);
		return;
	case 3: /* a signal handler reads the same counter */
		if (k.depth++ < 3 && !read_and_check(&shared))
			failed = true;
		k.depth--;
		return;
	case 4: /* Intel: fixed counters and metrics have bits of their own */
		if (!k.is_arm && k.width == 48)
			program(chance(2) ? 1 << 30 | (int)chance(4)
					  : (int)PE_PAGE_METRICS);
		return;
	default:
		count();
	}
}

static uint64_t pe_counter_read(uint32_t index)
{
	interrupt();
	if (index & PE_PAGE_METRICS)
		k.faults++; /* not a count: nobody is to look at it */
	if ((int)index != k.index)
		return seed & mask(); /* somebody else's */
	return (k.programmed + k.count - k.started) & mask();
}

static uint64_t pe_counter_clock(void)
{
	interrupt();
	return k.now;
}

/* @n reads of a counter of @width bits. */
static bool run(unsigned width, bool is_arm, bool has_time, long n)
{
	k.width = width;
	k.is_arm = is_arm;
	k.count = chance(1000);
	k.enabled = k.running = k.now = 0;
	k.page.cap_user_time = has_time;
	program(0);
	shared = (struct count){ .value = k.count };
	for (long i = 0; i < n && !failed; i++) {
		if (chance(20) == 0)
			read_and_map(&shared);
		if (!read_and_check(&shared))
			failed = true;
	}
	return !failed && k.faults == 0;
}

int main(int argc, char **argv)
{
	static const struct {
		unsigned width;
		bool is_arm;
	} kinds[] = { { 32, false }, { 32, true }, { 40, false },
		      { 48, false }, { 48, true }, { 63, false },
		      { 64, false }, { 64, true } };
	long reads = argc > 1 ? atol(argv[1]) : 1000000;
	long each = reads / (2 * (long)(sizeof(kinds) / sizeof(kinds[0])));

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (int has_time = 0; has_time < 2; has_time++)
			if (!run(kinds[i].width, kinds[i].is_arm, has_time,
				 each))
				return 1;
	printf("%ld reads right\n",
	       each * 2 * (long)(sizeof(kinds) / sizeof(kinds[0])));
	return 0;
}
