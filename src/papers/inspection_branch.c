/* SPDX-License-Identifier: BSD-3-Clause */
/* Table 1, and Figure 10: branches. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/goodness.h"
#include "analysis/slope.h"
#include "base/array.h"
#include "base/strbuf.h"
#include "console/console.h"
#include "lab/process.h"
#include "papers/inspection.h"

/* The paper's categories, and the simulated events that should count them. */
enum {
	CATEGORIES = 5,
	KERNELS = 7,
	LENGTHS = 4
};
static const enum concept categories[CATEGORIES] = {
	CONCEPT_BR_COND_EXEC, CONCEPT_BR_COND, CONCEPT_BR_TAKEN,
	CONCEPT_BR_DIRECT,    CONCEPT_BR_MISP,
};
static const char *const events[CATEGORIES] = {
	"sim::BR_INST_EXEC:COND",          "sim::BR_INST_RETIRED:COND",
	"sim::BR_INST_RETIRED:COND_TAKEN", "sim::BR_INST_RETIRED:DIRECT_JMP",
	"sim::BR_MISP_RETIRED:COND",
};

/* The paper's Table 1: rows as above, columns bench1 to bench7. */
static const double table_1[CATEGORIES][KERNELS] = {
	{ 2, 2, 2, 2, 2.5, 2, 1 },     { 2, 2, 2, 2, 2, 2, 1 },
	{ 1.5, 1, 2, 1.5, 1.5, 1, 1 }, { 0, 0, 0, 0, 0, 1, 0 },
	{ 0, 0, 0, 0.5, 0.5, 0, 0 },
};

static void plan_table(struct experiment_unit *units)
{
	for (int k = 0; k < KERNELS; k++)
		for (int n = 0; n < LENGTHS; n++) {
			char name[24];

			snprintf(name, sizeof(name), "branch/%d", k + 1);
			units[k * LENGTHS + n] = (struct experiment_unit){
				.kernel = kernels_find(name),
				.point = { .times = 2000u << n },
			};
		}
}

/* Slope of one cell, and how far chance may move it. */
static struct slope cell(const struct experiment_result *r,
			 const struct experiment_unit *units, size_t kernel,
			 size_t event, double sd, double *sigma)
{
	double x[LENGTHS], y[LENGTHS], mean = 0, xx = 0, sum = 0;
	struct slope s = { .slope = NAN };

	for (size_t n = 0; n < LENGTHS; n++) {
		size_t u = kernel * LENGTHS + n;

		x[n] = (double)units[u].point.times;
		y[n] = experiment_count(r, u, 0, event);
		mean += x[n] / LENGTHS;
	}
	for (size_t n = 0; n < LENGTHS; n++) {
		xx += (x[n] - mean) * (x[n] - mean);
		sum += (x[n] - mean) * (x[n] - mean) * x[n];
	}
	*sigma = sd * sqrt(sum) / xx;
	slope_fit(x, y, LENGTHS, &s);
	return s;
}

/* How far a cell may be off that is not left to chance. */
#define EXACT 0.01

/*
 * One row of the table: a category over the kernels. Only mispredictions are
 * given what chance may do to them.
 */
static void judge_row(const struct experiment_result *r,
		      const struct experiment_unit *units, size_t row,
		      struct strbuf *csv, struct inspection_verdict *v,
		      double *worst)
{
	const char *symbol = concepts[categories[row]].symbol;
	bool by_chance = categories[row] == CONCEPT_BR_MISP;

	strbuf_add(csv, symbol);
	for (size_t k = 0; k < KERNELS; k++) {
		double expect[CONCEPT_COUNT], sd[CONCEPT_COUNT], sigma, off;
		const struct kernel_machine any = { .line_bytes = 64 };
		double most = EXACT;
		struct slope s;

		kernel_expect(units[k * LENGTHS].kernel,
			      &units[k * LENGTHS].point, &any, expect, sd);
		s = cell(r, units, k, row, sd[categories[row]], &sigma);
		off = fabs(s.slope - table_1[row][k]);
		strbuf_addf(csv, ",%.4f", s.slope);
		if (by_chance && sigma > 0)
			most = 3 * sigma;
		else
			*worst = fmax(*worst, off);
		if (!(off <= most))
			inspection_fail(v,
					"%s of bench%zu is %.4f, not %g "
					"within %.3f",
					symbol, k + 1, s.slope, table_1[row][k],
					most);
	}
	strbuf_add(csv, "\n");
}

static int make_table(struct inspection *i, const char *file,
		      struct inspection_verdict *v)
{
	struct experiment_unit units[KERNELS * LENGTHS];
	STRBUF(csv);
	struct experiment_result *r;
	double worst = 0;
	int status;

