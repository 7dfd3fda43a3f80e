/* SPDX-License-Identifier: BSD-3-Clause */
/* Overflow of counts: who is told, and what is refused. */
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "core/rotor.h"
#include "tests/unit/core/toy.h"
#include "tests/unit/testing.h"

static const struct native natives[] = { { 0, 0 }, { 0, 1 }, { 0, 2 },
					 { 1, 0 }, { 1, 1 }, { 1, 2 },
					 { 1, 3 }, { 1, 4 }, { 1, 5 } };
static const struct recipe recipes[] = {
	{ .code = 1, .n = 1, .natives = &natives[0] },
	{ .code = 2, .n = 1, .natives = &natives[1] },
	{ .code = 3, .n = 1, .natives = &natives[2] },
	{ .code = 4, .n = 1, .natives = &natives[3] },
	{ .code = 5, .n = 1, .natives = &natives[4] },
	{ .code = 6, .n = 1, .natives = &natives[5] },
	{ .code = 7, .n = 1, .natives = &natives[6] },
	{ .code = 8, .n = 1, .natives = &natives[7] },
	{ .code = 9, .n = 1, .natives = &natives[8] },
};

static struct {
	int calls;
	int id;
	long long which;
	void *address;
} seen;

static void handler(int id, void *address, long long which, void *context,
		    void *data)
{
	(void)context;
	*(int *)data += 1;
	seen.calls++;
	seen.id = id;
	seen.which = which;
	seen.address = address;
}

static void burn_cpu_ns(uint64_t ns)
{
	uint64_t until = clock_thread_ns() + ns;

	while (clock_thread_ns() < until)
		toy_count(0, 100, 1, 1);
}

#define NS_A_COUNT 100

static volatile unsigned reads;

/* As many counts as the thread had CPU time, whatever disturbs the machine. */
static void count_by_clock(void)
{
	uint64_t counts = clock_thread_ns() / NS_A_COUNT;

	for (int i = 0; i < 6; i++)
		toy.counts[i].value = counts;
	reads = reads + 1;
}

TEST(test_interrupt_names_the_entries)
{
	struct registry *r = toy_registry();
	struct eventset *set;
	int calls = 0, entries[4], n = 4;

	assert_int_equal(eventset_new(r, 5, &set), 0);
	assert_int_equal(eventset_add(set, &recipes[2], NULL), 0);
	assert_int_equal(eventset_add(set, &recipes[0], NULL), 0);
	assert_int_equal(eventset_set_overflow(set, 1, 1000, false, handler,
					       &calls, NULL),
			 0);
	assert_true(eventset_state(set) & PAPI_OVERFLOWING);
	assert_int_equal(toy.last->thresholds[1], 1000);
	assert_int_equal(toy.last->thresholds[0], 0);

	/* as the component's signal handler does it, for both its events */
	toy.last->on_overflow(toy.last, 3, (void *)0x1234, NULL);
	assert_int_equal(calls, 1);
	assert_int_equal(seen.id, 5);
	assert_ptr_equal(seen.address, (void *)0x1234);
	assert_int_equal(
		eventset_overflow_entries(set, seen.which, entries, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(entries[0], 1);

	assert_int_equal(
		eventset_set_overflow(set, 1, 0, false, handler, &calls, NULL),
		0);
	assert_int_equal(toy.last->thresholds[1], 0);
	assert_false(eventset_state(set) & PAPI_OVERFLOWING);
	eventset_free(set);
	registry_close(r);
}

TEST(test_what_cannot_overflow_is_refused)
{
	struct registry *r = toy_registry();
	struct diag diag = { 0 };
	struct eventset *set;
	int calls = 0;

	eventset_new(r, 5, &set);
	assert_int_equal(
		eventset_set_overflow(set, 0, 9, false, handler, &calls, NULL),
		PAPI_EINVAL);
	assert_int_equal(eventset_add(set, &recipes[3], NULL), 0);
	assert_int_equal(
		eventset_set_overflow(set, 0, 9, false, handler, &calls, &diag),
		PAPI_ENOSUPP);
	assert_non_null(strstr(diag.text, "plain"));
	assert_int_equal(
		eventset_set_overflow(set, 1, 9, true, handler, &calls, NULL),
		PAPI_EINVAL);
	assert_int_equal(
		eventset_set_overflow(set, 0, 9, true, NULL, &calls, NULL),
		PAPI_EINVAL);
	eventset_free(set);
	registry_close(r);
}

TEST(test_software_overflow_looks_at_the_count)
{
	struct registry *r = toy_registry();
	struct eventset *set;
	uint64_t began = clock_thread_ns();
	int calls = 0;

	eventset_new(r, 6, &set);
	assert_int_equal(eventset_add(set, &recipes[3], NULL), 0);
	assert_int_equal(eventset_set_overflow(set, 0, 1000, true, handler,
					       &calls, NULL),
			 0);
	assert_int_equal(eventset_start(set, NULL), 0);
	while (calls < 3) /* a busy machine may take long for it */
		burn_cpu_ns(1000000);
	assert_int_equal(eventset_stop(set, NULL), 0);
	assert_true((uint64_t)calls <=
		    (clock_thread_ns() - began) / EVENTSET_CHECK_NS);
	assert_int_equal(seen.which, 1);
	assert_non_null(seen.address);

	/* a threshold that is not reached calls nobody */
	calls = 0;
	eventset_set_overflow(set, 0, 1ULL << 60, true, handler, &calls, NULL);
	assert_int_equal(eventset_start(set, NULL), 0);
	burn_cpu_ns(50000000);
	assert_int_equal(eventset_stop(set, NULL), 0);
	assert_int_equal(calls, 0);
	eventset_free(set);
	registry_close(r);
}

TEST(test_software_multiplexing_takes_turns)
{
	struct registry *r = toy_registry();
	struct eventset_options options;
	struct value values[6];
	struct eventset *set;
	uint64_t began;
	double truth;

	toy.counters = 2;
	toy.before_read = count_by_clock;
	eventset_new(r, 7, &set);
	options = *eventset_options(set);
	options.slice.multiplex = true;
	options.slice.multiplex_ns = 2000000;
	assert_int_equal(eventset_set_options(set, &options, NULL), 0);
	for (int i = 3; i < 9; i++)
		assert_int_equal(eventset_add(set, &recipes[i], NULL), 0);
	assert_int_equal(toy.open, 3); /* six events, two at a time */
	reads = 0;
	began = clock_thread_ns();
	assert_int_equal(eventset_start(set, NULL), 0);
	while (reads < 60) /* thirty turns, however long they take */
		clock_thread_ns();
	assert_int_equal(eventset_stop(set, NULL), 0);
	truth = (double)(clock_thread_ns() - began) / NS_A_COUNT;
	eventset_values(set, values);
	for (int i = 0; i < 6; i++) {
		assert_true(values[i].scaled);
		assert_true(values[i].error > 0);
		assert_true(values[i].real > 0.5 * truth);
		assert_true(values[i].real < 1.5 * truth);
		assert_true(values[i].running_ns > 0);
	}
	assert_true(values[0].running_ns + values[2].running_ns +
			    values[4].running_ns <=
		    values[0].enabled_ns);
	eventset_free(set);
	assert_int_equal(toy.open, 0);
	registry_close(r);
}

RUN_ALL_TESTS
