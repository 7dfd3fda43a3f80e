/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "User-defined events for hardware performance monitoring" (Moore, Ralph
 * 2011): its example file through the library, and its models of cycles,
 * local cycles per instruction, roofline, bandwidth and power, of kernels on
 * a simulated machine.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/regression.h"
#include "base/array.h"
#include "papers/kernel_runs.h"
#include "papers/user_events.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)

/* Figure 1, but for the spelling of its constants as they are measured. */
static const char figure_1[] =
	"#define BR_lat 5\n"
	"#define BR_miss_lat 45\n"
	"#define L1_lat 3\n"
	"#define L2_lat 13\n"
	"#define Mem_lat 450\n"
	"Branch_cat, PAPI_BR_INS|BR_lat|*|PAPI_BR_MSP|BR_miss_lat|*|+|"
	"PAPI_TOT_INS|/\n"
	"Mem_cat, PAPI_L1_DCA|L1_lat|*|PAPI_L2_DCA|L2_lat|*|+|PAPI_L2_DCM|"
	"Mem_lat|*|+\n";

/* What the HPC Challenge programs are in the paper: each stresses a part. */
static const struct papers_work works[] = {
	{ "additions", "fp/d1/add", 4000, 0, 0, 0 },
	{ "multiply-adds", "fp/d256/fma", 4000, 0, 0, 0 },
	{ "divisions", "fp/d1/div", 2000, 0, 0, 0 },
	{ "integers", "int/add", 4000, 0, 0, 0 },
	{ "loop", "branch/7", 4000, 0, 0, 0 },
	{ "random branches", "count/mispredict", 4000, 0, 0, 0 },
	{ "data in L1", "cache/read", 20000, 16 * KIB, 64, 0 },
	{ "data in L2", "cache/read", 20000, 128 * KIB, 256, 0 },
	{ "data in L3", "cache/read", 40000, 8 * MIB, 256, 0 },
	{ "data in memory", "cache/read", 60000, 64 * MIB, 1024, 0 },
	{ "updates in memory", "cache/write", 60000, 64 * MIB, 1024, 0 },
	{ "stream", "prefetch/sequential", 200000, 12 * MIB, 64, 0 },
	{ "many pages", "tlb/read", 20000, 2560 * 4 * KIB, 4096, 0 },
	{ "code in L2", "code/lines", 20000, 256 * KIB, 64, 0 },
	{ "code in many pages", "code/pages", 20000, 2560 * 4 * KIB, 4096, 0 },
};
#define WORKS ARRAY_SIZE(works)

/* Figure 2's categories, and which one is the largest of each work. */
static const struct {
	const char *name, *metric;
} categories[] = {
	{ "data", "lcpi_data" },     { "code", "lcpi_instruction" },
	{ "FP", "lcpi_fp" },         { "branches", "lcpi_branch" },
	{ "dTLB", "lcpi_data_tlb" }, { "iTLB", "lcpi_instruction_tlb" },
};
#define CATEGORIES 6

enum {
	DATA,
	CODE,
	FP,
	BRANCHES,
	DATA_TLB,
	CODE_TLB,
	ANY, /* more than one */
	NONE /* what takes its time is in none of them */
};

static const int largest[WORKS] = {
	FP,   FP,   FP,   NONE, ANY,  BRANCHES, DATA, DATA,
	DATA, DATA, DATA, DATA, DATA, CODE,     ANY,
};

/* Works that wait for a chain of integer operations, which are in no category:
 * random branches are decided by numbers that such a chain makes. */
static bool has_integer_chain(size_t work)
{
	return largest[work] == NONE || largest[work] == BRANCHES;
}

/* ---- Figure 1 ---- */

static int count_all(struct papers *papers, struct papers_lab *lab)
{
	static const char *const groups[] = { "lcpi", "cycles", "roofline",
					      "bandwidth", NULL };
	static const char *const extra[] = {
		"PAPI_BR_INS", "PAPI_BR_MSP", "PAPI_L1_DCA", "PAPI_L2_DCA",
		"PAPI_L2_DCM", "PAPI_L3_DCA", "PAPI_L3_DCH", "PAPI_RES_STL",
		"Branch_cat",  "Mem_cat",     NULL
	};
	const struct papers_plan plan = {
		.model = "icx",
		.works = works,
		.n = WORKS,
		.groups = groups,
		.extra = extra,
		.repeats = 1,
	};
	struct papers_events events;
	int status = papers_events_set(papers, figure_1, &events);

	if (!status)
		status = papers_lab_open(papers, &plan, lab);
	papers_events_reset(&events);
	return status;
}

