/* SPDX-License-Identifier: BSD-3-Clause */
/* assay classify: what each native event really counts. */

#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>

#include "base/array.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "bundle/bundle.h"
#include "classify/classify.h"
#include "cli/cmd.h"
#include "kernels/gpu/driver.h"
#include "lab/experiment.h"
#include "measure/metrics.h"
#include "measure/pmu.h"
#include "survey/survey.h"
#include "write/document.h"

enum {
	KEY_KERNELS = CMD_LONG,
};

struct classify_state {
	struct simulator_options simulator;
	struct selection wanted; /* words of -e */
	struct selection kernels;
	const char *presets;
	const char *journal;
	const char *worker; /* of another machine; NULL: ours */
	const char *pack;   /* write a bundle there */
	const char *unpack; /* what one brought back */
	struct classify_claims claims;
	double budget_s;
	unsigned repeats;

	struct pmu pmu;
	bool gpu; /* the events are a GPU's, and so are the kernels */
	struct selection events; /* names to be classified; none: all */
	const struct format *format;
};

static const struct cmd_option options[] = {
	{ 'e', "events", "LIST",
	  "classify these events, or those that match a pattern such as "
	  "'BR_*'; default: every native event of the PMU. Events of a GPU "
	  "(cuda::...) are classified by kernels that run there",
	  INTO_AS(EVENTS, classify_state, wanted) },
	{ KEY_KERNELS, "kernels", "LIST",
	  "run only kernels that match a pattern such as 'branch/*'", BY_TAKE },
	{ 'r', "repeat", "N", "run each kernel N times; default: 2",
	  INTO(classify_state, repeats), .min = 1, .max = 1000 },
	{ 0, "budget", "SECONDS",
	  "start no further kernel after SECONDS, and report the results so "
	  "far; the next kernel is the one that tells most about what is in "
	  "doubt",
	  INTO(classify_state, budget_s), .min = 0.001 },
	{ 0, "journal", "FILE", "save measurements to FILE and resume from it",
	  INTO(classify_state, journal) },
	{ 0, "write-presets", "FILE",
	  "write the result as preset definitions, which the library "
	  "loads from PAPI_CSV_EVENT_FILE",
	  INTO(classify_state, presets) },
	{ 0, "worker", "PROGRAM",
	  "run the kernels on another machine through PROGRAM, which uses the "
	  "protocol of libexec/kernels",
	  INTO(classify_state, worker) },
	{ 0, "pack", "FILE",
	  "count nothing here: write a bundle to FILE, one static program that "
	  "counts on any Linux machine of this architecture",
	  INTO(classify_state, pack) },
	{ 0, "unpack", "FILE",
	  "count nothing here: analyse the counts that a bundle wrote to FILE, "
	  "the output of perf stat -x for kernels of a bundle, or the "
	  "EVENT.branch files of PAPI's cat_collect in directory FILE",
	  INTO(classify_state, unpack) },
	SIMULATOR_COUNTERS(classify_state, simulator),
	SIMULATOR_BLIND(classify_state, simulator),
	SIMULATOR_NOISE(classify_state, simulator),
	{ 0 },
};

/* Names of kernels have slashes, between which a comma is none of an event. */
static int take_kernels(const struct cli *cli, const char *text,
			struct selection *list)
{
	if (!*text)
		return say_usage(
			&cli->console,
			"--kernels requires a comma-separated list of names or "
			"patterns, not ''");
	while (*text) {
		size_t n = strcspn(text, ",");
		OWNED char *name = strndup(text, n);
		int err = name ? selection_add(list, name) : PAPI_ENOMEM;

		if (err)
			return say_no_memory(&cli->console);
		text += n + (text[n] == ',');
	}
	return 0;
}

/* Only --kernels: the parser stores the others. */
static int take_classify_option(struct cli *cli, int key, const char *argument)
{
	struct classify_state *s = cli->state;

	(void)key;
	return take_kernels(cli, argument, &s->kernels);
}

