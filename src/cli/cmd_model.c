/* SPDX-License-Identifier: BSD-3-Clause */
/* assay model: a program under a performance model. */

#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/cmd.h"
#include "cli/options.h"
#include "measure/counting.h"
#include "perfmodel/perfmodel.h"
#include "perfmodel/roofline.h"
#include "write/document.h"

enum {
	KEY_WITH = CMD_LONG,
};

struct model_state {
	struct counting counting;
	struct fit_options fit;
	struct roofline_points beside; /* programs of --with */
	const struct format *format;
	char as[64]; /* "assay model lcpi" */
};

static const struct cmd_option options[] = {
	{ 0, "machine", "FILE",
	  "read machine constants from FILE: #define lines, or JSON of "
	  "assay machine; default: those shipped for the PMU's machine, "
	  "otherwise generic ones",
	  INTO(model_state, counting.machine) },
	{ 0, "no-multiplex", NULL,
	  "if there are more events than counters, run the program "
	  "several times instead of multiplexing",
	  INTO(model_state, counting.no_multiplex) },
	{ KEY_WITH, "with", "FILE",
	  "roofline: also plot the program in FILE, JSON of an earlier run, "
	  "on the page; may be repeated",
	  BY_TAKE },
	{ 0, "fit", "FILE",
	  "power: fit a model to the samples in FILE (CSV with a header "
	  "line) instead of running a program",
	  INTO(model_state, fit.path) },
	{ 0, "response", "NAME",
	  "fit: the response column; default: power or watts, else the "
	  "last",
	  INTO(model_state, fit.response) },
	{ 0, "folds", "N", "fit: number of cross-validation folds; default: 10",
	  INTO(model_state, fit.folds), .min = 2, .max = 1e6 },
	{ 0, "ridge", "LAMBDA",
	  "fit: ridge penalty on standardised coefficients; default: 0 "
	  "(least squares)",
	  INTO(model_state, fit.ridge) },
	{ 0 },
};

static const struct model *const models[] = {
	&model_lcpi,      &model_cycles, &model_roofline,
	&model_bandwidth, &model_power,
};

static int take_beside(const struct cli *cli, struct roofline_points *beside,
		       const char *path)
{
	struct diag diag = { .text = "" };

	if (!roofline_points_read(beside, path, &diag))
		return 0;
	return say_usage(&cli->console, "--with %s: %s", path,
			 diag.text[0] ? diag.text : "out of memory");
}

/* Only --with: the parser stores the others. */
static int take_model_option(struct cli *cli, int key, const char *argument)
{
	struct model_state *state = cli->state;

	(void)key;
	return take_beside(cli, &state->beside, argument);
}

static const struct model *find_model(const struct cli *cli, int argc,
				      char **argv)
{
	for (size_t i = 0; argc > 0 && i < ARRAY_SIZE(models); i++)
		if (strcmp(models[i]->name, argv[0]) == 0)
			return models[i];
	say_error(&cli->console,
		  "%s%s%smodels: lcpi, cycles, roofline, bandwidth, power",
		  argc > 0 ? "there is no model '" : "no model given; ",
		  argc > 0 ? argv[0] : "", argc > 0 ? "'; " : "");
	return NULL;
}

static const struct format formats[] = {
	FORMAT("text", ".txt", model_write_text),
	DATA_FORMATS(model_describe),
	FORMAT("svg", ".svg", model_write_svg),
	FORMAT("html", ".html", model_write_html),
	{ 0 },
};

/* NULL, after a message: there is none of that name, or no picture. */
static const struct format *choose_format(const struct cli *cli,
					  const struct model *model)
{
	const struct format *format = output_format(&cli->output, formats);

	if (!format || format->write != model_write_svg || model->svg)
		return format;
	say_error(&cli->console, "%s has no SVG output; only roofline has",
		  model->name);
	return NULL;
}

/* Groups that need no counter of their own are left out where there are few. */
static const char *const *free_groups(const struct model *model,
				      const struct counting *c)
{
	static const char *const none[] = { NULL };
	bool unlimited = c->pmu.kind == PMU_SIMULATED;

	return unlimited && model->free_groups ? model->free_groups : none;
}

static int add_groups(struct counting *c, const char *const *groups)
{
	int err = 0;

	for (; !err && *groups; groups++) {
		err = metrics_add_events(&c->metrics, *groups, &c->selection);
		if (err == PAPI_ENOEVNT)
			err = 0;
	}
	return err;
}

static int choose_events(const struct cli *cli, const struct model *model,
			 struct counting *c)
{
	struct diag diag = { .text = "" };
	int err = metrics_init(&c->metrics, c->pmu.model, &diag);

