/* SPDX-License-Identifier: BSD-3-Clause */
/* Overflow signals, with software events: every kernel has those. */
#include <pthread.h>
#include <string.h>

#include "tests/unit/components/perf_event/fixture.h"

#define EVERY 10

struct seen {
	int calls;
	int elsewhere; /* calls whose address is not in touch_fresh_pages() */
	uint64_t which;
};

static bool is_inside(const void *address)
{
	uintptr_t at = (uintptr_t)address;
	uintptr_t from = (uintptr_t)touch_fresh_pages;

	return at >= from && at < from + 2048;
}

static void note(struct slice *s, uint64_t which, void *address, void *context)
{
	struct seen *seen = s->owner;

	(void)context;
	seen->calls++;
	seen->which |= which;
	seen->elsewhere += !is_inside(address);
}

/* Open @names and have the one at @position interrupt. */
static struct slice *sampled(struct component *c, const char *const *names,
			     size_t position, struct seen *seen)
{
	struct slice *s = closed_slice(c, names);

	s->thresholds[position] = EVERY;
	s->on_overflow = note;
	s->owner = seen;
	if (slice_open(s))
		fail_msg("%s", s->diag.text);
	return s;
}

static void check_once(struct component *c, const char *const *names,
		       size_t position)
{
	struct seen seen = { 0 };
	struct slice *s = sampled(c, names, position, &seen);
	struct count before[3], after[3];

	touch_fresh_pages(); /* brings in the code itself */
	for (int i = 0; i < 5; i++) {
		uint64_t faults;

		seen = (struct seen){ 0 };
		assert_int_equal(slice_start(s, before), 0);
		touch_fresh_pages();
		assert_int_equal(slice_stop(s, after), 0);
		faults = after[position].value - before[position].value;
		assert_in_range(faults, PAGES, PAGES + 60);
		assert_in_range(seen.calls, faults / EVERY - 1,
				faults / EVERY + 1);
		assert_int_equal(seen.which, 1ULL << position);
		assert_true(seen.elsewhere <=
			    1 + (int)(faults - PAGES) / EVERY);
		touch_fresh_pages(); /* stopped: must be silent */
		assert_true(seen.calls <= (int)(faults / EVERY) + 1);
	}
	slice_free(s);
}

TEST(test_calls_come_at_every_threshold)
{
	struct component *c = *state;

	SKIP_IF_DISABLED(c);
	SKIP_IF_DISTORTED();
	check_once(c, (const char *[]){ "page-faults", NULL }, 0);
}

TEST(test_the_bit_is_the_events_position)
{
	struct component *c = *state;

	SKIP_IF_DISABLED(c);
	SKIP_IF_DISTORTED();
	check_once(
		c,
		(const char *[]){ "task-clock", "dummy", "page-faults", NULL },
		2);
}

static void *work(void *arg)
{
	struct component *c = arg;

	for (int i = 0; i < 20; i++)
		check_once(c, (const char *[]){ "page-faults", NULL }, 0);
	return NULL;
}

TEST(test_threads_get_their_own)
{
	struct component *c = *state;
	pthread_t threads[4];

	SKIP_IF_DISABLED(c);
	SKIP_IF_DISTORTED();
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work, c), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void stop_inside(struct slice *s, uint64_t which, void *address,
			void *context)
{
	struct seen *seen = s->owner;
	struct count counts;

	(void)which;
	(void)address;
	(void)context;
	seen->calls++;
	slice_stop(s, &counts);
}

TEST(test_a_handler_may_stop_it)
{
	struct component *c = *state;
	struct seen seen = { 0 };
	struct slice *s;
	struct count counts;

	SKIP_IF_DISABLED(c);
	SKIP_IF_DISTORTED();
	s = sampled(c, (const char *[]){ "page-faults", NULL }, 0, &seen);
	s->on_overflow = stop_inside;
	assert_int_equal(slice_start(s, &counts), 0);
	touch_fresh_pages();
	assert_int_equal(seen.calls, 1);
	assert_int_equal(slice_start(s, &counts), 0);
	touch_fresh_pages();
	assert_int_equal(seen.calls, 2);
	slice_free(s);
}

RUN_ALL_TESTS_WITH(setup_component, free_component)