static const struct format formats[] = {
	FORMAT("text", ".txt", classify_write_text),
	FORMAT("csv", ".csv", classify_write_csv),
	DATA_FORMATS(classify_describe),
	FORMAT("html", ".html", classify_write_html),
	{ 0 },
};

static int check_outputs(const struct cli *cli, struct classify_state *s)
{
	int status;

	s->format = output_format(&cli->output, formats);
	if (!s->format)
		return CMD_USAGE;
	if (s->simulator.blind_key && !s->simulator.blind)
		return say_usage(&cli->console, "--blind-key requires --blind");
	status = output_check(&cli->output, cli->output.path);
	status = status ? status : output_check(&cli->output, s->presets);
	return status ? status
		      : output_check(&cli->output, s->simulator.blind_key);
}

static int add_matching(const struct cli *cli, struct selection *to,
			const char *pattern, const struct listing *all)
{
	size_t before = to->n;

	for (size_t i = 0; i < all->n_events; i++)
		if (classify_means(pattern, all->events[i].name) &&
		    selection_add(to, all->events[i].name))
			return say_no_memory(&cli->console);
	if (to->n > before)
		return 0;
	return say_usage(&cli->console, "no native event matches '%s'",
			 pattern);
}

/* Only the worker knows codes of a blind test and events of a GPU. */
static int add_name(const struct cli *cli, struct classify_state *s,
		    const char *name)
{
	int code;

	if (!s->simulator.blind && !s->gpu &&
	    PAPI_event_name_to_code(name, &code) == PAPI_ENOEVNT)
		return session_unknown_event(&cli->console, name);
	if (!selection_add(&s->events, name))
		return 0;
	return say_no_memory(&cli->console);
}

/* Patterns of -e become names; names stay. */
static int choose_events(const struct cli *cli, struct classify_state *s)
{
	const struct listing_filter filter = { .native = true };
	struct listing all = { 0 };
	int status = 0;

	if (s->wanted.n == 0)
		return 0;
	if (listing_collect(&all, &filter))
		return say_no_memory(&cli->console);
	for (size_t i = 0; !status && i < s->wanted.n; i++) {
		const char *word = s->wanted.names[i];

		if (classify_is_pattern(word) && s->simulator.blind) {
			status = say_usage(
				&cli->console,
				"events of a blind test have codes, which "
				"patterns cannot match");
		} else if (classify_is_pattern(word)) {
			status = add_matching(cli, &s->events, word, &all);
		} else {
			status = add_name(cli, s, word);
		}
	}
	listing_fini(&all);
	return status;
}

static bool is_on_gpu(const struct selection *words)
{
	for (size_t i = 0; i < words->n; i++)
		if (strncmp(words->names[i], "cuda::", strlen("cuda::")) != 0)
			return false;
	return words->n > 0;
}

/* A GPU is a PMU of its own, and needs no other. */
static int look_at_gpu(const struct cli *cli, struct classify_state *s)
{
	const struct pmu_choice without = { .kind = PMU_NONE };
	int status = pmu_open(&cli->console, &without, NULL, &s->pmu);

	if (status)
		return status;
	status = choose_events(cli, s);
	pmu_close(&s->pmu);
	s->pmu.kind = PMU_HARDWARE;
	snprintf(s->pmu.model, sizeof(s->pmu.model), "gpu");
	if (!status && s->kernels.n == 0 &&
	    selection_add(&s->kernels, "gpu/*")) {
		status = say_no_memory(&cli->console);
	}
	return status;
}

/* Another machine's PMU, of which nothing is known but what it counts. */
static int look_elsewhere(const struct cli *cli, struct classify_state *s,
			  bool simulate)
{
	if (simulate || cli->pmu.kind == PMU_SIMULATED || cli->pmu.model)
		return say_usage(&cli->console,
				 "--worker cannot be combined with "
				 "--pmu sim: it counts on "
				 "another machine's PMU");
	s->pmu.kind = PMU_HARDWARE;
	for (size_t i = 0; i < s->wanted.n; i++) {
		if (classify_is_pattern(s->wanted.names[i]))
			return say_usage(
				&cli->console,
				"events of another machine must be given by "
				"name, not as '%s'",
				s->wanted.names[i]);
		if (selection_add(&s->events, s->wanted.names[i]))
			return say_no_memory(&cli->console);
	}
	return 0;
}

