/* SPDX-License-Identifier: BSD-3-Clause */
/* What a report advises, on made-up measurements. */
#include "tests/unit/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/counting.h"

#define ONE(v)                                                                 \
	{                                                                      \
		(v), NAN, NAN, NAN                                             \
	}

/* A busy native run of a second that nothing is the matter with. */
static struct report fine(void)
{
	return (struct report){
		.runs = 5,
		.pmu = { .kind = "hw", .model = "icx" },
		.time = { ONE(1.0), ONE(0.98), ONE(0.01), true },
		.resources = { .max_rss_kb = 1000, .minor_faults = 100 },
	};
}

static bool says(const struct report *r, const char *part)
{
	for (size_t i = 0; i < r->n_notes; i++)
		if (strstr(r->notes[i], part))
			return true;
	return false;
}

static void add_poor(struct report *r, const char *name)
{
	struct report_metric m = {
		.name = name,
		.text = "",
		.unit = "",
		.number = ONE(1),
		.verdict = REPORT_POOR,
	};

	assert_int_equal(report_add_metric(r, &m), 0);
}

TEST(test_nothing_to_say_about_a_fine_run)
{
	struct report r = fine();

	assert_int_equal(advice_add(&r), 0);
	assert_int_equal(r.n_notes, 0);
	report_fini(&r);
}

TEST(test_nothing_is_said_of_counts_that_are_not_there)
{
	struct report r = fine();
	struct report_event e = { .name = "PAPI_TOT_INS",
				  .quality = REPORT_NONE };

	r.exit = 7;
	r.time.native = false;
	assert_int_equal(report_add_event(&r, &e), 0);
	assert_int_equal(advice_add(&r), 0);
	assert_true(says(&r, "the program's exit status is 7"));
	assert_false(says(&r, "counts"));
	report_fini(&r);
}

TEST(test_a_killed_program_does_not_repeat)
{
	struct report killed = fine(), faulty = fine();

	killed.time.native = faulty.time.native = false;
	killed.exit = 137;
	faulty.exit = 139;
	assert_int_equal(advice_add(&killed), 0);
	assert_int_equal(advice_add(&faulty), 0);
	assert_true(says(&killed, "counts depend on when signal 9 came"));
	assert_false(says(&killed, "in every run"));
	assert_true(says(&faulty, "counts are the same in every run"));
	report_fini(&killed);
	report_fini(&faulty);
}

TEST(test_one_thing_wrong_is_named)
{
	struct report failed = fine(), waited = fine(), kernel = fine();
	struct report brief = fine(), once = fine(), simulated = fine();

	failed.exit = 3;
	waited.time.user_s.value = 0.1;
	waited.resources.voluntary_switches = 50;
	kernel.time.user_s.value = 0.5;
	kernel.time.system_s.value = 0.5;
	brief.time.wall_s.value = brief.time.user_s.value = 0.002;
	brief.time.system_s.value = 0;
	once.runs = 1;
	simulated.time.native = false;
	simulated.runs = 1;
	advice_add(&failed);
	advice_add(&waited);
	advice_add(&kernel);
	advice_add(&brief);
	advice_add(&once);
	advice_add(&simulated);
	assert_true(says(&failed, "exit status is 3"));
	assert_true(says(&waited, "waited otherwise"));
	assert_true(says(&kernel, "in the kernel"));
	assert_true(says(&brief, "2.0 ms"));
	assert_true(says(&once, "-r 5"));
	assert_true(says(&simulated, "--pmu none"));
	assert_false(says(&simulated, "-r 5"));
	report_fini(&failed);
	report_fini(&waited);
	report_fini(&kernel);
	report_fini(&brief);
	report_fini(&once);
	report_fini(&simulated);
}

TEST(test_poor_metrics_say_what_to_measure_next)
{
	struct report r = fine();

	add_poor(&r, "branches_mispredicted");
	advice_add(&r);
	assert_true(says(&r, "branches_mispredicted is poor"));
	assert_true(says(&r, "-g branches"));
	report_fini(&r);
}

TEST(test_one_thing_is_said_once)
{
	struct report r = fine();

	add_poor(&r, "ls_per_d1_miss");
	add_poor(&r, "l1_hit_rate");
	advice_add(&r);
	assert_int_equal(r.n_notes, 1);
	assert_true(says(&r, "l1_hit_rate"));
	report_fini(&r);
}

TEST(test_notes_stay_few)
{
	struct report r = fine();

	r.exit = 1;
	r.runs = 1;
	add_poor(&r, "loads_per_tlb_miss");
	add_poor(&r, "l1_hit_rate");
	add_poor(&r, "branches_mispredicted");
	add_poor(&r, "ipc");
	add_poor(&r, "fma_percentage");
	advice_add(&r);
	assert_int_equal(r.n_notes, 5);
	assert_true(says(&r, "exit status is 1"));
	report_fini(&r);
}

RUN_ALL_TESTS
