/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampling with a clock that the test winds, and chains through memory. */

#include "machine/lab.h"

#include <math.h>

#include "machine/arch.h"
#include "machine/parts.h"

#include "testing.h"

/* A clock that loads move by what they cost. */
static uint64_t ticks;

static uint64_t now(void *context)
{
	(void)context;
	return ticks++;
}

static void cost_three(void *arg, uint64_t times)
{
	(void)arg;
	ticks += 3 * times;
}

static void open_lab(struct lab *lab)
{
	struct lab_clock clock = { now, NULL, true };

	assert_int_equal(lab_init(lab, clock, (size_t)64 << 20), 0);
}

TEST(test_the_clocks_own_cost_is_left_out)
{
	struct load load = { .run = cost_three, .times = 10, .operations = 10 };
	struct timing timing;
	struct lab lab;

	open_lab(&lab);
	timing = lab_time(&lab, &load);
	assert_int_equal(timing.samples, 1);
	assert_true(timing.value == 3);
	lab_fini(&lab);
}

/* What reading the clock puts out of caches costs once, however long the run.
 */
static void cost_fifty_once(void *arg, uint64_t times)
{
	(void)arg;
	ticks += 50 + 3 * times;
}

TEST(test_what_the_clock_disturbs_is_taken_off)
{
	struct load load = { .run = cost_fifty_once,
			     .times = 40,
			     .operations = 40,
			     .steady = true };
	struct lab lab;

	open_lab(&lab);
	assert_true(lab_time(&lab, &load).value == 3);
	load.steady = false;
	assert_true(lab_time(&lab, &load).value > 4);
	lab_fini(&lab);
}

/* What warms a large cache puts the ruler's code out of it. */
#define WARM       2000
#define RULER_CODE 4096 /* bytes, about */

static void flush_while_warming(void *arg, uint64_t times)
{
	const char *code = (const char *)(uintptr_t)loads_ruler;

	(void)arg;
	for (size_t i = 0; times == WARM && i < RULER_CODE; i += 64)
		arch_flush(code + i);
}

TEST(test_a_ruler_is_not_timed_cold)
{
	struct lab_clock clock = { arch_ticks, NULL, false };
	struct load load = { .run = flush_while_warming,
			     .times = 1,
			     .warm = WARM,
			     .operations = 1 };
	struct lab lab;

	if (!arch_flush(&load))
		skip();
	assert_int_equal(lab_init(&lab, clock, (size_t)1 << 20), 0);
	lab.rounds = 40;
	/* tried four times each: half is for what disturbs on this machine */
	assert_true(lab_time(&lab, &load).samples > 20);
	lab_fini(&lab);
}

static void prepare(struct lab *lab, void *context, double x, struct load *load)
{
	(void)lab;
	(void)context;
	*load = (struct load){ .run = cost_three,
			       .times = (uint64_t)x,
			       .operations = 1 };
}

TEST(test_a_sweep_keeps_its_points_in_order)
{
	struct timing points[3] = { { .x = 1 }, { .x = 5 }, { .x = 9 } };
	struct lab lab;

	open_lab(&lab);
	assert_int_equal(lab_sweep(&lab, points, 3, prepare, NULL), 0);
	for (int i = 0; i < 3; i++)
		assert_true(points[i].value == 3 * points[i].x);
	lab_fini(&lab);
}

TEST(test_quantiles_ignore_both_ends)
{
	double samples[41];
	struct timing timing;

	for (int i = 0; i < 41; i++)
		samples[i] = 10 + (double)i / 1000;
	samples[40] = 0.5; /* a ruler that was interrupted */
	samples[39] = 900; /* a load that was */
	timing = timing_of(samples, 41);
	assert_true(timing.low >= 10 && timing.value < 10.1);
	assert_true(timing_spread(&timing) < 0.01);
	assert_true(isnan(timing_of(samples, 0).value));
}

/* How many steps until a chain is where it began. */
static size_t length_of(void *first)
{
	void *p = first;
	size_t n = 0;

	do {
		p = *(void **)p;
		n++;
	} while (p != first);
	return n;
}

TEST(test_a_chain_goes_through_every_stop)
{
	static const struct chain chains[] = {
		{ .n = 1, .spacing = 64 },
		{ .n = 2, .spacing = 64 },
		{ .n = 1000, .spacing = 64 },
		{ .n = 1000, .spacing = 64, .block = 64 },
		{ .n = 130, .spacing = 4096, .rotate = 64, .within = 4096 },
		{ .n = 100,
		  .spacing = 512,
		  .rotate = 64,
		  .within = 512,
		  .every = 8 },
	};
	struct lab lab;

	open_lab(&lab);
	for (size_t i = 0; i < sizeof(chains) / sizeof(chains[0]); i++)
		assert_int_equal(length_of(chain_make(&lab, &chains[i])),
				 chains[i].n);
	lab_fini(&lab);
}

TEST(test_stops_of_a_block_are_visited_together)
{
	struct chain chain = { .n = 256, .spacing = 64, .block = 32 };
	struct lab lab;
	size_t changes = 0;
	char *p;

	open_lab(&lab);
	p = chain_make(&lab, &chain);
	for (size_t i = 0; i < chain.n; i++) {
		char *next = *(void **)p;

		changes += (size_t)(p - (char *)lab.memory) / 64 / 32 !=
			   (size_t)(next - (char *)lab.memory) / 64 / 32;
		p = next;
	}
	assert_true(changes <= 8 + 1);
	lab_fini(&lab);
}

TEST(test_latencies_are_whole_or_in_doubt)
{
	struct timing near = { 0, 3.99, 4.02, 4.03, 31 };
	struct timing far = { 0, 4.39, 4.4, 4.41, 31 };
	struct timing spread = { 0, 4.0, 4.02, 4.9, 31 };
	struct timing none = { 0, NAN, NAN, NAN, 0 };
	struct machine m = { 0 };

	part_latency(&m, "a", &near, true, "");
	part_latency(&m, "b", &far, true, "");
	part_latency(&m, "c", &far, false, "");
	part_latency(&m, "d", &spread, true, "");
	part_latency(&m, "e", &none, true, "");
	assert_true(machine_get(&m, "a") == 4);
	assert_true(machine_find(&m, "a")->stable);
	assert_false(machine_find(&m, "b")->stable);
	assert_true(machine_find(&m, "c")->stable);
	assert_true(machine_get(&m, "c") == 4.4);
	assert_false(machine_find(&m, "d")->stable);
	assert_false(machine_find(&m, "e")->stable);
	assert_non_null(machine_find(&m, "e")->reason);
	machine_fini(&m);
}

TEST(test_the_timing_that_most_agree_on_counts)
{
	static const double seen[] = { 4.0, 2.9, 4.01, 6.2, 3.99, 6.3 };
	struct best best = { .n = 0 };
	bool sure;

	assert_int_equal(best_pick(&best, 0.02, &sure).samples, 0);
	assert_false(sure);
	for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++) {
		best_take(&best,
			  (struct timing){ .value = seen[i], .samples = 9 });
		if (i == 1) {
			best_pick(&best, 0.02, &sure);
			assert_false(sure);
		}
	}
	assert_true(best_pick(&best, 0.02, &sure).value == 4.0);
	assert_true(sure);
}

TEST(test_points_ascend)
{
	struct timing points[20];
	size_t n = part_points(points, 20, 2, 40, 30, true);

	assert_true(n > 5 && n <= 20);
	assert_true(points[0].x == 2);
	for (size_t i = 1; i < n; i++)
		assert_true(points[i].x > points[i - 1].x);
}

RUN_ALL_TESTS