/* Which PMU, which of its events; the library is needed no longer then. */
static int look_around(const struct cli *cli, struct classify_state *s)
{
	const char *counters = s->simulator.counters;
	bool simulate = s->simulator.blind || counters || s->simulator.noise;
	int status;

	if (s->worker)
		return look_elsewhere(cli, s, simulate);
	s->gpu = !simulate && is_on_gpu(&s->wanted);
	if (s->gpu && s->journal)
		return say_usage(
			&cli->console,
			"--journal cannot be combined with GPU events");
	if (s->gpu)
		return look_at_gpu(cli, s);
	status = pmu_open(&cli->console, &cli->pmu, counters, &s->pmu);
	if (status)
		return status;
	if (s->pmu.kind == PMU_NONE) {
		status = say_failure(
			&cli->console,
			"classify requires a PMU, and there is none: %s",
			s->pmu.reason);
	} else if (simulate && s->pmu.kind != PMU_SIMULATED) {
		status =
			say_usage(&cli->console,
				  "--blind, --counters and --noise are for the "
				  "simulated PMU: add --pmu sim");
	} else {
		status = choose_events(cli, s);
	}
	pmu_close(&s->pmu);
	return status;
}

/* Why there is nothing to run. */
static int refuse_plan(const struct cli *cli, const struct classify_state *s,
		       const struct classify_plan *plan)
{
	if (!plan->lacking)
		return say_usage(
			&cli->console,
			"no kernel matches '%s'; kernels are named like "
			"branch/1, a pattern is branch/*",
			s->kernels.names[0]);
	if (s->gpu)
		return say_failure(&cli->console,
				   "cannot run kernels on a GPU: %s",
				   driver_why_not());
	return say_failure(&cli->console,
			   "none of the kernels can be run here: this "
			   "processor lacks the instructions");
}

static int make_plan(const struct cli *cli, struct classify_state *s,
		     struct classify_plan *plan)
{
	bool simulated = s->pmu.kind == PMU_SIMULATED;
	struct kernel_machine machine = { .page_bytes = 4096 };
	int status = s->worker ? 0
			       : experiment_machine(&cli->console, simulated,
						    cli->pmu.model, &machine);

	if (status)
		return status;
	if (s->kernels.n && array_grow(&s->kernels.names, s->kernels.n,
				       sizeof(*s->kernels.names)))
		return say_no_memory(&cli->console);
	if (s->kernels.n)
		s->kernels.names[s->kernels.n] = NULL;
	if (classify_plan_make(plan, &machine,
			       s->kernels.n ? s->kernels.names : NULL))
		return say_no_memory(&cli->console);
	if (plan->lacking && !s->gpu)
		say_note(&cli->console,
			 "this processor cannot run %s: left out",
			 plan->lacking);
	if (plan->n_units > 0)
		return 0;
	status = refuse_plan(cli, s, plan);
	classify_plan_fini(plan);
	return status;
}

static int write_presets(const struct cli *cli, const struct classify_state *s,
			 const struct classified *d)
{
	const struct classify_definitions defs = { d->c, d->presets,
						   s->pmu.kind == PMU_SIMULATED
							   ? "sim"
							   : s->pmu.model };
	struct diag diag = { .text = "" };
	struct outfile *file;

	if (!s->presets)
		return 0;
	if (!outfile_open(s->presets, &file, &diag)) {
		if (classify_write_definitions(&defs, outfile_stream(file)))
			outfile_abort(file);
		else if (!outfile_commit(file, &diag))
			return 0;
	}
	return say_failure(&cli->console, "cannot write '%s': %s", s->presets,
			   diag.text);
}

/* Not blind codes, noise that was asked for, nor another machine's events. */
static bool is_worth_keeping(const struct classify_state *s,
			     const struct classification *c)
{
	return !s->simulator.blind && !s->simulator.noise && !s->worker &&
	       !s->unpack && !c->cut_short;
}

