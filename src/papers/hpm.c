/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "The Hardware Performance Monitor Toolkit" (DeRose 2001): its derived
 * metrics, what counting costs and how little that varies, and its colours, of
 * kernels on a simulated machine.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "papers/kernel_runs.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)

static const struct papers_work works[] = {
	{ "additions", "fp/d1/add", 4000, 0, 0, 0 },
	{ "multiply-adds", "fp/d1/fma", 4000, 0, 0, 0 },
	{ "random branches", "count/mispredict", 4000, 0, 0, 0 },
	{ "data in L1", "cache/read", 20000, 16 * KIB, 64, 0 },
	{ "data in L2", "cache/write", 20000, 128 * KIB, 256, 0 },
	{ "data in L3", "cache/write", 40000, 8 * MIB, 256, 0 },
	{ "many pages", "tlb/write", 20000, 2560 * 4 * KIB, 4096, 0 },
	{ "stores to L3", "cache/store", 20000, 8 * MIB, 256, 0 },
	{ "code in L2", "code/lines", 20000, 128 * KIB, 64, 0 },
};
#define WORKS ARRAY_SIZE(works)

enum {
	ADDITIONS,
	MULTIPLY_ADDS,
	RANDOM,
	IN_L1,
	IN_L2,
	IN_L3,
	PAGES,
};

/* ---- Table 1 ---- */

/* Its rows, in its order. */
static const char *const table_1[] = {
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
#define METRICS 24

/* The same by hand, from the paper's column "Method". */
static void by_hand(const struct papers_lab *lab, size_t i, double *out)
{
	double hz = constants_get(&lab->constants, "clock_hz");
#define COUNT(name) papers_lab_count(lab, i, "PAPI_" name)
	double cycles = COUNT("TOT_CYC"), ins = COUNT("TOT_INS");
	double loads = COUNT("LD_INS"), stores = COUNT("SR_INS");
	double l1_loads = COUNT("L1_LDM"), l1_stores = COUNT("L1_STM");
	double l2_loads = COUNT("L2_LDM"), l2_stores = COUNT("L2_STM");
	double fp = COUNT("FP_INS"), fma = COUNT("FMA_INS");
	double ls = loads + stores, seconds = cycles / hz;
	const double values[METRICS] = {
		cycles / hz,
		cycles / hz / seconds,
		ins / cycles,
		ins / (1e6 * seconds),
		ins / COUNT("L1_ICM"),
		ls,
		100 * COUNT("LSU_IDL") / cycles,
		ins / ls,
		loads / l1_loads,
		stores / l1_stores,
		loads / l2_loads,
		stores / l2_stores,
		loads / COUNT("TLB_DM"),
		ls / (l1_loads + l1_stores),
		100 * (1 - (l1_loads + l1_stores) / ls),
		100 * (1 - (l2_loads + l2_stores) / ls),
		100 * papers_lab_count(lab, i, "SNOOP:HIT") /
			papers_lab_count(lab, i, "SNOOP:SENT"),
		fp / cycles,
		fp + fma,
		(fp + fma) / (1e6 * seconds),
		(fp + fma) / ls,
		100 * (fma * 2) / (fp + fma),
		COUNT("INT_INS"),
		100 * COUNT("BR_MSP") / COUNT("BR_INS"),
	};
#undef COUNT

	memcpy(out, values, sizeof(values));
}

/* A quotient by nothing has no value. */
static bool is_same(double got, double due)
{
	if (!isfinite(due))
		return isnan(got);
	return fabs(got - due) <= 1e-9 * fabs(due);
}

static void make_table_1(struct papers *papers, const struct papers_lab *lab)
{
	double due[WORKS][METRICS], got[WORKS][METRICS];
	size_t same = 0, shown = 0;

	for (size_t i = 0; i < WORKS; i++) {
		by_hand(lab, i, due[i]);
		for (size_t k = 0; k < METRICS; k++) {
			got[i][k] =
				papers_lab_metric(lab, i, "hpm", table_1[k]);
			same += is_same(got[i][k], due[i][k]);
		}
	}
	papers_print(papers, "Table 1: derived metrics\n%-24s", "metric");
	for (size_t i = 0; i < WORKS; i++)
		papers_print(papers, " %15s", works[i].name);
	papers_print(papers, "\n");
	for (size_t k = 0; k < METRICS; k++) {
		bool any = false;

		papers_print(papers, "%-24s", table_1[k]);
		for (size_t i = 0; i < WORKS; i++) {
			any |= isfinite(got[i][k]);
			if (isfinite(got[i][k]))
				papers_print(papers, " %15.5g", got[i][k]);
			else
				papers_print(papers, " %15s", "-");
		}
		papers_print(papers, "\n");
		shown += any;
	}
	papers_print(papers, "\n");
	papers_add(papers, "Table 1",
		   same == WORKS * METRICS && shown + 1 >= METRICS,
		   "%zu of %zu values of its %d metrics equal the paper's "
		   "formulas computed by hand; %zu metrics have values (with "
		   "one core there is no snooping)",
		   same, WORKS * METRICS, METRICS, shown);
}

/* ---- section 4.2 ---- */

static const struct metric *find_metric(const struct papers_lab *lab,
					const char *name)
{
	for (size_t f = 0; f < lab->metrics.n; f++)
		if (strcmp(lab->metrics.files[f].name, "hpm") == 0)
			return metric_set_find(lab->metrics.files[f].set, name);
	return NULL;
}

static void make_colours(struct papers *papers, const struct papers_lab *lab)
{
	static const struct {
		size_t work;
		const char *metric;
		int verdict; /* as def_verdict() has it */
	} rows[] = {
		{ IN_L1, "l1_hit_rate", 1 },
		{ IN_L3, "l1_hit_rate", -1 },
		{ IN_L2, "l2_hit_rate", 1 },
		{ IN_L3, "l2_hit_rate", -1 },
		{ IN_L1, "ins_per_ls", 1 },
		{ IN_L2, "loads_per_load_miss", -1 },
		{ PAGES, "loads_per_tlb_miss", -1 },
		{ MULTIPLY_ADDS, "fma_percentage", 1 },
		{ ADDITIONS, "fma_percentage", -1 },
		{ RANDOM, "branches_mispredicted", -1 },
		{ ADDITIONS, "branches_mispredicted", 1 },
		{ ADDITIONS, "ipc", 1 },
		{ IN_L3, "ipc", -1 },
	};
	STRBUF(off);
	size_t good = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct metric *metric = find_metric(lab, rows[i].metric);
		double value = papers_lab_metric(lab, rows[i].work, "hpm",
						 rows[i].metric);

		if (metric &&
		    def_verdict(metric->def, value) == rows[i].verdict)
			good++;
		else
			strbuf_addf(&off, "; not %s of %s (%.4g)",
				    rows[i].metric, works[rows[i].work].name,
				    value);
	}
	papers_add(papers, "Section 4.2", good == ARRAY_SIZE(rows),
		   "%zu of %zu metrics are green or red as expected for the "
		   "kernel%s",
		   good, ARRAY_SIZE(rows), strbuf_text(&off));
}

