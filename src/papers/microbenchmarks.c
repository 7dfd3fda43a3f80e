/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "Towards a Cross-Platform Microbenchmark Suite for Evaluating Hardware
 * Performance Counter Data" (Aguilera, Araiza, Pham, Teller 2005): its tables
 * and the results of its section 4, on the machines that the simulated PMU
 * models.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fs.h"
#include "base/memfile.h"
#include "console/console.h"
#include "papers/microbenchmarks.h"
#include "validate/validated.h"
#include "write/document.h"

/*
 * The counters that such a processor has: of a Pentium III as in the paper's
 * Table 1, of the others as in Intel's manual (one hardware thread a core),
 * AMD's (PPR of family 19h: six core counters) and Arm's (Neoverse N1's
 * technical reference: six, and one of cycles). Those behind the first three
 * are in Table 1 only.
 */
static const struct {
	const char *model;
	unsigned counters, fixed;
} machines[] = {
	{ "icx", 8, 3 },  { "hsw-ep", 4, 3 },      { "p3", 2, 0 },
	{ "zen4", 6, 0 }, { "neoverse-n1", 6, 1 },
};
#define PLATFORMS ARRAY_SIZE(machines)
#define MODELS    MICROBENCHMARKS_MODELS

/* The paper's, and Figure 3's loop as it stands there. */
static const char *const events[] = {
	"PAPI_BR_MSP",  "PAPI_FSQ_INS", "PAPI_FP_INS",         "PAPI_L1_DCM",
	"PAPI_L1_ICM",  "PAPI_L2_DCM",  "PAPI_L2_ICM",         "PAPI_LD_INS",
	"PAPI_SR_INS",  "PAPI_TLB_DM",  "PAPI_TLB_TL",         "PAPI_TOT_IIS",
	"PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_BR_MSP=figure3",
};
#define PAPER_EVENTS 14
#define FIGURE_3     14 /* index of that loop */

struct results {
	struct validation *of[MODELS];
};

/* Table 1: processors, their counters and their native events. */

static int ask_pmu(const struct papers *papers, const char *model,
		   size_t *found, unsigned *counters)
{
	struct simulator_options simulator = {
		.model = machine_for(&papers->machine, model)
	};
	struct experiment experiment = { .simulator = &simulator };
	struct experiment_result *result;
	int status = experiment_run(papers->console, &experiment, &result);

	if (status)
		return status;
	*found = result->n_events;
	*counters = result->counters;
	experiment_free(result);
	return 0;
}

static int make_table_1(struct papers *papers)
{
	size_t good = 0;

	papers_print(papers,
		     "Table 1: counters and native events\n"
		     "%-28s %10s %8s %8s\n",
		     "machine", "counters", "fixed", "events");
	for (size_t i = 0; i < PLATFORMS; i++) {
		unsigned counters;
		size_t found;
		int status =
			ask_pmu(papers, machines[i].model, &found, &counters);

		if (status)
			return status;
		papers_print(papers, "simulated %-18s %10u %8u %8zu\n",
			     machines[i].model, counters - machines[i].fixed,
			     machines[i].fixed, found);
		good += found > 0 &&
			counters == machines[i].counters + machines[i].fixed;
	}
	papers_print(papers, "\n");
	papers_add(papers, "Table 1", good == PLATFORMS,
		   "%zu of %zu simulated machines have as many counters as the "
		   "processor they model (Pentium III: 2, as in the "
		   "paper)",
		   good, PLATFORMS);
	return 0;
}

/* All counts that the other tables and section 4 are made from. */
static int count_all(struct papers *papers, struct results *results)
{
	int status = 0;

	for (size_t m = 0; m < MODELS && !status; m++) {
		struct simulator_options simulator = {
			.model =
				machine_for(&papers->machine, machines[m].model)
		};
		struct validate_options options = {
			.simulator = &simulator,
			.events = events,
			.n_events = ARRAY_SIZE(events),
			.repeats = 2,
			.sizes = VALIDATE_SIZES,
			.patterns = m == 0,
		};

		status = validate_run(papers->console, &options,
				      &results->of[m]);
		if (!status)
			status = validate_explain(papers->console, &options,
						  results->of[m]);
	}
	return status;
}

/* Tables 2 and 3. */