static int show(const struct cli *cli, struct classify_state *s,
		const struct classification *c)
{
	struct classify_presets presets;
	struct classified d = {
		.c = c,
		.presets = &presets,
		.pmu = s->pmu.kind == PMU_SIMULATED ? "sim" : "hw",
		.model = s->pmu.model,
		.blind = s->simulator.blind != NULL,
		.whole = s->events.n == 0 && s->kernels.n == 0,
		.claims = &s->claims,
	};
	int claims = classify_claims_verify(&s->claims, c), status;

	if (claims == CMD_FAILED || classify_presets_make(&presets, c))
		return say_no_memory(&cli->console);
	status = output_write_as(&cli->output, s->format, &d, stdout, CMD_OK);
	if (!status)
		status = write_presets(cli, s, &d);
	if (!status && is_worth_keeping(s, c) && classify_remember(&d))
		say_note(&cli->console,
			 "the result could not be stored for assay explain");
	classify_presets_fini(&presets);
	return status ? status : claims;
}

static int judge_events(const struct cli *cli, struct classify_state *s,
			const struct classify_plan *plan,
			const struct experiment_result *result)
{
	struct classification c;
	int err = classify(&c, plan, result);
	int status;

	if (err == PAPI_EINVAL)
		say_error(&cli->console, "nothing was counted");
	if (err)
		return err == PAPI_EINVAL ? CMD_FAILED
					  : say_no_memory(&cli->console);
	status = show(cli, s, &c);
	classification_fini(&c);
	return status;
}

static int measure(const struct cli *cli, struct classify_state *s,
		   const struct classify_plan *plan,
		   struct classify_chooser *chooser)
{
	struct experiment experiment = {
		.simulator =
			s->pmu.kind == PMU_SIMULATED ? &s->simulator : NULL,
		.events = (const char *const *)s->events.names,
		.n_events = s->events.n,
		.without_pmu = s->gpu,
		.units = plan->units,
		.n_units = plan->n_units,
		.repeats = s->repeats ? s->repeats : 2,
		.budget_s = s->budget_s,
		.choose = chooser ? classify_choose : NULL,
		.chooser = chooser,
		.journal = s->gpu ? NULL : s->journal,
		.worker = s->worker,
		.what = "classifying",
	};
	struct experiment_result *result;
	int status =
		s->gpu ? experiment_gpu_run(&cli->console, &experiment, &result)
		       : experiment_run(&cli->console, &experiment, &result);

	if (status)
		return status;
	status = classify_tell_refused(&cli->console, plan, result);
	if (!status)
		status = judge_events(cli, s, plan, result);
	experiment_free(result);
	return status;
}

/* With a budget, kernels that tell most come first. */
static int measure_plan(const struct cli *cli, struct classify_state *s,
			const struct classify_plan *plan)
{
	struct classify_chooser *chooser;
	int status;

	if (!(s->budget_s > 0) || s->gpu)
		return measure(cli, s, plan, NULL);
	chooser = classify_chooser_new(plan);
	if (!chooser)
		return say_no_memory(&cli->console);
	status = measure(cli, s, plan, chooser);
	classify_chooser_free(chooser);
	return status;
}

static int take_claim(const struct cli *cli, struct classify_state *s,
		      const char *word)
{
	int status = classify_claims_add(&s->claims, &cli->console, word);

	if (status)
		return status;
	word = s->claims.items[s->claims.n - 1].event;
	return selection_add(&s->wanted, word) ? say_no_memory(&cli->console)
					       : 0;
}