	if (err)
		return counting_bad_metrics(&cli->console, &diag);
	c->selection.chosen = true;
	if (add_groups(c, model->groups) ||
	    add_groups(c, free_groups(model, c)) ||
	    selection_add(&c->selection, "PAPI_TOT_CYC"))
		return say_no_memory(&cli->console);
	return 0;
}

static int derive_groups(const struct counting *c, const char *const *groups,
			 const struct run_result *counted, struct report *r)
{
	int err = 0;

	for (; !err && *groups; groups++)
		err = derive_metrics(&c->metrics, *groups, counted, r);
	return err;
}

static bool all_measured(const struct report *r)
{
	for (size_t i = 0; i < r->n_metrics; i++)
		if (r->metrics[i].reason)
			return false;
	return r->n_metrics > 0;
}

static int show(struct cli *cli, const struct model *model, char **argv)
{
	struct model_state *state = cli->state;
	struct counting *c = &state->counting;
	struct run_result counted = counting_result(c, argv);
	struct modelled m = {
		.model = model,
		.constants = &c->constants,
		.simulated = c->pmu.kind == PMU_SIMULATED,
		.beside = &state->beside,
	};
	int err = count_report(&counted, &m.report);
	int status;

	if (!err && c->measure.n_rows > 1)
		err = count_add_threads(&counted, &m.report);
	if (!err)
		err = derive_groups(c, model->groups, &counted, &m.report);
	if (!err)
		err = derive_groups(c, free_groups(model, c), &counted,
				    &m.report);
	if (err) {
		say_error(&cli->console, "out of memory");
		report_fini(&m.report);
		return CMD_FAILED;
	}
	status = m.report.exit;
	if (status == 0 && cli->strict && !all_measured(&m.report))
		status = CMD_UNMEASURED;
	status = output_write_as(&cli->output, state->format, &m, stderr,
				 status);
	report_fini(&m.report);
	return status;
}

static int apply_model(struct cli *cli, const struct model *model, int argc,
		       char **argv)
{
	struct model_state *state = cli->state;
	struct counting *c = &state->counting;
	int status;

	if (state->fit.path) {
		if (model == &model_power && argc == 0)
			return model_fit(&cli->output, &state->fit);
		return say_usage(
			&cli->console,
			"--fit requires the model power and no program");
	}
	state->format = choose_format(cli, model);
	if (!state->format)
		return CMD_USAGE;
	status = output_check(&cli->output, cli->output.path);
	if (status)
		return status;
	status = counting_need_program(&cli->console, argc, argv);
	if (!status)
		status = counting_open(&cli->console, &cli->pmu, c);
	/* threads of the simulated machine run at the same time */
	c->measure.per_thread = c->pmu.kind == PMU_SIMULATED;
	if (!status)
		status = choose_events(cli, model, c);
	if (!status)
		status = counting_look_up(&cli->console, &cli->pmu, c);
	if (!status)
		status = counting_run(&cli->console, &cli->pmu, c, argv);
	return status ? status : show(cli, model, argv);
}

/* Options may stand before the model's name and behind it. */
static int run_model(struct cli *cli, int argc, char **argv)
{
	struct model_state *state = cli->state;
	const struct model *model = find_model(cli, argc, argv);
	int status = CMD_USAGE;
	int used;

	if (!model)
		return CMD_USAGE;
	snprintf(state->as, sizeof(state->as), "%s %s", cli->console.as,
		 model->name);
	cli->console.as = state->as;
	used = options_parse(cli, argc, argv, &status);
	if (used >= 0)
		status = apply_model(cli, model, argc - used, argv + used);
	roofline_points_fini(&state->beside);
	counting_fini(&state->counting);
	return status;
}

const struct command command_model = {
	.name = "model",
	.summary = "apply a performance model (LCPI, roofline, ...) to a "
		   "program",
	.synopsis = "lcpi|cycles|roofline|bandwidth|power [options] [--] "
		    "PROGRAM [ARGUMENT ...]",
	.text = "Count the events a performance model needs, and show the "
		"model. lcpi: upper and lower bounds of what data, "
		"instructions, floating point, branches and TLBs cost, "
		"beside the cycles per instruction. cycles: cycle "
		"accounting. roofline: operations per second against "
		"operations per byte, under the machine's ceilings (also "
		".svg and .html). bandwidth: memory traffic. power: watts from "
		"published regressions, or from your own with --fit. The "
		"result goes to standard error unless -o is given; the exit "
		"status is that of the program.",
	.options = options,
	.formats = formats,
	.common = COMMON_OUTPUT | COMMON_PMU | COMMON_STRICT,
	.runs_program = true,
	.take = take_model_option,
	.run = run_model,
	.state_bytes = sizeof(struct model_state),
};
