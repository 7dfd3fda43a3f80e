/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where there is no time for all kernels, those that are chosen tell more than
 * those that come first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "classify/inside.h"
#include "tests/unit/testing.h"

static const struct kernel_machine machine = {
	.lru = true,
	.in_order = true,
	.line_bytes = 64,
	.page_bytes = 4096,
	.l1i = { 32768, 8, 5 },
	.l1d = { 49152, 12, 5 },
	.l2 = { 1310720, 20, 14 },
	.l3 = { 50331648, 12, 70 },
	.itlb = { 128, 8 },
	.dtlb = { 64, 4 },
	.stlb = { 2048, 16 },
	.history = 194,
	.ras = 16,
};

/* What the events count: something of each part of a processor. */
static const char *const counted[] = {
	"INS",        "BR_COND",       "BR_TAKEN", "BR_MISP", "BR_COND_EXEC",
	"BR_RET",     "LOADS",         "STORES",   "FP_ADD",  "FP_MUL",
	"FP_DIV",     "FP_SQRT",       "LOAD_1",   "STORE_4", "INT_MUL",
	"SPLIT_LOAD", "L1D_LOAD_MISS", "FENCE",    "INT_DIV", "L1D_WB",
	"WALK_LOAD",  "L2_LOAD_MISS",  "BR_CALL",  "SYSCALL",
};
#define EVENTS ARRAY_SIZE(counted)

static struct classify_plan plan;
static struct classify_terms terms;
static size_t term[EVENTS], *bench_of;
static struct experiment_event events[EVENTS];
static struct experiment_result result;
static bool *taken;

static int set_up(void **state)
{
	(void)state;
	if (classify_plan_all(&plan, &machine, NULL))
		return -1;
	if (classify_terms_make(&terms, &plan))
		return -1;
	for (size_t e = 0; e < EVENTS; e++) {
		events[e].name = (char *)counted[e];
		term[e] = classify_term_find(counted[e]);
		if (term[e] == terms.n)
			return -1;
	}
	bench_of = calloc(plan.n_units, sizeof(*bench_of));
	for (size_t b = 0; b < plan.n_benches; b++)
		for (size_t i = 0; i < plan.benches[b].n; i++)
			bench_of[plan.benches[b].first + i] = b;
	result = (struct experiment_result){
		.events = events,
		.n_events = EVENTS,
		.n_units = plan.n_units,
		.repeats = 1,
		.sets = 1,
		.counters = 8,
		.counts = calloc(plan.n_units * EVENTS, sizeof(double)),
		.reasons = calloc(plan.n_units, sizeof(char *)),
	};
	taken = calloc(plan.n_units, sizeof(*taken));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	classify_terms_fini(&terms);
	classify_plan_fini(&plan);
	free(bench_of);
	free(result.counts);
	free(result.reasons);
	free(taken);
	return 0;
}

static void forget(void)
{
	for (size_t i = 0; i < plan.n_units * EVENTS; i++)
		result.counts[i] = NAN;
	memset(taken, 0, plan.n_units * sizeof(*taken));
}

/* Run a unit; what it costs. */
static double count(size_t unit)
{
	double times = (double)plan.units[unit].point.times, ins;
	size_t b = bench_of[unit];

	for (size_t e = 0; e < EVENTS; e++) {
		double each = terms.value[term[e] * terms.benches + b];

		result.counts[unit * EVENTS + e] =
			(isnan(each) ? 0 : each * times) + 3;
	}
	taken[unit] = true;
	ins = terms.value[CONCEPT_INS * terms.benches + b];
	return 1e5 + (isnan(ins) ? 10 : ins) * times;
}

/* How many events have their class. */
static size_t count_right(void)
{
	struct classification c;
	size_t right = 0;

	assert_int_equal(classify(&c, &plan, &result), 0);
	for (size_t e = 0; e < EVENTS; e++)
		right += classify_counts(&c, e, term[e]);
	classification_fini(&c);
	return right;
}

static double cost_of_all(void)
{
	double cost = 0;

	forget();
	for (size_t u = 0; u < plan.n_units; u++)
		cost += count(u);
	return cost;
}

static size_t in_order(double budget)
{
	forget();
	for (size_t u = 0; budget > 0 && u < plan.n_units; u++)
		budget -= count(u);
	return count_right();
}

static size_t by_choice(double budget)
{
	struct classify_chooser *chooser = classify_chooser_new(&plan);

	assert_non_null(chooser);
	forget();
	while (budget > 0) {
		size_t u = classify_choose(chooser, &result, taken);

		if (u == plan.n_units)
			break;
		assert_false(taken[u]);
		budget -= count(u);
	}
	classify_chooser_free(chooser);
	return count_right();
}

/* What of all kernels' knowledge a share of their cost buys. */
TEST(test_chosen_kernels_tell_more_than_the_first_ones)
{
	static const double shares[] = { 0.05, 0.1, 0.25 };
	double all = cost_of_all();
	size_t most = count_right();

	assert_true(most >= EVENTS - 2);
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
		size_t first = in_order(shares[i] * all),
		       chosen = by_choice(shares[i] * all);

		print_message("%.0f %% of the time: of %zu events the first "
			      "kernels tell %zu, those chosen %zu\n",
			      100 * shares[i], most, first, chosen);
		assert_true(chosen > first);
		assert_true(shares[i] < 0.2 || chosen >= most - 1);
	}
}

TEST(test_every_unit_is_chosen_once)
{
	assert_true(by_choice(INFINITY) >= EVENTS - 2);
	for (size_t u = 0; u < plan.n_units; u++)
		assert_true(taken[u]);
}

TEST(test_the_lengths_of_a_kernel_stay_together)
{
	struct classify_chooser *chooser = classify_chooser_new(&plan);
	size_t changes = 0, last = plan.n_benches;

	assert_non_null(chooser);
	forget();
	for (size_t i = 0; i < plan.n_units; i++) {
		size_t u = classify_choose(chooser, &result, taken);

		changes += bench_of[u] != last;
		last = bench_of[u];
		count(u);
	}
	classify_chooser_free(chooser);
	assert_int_equal(changes, plan.n_benches);
}

RUN_ALL_TESTS_WITH(set_up, tear_down)
