/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The 2018 paper's examples of code that does otherwise than one would think:
 * Figures 1, 2 and 5 (section 2), and Figures 6 to 8 (section 3.1).
 */
#include <math.h>
#include <stdio.h>

#include "analysis/slope.h"
#include "base/array.h"
#include "papers/inspection.h"

#define LENGTHS 4
#define KERNELS 3
#define EVENTS  3

static void plan(const char *const *kernels, size_t n,
		 struct experiment_unit *units)
{
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < LENGTHS; i++)
			units[k * LENGTHS + i] = (struct experiment_unit){
				.kernel = kernels_find(kernels[k]),
				.point = { .times = 4000u << i },
			};
}

/* What one iteration of kernel @k adds to @event. */
static double slope_of(const struct experiment_result *r,
		       const struct experiment_unit *units, size_t k,
		       size_t event)
{
	double x[LENGTHS], y[LENGTHS];
	struct slope s = { .slope = NAN };

	for (size_t i = 0; i < LENGTHS; i++) {
		x[i] = (double)units[k * LENGTHS + i].point.times;
		y[i] = experiment_count(r, k * LENGTHS + i, 0, event);
	}
	slope_fit(x, y, LENGTHS, &s);
	return s.slope;
}

/* Half of 32,000 iterations, more or less three standard deviations of what is
 * left to chance, and of the slope somewhat more. */
#define EXACT     0.01
#define BY_CHANCE 0.015

static void expect(struct inspection_verdict *v, const char *what,
		   double measured, double expected)
{
	double most = expected == floor(expected) ? EXACT : BY_CHANCE;

	if (!(fabs(measured - expected) <= most))
		inspection_fail(v, "%s is %.4f per iteration, not %g", what,
				measured, expected);
}

int inspect_simple_code(struct inspection *i, struct inspection_verdict *v)
{
	static const char *const kernels[KERNELS] = { "branch/figure1",
						      "branch/5", "branch/4" };
	static const char *const events[EVENTS] = {
		"sim::BR_INST_EXEC:COND",
		"sim::BR_INST_RETIRED:COND",
		"sim::BR_MISP_RETIRED:COND",
	};
	static const double paper[KERNELS][EVENTS] = {
		{ 2, 2, 0 },
		{ 2.5, 2, 0.5 },
		{ 2, 2, 0.5 },
	};
	static const char *const figures[KERNELS] = { "1", "2", "5" };
	static const char *const words[EVENTS] = { "executed", "retired",
						   "mispredicted" };
	struct experiment_unit units[KERNELS * LENGTHS];
	double found[KERNELS][EVENTS];
	struct experiment_result *r;
	int status;

	plan(kernels, KERNELS, units);
	status = inspection_measure(i, "icx", events, EVENTS, units,
				    KERNELS * LENGTHS, &r);
	if (status)
		return status;
	for (size_t k = 0; k < KERNELS; k++)
		for (size_t e = 0; e < EVENTS; e++) {
			char what[64];

			found[k][e] = slope_of(r, units, k, e);
			snprintf(what, sizeof(what), "Figure %s, %s",
				 figures[k], words[e]);
			expect(v, what, found[k][e], paper[k][e]);
		}
	if (v->pass)
		snprintf(v->detail, sizeof(v->detail),
			 "%.3f, %.3f and %.3f conditional branches executed "
			 "per iteration of Figures 1, 2 and 5, 2 retired in "
			 "each; %.3f, %.3f and %.3f mispredicted",
			 found[0][0], found[1][0], found[2][0], found[0][2],
			 found[1][2], found[2][2]);
	experiment_free(r);
	return 0;
}

int inspect_else(struct inspection *i, struct inspection_verdict *v)
{
	static const char *const kernels[] = { "branch/else",
					       "branch/else-o3" };
	static const char *const events[] = {
		"sim::BR_INST_RETIRED:DIRECT_JMP",
		"sim::BR_INST_RETIRED:COND",
	};
	struct experiment_unit units[ARRAY_SIZE(kernels) * LENGTHS];
	struct experiment_result *r;
	double without, with;
	int status;

	plan(kernels, ARRAY_SIZE(kernels), units);
	status = inspection_measure(i, "icx", events, ARRAY_SIZE(events), units,
				    ARRAY_SIZE(units), &r);
	if (status)
		return status;
	without = slope_of(r, units, 0, 0);
	with = slope_of(r, units, 1, 0);
	/* of two blocks the first ends with a jump, and is run half the time */
	expect(v, "direct jumps at -O0", without, 0.5);
	expect(v, "direct jumps at -O3", with, 0);
	expect(v, "conditional branches at -O0", slope_of(r, units, 0, 1), 2);
	expect(v, "conditional branches at -O3", slope_of(r, units, 1, 1), 2);
	if (v->pass)
		snprintf(v->detail, sizeof(v->detail),
			 "%.3f direct jumps per iteration of an if with an "
			 "else at -O0, %.3f at -O3; 2 conditional branches "
			 "in both",
			 without, with);
	experiment_free(r);
	return 0;
}
