/* SPDX-License-Identifier: BSD-3-Clause */
/* The stealtime component on made-up /proc/stat files. */
#include "base/array.h"
#include "tests/unit/components/counting.h"

#define PATH "proc/stat"
#define BEFORE                                                                 \
	"cpu  1 2 3 4 5 6 7 300 9 10\n"                                        \
	"cpu0 1 2 3 4 5 6 7 100 9 10\n"                                        \
	"cpu1 1 2 3 4 5 6 7 200 9 10\n"                                        \
	"intr 1 2 3\nctxt 5\n"

static const char *const all[] = { "TOTAL", "CPU0", "CPU1", NULL };

TEST(test_ticks_become_microseconds)
{
	uint64_t tick_us = 1000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	struct counting c;

	counting_probe(&c, &stealtime_component, PATH, BEFORE);
	assert_int_equal(component_event_count(c.component), 3);
	assert_string_equal(component_event(c.component, 0)->unit, "us");
	counting_open(&c, all);
	assert_int_equal(slice_start(c.slice, c.counts), 0);
	machine_put(&c.machine, PATH,
		    "cpu  1 2 3 4 5 6 7 307 9 10\n"
		    "cpu0 1 2 3 4 5 6 7 102 9 10\n"
		    "cpu1 1 2 3 4 5 6 7 205 9 10\n");
	assert_int_equal(slice_stop(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].value, 7 * tick_us);
	assert_int_equal(c.counts[1].value, 2 * tick_us);
	assert_int_equal(c.counts[2].value, 5 * tick_us);
	counting_close(&c);
}

/* A CPU that is taken offline leaves the list. */
TEST(test_a_cpu_may_go_offline)
{
	struct counting c;

	counting_probe(&c, &stealtime_component, PATH, BEFORE);
	counting_open(&c, all);
	assert_int_equal(slice_start(c.slice, c.counts), 0);
	machine_put(&c.machine, PATH,
		    "cpu  1 2 3 4 5 6 7 301 9 10\n"
		    "cpu0 1 2 3 4 5 6 7 101 9 10\n");
	assert_int_equal(slice_stop(c.slice, c.counts), 0);
	assert_int_equal(c.counts[2].value, 0);
	assert_true(c.counts[1].value > 0);
	counting_close(&c);
}

TEST(test_bad_files_add_nothing)
{
	static const char *const texts[] = {
		"",           "cpu",
		"cpu  1 2 3", "cpu0 1 2 3 4 5 6 7 999",
		"cpux 1\n",   "cpu  a b c d e f g h\n",
		"\xff\xff\n"
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct counting c;

		counting_probe(&c, &stealtime_component, PATH, BEFORE);
		counting_open(&c, all);
		assert_int_equal(slice_start(c.slice, c.counts), 0);
		machine_put(&c.machine, PATH, texts[i]);
		assert_int_equal(slice_stop(c.slice, c.counts), 0);
		for (size_t j = 0; j < 3; j++)
			assert_int_equal(c.counts[j].value, 0);
		counting_close(&c);
	}
}

TEST(test_an_old_kernel_has_no_steal_column)
{
	struct counting c;

	counting_probe(&c, &stealtime_component, PATH, "cpu  1 2 3 4 5 6 7\n");
	assert_int_equal(component_event_count(c.component), 0);
	counting_close(&c);
}

TEST(test_without_its_file_it_is_disabled)
{
	struct counting c;

	counting_probe(&c, &stealtime_component, "proc/version", "Linux\n");
	assert_true(c.component->disabled);
	assert_string_equal(c.component->reason, "there is no /proc/stat");
	counting_close(&c);
}

RUN_ALL_TESTS
