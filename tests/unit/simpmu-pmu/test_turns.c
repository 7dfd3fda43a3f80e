/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Multiplexing: estimates against the truth. Programs of many shapes, made of
 * phases with seeded rates; the stated error must cover what is missed.
 */
#include <math.h>
#include <string.h>

#include "fake.h"
#include "tests/unit/testing.h"

enum {
	EVENTS = 12 /* on 4 counters: three turns */
};

static const char *const names[EVENTS] = {
	"LOAD_SIZE:B1",  "LOAD_SIZE:B2",  "LOAD_SIZE:B4",   "LOAD_SIZE:B8",
	"LOAD_SIZE:B16", "LOAD_SIZE:B32", "STORE_SIZE:B1",  "STORE_SIZE:B2",
	"STORE_SIZE:B4", "STORE_SIZE:B8", "STORE_SIZE:B16", "STORE_SIZE:B32",
};

static const unsigned tallies[EVENTS] = {
	TALLY_LOAD_1,  TALLY_LOAD_2,  TALLY_LOAD_4,   TALLY_LOAD_8,
	TALLY_LOAD_16, TALLY_LOAD_32, TALLY_STORE_1,  TALLY_STORE_2,
	TALLY_STORE_4, TALLY_STORE_8, TALLY_STORE_16, TALLY_STORE_32,
};

/* One instruction: each event happens with its rate (in 1/256). */
static void step(const unsigned *rates, uint64_t *random)
{
	unsigned what[EVENTS + 2];
	unsigned n = 0;

	what[n++] = TALLY_INS;
	for (unsigned e = 0; e < EVENTS; e++)
		if (pmu_random(random) % 256 < rates[e])
			what[n++] = tallies[e];
	what[n] = TALLY_COUNT;
	fake_step(1, what);
}

/* A program: phases of random length, each with rates of its own. */
static void run_program(uint64_t seed, unsigned instructions,
			unsigned mean_phase)
{
	uint64_t random = seed;
	unsigned rates[EVENTS];
	unsigned left = 0;

	for (unsigned i = 0; i < instructions; i++) {
		if (left == 0) {
			left = 1 + (unsigned)(pmu_random(&random) %
					      (2 * mean_phase));
			for (unsigned e = 0; e < EVENTS; e++)
				rates[e] =
					(unsigned)(pmu_random(&random) % 200);
		}
		left--;
		step(rates, &random);
	}
}

static double scaled(const struct wire_count *c)
{
	return (double)c->value * (double)c->enabled_ns / (double)c->running_ns;
}

static void test_error_bars_cover_the_truth(void **state)
{
	static const unsigned phases[] = { 1000000, 50000, 10000, 3000, 500 };
	unsigned covered = 0, total = 0;

	(void)state;
	for (unsigned p = 0; p < 5; p++) {
		for (uint64_t seed = 1; seed <= 12; seed++) {
			struct wire_open request = { .flags = WIRE_MULTIPLEX,
						     .slice_ns = 2000 };
			struct wire_count counts[EVENTS];
			uint32_t id;

			fake_reset(NULL);
			id = fake_open(names, EVENTS, &request);
			set_start(id);
			run_program(seed * 77 + p, 100000, phases[p]);
			set_stop(id);
			set_read(id, counts);
			for (unsigned e = 0; e < EVENTS; e++) {
				double miss = scaled(&counts[e]) -
					      (double)set_get(id)->truth[e];

				covered += fabs(miss) <=
					   1.645 * sqrt(counts[e].variance);
				total++;
			}
		}
	}
	print_message("%u of %u covered\n", covered, total);
	assert_true(covered * 100 >= total * 90);
}

/*
 * All of an event within one slice, anywhere, at any rate: the counter may have
 * been elsewhere. That must be in the error, of a zero, too.
 */
static void test_a_burst_is_within_three_standard_errors(void **state)
{
	static const unsigned quiet[EVENTS];
	unsigned covered = 0, zeros = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct wire_open request = { .flags = WIRE_MULTIPLEX,
					     .slice_ns = 2000 };
		uint64_t random = seed * 7919;
		unsigned burst[EVENTS] = { 0 };
		unsigned e = (unsigned)(pmu_random(&random) % EVENTS);
		unsigned at = (unsigned)(pmu_random(&random) % 38000);
		unsigned length = 100 + (unsigned)(pmu_random(&random) % 1900);
		struct wire_count counts[EVENTS];
		double miss;
		uint32_t id;

		burst[e] = 16 + (unsigned)(pmu_random(&random) % 240);
		fake_reset(NULL);
		id = fake_open(names, EVENTS, &request);
		set_start(id);
		for (unsigned i = 0; i < 40000; i++)
			step(i - at < length ? burst : quiet, &random);
		set_stop(id);
		set_read(id, counts);
		miss = scaled(&counts[e]) - (double)set_get(id)->truth[e];
		covered += fabs(miss) <= 3 * sqrt(counts[e].variance);
		zeros += counts[e].value == 0;
		for (unsigned k = 0; k < EVENTS; k++)
			assert_true(counts[k].variance > 0);
	}
	print_message("%u of 100 covered, %u of them not seen\n", covered,
		      zeros);
	assert_true(zeros > 20);
	assert_true(covered >= 95);
}