static void make_table_2(struct papers *papers, const struct results *results)
{
	const struct validation *v = results->of[0];
	size_t rows = 0, good = 0;

	papers_print(papers,
		     "Table 2: events, their kernels, and %% difference "
		     "after overhead (icx)\n%-14s %-17s",
		     "event", "kernel");
	for (size_t i = 0; i < VALIDATE_SIZES; i++)
		papers_print(papers, " %8.0f", validate_size(i));
	papers_print(papers, "\n");
	for (size_t e = 0; e < PAPER_EVENTS; e++) {
		const struct validate_event *event = &v->events[e];

		papers_print(papers, "%-14s %-17s", event->name,
			     event->check->kernel);
		for (size_t i = 0; i < VALIDATE_SIZES; i++) {
			double pct = event->rows[i].corrected_pct;

			papers_print(papers, " %8.3g",
				     fabs(pct) < 1e-9 ? 0 : pct);
			rows++;
			good += event->rows[i].verdict == VERDICT_PASS;
		}
		papers_print(papers, "\n");
	}
	papers_print(papers, "\n");
	papers_add(papers, "Table 2", good == rows,
		   "%zu of %zu counts (14 events, 1 to 1,000,000) are as "
		   "predicted after overhead",
		   good, rows);
}

static const char *cell(const struct validate_event *event)
{
	return event->verdict == VERDICT_PASS   ? "X"
	       : event->verdict == VERDICT_FAIL ? "off"
						: "N/A";
}

/* What this user validated elsewhere than on a model: other columns. */
struct others {
	char **platforms;
	size_t n;
	struct validated *results;
};

static void load_others(struct others *others)
{
	*others = (struct others){ 0 };
	if (validated_platforms(&others->platforms, &others->n))
		return;
	others->results = calloc(others->n + 1, sizeof(*others->results));
	for (size_t p = 0; others->results && p < others->n; p++)
		if (strncmp(others->platforms[p], "sim-", 4) != 0)
			validated_load(others->platforms[p],
				       &others->results[p]);
}

static void free_others(struct others *others)
{
	for (size_t p = 0; others->results && p < others->n; p++)
		validated_fini(&others->results[p]);
	free(others->results);
	fs_free_names(others->platforms, others->n);
}

/* Of event @name there, or with NULL the head; of those that were counted. */
static void put_others(struct papers *papers, const struct others *others,
		       const char *name)
{
	for (size_t p = 0; others->results && p < others->n; p++)
		if (others->results[p].n > 0)
			papers_print(
				papers, " %-8s",
				name ? validated_cell(&others->results[p], name)
				     : others->platforms[p]);
	papers_print(papers, "\n");
}

static void put_where(struct papers *papers, const struct others *others)
{
	for (size_t p = 0; others->results && p < others->n; p++)
		if (others->results[p].n > 0)
			papers_print(papers, "%s: %s\n", others->platforms[p],
				     others->results[p].where);
	papers_print(papers, "\n");
}

static void make_table_3(struct papers *papers, const struct results *results)
{
	struct others others;
	size_t good = 0;

	load_others(&others);
	papers_print(papers, "Table 3: events and platforms\n%-16s", "event");
	for (size_t m = 0; m < MODELS; m++)
		papers_print(papers, " %-8s", machines[m].model);
	put_others(papers, &others, NULL);
	for (size_t e = 0; e < PAPER_EVENTS; e++) {
		papers_print(papers, "%-16s", events[e]);
		for (size_t m = 0; m < MODELS; m++) {
			const struct validate_event *event =
				&results->of[m]->events[e];

			papers_print(papers, " %-8s", cell(event));
			good += event->verdict == VERDICT_PASS;
		}
		put_others(papers, &others, events[e]);
	}
	papers_print(papers, "X: completed, off: not as predicted, N/A: cannot "
			     "be counted there\n");
	put_where(papers, &others);
	free_others(&others);
	papers_add(
		papers, "Table 3", good == PAPER_EVENTS * MODELS,
		"%zu of %zu cells of the models are completed; the paper had "
		"41 of 70",
		good, PAPER_EVENTS * MODELS);
}

/* Section 4. */

static const struct validate_event *find(const struct validation *v,
					 const char *name)
{
	for (size_t i = 0; i < v->n; i++)
		if (strcmp(v->events[i].name, name) == 0)
			return &v->events[i];
	return NULL;
}

/* The largest difference of an event, on any machine, from @from on. */
static double worst(const struct results *results, const char *name,
		    size_t from)
{
	double pct = 0;

	for (size_t m = 0; m < MODELS; m++) {
		const struct validate_event *event = find(results->of[m], name);

		for (size_t i = from; event && i < VALIDATE_SIZES; i++)
			if (!(fabs(event->rows[i].corrected_pct) <= fabs(pct)))
				pct = event->rows[i].corrected_pct;
	}
	return pct;
}

