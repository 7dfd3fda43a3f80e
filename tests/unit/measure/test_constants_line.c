/* SPDX-License-Identifier: BSD-3-Clause */
/* The constant that the machine itself tells: how long a line is. */
#include "measure/metrics.h"
#include "tests/unit/host/machine.h"

static void check_line(const char *machine, double bytes)
{
	struct constants c;
	struct machine m;

	machine_open(&m, machine);
	assert_int_equal(constants_open(&c, NULL, "sim-nobody", NULL), 0);
	assert_true(constants_get(&c, "line_bytes") == 64);
	assert_int_equal(constants_take_line(&c, &m.fs), 0);
	assert_true(constants_get(&c, "line_bytes") == bytes);
	constants_fini(&c);
	machine_close(&m);
}

TEST(test_lines_are_the_machines)
{
	check_line("power9-2s", 128);
	check_line("zen3-2s-8n", 64);
	check_line("zen5", 64); /* it says nothing of caches */
}

RUN_ALL_TESTS
