/* SPDX-License-Identifier: BSD-3-Clause */
/* What is learnt from runs on the simulated PMU, kept and told. */
#include "measure/slowdown.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/testing.h"

static char folder[] = "/tmp/assay-slowdown-XXXXXX";

static void check_told(const struct slowdowns *s, const char *what,
		       const char *expected)
{
	char text[SLOWDOWN_TEXT];

	slowdown_describe(s, what, text, sizeof(text));
	assert_string_equal(text, expected);
}

TEST(test_nothing_known_is_said)
{
	struct slowdowns s = { 0 };

	check_told(&s, "- icx sampled CYCLES",
		   "how much slower is not known yet on this machine");
	/* a speed says nothing without the native one */
	assert_int_equal(slowdown_learn(&s, "fast icx exact INS", 1e9, 1), 0);
	check_told(&s, "- icx exact INS",
		   "how much slower is not known yet on this machine");
	slowdown_fini(&s);
}

TEST(test_factor_is_of_the_events_and_engine)
{
	struct slowdowns s = { .native = 3e9 };

	assert_int_equal(slowdown_learn(&s, "fast icx exact INS", 2e9, 1), 0);
	assert_int_equal(slowdown_learn(&s, "fast icx sampled CYC", 2e9, 20),
			 0);
	assert_int_equal(
		slowdown_learn(&s, "valgrind icx sampled CYC", 2e9, 100), 0);
	check_told(&s, "- icx exact INS",
		   "about 1.5 times slower (1 run on this machine)");
	check_told(&s, "fast icx sampled CYC",
		   "about 30 times slower (1 run on this machine)");
	/* any engine: the one that ran last */
	check_told(&s, "- icx sampled CYC",
		   "about 150 times slower (1 run on this machine)");
	check_told(&s, NULL,
		   "typically 30 times slower in other runs on this machine "
		   "(1.5 to 150, depending on program and events)");
	slowdown_fini(&s);
}

TEST(test_runs_with_fewer_and_more_events_are_limits)
{
	struct slowdowns s = { .native = 1e9 };

	assert_int_equal(slowdown_learn(&s, "fast icx exact A", 1e9, 2), 0);
	assert_int_equal(slowdown_learn(&s, "fast icx exact AB", 1e9, 3), 0);
	check_told(&s, "- icx exact A B",
		   "at least about 2 times slower, by runs with fewer events");
	assert_int_equal(slowdown_learn(&s, "fast p3 exact C B A", 1e9, 8), 0);
	check_told(&s, "- icx exact A B",
		   "about 2 to 8 times slower, by runs with fewer and with "
		   "more events");
	check_told(&s, "- icx exact C",
		   "at most about 8 times slower, by runs with more events");
	/* any engine: the one that ran most of them */
	assert_int_equal(slowdown_learn(&s, "valgrind icx exact A", 1e9, 90),
			 0);
	check_told(&s, "- icx exact A B",
		   "about 2 to 8 times slower, by runs with fewer and with "
		   "more events");
	check_told(&s, "valgrind icx exact A B",
		   "at least about 90 times slower, by runs with fewer events");
	s.n--;
	free(s.sets[s.n].what);
	/* another engine, another way to model cycles, part of a name */
	check_told(&s, "valgrind icx exact A B",
		   "typically 3 times slower in other runs on this machine "
		   "(2 to 8, depending on program and events)");
	check_told(&s, "- icx sampled A B",
		   "typically 3 times slower in other runs on this machine "
		   "(2 to 8, depending on program and events)");
	check_told(&s, "- icx exact D",
		   "typically 3 times slower in other runs on this machine "
		   "(2 to 8, depending on program and events)");
	slowdown_fini(&s);
}

TEST(test_one_odd_program_is_not_typical)
{
	struct slowdowns s = { .native = 1e9 };

	for (int i = 0; i < 3; i++)
		assert_int_equal(slowdown_learn(&s, "fast icx exact A", 1e9, 2),
				 0);
	assert_int_equal(slowdown_learn(&s, "fast icx exact B", 1e9, 3000), 0);
	check_told(&s, NULL,
		   "typically 2 times slower in other runs on this machine "
		   "(2 to 3000, depending on program and events)");
	slowdown_fini(&s);
}

TEST(test_mean_is_geometric)
{
	struct slowdowns s = { .native = 1e9 };

	assert_int_equal(slowdown_learn(&s, "fast a", 1e9, 4), 0);
	assert_int_equal(slowdown_learn(&s, "fast a", 1e9, 16), 0);
	check_told(&s, "fast a",
		   "about 8 times slower (2 runs on this machine)");
	slowdown_fini(&s);
}

TEST(test_old_sets_make_room)
{
	struct slowdowns s = { .native = 1e9 };
	char what[32];

	for (int i = 0; i < 100; i++) {
		snprintf(what, sizeof(what), "fast %d", i);
		assert_int_equal(slowdown_learn(&s, what, 1e9, 2), 0);
		assert_int_equal(slowdown_learn(&s, "fast often", 1e9, 3), 0);
	}
	assert_true(s.n == 64);
	check_told(&s, "fast often",
		   "about 3 times slower (100 runs on this machine)");
	check_told(&s, "fast 99",
		   "about 2 times slower (1 run on this machine)");
	slowdown_fini(&s);
}

TEST(test_what_is_kept_is_read_again)
{
	struct slowdowns s = { .native = 2.5e9 }, again;
	char command[64];

	assert_non_null(mkdtemp(folder));
	setenv("XDG_STATE_HOME", folder, 1);
	assert_int_equal(slowdown_read(&again), 0);
	assert_true(again.n == 0 && again.native == 0);
	assert_int_equal(slowdown_learn(&s, "fast icx exact A B", 1e9, 4), 0);
	assert_int_equal(slowdown_learn(&s, "valgrind icx exact A", 1e9, 40),
			 0);
	assert_int_equal(slowdown_write(&s, NULL), 0);
	assert_int_equal(slowdown_read(&again), 0);
	check_told(&again, "- icx exact A B",
		   "about 10 times slower (1 run on this machine)");
	check_told(&again, "- icx exact A",
		   "about 100 times slower (1 run on this machine)");
	slowdown_fini(&s);
	slowdown_fini(&again);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

RUN_ALL_TESTS
