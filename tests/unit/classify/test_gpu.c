/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of a GPU, counted as an H200 counted them (tests/fixtures/gpu): what
 * they count, checked by hand against CUPTI's own texts, must be found again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classify/inside.h"
#include "tests/unit/testing.h"

#define MAX_EVENTS 256

/* Every kernel can be run, as far as planning goes. */
unsigned __wrap_kernel_lacks(unsigned needs);
unsigned __wrap_kernel_lacks(unsigned needs)
{
	(void)needs;
	return 0;
}

static struct classify_plan plan;
static struct experiment_event events[MAX_EVENTS];
static size_t n_events;
static struct experiment_result result;
static struct classification c;

static size_t bench_of(const char *kernel)
{
	for (size_t b = 0; b < plan.n_benches; b++)
		if (!strcmp(plan.benches[b].kernel->name + strlen("gpu/"),
			    kernel))
			return b;
	fail_msg("no kernel %s", kernel);
	return 0;
}

/* "event,kernel=number,..." */
static void read_event(char *line, double *slope)
{
	char *rest, *field = strtok_r(line, ",\n", &rest);

	events[n_events].name = strdup(field);
	while ((field = strtok_r(NULL, ",\n", &rest))) {
		char *equals = strchr(field, '=');

		assert_non_null(equals);
		*equals = '\0';
		slope[n_events * plan.n_benches + bench_of(field)] =
			atof(equals + 1);
	}
	n_events++;
}

static double *read_slopes(void)
{
	double *slope = calloc(MAX_EVENTS * plan.n_benches, sizeof(*slope));
	FILE *file = fopen(FIXTURES "/gpu/h200.csv", "r");
	char line[4096];

	assert_non_null(slope);
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (line[0] != '#')
			read_event(line, slope);
	fclose(file);
	return slope;
}

static int set_up(void **state)
{
	static const struct kernel_machine machine = { .line_bytes = 64 };
	static const char *const patterns[] = { "gpu/*", NULL };
	double *slope;

	(void)state;
	if (classify_plan_make(&plan, &machine, (char *const *)patterns))
		return -1;
	slope = read_slopes();
	result = (struct experiment_result){
		.events = events,
		.n_events = n_events,
		.n_units = plan.n_units,
		.repeats = 1,
		.sets = 1,
		.counters = 8,
		.counts = calloc(plan.n_units * n_events, sizeof(double)),
	};
	for (size_t u = 0; u < plan.n_units; u++)
		for (size_t e = 0; e < n_events; e++)
			result.counts[u * n_events + e] =
				slope[e * plan.n_benches +
				      bench_of(plan.units[u].kernel->name +
					       strlen("gpu/"))] *
				(double)plan.units[u].point.times;
	free(slope);
	return classify(&c, &plan, &result);
}

static int tear_down(void **state)
{
	(void)state;
	classification_fini(&c);
	classify_plan_fini(&plan);
	free(result.counts);
	for (size_t i = 0; i < n_events; i++)
		free(events[i].name);
	return 0;
}

/* What was found on the chip and checked by hand: docs/gpu-h200.md. */
static const struct {
	const char *event, *counts;
} known[] = {
	{ "smsp__inst_executed", "GPU_INS" },
	{ "smsp__thread_inst_executed", "32 GPU_INS" },
	{ "smsp__inst_executed_pipe_fp64", "GPU_DP" },
	{ "smsp__inst_executed_pipe_xu", "GPU_POPC + GPU_MUFU + GPU_ROUND" },
	{ "smsp__inst_executed_pipe_lsu", "GPU_LSU" },
	{ "smsp__inst_executed_op_global_ld", "GPU_LOAD" },
	{ "smsp__inst_executed_op_shared_st", "GPU_STORE_SH" },
	{ "smsp__inst_executed_op_ldc", "GPU_CONSTANT" },
	{ "smsp__sass_thread_inst_executed_op_ffma_pred_on", "32 GPU_FFMA" },
	{ "smsp__sass_thread_inst_executed_op_dfma_pred_on", "32 GPU_DFMA" },
	{ "smsp__sass_thread_inst_executed_op_hfma_pred_on", "32 GPU_HFMA" },
	{ "smsp__sass_thread_inst_executed_op_integer_pred_on",
	  "32 GPU_INTEGER" },
	{ "smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on",
	  "32 GPU_SHUFFLE" },
	{ "smsp__sass_inst_executed_op_memory_128b",
	  "GPU_LOAD_16 + GPU_STORE_16" },
	{ "smsp__sass_branch_targets_threads_divergent", "GPU_DIVERGE" },
	{ "smsp__sass_inst_executed_op_st", "GPU_STORE + GPU_STORE_SH" },
	{ "smsp__sass_data_bytes_mem_shared_op_ld",
	  "128 smsp__inst_executed_op_shared_ld" },
	{ "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld",
	  "GPU_BANK_LD" },
	{ "l1tex__t_sectors_pipe_lsu_mem_global_op_ld", "GPU_LD_SECTOR" },
	{ "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit",
	  "GPU_L1_HIT" },
	{ "dram__sectors_read", "GPU_DRAM_READ" },
	{ "dram__bytes_read", "32 GPU_DRAM_READ" },
	{ "lts__t_sectors_srcunit_tex_op_read", "GPU_L2_READ" },
};

static size_t event_of(const char *name)
{
	size_t i = 0;

	while (i < n_events && strcmp(events[i].name, name) != 0)
		i++;
	if (i == n_events)
		fail_msg("no event %s", name);
	return i;
}

TEST(test_what_was_checked_by_hand)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct classify_event *e =
			&c.events[event_of(known[i].event)];
		char *found =
			classify_is_known(e) ? classify_formula(&c, e) : NULL;

		if (!found || strcmp(found, known[i].counts) != 0)
			fail_msg("%s is %s, found: %s", known[i].event,
				 known[i].counts, found ? found : "nothing");
		free(found);
	}
}

TEST(test_most_get_a_class)
{
	size_t got = 0;

	for (size_t i = 0; i < n_events; i++)
		got += classify_is_known(&c.events[i]);
	assert_true(n_events > 200);
	assert_true(got * 4 > n_events * 3);
}

RUN_ALL_TESTS_WITH(set_up, tear_down)