static void test_the_truth_is_told_on_request(void **state)
{
	struct wire_open request = { .flags = WIRE_MULTIPLEX,
				     .slice_ns = 2000 };
	uint64_t truth[EVENTS], result;
	uint32_t id = fake_open(names, EVENTS, &request);
	uint64_t args[6] = { WIRE_TRUTH, id, (uintptr_t)truth };

	(void)state;
	set_start(id);
	run_program(3, 30000, 1000);
	assert_true(pmu_hooks.request(1, args, &result));
	assert_int_equal(result, 0);
	for (unsigned e = 0; e < EVENTS; e++)
		assert_int_equal(truth[e], fake.totals[1][tallies[e]]);
	args[1] = 60;
	pmu_hooks.request(1, args, &result);
	assert_int_equal((int64_t)result, WIRE_ENOEVST);
}

static void test_time_is_shared_among_the_turns(void **state)
{
	struct wire_open request = { .flags = WIRE_MULTIPLEX,
				     .slice_ns = 2000 };
	struct wire_count counts[EVENTS];
	uint32_t id = fake_open(names, EVENTS, &request);

	(void)state;
	set_start(id);
	run_program(1, 60000, 1000);
	set_stop(id);
	set_read(id, counts);
	for (unsigned e = 0; e < EVENTS; e++) {
		assert_int_equal(counts[e].enabled_ns, 60000);
		assert_int_equal(counts[e].running_ns, 20000);
	}
}

static void test_without_turns_there_is_no_error(void **state)
{
	struct wire_open request = { .flags = WIRE_MULTIPLEX };
	struct wire_count counts[4];
	uint32_t id = fake_open(names, 4, &request);

	(void)state;
	set_start(id);
	run_program(1, 5000, 1000);
	set_stop(id);
	set_read(id, counts);
	for (unsigned e = 0; e < 4; e++) {
		assert_int_equal(counts[e].value, set_get(id)->truth[e]);
		assert_int_equal(counts[e].running_ns, counts[e].enabled_ns);
		assert_true(counts[e].variance == 0);
	}
}

static void test_an_event_whose_turn_never_came_ran_for_no_time(void **state)
{
	struct wire_open request = { .flags = WIRE_MULTIPLEX,
				     .slice_ns = 2000 };
	struct wire_count counts[EVENTS];
	uint32_t id = fake_open(names, EVENTS, &request);

	(void)state;
	set_start(id);
	run_program(1, 1500, 1000);
	set_stop(id);
	set_read(id, counts);
	assert_int_equal(counts[0].running_ns, 1500);
	assert_int_equal(counts[EVENTS - 1].running_ns, 0);
	assert_int_equal(counts[EVENTS - 1].enabled_ns, 1500);
}

static void test_variance_never_shrinks(void **state)
{
	struct wire_open request = { .flags = WIRE_MULTIPLEX,
				     .slice_ns = 2000 };
	struct wire_count counts[EVENTS];
	double before[EVENTS] = { 0 };
	uint32_t id = fake_open(names, EVENTS, &request);

	(void)state;
	for (int round = 0; round < 40; round++) {
		set_start(id);
		run_program((uint64_t)round + 1, 3100, 700);
		if (round % 3)
			set_read(id, counts);
		set_stop(id);
		set_read(id, counts);
		for (unsigned e = 0; e < EVENTS; e++) {
			assert_true(counts[e].variance >= before[e]);
			before[e] = counts[e].variance;
		}
	}
}

static void test_thresholds_and_turns_do_not_mix(void **state)
{
	struct wire_open request = { .flags = WIRE_MULTIPLEX,
				     .n = EVENTS,
				     .thresholds = { 100 } };
	uint32_t id;

	(void)state;
	for (unsigned e = 0; e < EVENTS; e++)
		request.events[e] = fake_event(names[e]);
	assert_int_equal(set_open(&request, &id), WIRE_ECNFLCT);
	assert_non_null(strstr(request.why, "multiplexed"));
}

static int setup(void **state)
{
	(void)state;
	fake_reset(NULL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_error_bars_cover_the_truth, setup),
		cmocka_unit_test_setup(
			test_a_burst_is_within_three_standard_errors, setup),
		cmocka_unit_test_setup(test_the_truth_is_told_on_request,
				       setup),
		cmocka_unit_test_setup(test_time_is_shared_among_the_turns,
				       setup),
		cmocka_unit_test_setup(test_without_turns_there_is_no_error,
				       setup),
		cmocka_unit_test_setup(
			test_an_event_whose_turn_never_came_ran_for_no_time,
			setup),
		cmocka_unit_test_setup(test_variance_never_shrinks, setup),
		cmocka_unit_test_setup(test_thresholds_and_turns_do_not_mix,
				       setup),
	};

	return cmocka_run_group_tests_name("pmu turns", tests, NULL, NULL);
}
