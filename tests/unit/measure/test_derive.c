/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics from made-up counts, against values worked out by hand. */
#include "tests/unit/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "measure/counting.h"

#define RUNS 2

/* Counts of two runs, for all of Table 1 that needs no clock rate. */
static struct {
	const char *name;
	long double values[RUNS];
} counts[] = {
	{ "PAPI_TOT_CYC", { 1000, 2000 } }, { "PAPI_TOT_INS", { 1500, 3000 } },
	{ "PAPI_L1_ICM", { 3, 6 } },        { "PAPI_LD_INS", { 400, 800 } },
	{ "PAPI_SR_INS", { 200, 400 } },    { "PAPI_LSU_IDL", { 250, 500 } },
	{ "PAPI_L1_LDM", { 40, 80 } },      { "PAPI_L1_STM", { 20, 40 } },
	{ "PAPI_L2_LDM", { 4, 8 } },        { "PAPI_L2_STM", { 2, 4 } },
	{ "PAPI_TLB_DM", { 8, 16 } },       { "PAPI_FP_INS", { 100, 200 } },
	{ "PAPI_FMA_INS", { 50, 100 } },    { "PAPI_INT_INS", { 700, 1400 } },
	{ "PAPI_BR_INS", { 200, 400 } },    { "PAPI_BR_MSP", { 10, 20 } },
	{ "PAPI_CA_SNP", { 20, 40 } },      { "PAPI_CA_ITV", { 5, 10 } },
};

struct bench {
	struct event_row events[ARRAY_SIZE(counts)];
	struct event_list measure;
	struct child_result results[RUNS];
	struct pmu pmu;
	struct run_result counted;
	struct metrics metrics;
	struct report report;
};

static char sim[] = "sim";
static char hw[] = "perf_event";

static void set_up(struct bench *b, enum pmu_kind kind)
{
	struct diag diag;

	memset(b, 0, sizeof(*b));
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		b->events[i] = (struct event_row){
			.name = counts[i].name,
			.source = kind == PMU_SIMULATED ? sim : hw,
			.values = counts[i].values,
			.wanted = true,
		};
	b->measure.events = b->events;
	b->measure.n = ARRAY_SIZE(counts);
	b->results[0].wall_ns = 1000000; /* 1 ms and 2 ms */
	b->results[1].wall_ns = 2000000;
	b->pmu.kind = kind;
	b->counted = (struct run_result){
		.pmu = &b->pmu,
		.measure = &b->measure,
		.results = b->results,
		.runs = RUNS,
	};
	assert_int_equal(metrics_init(&b->metrics, "", &diag), 0);
}

static void tear_down(struct bench *b)
{
	report_fini(&b->report);
	metrics_fini(&b->metrics);
}

static const struct report_metric *find(const struct bench *b, const char *name)
{
	for (size_t i = 0; i < b->report.n_metrics; i++)
		if (strcmp(b->report.metrics[i].name, name) == 0)
			return &b->report.metrics[i];
	return NULL;
}

static void derive(struct bench *b, const char *group)
{
	assert_int_equal(
		derive_metrics(&b->metrics, group, &b->counted, &b->report), 0);
}