	plan_table(units);
	status = inspection_measure(i, "icx", events, CATEGORIES, units,
				    KERNELS * LENGTHS, &r);
	if (status)
		return status;
	strbuf_add(&csv, "category,bench1,bench2,bench3,bench4,bench5,bench6,"
			 "bench7\n");
	for (size_t row = 0; row < CATEGORIES; row++)
		judge_row(r, units, row, &csv, v, &worst);
	if (v->pass)
		snprintf(
			v->detail, sizeof(v->detail),
			"all 35 cells are within %.4f, mispredictions of "
			"random branches within three binomial standard errors",
			worst);
	status = inspection_keep(i, file, strbuf_text(&csv));
	experiment_free(r);
	return status;
}

int inspect_table1(struct inspection *i, struct inspection_verdict *v)
{
	return make_table(i, "table-1.csv", v);
}

/* The program that has the kernels as clang compiles them: beside the other,
 * where it was built. To be freed; NULL: there is none. */
static char *find_clang_worker(void)
{
	struct diag diag = { .text = "" };
	OWNED char *usual = process_find_program(&diag);
	STRBUF(path);

	if (usual)
		strbuf_addf(&path, "%s-clang", usual);
	if (path.len && access(path.text, X_OK) == 0)
		return strbuf_take(&path);
	return NULL;
}

int inspect_table1_clang(struct inspection *i, struct inspection_verdict *v)
{
	OWNED char *worker = find_clang_worker();
	int status;

	if (!worker) {
		v->skipped = true;
		snprintf(v->detail, sizeof(v->detail),
			 "clang was not installed when this command was built");
		return 0;
	}
	i->worker = worker;
	status = make_table(i, "table-1-clang.csv", v);
	i->worker = NULL;
	return status;
}

/* Section 3.4: what grows with the times correlates with them perfectly. */
int inspect_pearson(struct inspection *i, struct inspection_verdict *v)
{
	static const char *const any[] = {
		"sim::BR_INST_RETIRED:COND",
		"sim::INST_RETIRED:ANY",
		"sim::CPU_CLK_UNHALTED:CORE",
		"sim::MEM_INST_RETIRED:ALL_LOADS",
	};
	struct experiment_unit units[KERNELS * LENGTHS];
	struct experiment_result *r;
	double x[LENGTHS], y[LENGTHS], least = 1;
	int status;

	plan_table(units);
	status = inspection_measure(i, "icx", any, ARRAY_SIZE(any), units,
				    LENGTHS, &r);
	if (status)
		return status;
	for (size_t e = 0; e < ARRAY_SIZE(any); e++) {
		for (size_t n = 0; n < LENGTHS; n++) {
			x[n] = (double)units[n].point.times;
			y[n] = experiment_count(r, n, 0, e);
		}
		least = fmin(least, pearson(x, y, LENGTHS));
		if (!(pearson(x, y, LENGTHS) > 0.999))
			inspection_fail(v, "%s correlates only by %.4f", any[e],
					pearson(x, y, LENGTHS));
	}
	if (v->pass)
		snprintf(v->detail, sizeof(v->detail),
			 "branches, instructions, cycles and loads of bench1 "
			 "all correlate with its size by more than %.5f",
			 least - 5e-6);
	experiment_free(r);
	return 0;
}

/* Equation 1's product for a measured event @e as category @as. */
static double product_of(const struct experiment_result *r,
			 const struct experiment_unit *units, size_t e,
			 size_t as)
{
	double product = 1;

	for (size_t k = 0; k < KERNELS; k++) {
		double sigma;
		struct slope s = cell(r, units, k, e, 0, &sigma);

		product *= goodness_of(s.slope, s.r2, table_1[as][k]);
	}
	return product;
}

/*
 * Each event is best as its own category, but retired branches are also 0.607
 * of executed ones: exp(-2 (2 - 2.5)^2).
 */
int inspect_goodness(struct inspection *i, struct inspection_verdict *v)
{
	struct experiment_unit units[KERNELS * LENGTHS];
	struct experiment_result *r;
	double near;
	int status;

	plan_table(units);
	status = inspection_measure(i, "icx", events, CATEGORIES, units,
				    KERNELS * LENGTHS, &r);
	if (status)
		return status;
	for (size_t e = 0; e < CATEGORIES; e++)
		for (size_t as = 0; as < CATEGORIES; as++) {
			double own = product_of(r, units, e, e);

			if (own < 0.99 ||
			    (as != e && product_of(r, units, e, as) >= own))
				inspection_fail(
					v, "%s does not score best as itself",
					events[e]);
		}
	near = product_of(r, units, 1, 0);
	if (fabs(near - exp(-0.5)) > 1e-3)
		inspection_fail(v, "CR is %.4f of CE, not 0.6065", near);
	if (v->pass)
		snprintf(v->detail, sizeof(v->detail),
			 "each event scores best in its own category; a "
			 "perfect CR still scores %.4f as CE",
			 near);
	experiment_free(r);
	return 0;
}

/* Figure 10. */

enum {
	RATES = 15, /* K from 2 to 16 */
	TIMES = 160000
};

/*
 * A counter's mistakes come in runs, which makes their number vary more than
 * that of independent ones: 1.8 times at K = 4 in the variance, less elsewhere.
 */
#define CHAIN 1.8

