/* SPDX-License-Identifier: BSD-3-Clause */
/* Constants by the words of people; what is not known keeps its name. */

#include "machine/titles.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "testing.h"

TEST(test_constants_have_titles)
{
	static const struct {
		const char *name, *title, *group;
	} rows[] = {
		{ "L1D_bytes", "L1 data cache: size", "Caches" },
		{ "L1_lat", "L1 data cache: latency", "Caches" },
		{ "FP_add_min", "FP add, double: reciprocal throughput",
		  "Floating point" },
		{ "mem_write_nt", "Memory: non-temporal write bandwidth",
		  "Bandwidth" },
		{ "BR_min", "Branch not taken: reciprocal throughput",
		  "Branches" },
		{ "BR_lat", "Taken branch: reciprocal throughput", "Branches" },
		{ "mine", "mine", "Others" },
		{ "_lat", "_lat", "Others" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *title = machine_title(rows[i].name);
		size_t group = machine_group_of(rows[i].name);

		assert_string_equal(title, rows[i].title);
		assert_string_equal(machine_group_title(group), rows[i].group);
		free(title);
	}
}

TEST(test_curves_are_of_parts)
{
	assert_string_equal(machine_part_title("STLB"), "Second-level TLB");
	assert_string_equal(machine_part_title("mine"), "mine");
}

RUN_ALL_TESTS