/* --pack and --unpack count nothing here. */
static int check_bundle(const struct cli *cli, const struct classify_state *s)
{
	const struct simulator_options *sim = &s->simulator;
	bool here = s->worker || s->journal || s->budget_s > 0 ||
		    sim->counters || sim->blind || sim->noise || sim->seed ||
		    cli->pmu.kind == PMU_SIMULATED || cli->pmu.model;

	if (!s->pack && !s->unpack)
		return 0;
	if (s->pack && s->unpack)
		say_error(&cli->console,
			  "--pack cannot be combined with --unpack");
	else if (s->pack && (here || s->presets || s->claims.n))
		say_error(&cli->console, "--pack can be combined with -e, "
					 "--kernels and -r only");
	else if (s->unpack && (here || s->kernels.n || s->repeats ||
			       s->wanted.n > s->claims.n))
		say_error(&cli->console, "--unpack cannot be combined with "
					 "options that say what to count");
	else
		return s->pack ? output_check(&cli->output, s->pack) : 0;
	return CMD_USAGE;
}

static int pack_bundle(const struct cli *cli, const struct classify_state *s)
{
	struct request request = { .repeats = s->repeats ? s->repeats : 2,
				   .gpu = is_on_gpu(&s->wanted) };
	int status, err = 0;

	for (size_t i = 0; !err && i < s->wanted.n; i++)
		err = request_add_event(&request, s->wanted.names[i]);
	for (size_t i = 0; !err && i < s->kernels.n; i++)
		err = request_add_kernel(&request, s->kernels.names[i]);
	status = err ? say_no_memory(&cli->console)
		     : bundle_pack(&cli->console, &request, s->pack);
	request_fini(&request);
	if (!status)
		say_note(&cli->console,
			 "run '%s' where events are to be classified, and "
			 "bring back what it writes for --unpack",
			 s->pack);
	return status;
}

static int unpack_counts(const struct cli *cli, struct classify_state *s)
{
	struct bundle bundle;
	const struct counts *counts = &bundle.counts;
	int status = bundle_unpack(&cli->console, s->unpack, &bundle);

	if (status)
		return status;
	s->pmu.kind =
		strcmp(counts->kind, "sim") == 0 ? PMU_SIMULATED : PMU_HARDWARE;
	snprintf(s->pmu.model, sizeof(s->pmu.model), "%s", counts->model);
	status = classify_tell_refused(&cli->console, &bundle.plan,
				       counts->result);
	if (!status)
		status = judge_events(cli, s, &bundle.plan, counts->result);
	bundle_fini(&bundle);
	return status;
}

static int count_here(const struct cli *cli, struct classify_state *s)
{
	struct classify_plan plan;
	int status = look_around(cli, s);

	if (!status)
		status = make_plan(cli, s, &plan);
	if (!status) {
		pmu_announce(&cli->console, &cli->pmu, &s->pmu, NULL);
		status = measure_plan(cli, s, &plan);
		classify_plan_fini(&plan);
	}
	return status;
}

static int run_classify(struct cli *cli, int argc, char **argv)
{
	struct classify_state *s = cli->state;
	int status = 0;

	for (int i = 0; !status && i < argc; i++)
		status = take_claim(cli, s, argv[i]);
	s->simulator.model = cli->pmu.model;
	if (!status)
		status = check_outputs(cli, s);
	if (!status)
		status = check_bundle(cli, s);
	if (!status)
		status = s->pack     ? pack_bundle(cli, s)
			 : s->unpack ? unpack_counts(cli, s)
				     : count_here(cli, s);
	selection_fini(&s->wanted);
	selection_fini(&s->kernels);
	selection_fini(&s->events);
	classify_claims_fini(&s->claims);
	return status;
}

const struct command command_classify = {
	.name = "classify",
	.summary = "find out what each native event really counts",
	.synopsis = "[options] [EVENT=CLASS ...]",
	.text = "Run kernels whose costs are known while events are counted, "
		"and say what each event counts: one concept, a multiple, a "
		"sum, noise or nothing, with what confidence, which events are "
		"the same, and what none of them counts. Results are stored for "
		"assay explain. EVENT=CLASS checks that EVENT counts CLASS.",
	.options = options,
	.formats = formats,
	.common = COMMON_OUTPUT | COMMON_PMU,
	.take = take_classify_option,
	.run = run_classify,
	.state_bytes = sizeof(struct classify_state),
};
