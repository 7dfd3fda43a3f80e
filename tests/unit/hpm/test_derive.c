/* SPDX-License-Identifier: BSD-3-Clause */
/* Which metrics a section gets, and their verdicts. */
#include <math.h>
#include <string.h>

#include "hpm/derive.h"
#include "tests/unit/testing.h"

static struct hpm_event list[] = {
	{ .name = (char *)"PAPI_TOT_CYC" },
	{ .name = (char *)"PAPI_L1_ICM", .reason = (char *)"not here" },
	{ .name = (char *)"PAPI_TOT_INS" },
};
static const struct hpm_events events = { .list = list, .n = 3, .counted = 2 };

static const struct hpm_metric *find(const struct hpm_metrics *metrics,
				     const char *name)
{
	for (size_t i = 0; i < metrics->n; i++)
		if (strcmp(metrics->list[i].row->name, name) == 0)
			return &metrics->list[i];
	return NULL;
}

TEST(test_counted_events_decide_which_metrics_there_are)
{
	const double quantities[] = { 2, 1000, 3000000 };
	struct hpm_metrics metrics;

	derive_choose(&metrics, &events, false);
	assert_non_null(find(&metrics, "ipc"));
	assert_null(find(&metrics, "ins_per_icache_miss"));
	assert_null(find(&metrics, "total_ls"));
	assert_true(derive_value(&metrics, find(&metrics, "ipc"), quantities) ==
		    3000);
	assert_true(derive_value(&metrics, find(&metrics, "mips"),
				 quantities) == 1.5);
	metrics.clock_hz = 500;
	assert_true(derive_value(&metrics, find(&metrics, "user_time"),
				 quantities) == 2);
	assert_true(derive_value(&metrics, find(&metrics, "utilization"),
				 quantities) == 1);
	derive_fini(&metrics);
}

TEST(test_simulated_time_gives_no_metric)
{
	struct hpm_metrics metrics;

	derive_choose(&metrics, &events, true);
	assert_non_null(find(&metrics, "ipc"));
	assert_null(find(&metrics, "mips"));
	assert_null(find(&metrics, "user_time"));
	assert_null(find(&metrics, "utilization"));
	derive_fini(&metrics);
}

TEST(test_division_by_zero_has_no_value_and_no_verdict)
{
	const double quantities[] = { 2, 0, 10 };
	struct hpm_metrics metrics;
	double value;

	derive_choose(&metrics, &events, false);
	value = derive_value(&metrics, find(&metrics, "ipc"), quantities);
	assert_true(isnan(value));
	assert_null(derive_verdict(find(&metrics, "ipc")->row, value));
	derive_fini(&metrics);
}

static const struct metric_row *row_of(const char *name)
{
	const struct metric_row *row = metric_rows;

	while (row->name && strcmp(row->name, name) != 0)
		row++;
	return row;
}

TEST(test_verdicts_go_by_the_thresholds)
{
	const struct metric_row *ipc = row_of("ipc");
	const struct metric_row *branches = row_of("branches_mispredicted");
	const struct metric_row *hits = row_of("l1_hit_rate");

	assert_string_equal(derive_verdict(ipc, 1.1), "good");
	assert_string_equal(derive_verdict(ipc, 1.0), "fair");
	assert_string_equal(derive_verdict(ipc, 0.5), "fair");
	assert_string_equal(derive_verdict(ipc, 0.4), "poor");
	assert_string_equal(derive_verdict(branches, 1), "good");
	assert_string_equal(derive_verdict(branches, 11), "poor");
	assert_string_equal(derive_verdict(hits, 95), "good"); /* >= 95 */
	assert_null(derive_verdict(row_of("mips"), 5));
}

RUN_ALL_TESTS