static void make_figure_1(struct papers *papers, const struct papers_lab *lab)
{
	size_t good = 0;

	papers_print(papers,
		     "Figure 1: user-defined events as the library gives "
		     "them, and by hand\n%-20s %11s %9s %12s %12s\n",
		     "kernel", "Branch_cat", "by hand", "Mem_cat", "by hand");
	for (size_t i = 0; i < WORKS; i++) {
		double branch = (papers_lab_count(lab, i, "PAPI_BR_INS") * 5 +
				 papers_lab_count(lab, i, "PAPI_BR_MSP") * 45) /
				papers_lab_count(lab, i, "PAPI_TOT_INS");
		double memory = papers_lab_count(lab, i, "PAPI_L1_DCA") * 3 +
				papers_lab_count(lab, i, "PAPI_L2_DCA") * 13 +
				papers_lab_count(lab, i, "PAPI_L2_DCM") * 450;
		double got_branch = papers_lab_count(lab, i, "Branch_cat");
		double got_memory = papers_lab_count(lab, i, "Mem_cat");

		papers_print(papers, "%-20s %11.0f %9.3f %12.0f %12.0f\n",
			     works[i].name, got_branch, branch, got_memory,
			     memory);
		/* what the library gives is a whole number */
		good += fabs(got_branch - branch) <= 0.5 &&
			got_memory == memory;
	}
	papers_print(papers, "\n");
	papers_add(papers, "Figure 1", good == WORKS,
		   "Branch_cat and Mem_cat of the example file, counted as "
		   "events, equal their formulas computed by hand in %zu of "
		   "%zu kernels",
		   good, WORKS);
}

/* ---- Section 3.1 ---- */

/*
 * Cycles are counted as instructions retire, the others as they issue: what is
 * in flight at the beginning and the end of a kernel may be left over.
 */
#define IN_FLIGHT 0.02

static void make_cycles(struct papers *papers, const struct papers_lab *lab)
{
	double width = constants_get(&lab->constants, "issue_width");
	double worst = 0, fastest = 0;

	papers_print(papers,
		     "Section 3.1: cycles = retired + non-retired + stalls\n"
		     "%-20s %10s %10s %12s %10s\n",
		     "kernel", "cycles", "retired", "non-retired", "stalls");
	for (size_t i = 0; i < WORKS; i++) {
		double off = papers_lab_metric(lab, i, "cycles", "residual");

		papers_print(
			papers, "%-20s %10.0f %10.0f %12.0f %10.0f\n",
			works[i].name, papers_lab_count(lab, i, "PAPI_TOT_CYC"),
			papers_lab_metric(lab, i, "cycles", "retired_cycles"),
			papers_lab_metric(lab, i, "cycles",
					  "non_retired_cycles"),
			papers_lab_metric(lab, i, "cycles", "stall_cycles"));
		if (!(fabs(off) <= fabs(worst)))
			worst = off;
		fastest = fmax(fastest, papers_lab_metric(lab, i, "cycles",
							  "issue_rate"));
	}
	papers_print(papers, "\n");
	papers_add(papers, "Section 3.1, equation 1",
		   fabs(worst) < IN_FLIGHT && fastest <= width,
		   "retired, non-retired and stall cycles, each counted "
		   "separately, add up to all cycles within %.2g %%; at most "
		   "%.2f of %g instructions issue per cycle",
		   100 * fabs(worst), fastest, width);
}

/* ---- Figure 2 ---- */

static size_t find_largest(const double *values)
{
	size_t at = 0;

	for (size_t c = 1; c < CATEGORIES; c++)
		if (values[c] > values[at])
			at = c;
	return at;
}

static int draw_figure_2(struct papers *papers, double values[][CATEGORIES],
			 const double *cpi)
{
	struct chart_series series[CATEGORIES + 1];
	double x[WORKS], y[CATEGORIES][WORKS];

	for (size_t i = 0; i < WORKS; i++) {
		x[i] = (double)(i + 1);
		for (size_t c = 0; c < CATEGORIES; c++)
			y[c][i] = values[i][c];
	}
	for (size_t c = 0; c < CATEGORIES; c++)
		series[c] = (struct chart_series){ .name = categories[c].name,
						   .x = x,
						   .y = y[c],
						   .n = WORKS,
						   .line = CHART_POINTS };
	series[CATEGORIES] = (struct chart_series){ .name = "CPI, measured",
						    .x = x,
						    .y = cpi,
						    .n = WORKS,
						    .line = CHART_DASHED };
	return papers_draw(
		papers, "user-events-figure-2",
		&(struct chart){ .title = "Figure 2: CPI contributions of "
					  "instruction categories",
				 .x_label = "kernel, as in the table",
				 .y_label = "cycles per instruction",
				 .series = series,
				 .n = CATEGORIES + 1 });
}

