/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of events for libhpm, by metric and by name. */
#include <stdio.h>
#include <string.h>

#include "hpm/derive.h"
#include "hpm/sets.h"
#include "tests/unit/testing.h"

static char taken[2000];

static void take(void *context, const char *event)
{
	(void)context;
	strcat(strcat(taken, " "), event);
}

static bool expand(const char *word, bool simulated)
{
	taken[0] = '\0';
	return sets_expand(word, strlen(word), simulated, take, NULL);
}

TEST(test_a_set_has_the_events_of_its_metrics)
{
	assert_true(expand("branches", false));
	assert_string_equal(taken, " PAPI_BR_MSP PAPI_BR_INS");
	assert_true(expand("cache", false));
	assert_non_null(strstr(taken, "PAPI_L1_LDM"));
	assert_non_null(strstr(taken, "PAPI_CA_SNP"));
	assert_null(strstr(taken, "PAPI_BR_MSP"));
}

TEST(test_a_metric_has_its_events_and_no_time)
{
	assert_true(expand("mips", false));
	assert_string_equal(taken, " PAPI_TOT_INS");
	assert_true(expand("user_time", false));
	assert_string_equal(taken, " PAPI_TOT_CYC");
}

TEST(test_the_simulated_pmu_has_events_of_its_own)
{
	assert_true(expand("snoop_hit_ratio", true));
	assert_string_equal(taken, " SNOOP:HIT SNOOP:SENT");
}

TEST(test_a_blank_is_written_as_a_hyphen)
{
	assert_true(expand("floating-point", false));
	assert_non_null(strstr(taken, "PAPI_FP_INS"));
}

TEST(test_events_and_other_words_are_no_sets)
{
	static const char *const words[] = { "PAPI_TOT_INS", "cach", "caches",
					     "", "Cache" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		assert_false(expand(words[i], false));
}

TEST(test_every_metric_is_in_a_set)
{
	for (const struct metric_row *row = metric_rows; row->name; row++)
		assert_true(row->category[0]);
}

RUN_ALL_TESTS
