/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Section 4.4 of the 2005 paper: loops of floating-point additions,
 * multiplications and divisions, alone and combined, and its Figure 7, where a
 * Pentium III counts five of nine multiplications.
 */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "papers/kernel_runs.h"
#include "papers/microbenchmarks.h"
#include "validate/validate.h"

/* Of an iteration of each kernel, by its object code: tests/kernels compares
 * the two. */
static const struct {
	const char *kernel;
	double operations;
} mixes[] = {
	{ "fp/d1/add", 8 },  { "fp/d1/mul", 8 }, { "fp/d1/div", 8 },
	{ "fp/s1/mul", 8 },  { "fp/mix", 9 },    { "fp/mix-single", 8 },
	{ "fp/figure7", 9 },
};
#define MIXES ARRAY_SIZE(mixes)
#define SHORT 1000
#define LONG  11000

/*
 * The counter of Figure 7: of multiplications, five of nine.
 * The kernels that validation uses multiply once for each that it predicts.
 */
static const char defect[] =
	"FIGURE_7, PAPI_FP_INS - sim::FP_INST_KIND:MUL * 4 / 9\n";

/* Floating-point instructions per iteration of each mix; of two lengths, so
 * that starting and stopping is in neither. */
static int count_mixes(const struct papers *papers, const char *model,
		       double *per_iteration)
{
	static const char *const event = "PAPI_FP_INS";
	struct simulator_options simulator = {
		.model = machine_for(&papers->machine, model)
	};
	struct experiment_unit units[2 * MIXES];
	struct experiment experiment = { .simulator = &simulator,
					 .events = &event,
					 .n_events = 1,
					 .units = units,
					 .n_units = 2 * MIXES,
					 .what = "counting" };
	struct experiment_result *r;
	int status;

	for (size_t i = 0; i < 2 * MIXES; i++)
		units[i] = (struct experiment_unit){
			.kernel = kernels_find(mixes[i / 2].kernel),
			.point = { .times = i % 2 ? LONG : SHORT },
		};
	status = experiment_run(papers->console, &experiment, &r);
	if (status)
		return status;
	for (size_t i = 0; i < MIXES; i++)
		per_iteration[i] = (experiment_count(r, 2 * i + 1, 0, 0) -
				    experiment_count(r, 2 * i, 0, 0)) /
				   (LONG - SHORT);
	experiment_free(r);
	return 0;
}

static void print_mixes(struct papers *papers, const char *const *models,
			size_t n, double found[][MIXES])
{
	papers_print(papers,
		     "Section 4.4: floating-point instructions per iteration\n"
		     "%-16s %10s",
		     "kernel", "predicted");
	for (size_t m = 0; m < n; m++)
		papers_print(papers, " %10s", models[m]);
	for (size_t i = 0; i < MIXES; i++) {
		papers_print(papers, "\n%-16s %10.0f", mixes[i].kernel,
			     mixes[i].operations);
		for (size_t m = 0; m < n; m++)
			papers_print(papers, " %10.3f", found[m][i]);
	}
	papers_print(papers, "\n\n");
}

static int make_mixes(struct papers *papers, const char *const *models,
		      size_t n)
{
	double found[MICROBENCHMARKS_MODELS][MIXES], worst = 0;
	int status = 0;

	for (size_t m = 0; m < n && !status; m++)
		status = count_mixes(papers, models[m], found[m]);
	if (status)
		return status;
	print_mixes(papers, models, n, found);
	for (size_t m = 0; m < n; m++)
		for (size_t i = 0; i < MIXES; i++) {
			double off = found[m][i] / mixes[i].operations - 1;

			if (!(fabs(off) <= worst))
				worst = fabs(off);
		}
	papers_add(papers, "Section 4.4, mixes", worst < 0.01,
		   "additions, multiplications and divisions, alone and "
		   "combined, and Figure 7's nine: at most %.2g %% off on %zu "
		   "machines",
		   100 * worst, n);
	return 0;
}

/* Validation of the counter that Figure 7 found, with floating-point kernels.
 */
static int validate_defect(const struct papers *papers, struct validation **v)
{
	static const char *const event = "FIGURE_7=PAPI_FP_INS";
	static const char *const kernels[] = { "fp/*", NULL };
	struct simulator_options simulator = {
		.model = machine_for(&papers->machine, "p3")
	};
	const struct validate_options options = {
		.simulator = &simulator,
		.events = &event,
		.n_events = 1,
		.repeats = 1,
		.sizes = 4,
		.tolerance = 0.01,
		.kernels = (char *const *)kernels,
	};
	int status = validate_run(papers->console, &options, v);

	return status ? status
		      : validate_by_catalogue(papers->console, &options, *v);
}

static int make_figure_7(struct papers *papers)
{
	struct papers_events events;
	struct validation *v = NULL;
	const char *said;
	int status = papers_events_set(papers, defect, &events);

	if (!status)
		status = validate_defect(papers, &v);
	papers_events_reset(&events);
	if (status) {
		validate_free(v);
		return status;
	}
	said = v->events[0].finding ? v->events[0].finding : "nothing";
	papers_add(papers, "Figure 7",
		   strstr(said, "multiplications: 5/9 counted for each") !=
			   NULL,
		   "of a counter that has five of nine multiplications "
		   "validation says: %s",
		   said);
	validate_free(v);
	return 0;
}

int microbenchmarks_fp(struct papers *papers, const char *const *models,
		       size_t n)
{
	int status = make_mixes(papers, models, n);

	return status ? status : make_figure_7(papers);
}