static int make_metrics(struct papers *papers)
{
	static const char *const groups[] = { "hpm", NULL };
	const struct papers_plan plan = {
		.model = "icx",
		.works = works,
		.n = WORKS,
		.groups = groups,
		.repeats = 1,
	};
	struct papers_lab lab;
	int status = papers_lab_open(papers, &plan, &lab);

	if (status)
		return status;
	make_table_1(papers, &lab);
	make_colours(papers, &lab);
	papers_lab_close(&lab);
	return 0;
}

/* ---- Tables 2 and 3: what counting costs ---- */

#define CALLS 1000

static const struct {
	const char *name, *event;
	double paper;    /* Table 2 and 3: what it was in 2001 */
	double paper_sd; /* Table 3; 0: it was constant */
} costs[] = {
	{ "cycles", "PAPI_TOT_CYC", 285, 15.27 },
	{ "instructions", "PAPI_TOT_INS", 234, 0 },
	{ "stores", "PAPI_SR_INS", 40, 0 },
	{ "loads", "PAPI_LD_INS", 69, 0 },
	{ "fixed point", "PAPI_INT_INS", 93, 0 },
	{ "load misses", "PAPI_L1_LDM", 0.004, 0.077 },
	{ "TLB misses", "PAPI_TLB_DM", 0.023, 0.150 },
};
#define IN_TABLE_2 5