static int make_figure_2(struct papers *papers, const struct papers_lab *lab)
{
	double values[WORKS][CATEGORIES], cpi[WORKS];
	size_t asked = 0, right = 0, above = 0, bounded = 0;

	papers_print(papers,
		     "Figure 2: upper bounds on what each category adds to "
		     "CPI (icx)\n%-20s",
		     "kernel");
	for (size_t c = 0; c < CATEGORIES; c++)
		papers_print(papers, " %8s", categories[c].name);
	papers_print(papers, " %8s\n", "CPI");
	for (size_t i = 0; i < WORKS; i++) {
		double sum = 0;

		papers_print(papers, "%-20s", works[i].name);
		for (size_t c = 0; c < CATEGORIES; c++) {
			values[i][c] = papers_lab_metric(lab, i, "lcpi",
							 categories[c].metric);
			sum += values[i][c];
			papers_print(papers, " %8.3f", values[i][c]);
		}
		cpi[i] = papers_lab_metric(lab, i, "lcpi", "cpi");
		papers_print(papers, " %8.3f\n", cpi[i]);
		asked += largest[i] < ANY;
		right += largest[i] < ANY &&
			 find_largest(values[i]) == (size_t)largest[i];
		bounded += !has_integer_chain(i);
		above += !has_integer_chain(i) && sum >= cpi[i];
	}
	papers_print(papers, "\n");
	papers_add(papers, "Figure 2", asked == right,
		   "the largest category is the one that the kernel stresses, "
		   "in %zu of %zu",
		   right, asked);
	papers_add(papers, "Section 3.1, upper bounds", above == bounded,
		   "the six categories together are at least the measured CPI "
		   "in %zu of %zu kernels; two with a chain of integer "
		   "operations, which belongs to none of them, are left out",
		   above, bounded);
	return draw_figure_2(papers, values, cpi);
}

/* ---- the roofline, and bandwidth ---- */

#define ROOF_POINTS 33

static int draw_roofline(struct papers *papers, const double *x,
			 const double *y, size_t n, double peak, double stream)
{
	double roof_x[ROOF_POINTS], roof_y[ROOF_POINTS];
	const struct chart_series series[] = {
		{ .name = "roof",
		  .x = roof_x,
		  .y = roof_y,
		  .n = ROOF_POINTS,
		  .line = CHART_DASHED },
		{ .name = "kernels",
		  .x = x,
		  .y = y,
		  .n = n,
		  .line = CHART_POINTS },
	};

	for (size_t i = 0; i < ROOF_POINTS; i++) {
		roof_x[i] = exp2((double)i - 8);
		roof_y[i] = fmin(peak, stream * roof_x[i]);
	}
	return papers_draw(papers, "user-events-roofline",
			   &(struct chart){ .title = "Section 3.2: roofline",
					    .x_label = "flop per byte of "
						       "memory traffic",
					    .y_label = "flop per cycle",
					    .x_scale = CHART_LOG2,
					    .series = series,
					    .n = 2 });
}

static int make_roofline(struct papers *papers, const struct papers_lab *lab)
{
	double peak = constants_get(&lab->constants, "flops_avx2_fma");
	double stream =
		constants_get(&lab->constants, "bytes_all_misses_in_flight");
	double x[WORKS], y[WORKS], best = 0;
	size_t n = 0, under = 0;

	for (size_t i = 0; i < WORKS; i++) {
		double rate = papers_lab_metric(lab, i, "roofline",
						"flops_per_cycle");
		double bytes = papers_lab_count(lab, i, "sim::DRAM:BYTES");
		double flops = papers_lab_count(lab, i, "PAPI_FP_OPS");

		if (!(flops > 0))
			continue;
		/* none at all from memory: as far right as the picture goes */
		x[n] = flops / fmax(bytes, flops / exp2(24));
		y[n] = rate;
		under += rate <= fmin(peak, stream * x[n]) * (1 + 1e-9);
		best = fmax(best, rate);
		n++;
	}
	papers_add(papers, "Section 3.2, roofline",
		   n > 0 && under == n && best > 0.8 * peak,
		   "%zu of %zu kernels with floating point lie below the roof; "
		   "the best reaches %.1f of %.0f flop per cycle",
		   under, n, best, peak);
	return draw_roofline(papers, x, y, n, peak, stream);
}