/* A random condition that holds once in k times, on two predictors. */
struct rates {
	double k[RATES], naive[RATES], form[RATES];
	double measured[RATES], error[RATES]; /* of the model itself */
	double two_bits[RATES];
};

static void plan_rates(struct experiment_unit *units, struct rates *rates)
{
	for (uint32_t n = 0; n < RATES; n++) {
		double k = n + 2, less = k - 1, m = less / (less * less + 1);

		units[n] = (struct experiment_unit){
			.kernel = kernels_find("branch/rate"),
			.point = { .times = TIMES, .k = n + 2 },
		};
		rates->k[n] = k;
		rates->naive[n] = 2 + 1 / k;
		rates->form[n] = 2 + m;
		rates->error[n] = sqrt(CHAIN * m * (1 - m) / TIMES);
	}
}

static int measure_rates(const struct inspection *i, const char *model,
			 const struct experiment_unit *units, double *executed)
{
	struct experiment_result *r;
	int status = inspection_measure(i, model, events, 1, units, RATES, &r);

	if (status)
		return status;
	for (size_t n = 0; n < RATES; n++)
		executed[n] = inspection_rate(r, units, n, 0);
	experiment_free(r);
	return 0;
}

/* The same machine with a counter of two bits for each branch. */
static int measure_two_bits(const struct inspection *i,
			    const struct experiment_unit *units,
			    double *executed)
{
	static const char text[] = "include icx\nname = two-bit\n\n[branch]\n"
				   "predictor = bimodal\nbias_limit = 0\n"
				   "bias_trust = 0\n";
	struct diag diag = { .text = "" };
	char *path = scratch_text("two-bit", text, &diag);
	int status;

	if (!path) {
		say_error(i->console, "%s", diag.text);
		return CMD_FAILED;
	}
	status = measure_rates(i, path, units, executed);
	scratch_remove(path);
	return status;
}

#define ERRORS 3

static void judge_rates(const struct rates *r, struct inspection_verdict *v)
{
	double worst = 0;

	for (size_t n = 0; n < RATES; n++) {
		double slack = ERRORS * r->error[n];

		worst = fmax(worst, fabs(r->two_bits[n] - r->form[n]));
		if (fabs(r->two_bits[n] - r->form[n]) > slack)
			inspection_fail(v,
					"K=%g: two-bit counters execute %.4f, "
					"the closed form says %.4f",
					r->k[n], r->two_bits[n], r->form[n]);
		if (n >= 1 && r->two_bits[n] <= r->naive[n])
			inspection_fail(v,
					"K=%g: %.4f is not above the naive "
					"%.4f",
					r->k[n], r->two_bits[n], r->naive[n]);
		if (n >= 1 && r->measured[n] <= r->naive[n])
			inspection_fail(v,
					"K=%g: the modelled predictor has "
					"%.4f, not above the naive %.4f",
					r->k[n], r->measured[n], r->naive[n]);
	}
	if (fabs(r->two_bits[0] - 2.5) > ERRORS * r->error[0] ||
	    fabs(r->measured[0] - 2.5) > ERRORS * r->error[0])
		inspection_fail(v, "K=2: %.4f and %.4f, not 2.5",
				r->measured[0], r->two_bits[0]);
	if (r->measured[RATES - 1] - r->naive[RATES - 1] > 0.02 ||
	    r->two_bits[RATES - 1] - r->naive[RATES - 1] > 0.02)
		inspection_fail(v,
				"K=%g: it does not converge to the naive "
				"curve",
				r->k[RATES - 1]);
	if (v->pass)
		snprintf(v->detail, sizeof(v->detail),
			 "2.5 at K=2 (%.4f), above the naive curve in between, "
			 "%.4f from it at K=%g; two-bit counters within %.4f "
			 "of (K-1)/((K-1)^2+1)",
			 r->measured[0],
			 r->measured[RATES - 1] - r->naive[RATES - 1],
			 r->k[RATES - 1], worst);
}

int inspect_rate(struct inspection *i, struct inspection_verdict *v)
{
	struct experiment_unit units[RATES];
	struct rates r;
	const struct chart_series series[] = {
		{ "measured (icx)", r.k, r.measured, r.error, RATES, CHART_LINE,
		  0 },
		{ "two-bit counters", r.k, r.two_bits, r.error, RATES,
		  CHART_LINE, 0 },
		{ "closed form", r.k, r.form, NULL, RATES, CHART_DASHED, 0 },
		{ "naive", r.k, r.naive, NULL, RATES, CHART_DASHED, 0 },
	};
	const struct chart chart = {
		.title = "Controlling the misprediction rate (Figure 10)",
		.x_label = "K: one condition in K is true",
		.y_label = "conditional branches executed per iteration",
		.y_min = 2,
		.y_max = 2.6,
		.series = series,
		.n = ARRAY_SIZE(series),
	};
	int status;

	plan_rates(units, &r);
	status = measure_rates(i, "icx", units, r.measured);
	if (!status)
		status = measure_two_bits(i, units, r.two_bits);
	if (status)
		return status;
	judge_rates(&r, v);
	return inspection_draw(i, "figure-10", &chart);
}
