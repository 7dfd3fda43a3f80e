/* SPDX-License-Identifier: BSD-3-Clause */
/* Doubt about one constant reaches those that rest on it. */

#include "machine/parts.h"

#include <math.h>

#include "testing.h"

TEST(test_doubt_goes_all_the_way)
{
	struct machine m = { 0 };

	machine_doubt(&m, machine_add(&m, "L2_ways", 8, "ways", "told"),
		      "several tries disagree");
	machine_add(&m, "L2_sets", 512, "sets", "told");
	machine_add(&m, "L2_bytes", 262144, "bytes", "told");
	machine_add(&m, "L2_read", 32, "bytes/cycle", "told");
	machine_add(&m, "L1_lat", 4, "cycles", "told");
	parts_spread_doubt(&m);
	assert_false(machine_find(&m, "L2_read")->stable);
	assert_string_equal(
		machine_find(&m, "L2_bytes")->reason,
		"L2_sets, from which it is derived, is not certain");
	assert_true(machine_find(&m, "L1_lat")->stable);
	machine_fini(&m);
}

TEST(test_what_is_certain_leaves_no_doubt)
{
	struct machine m = { 0 };

	machine_add(&m, "L2_ways", 8, "ways", "told");
	machine_add(&m, "L2_sets", 512, "sets", "told");
	parts_spread_doubt(&m);
	assert_true(machine_find(&m, "L2_sets")->stable);
	machine_fini(&m);
}

RUN_ALL_TESTS