static double mean_of(const struct papers_lab *lab, const char *event,
		      double *sd)
{
	double sum = 0, squares = 0;

	for (unsigned r = 0; r < CALLS; r++)
		sum += papers_lab_repeat(lab, 0, event, r);
	sum /= CALLS;
	for (unsigned r = 0; r < CALLS; r++) {
		double off = papers_lab_repeat(lab, 0, event, r) - sum;

		squares += off * off;
	}
	*sd = sqrt(squares / (CALLS - 1));
	return sum;
}

static void put_costs(struct papers *papers, const struct papers_lab *lab)
{
	size_t cheap = 0, steady = 0;

	papers_print(papers,
		     "Tables 2 and 3: start and stop of the counters, %d "
		     "times\n%-14s %10s %10s %12s %12s\n",
		     CALLS, "", "average", "std. dev.", "2001: avg.",
		     "2001: s. d.");
	for (size_t i = 0; i < ARRAY_SIZE(costs); i++) {
		double sd, mean = mean_of(lab, costs[i].event, &sd);

		papers_print(papers, "%-14s %10.3f %10.3f %12.3f %12.3f\n",
			     costs[i].name, mean, sd, costs[i].paper,
			     costs[i].paper_sd);
		cheap += i < IN_TABLE_2 && mean <= costs[i].paper;
		steady += sd <= costs[i].paper_sd;
	}
	papers_print(papers, "\n");
	papers_add(papers, "Table 2", cheap == IN_TABLE_2,
		   "starting and stopping costs no more than in 2001 in %zu of "
		   "%d respects",
		   cheap, IN_TABLE_2);
	papers_add(
		papers, "Table 3", steady == ARRAY_SIZE(costs),
		"in %zu of %zu respects it varies no more than in 2001, over "
		"%d calls",
		steady, ARRAY_SIZE(costs), CALLS);
}

/* What one call costs taken from a thousand others leaves nothing. */
static void put_compensation(struct papers *papers,
			     const struct papers_lab *lab)
{
	double worst = 0;

	for (size_t i = 1; i < IN_TABLE_2; i++) {
		double one = papers_lab_repeat(lab, 0, costs[i].event, 0);

		for (unsigned r = 1; r < CALLS; r++)
			worst = fmax(worst,
				     fabs(papers_lab_repeat(lab, 0,
							    costs[i].event, r) -
					  one));
	}
	papers_add(papers, "Section 3.2, compensation", worst == 0,
		   "after subtracting the cost of one call, at most %.0f "
		   "instructions, loads, stores or fixed-point operations "
		   "remain in any of %d empty sections",
		   worst, CALLS - 1);
}

static int draw_cycles(struct papers *papers, const struct papers_lab *lab)
{
	static double x[CALLS], y[CALLS];
	const struct chart_series series = { .name = "cycles",
					     .x = x,
					     .y = y,
					     .n = CALLS,
					     .line = CHART_POINTS };

	for (unsigned r = 0; r < CALLS; r++) {
		x[r] = r + 1;
		y[r] = papers_lab_repeat(lab, 0, "PAPI_TOT_CYC", r);
	}
	return papers_draw(papers, "hpm-table-3",
			   &(struct chart){ .title = "Table 3: cycles of start "
						     "and stop",
					    .x_label = "call",
					    .y_label = "cycles",
					    .series = &series,
					    .n = 1 });
}

static int make_costs(struct papers *papers)
{
	static const struct papers_work nothing = { "nothing", "null", 1,
						    0,         0,      0 };
	static const char *const groups[] = { NULL };
	const char *events[ARRAY_SIZE(costs) + 1] = { NULL };
	const struct papers_plan plan = {
		.model = "icx",
		.works = &nothing,
		.n = 1,
		.groups = groups,
		.extra = events,
		.repeats = CALLS,
	};
	struct papers_lab lab;
	int status;

	for (size_t i = 0; i < ARRAY_SIZE(costs); i++)
		events[i] = costs[i].event;
	status = papers_lab_open(papers, &plan, &lab);
	if (status)
		return status;
	put_costs(papers, &lab);
	put_compensation(papers, &lab);
	status = draw_cycles(papers, &lab);
	papers_lab_close(&lab);
	return status;
}

static int run_hpm(struct papers *papers)
{
	int status = make_metrics(papers);

	return status ? status : make_costs(papers);
}

const struct paper paper_hpm = {
	.name = "hpm",
	.title = "The Hardware Performance Monitor Toolkit (DeRose 2001)",
	.run = run_hpm,
};