TEST(test_table_1_equals_a_hand_calculation)
{
	static const struct {
		int line;
		const char *name;
		double value;
		enum report_verdict verdict;
	} rows[] = {
		{ __LINE__, "ipc", 1.5, REPORT_GOOD },
		{ __LINE__, "mips", 1.5, REPORT_NO_VERDICT },
		{ __LINE__, "ins_per_icache_miss", 500, REPORT_NO_VERDICT },
		{ __LINE__, "total_ls", 900, REPORT_NO_VERDICT }, /* mean */
		{ __LINE__, "lsu_idle", 25, REPORT_NO_VERDICT },
		{ __LINE__, "ins_per_ls", 2.5, REPORT_GOOD },
		{ __LINE__, "loads_per_load_miss", 10, REPORT_FAIR },
		{ __LINE__, "stores_per_store_miss", 10, REPORT_FAIR },
		{ __LINE__, "loads_per_l2_load_miss", 100, REPORT_FAIR },
		{ __LINE__, "stores_per_l2_store_miss", 100, REPORT_FAIR },
		{ __LINE__, "loads_per_tlb_miss", 50, REPORT_POOR },
		{ __LINE__, "ls_per_d1_miss", 10, REPORT_FAIR },
		{ __LINE__, "l1_hit_rate", 90, REPORT_FAIR },
		{ __LINE__, "l2_hit_rate", 99, REPORT_GOOD },
		{ __LINE__, "snoop_hit_ratio", 25, REPORT_NO_VERDICT },
		{ __LINE__, "fp_ins_per_cycle", 0.1, REPORT_NO_VERDICT },
		{ __LINE__, "fp_operations", 225, REPORT_NO_VERDICT },
		{ __LINE__, "fp_rate", 0.15, REPORT_NO_VERDICT },
		{ __LINE__, "computation_intensity", 0.25, REPORT_POOR },
		{ __LINE__, "fma_percentage", 100.0 * 100 / 150, REPORT_FAIR },
		{ __LINE__, "fixed_point_ins", 1050, REPORT_NO_VERDICT },
		{ __LINE__, "branches_mispredicted", 5, REPORT_FAIR },
	};
	struct bench b;

	set_up(&b, PMU_HARDWARE);
	derive(&b, "hpm");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct report_metric *m = find(&b, rows[i].name);

		CHECK_AT(rows[i].line, m);
		CHECK_AT(rows[i].line,
			 fabs((double)m->number.value - rows[i].value) < 1e-9);
		CHECK_AT(rows[i].line, m->verdict == rows[i].verdict);
	}
	tear_down(&b);
}

TEST(test_spread_is_the_metrics_own)
{
	struct bench b;

	set_up(&b, PMU_HARDWARE);
	derive(&b, "hpm");
	/* both counts double, so the ratio stays the same in each run */
	assert_true(find(&b, "ipc")->number.stddev == 0);
	assert_true(find(&b, "total_ls")->number.stddev > 0);
	tear_down(&b);
}

TEST(test_no_rate_is_derived_from_simulated_time)
{
	struct bench b;

	set_up(&b, PMU_SIMULATED);
	derive(&b, "hpm");
	assert_true(isnan(find(&b, "mips")->number.value));
	assert_non_null(find(&b, "mips")->reason);
	assert_true(find(&b, "ipc")->number.value == 1.5);
	assert_true(find(&b, "ipc")->simulated);
	tear_down(&b);
}

TEST(test_metrics_of_absent_events_have_a_reason)
{
	static char why[] = "there is none";
	struct bench b;

	set_up(&b, PMU_HARDWARE);
	b.events[0].reason = why;
	derive(&b, "hpm");
	assert_true(isnan(find(&b, "ipc")->number.value));
	assert_non_null(strstr(find(&b, "ipc")->reason, why));
	assert_int_equal(find(&b, "ipc")->verdict, REPORT_NO_VERDICT);
	tear_down(&b);
}

TEST(test_metrics_that_nobody_asked_for_are_left_out)
{
	static char why[] = "there is none";
	struct bench b;

	set_up(&b, PMU_HARDWARE);
	b.measure.n = 1; /* only cycles */
	derive(&b, NULL);
	assert_null(find(&b, "ipc"));
	assert_non_null(find(&b, "user_time"));
	tear_down(&b);

	set_up(&b, PMU_HARDWARE);
	b.events[1].reason = why;
	b.events[1].wanted = false;
	derive(&b, "hpm");
	assert_null(find(&b, "ipc"));
	tear_down(&b);
}

TEST(test_one_formula_is_shown_once)
{
	struct bench b;
	size_t seen = 0;

	set_up(&b, PMU_HARDWARE);
	derive(&b, NULL);
	for (size_t i = 0; i < b.report.n_metrics; i++)
		seen += strcmp(b.report.metrics[i].formula,
			       "PAPI_TOT_INS / PAPI_TOT_CYC") == 0;
	assert_int_equal(seen, 1);
	tear_down(&b);
}

RUN_ALL_TESTS