static size_t find(const char *name)
{
	for (size_t i = 0; i < WORKS; i++)
		if (strcmp(works[i].name, name) == 0)
			return i;
	return 0;
}

static void make_bandwidth(struct papers *papers, const struct papers_lab *lab)
{
	size_t memory = find("data in memory");
	double predicted = 64.0 * (double)works[memory].times;
	double counted =
		papers_lab_metric(lab, memory, "bandwidth", "memory_traffic");
	double written = papers_lab_metric(lab, find("updates in memory"),
					   "bandwidth", "memory_traffic");

	/* the line beside it comes with each: two lines a pair */
	papers_add(papers, "Section 3.2, memory bandwidth",
		   counted >= predicted && counted <= 2.02 * predicted &&
			   written > 1.4 * counted,
		   "%.0f bytes for %.0f requested from memory, one line or a "
		   "pair of lines each; %.0f when they are also written",
		   counted, predicted, written);
}

/* ---- power ---- */

/* Table 2's predictors that a simulated machine counts, per microsecond. */
static const struct {
	const char *event;
	double watts; /* for one in a microsecond, as in Table 2 by size */
} predictors[] = {
	{ "PAPI_TOT_INS", 0.0026 },  { "PAPI_L1_DCA", 0.0046 },
	{ "PAPI_L3_DCA", 0.0361 },   { "PAPI_L3_DCM", 0.2547 },
	{ "PAPI_RES_STL", -0.0049 },
};
#define PREDICTORS (ARRAY_SIZE(predictors) + 1) /* and the frequency */
#define STATES     4
#define SAMPLES    (WORKS * STATES)
#define BASE_WATTS 25.7593
#define RATIO      46.6053 /* watts by the ratio of frequencies */

/* Between -1 and 1, the same each time. */
static double noise(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

static void make_samples(const struct papers_lab *lab, double *x, double *y)
{
	double clock_hz = constants_get(&lab->constants, "clock_hz");
	uint64_t state = 88172645463325252ULL;

	for (size_t s = 0; s < SAMPLES; s++) {
		size_t i = s / STATES;
		double ratio = 0.55 + 0.15 * (double)(s % STATES);
		double cycles = papers_lab_count(lab, i, "PAPI_TOT_CYC");
		double us = cycles / (clock_hz * ratio) * 1e6;
		double *row = &x[s * PREDICTORS];

		y[s] = BASE_WATTS + RATIO * ratio;
		row[PREDICTORS - 1] = ratio;
		for (size_t p = 0; p + 1 < PREDICTORS; p++) {
			row[p] = papers_lab_count(lab, i, predictors[p].event) /
				 us;
			y[s] += predictors[p].watts * row[p];
		}
		y[s] *= 1 + 0.05 * noise(&state);
	}
}

static void make_power(struct papers *papers, const struct papers_lab *lab)
{
	static double x[SAMPLES * PREDICTORS], y[SAMPLES];
	const struct samples samples = { x, y, SAMPLES, PREDICTORS };
	struct validation v = { .median_ape = NAN };
	struct regression r = { 0 };

	make_samples(lab, x, y);
	if (regression_validate(&samples, 0, 10, &v) ||
	    regression_fit(&samples, 0, &r, NULL)) {
		papers_add(papers, "Section 3.3, Table 2", false,
			   "the samples do not determine a model");
		return;
	}
	papers_add(papers, "Section 3.3, Table 2",
		   v.median_ape <= 0.0532 &&
			   fabs(r.beta[PREDICTORS] - RATIO) < 0.25 * RATIO,
		   "power generated from counts with a model like Table 2's "
		   "and 5 %% noise, then fitted: median error %.2f %% in "
		   "cross-validation (the paper's model: 5.32 %%), %.1f W from "
		   "frequency of %.1f; there is no power meter here",
		   100 * v.median_ape, r.beta[PREDICTORS], RATIO);
	regression_fini(&r);
}

static int run_user_events(struct papers *papers)
{
	struct papers_lab lab = { 0 };
	int status = count_all(papers, &lab);

	if (status)
		return status;
	make_figure_1(papers, &lab);
	make_cycles(papers, &lab);
	status = make_figure_2(papers, &lab);
	if (!status)
		status = make_roofline(papers, &lab);
	make_bandwidth(papers, &lab);
	make_power(papers, &lab);
	papers_lab_close(&lab);
	return status ? status : user_events_hpcc(papers);
}

const struct paper paper_user_events = {
	.name = "user-events",
	.title = "User-defined events for hardware performance monitoring "
		 "(Moore, Ralph 2011)",
	.run = run_user_events,
};
