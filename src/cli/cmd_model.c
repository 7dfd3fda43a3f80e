/* SPDX-License-Identifier: BSD-3-Clause */
/* assay model: a program under a performance model. */

#include <errno.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/cmd.h"
#include "cli/options.h"
#include "console/output.h"
#include "console/say.h"
#include "measure/counting.h"
#include "measure/derive.h"
#include "perfmodel/fit.h"
#include "perfmodel/perfmodel.h"

enum {
	KEY_MACHINE = CMD_LONG,
	KEY_NO_MULTIPLEX,
	KEY_FIT,
	KEY_FOLDS,
	KEY_RIDGE,
	KEY_RESPONSE,
};

static const struct cmd_option options[] = {
	{ KEY_MACHINE, "machine", "FILE",
	  "read machine constants from FILE: #define lines, or JSON of "
	  "assay machine; default: those shipped for the PMU's machine, "
	  "else generic ones" },
	{ KEY_NO_MULTIPLEX, "no-multiplex", NULL,
	  "if there are more events than counters, run the program "
	  "several times instead of multiplexing" },
	{ KEY_FIT, "fit", "FILE",
	  "power: fit a model to the samples in FILE (CSV with a header "
	  "line) instead of running a program" },
	{ KEY_RESPONSE, "response", "NAME",
	  "fit: the response column; default: power or watts, else the "
	  "last" },
	{ KEY_FOLDS, "folds", "N",
	  "fit: number of cross-validation folds; default: 10" },
	{ KEY_RIDGE, "ridge", "LAMBDA",
	  "fit: ridge penalty on standardised coefficients; default: 0 "
	  "(least squares)" },
	{ 0 },
};

static const struct model *const models[] = {
	&model_lcpi,      &model_cycles, &model_roofline,
	&model_bandwidth, &model_power,
};

struct state {
	struct counting counting;
	struct fit_options fit;
	const struct format *format;
	char as[64]; /* "assay model lcpi" */
};

static int take_number(const struct cli *cli, const char *option,
		       const char *text, double *value)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	if (!errno && end != text && !*end && *value >= 0)
		return 0;
	say_error(&cli->console,
		  "--%s requires a number of at least 0, not '%s'", option,
		  text);
	return CMD_USAGE;
}

static int take_folds(const struct cli *cli, const char *text, size_t *folds)
{
	double value;
	int status = take_number(cli, "folds", text, &value);

	if (!status && (value < 2 || value > 1e6)) {
		say_error(&cli->console,
			  "--folds requires a number of at least 2, not '%s'",
			  text);
		return CMD_USAGE;
	}
	*folds = status ? 0 : (size_t)value;
	return status;
}

static int take(struct cli *cli, int key, const char *argument)
{
	struct state *state = cli->state;

	switch (key) {
	case KEY_MACHINE:
		state->counting.machine = argument;
		break;
	case KEY_NO_MULTIPLEX:
		state->counting.no_multiplex = true;
		break;
	case KEY_FIT:
		state->fit.path = argument;
		break;
	case KEY_RESPONSE:
		state->fit.response = argument;
		break;
	case KEY_FOLDS:
		return take_folds(cli, argument, &state->fit.folds);
	case KEY_RIDGE:
		return take_number(cli, "ridge", argument, &state->fit.ridge);
	}
	return 0;
}

static const struct model *find_model(const struct cli *cli, int argc,
				      char **argv)
{
	for (size_t i = 0; argc > 0 && i < ARRAY_SIZE(models); i++)
		if (strcmp(models[i]->name, argv[0]) == 0)
			return models[i];
	say_error(&cli->console,
		  "%s%s%sthere are lcpi, cycles, roofline, bandwidth and power",
		  argc > 0 ? "there is no model '" : "no model given; ",
		  argc > 0 ? argv[0] : "", argc > 0 ? "'; " : "");
	return NULL;
}

static const struct format formats[] = {
	FORMAT("text", ".txt", model_write_text),
	FORMAT("json", ".json", model_write_json),
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
	say_error(&cli->console, "there is no picture of %s, only of roofline",
		  model->name);
	return NULL;
}

static int choose_events(const struct cli *cli, const struct model *model,
			 struct counting *c)
{
	struct diag diag = { .text = "" };
	int err = metrics_init(&c->metrics, c->pmu.model, &diag);

	if (err)
		return counting_bad_metrics(&cli->console, &diag);
	c->selection.chosen = true;
	for (size_t i = 0; model->groups[i]; i++) {
		err = metrics_add_events(&c->metrics, model->groups[i],
					 &c->selection);
		if (err && err != PAPI_ENOEVNT) {
			say_error(&cli->console, "out of memory");
			return CMD_FAILED;
		}
	}
	if (selection_add(&c->selection, "PAPI_TOT_CYC")) {
		say_error(&cli->console, "out of memory");
		return CMD_FAILED;
	}
	return 0;
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
	struct state *state = cli->state;
	struct counting *c = &state->counting;
	struct counted counted = counting_result(c, argv);
	struct modelled m = {
		.model = model,
		.constants = &c->constants,
		.simulated = c->pmu.kind == PMU_SIMULATED,
	};
	int err = count_report(&counted, &m.report);
	int status;

	if (!err && c->measure.n_rows > 1)
		err = count_add_threads(&counted, &m.report);
	for (size_t i = 0; !err && model->groups[i]; i++)
		err = derive_metrics(&c->metrics, model->groups[i], &counted,
				     &m.report);
	if (err) {
		say_error(&cli->console, "out of memory");
		report_fini(&m.report);
		return CMD_FAILED;
	}
	status = m.report.exit;
	if (status == 0 && cli->strict && !all_measured(&m.report))
		status = CMD_UNMEASURED;
	status = output_write(&cli->output, state->format->write, &m, stderr,
			      status);
	report_fini(&m.report);
	return status;
}

static int run_model(struct cli *cli, const struct model *model, int argc,
		     char **argv)
{
	struct state *state = cli->state;
	struct counting *c = &state->counting;
	int status;

	if (state->fit.path) {
		if (model == &model_power && argc == 0)
			return model_fit(&cli->output, &state->fit);
		say_error(&cli->console,
			  "--fit requires the model power and no program");
		return CMD_USAGE;
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
static int run(struct cli *cli, int argc, char **argv)
{
	struct state *state = cli->state;
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
		status = run_model(cli, model, argc - used, argv + used);
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
		".svg and .html). bandwidth: memory traffic. power: watts "
		"by published regressions, or by your own with --fit. The "
		"result goes to standard error unless -o says otherwise; "
		"the exit status is the program's own.",
	.options = options,
	.formats = formats,
	.common = COMMON_OUTPUT | COMMON_PMU | COMMON_STRICT,
	.runs_program = true,
	.take = take,
	.run = run,
	.state_bytes = sizeof(struct state),
};
