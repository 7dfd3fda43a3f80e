/* SPDX-License-Identifier: BSD-3-Clause */
/* Events whose repeats differ, among others whose repeats do not. */
#include "classify/inside.h"
#include "tests/unit/testing.h"

enum {
	UNITS = 3,
	REPEATS = 2,
	STEADY = 10,
	MOVING = STEADY, /* by three in a hundred */
	HARDLY,          /* by one in a hundred */
	SELDOM,          /* too few counts to tell */
	ALL
};

static double moved(size_t event, unsigned repeat)
{
	static const double by[] = { 1.03, 1.01, 1.5 };
	double n = event == SELDOM ? 4 : 1000;

	return event >= STEADY && repeat ? n * by[event - STEADY] : n;
}

/* @unsteady of the steady ones move a little, too. Whether all this is exact.
 */
static bool find_varying(struct classify_event *found, size_t unsteady)
{
	double counts[UNITS * REPEATS * ALL];
	struct experiment_result r = { .n_events = ALL,
				       .n_units = UNITS,
				       .repeats = REPEATS,
				       .counts = counts };
	unsigned char exact[1];
	struct kernel kernel = { .name = "some" };
	struct classify_bench bench = { .kernel = &kernel, .n = UNITS };
	struct classify_plan plan = { .benches = &bench, .n_benches = 1 };
	struct classification some = {
		.plan = &plan, .events = found, .n = ALL, .exact = exact
	};

	for (size_t u = 0; u < UNITS; u++)
		for (unsigned i = 0; i < REPEATS; i++)
			for (size_t e = 0; e < ALL; e++)
				counts[(u * REPEATS + i) * ALL + e] =
					moved(e, i) +
					(e < unsteady ? 5 * i : 0);
	assert_int_equal(classify_find_varying(&some, &r), 0);
	return exact[0];
}

TEST(test_what_varies_of_its_own)
{
	struct classify_event found[ALL] = { { 0 } };

	assert_true(find_varying(found, 0));
	for (size_t e = 0; e < ALL; e++)
		assert_int_equal(found[e].varies, e == MOVING);
}

/* A machine on which little comes out the same says nothing of an event. */
TEST(test_what_varies_with_all_else)
{
	struct classify_event found[ALL] = { { 0 } };

	find_varying(found, 3);
	for (size_t e = 0; e < ALL; e++)
		assert_false(found[e].varies);
}

RUN_ALL_TESTS