static void gate(struct papers *papers, const struct results *results,
		 const char *item, const char *event, double limit)
{
	double pct = worst(results, event, 0);

	papers_add(papers, item, fabs(pct) <= limit,
		   "%s: at most %.2g %% off on three machines, from 1 to "
		   "1,000,000",
		   event, fabs(pct));
}

/* 4.1: ten turns; n on the old machine, next to none on the new ones. */
static void make_figure_3(struct papers *papers, const struct results *results)
{
	const size_t last = VALIDATE_SIZES - 1;
	double count[MODELS];
	double share;

	for (size_t m = 0; m < MODELS; m++)
		count[m] = results->of[m]->events[FIGURE_3].rows[last].mean;
	share = count[2] / validate_size(last);
	papers_add(papers, "Figure 3 on p3", fabs(share - 1) < 0.01,
		   "%.0f mispredictions of %.0f predicted: a loop of ten "
		   "iterations is longer than the history of four",
		   count[2], validate_size(last));
	papers_add(papers, "Figure 3 on icx and hsw-ep",
		   count[0] < 100 && count[1] < 100,
		   "%.0f and %.0f mispredictions of %.0f: %s", count[0],
		   count[1], validate_size(last),
		   results->of[0]->events[FIGURE_3].cause
			   ? results->of[0]->events[FIGURE_3].cause
			   : "nothing explains it");
	share = worst(results, "PAPI_BR_MSP", last);
	papers_add(papers, "Figure 3 corrected", fabs(share) < 1,
		   "a random condition instead of the loop is at most %.2g %% "
		   "off at 1,000,000 on all three",
		   fabs(share));
}

static void make_section_4(struct papers *papers, const struct results *results)
{
	make_figure_3(papers, results);
	gate(papers, results, "Section 4.2, L1", "PAPI_L1_ICM", 0);
	gate(papers, results, "Section 4.2, L2", "PAPI_L2_ICM", 0);
	gate(papers, results, "Section 4.3", "PAPI_TOT_CYC", 1);
	gate(papers, results, "Section 4.4", "PAPI_FP_INS", 0);
	gate(papers, results, "Section 4.5", "PAPI_FSQ_INS", 0);
	gate(papers, results, "Section 4.6, issued", "PAPI_TOT_IIS", 1);
	gate(papers, results, "Section 4.6, completed", "PAPI_TOT_INS", 0);
}

/* Overhead must not depend on how the counters are read, once it is known. */
static void make_patterns(struct papers *papers, const struct results *results)
{
	size_t good = 0, all = 0;

	for (size_t e = 0; e < PAPER_EVENTS; e++)
		for (int p = 0; p < PATTERN_COUNT; p++) {
			const struct validate_row *row =
				&results->of[0]->events[e].patterns[p];

			all++;
			good += row->verdict == VERDICT_PASS;
		}
	papers_add(papers, "Figure 2, ways of reading", good == all,
		   "%zu of %zu counts of 1000 are as predicted after overhead, "
		   "by start-stop, start-read, read-read and read-stop",
		   good, all);
}

static int write_data(struct papers *papers, const struct results *results)
{
	int status = 0;

	for (size_t m = 0; m < MODELS && !status; m++) {
		char name[64];
		struct memfile file;

		if (memfile_open(&file))
			return papers_no_memory(papers);
		document_write_csv(validate_describe, results->of[m], file.to);
		if (memfile_close(&file))
			return papers_no_memory(papers);
		snprintf(name, sizeof(name), "microbenchmarks-%s.csv",
			 machines[m].model);
		status = papers_write(papers, name, file.text);
		free(file.text);
	}
	return status;
}

static int run_microbenchmarks(struct papers *papers)
{
	struct results results = { { NULL } };
	const char *names[MODELS];
	int status = make_table_1(papers);

	if (!status)
		status = count_all(papers, &results);
	if (!status) {
		make_table_2(papers, &results);
		make_table_3(papers, &results);
		make_section_4(papers, &results);
		make_patterns(papers, &results);
		status = write_data(papers, &results);
	}
	for (size_t m = 0; m < MODELS; m++)
		names[m] = machines[m].model;
	if (!status)
		status = microbenchmarks_fp(papers, names, MODELS);
	for (size_t m = 0; m < MODELS; m++)
		validate_free(results.of[m]);
	return status;
}

const struct paper paper_microbenchmarks = {
	.name = "microbenchmarks",
	.title = "Towards a Cross-Platform Microbenchmark Suite for Evaluating "
		 "Hardware Performance Counter Data (Aguilera, Araiza, Pham, "
		 "Teller 2005)",
	.run = run_microbenchmarks,
};
