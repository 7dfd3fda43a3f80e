/* SPDX-License-Identifier: BSD-3-Clause */
/* The metrics that come with the command: sound, grouped, explained. */
#include "tests/unit/testing.h"

#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "measure/metrics.h"

static void load(struct metrics *m, const char *pmu)
{
	struct diag diag = { .text = "" };

	memset(m, 0, sizeof(*m));
	if (metrics_init(m, pmu, &diag))
		fail_msg("%s:%zu: %s", diag.file ? diag.file : "", diag.line,
			 diag.text);
}

TEST(test_shipped_files_load_for_any_pmu)
{
	static const char *const pmus[] = { "", "icx", "sim-icx", "unheard" };
	struct metrics m;

	for (size_t i = 0; i < ARRAY_SIZE(pmus); i++) {
		load(&m, pmus[i]);
		assert_true(m.n >= 6);
		metrics_fini(&m);
	}
}

/* The rows of Table 1 of the 2001 paper, by what the file calls them. */
TEST(test_table_1_is_complete)
{
	static const char *const rows[] = {
		"user_time",
		"utilization",
		"ipc",
		"mips",
		"ins_per_icache_miss",
		"total_ls",
		"lsu_idle",
		"ins_per_ls",
		"loads_per_load_miss",
		"stores_per_store_miss",
		"loads_per_l2_load_miss",
		"stores_per_l2_store_miss",
		"loads_per_tlb_miss",
		"ls_per_d1_miss",
		"l1_hit_rate",
		"l2_hit_rate",
		"snoop_hit_ratio",
		"fp_ins_per_cycle",
		"fp_operations",
		"fp_rate",
		"computation_intensity",
		"fma_percentage",
		"fixed_point_ins",
		"branches_mispredicted",
	};
	const struct metric_file *file;
	struct metrics m;

	load(&m, "");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!metrics_find(&m, rows[i], &file))
			fail_msg("%s is missing", rows[i]);
		assert_string_equal(file->name, "hpm");
	}
	assert_null(metrics_find(&m, "no_such_metric", &file));
	metrics_fini(&m);
}

static bool has(const struct selection *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->names[i], name) == 0)
			return true;
	return false;
}

TEST(test_groups_are_files_and_categories)
{
	struct selection by_file = { 0 }, by_category = { 0 }, none = { 0 };
	struct metrics m;
	char *names;

	load(&m, "");
	assert_int_equal(metrics_add_events(&m, "hpm", &by_file), 0);
	assert_true(has(&by_file, "PAPI_TOT_CYC"));
	assert_true(has(&by_file, "PAPI_BR_MSP"));
	assert_false(has(&by_file, "wall_s"));
	assert_false(has(&by_file, "#"));
	assert_int_equal(metrics_add_events(&m, "Branches", &by_category), 0);
	assert_true(has(&by_category, "PAPI_BR_MSP"));
	assert_false(has(&by_category, "PAPI_L1_ICM"));
	assert_int_equal(metrics_add_events(&m, "none such", &none),
			 PAPI_ENOEVNT);
	names = metrics_group_names(&m);
	assert_non_null(strstr(names, "hpm"));
	assert_non_null(strstr(names, "branches"));
	free(names);
	selection_fini(&by_file);
	selection_fini(&by_category);
	metrics_fini(&m);
}

TEST(test_thresholds_are_spelled_out)
{
	const struct metric_file *file;
	const struct metric *metric;
	struct metrics m;
	char *text;

	load(&m, "");
	metric = metrics_find(&m, "l1_hit_rate", &file);
	text = metrics_threshold(metric->def);
	assert_string_equal(text, "good >= 95, poor < 80");
	free(text);
	text = metrics_goal(metric->def);
	assert_string_equal(text, ">= 95");
	free(text);
	metric = metrics_find(&m, "total_ls", &file);
	assert_null(metrics_threshold(metric->def));
	assert_null(metrics_goal(metric->def));
	metrics_fini(&m);
}

TEST(test_simulated_pmus_have_their_own_sections)
{
	struct selection sim = { 0 }, other = { 0 };
	struct metrics m;

	load(&m, "sim-icx");
	assert_int_equal(metrics_add_events(&m, "hpm", &sim), 0);
	metrics_fini(&m);
	load(&m, "icx");
	assert_int_equal(metrics_add_events(&m, "hpm", &other), 0);
	metrics_fini(&m);
	assert_false(has(&sim, "PAPI_CA_SNP"));
	assert_true(has(&other, "PAPI_CA_SNP"));
	selection_fini(&sim);
	selection_fini(&other);
}

TEST(test_a_bad_file_names_its_line)
{
	struct metrics m = { 0 };
	struct diag diag = { .text = "" };

	assert_int_not_equal(
		metrics_load(&m, FIXTURES "/metrics/broken.txt", "", &diag), 0);
	assert_int_equal(diag.line, 3);
	assert_int_not_equal(metrics_load(&m, "/no/such/file", "", &diag), 0);
	assert_int_equal(m.n, 0);
	metrics_fini(&m);
}

RUN_ALL_TESTS
