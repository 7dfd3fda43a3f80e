/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "Towards a Cross-Platform Microbenchmark Suite for Evaluating Hardware
 * Performance Counter Data" (Aguilera, Araiza, Pham, Teller 2005): its tables
 * and the results of its section 4, on the machines that the simulated PMU
 * models.
 */
#include <string.h>

#include <assay/assay.h>

#include "cli/experiment.h"
#include "cli/papers.h"
#include "cli/say.h"

static const char *const models[] = { "icx", "hsw-ep", "p3" };
#define MODELS (sizeof(models) / sizeof(models[0]))

/* How many events a PMU has, and how many counters. */
static int ask_pmu(const struct papers *papers, const char *model,
		   size_t *events, unsigned *counters)
{
	struct simulator_options simulator = { .model = model };
	struct experiment experiment = { .simulator = &simulator };
	struct experiment_result *result;
	int status = experiment_run(papers->cli, &experiment, &result);

	if (status)
		return status;
	*events = result->n_events;
	*counters = result->counters;
	experiment_free(result);
	return 0;
}

/* Table 1: processors, their counters and their native events. */
static int make_table_1(struct papers *papers)
{
	size_t good = 0;

	papers_print(papers,
		     "Table 1: counters and native events\n"
		     "%-28s %10s %8s %8s\n",
		     "machine", "counters", "fixed", "events");
	for (size_t i = 0; i < MODELS; i++) {
		struct assay_model model;
		unsigned counters;
		size_t events;
		int status = ask_pmu(papers, models[i], &events, &counters);

		if (status)
			return status;
		if (assay_get_model(models[i], &model)) {
			say_error(papers->cli, "%s", assay_error());
			return CMD_FAILED;
		}
		papers_print(papers, "simulated %-18s %10u %8u %8zu\n",
			     models[i], model.counters, model.fixed_counters,
			     events);
		good += events > 0 &&
			counters == model.counters + model.fixed_counters;
	}
	papers_print(papers, "\n");
	papers_add(papers, "Table 1",
		   good == MODELS ? PAPERS_PASS : PAPERS_FAIL,
		   "%zu of %zu simulated machines report the counters of their "
		   "model",
		   good, MODELS);
	return 0;
}

static int run(struct papers *papers)
{
	return make_table_1(papers);
}

const struct paper paper_microbenchmarks = {
	.name = "microbenchmarks",
	.title = "Towards a Cross-Platform Microbenchmark Suite for Evaluating "
		 "Hardware Performance Counter Data (Aguilera, Araiza, Pham, "
		 "Teller 2005)",
	.run = run,
};
