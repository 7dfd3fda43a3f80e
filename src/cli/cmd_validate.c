/* SPDX-License-Identifier: BSD-3-Clause */
/* assay validate: predicted counts against reported ones. */

#include <assay/assay.h>
#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fs.h"
#include "base/strbuf.h"
#include "cli/cmd.h"
#include "host/capture.h"
#include "kernels/gpu/driver.h"
#include "machine/machine.h"
#include "measure/metrics.h"
#include "measure/pmu.h"
#include "validate/time.h"
#include "validate/validated.h"
#include "write/document.h"

struct validate_state {
	struct selection events; /* of -e */
	struct validate_options options;
	struct simulator_options simulator;
	double tolerance_pct; /* 0: the default */
	bool matrix;
	bool forget;
	bool quick;
	bool brief;
	bool time;
	bool some; /* of the workloads of --time */
	bool real_only;
};

enum {
	KEY_MOST = CMD_LONG,
};

static const struct cmd_option options[] = {
	{ 'e', "events", "EVENT,...",
	  "validate these presets; EVENT=PRESET validates an event "
	  "against that preset's prediction; gpu: the GPU events with "
	  "kernels; software: page faults, context switches and CPU time",
	  INTO_AS(EVENTS, validate_state, events) },
	{ 'r', "repeat", "N",
	  "repeat each count N times; default: 3 on the simulated PMU, "
	  "100 on hardware",
	  INTO(validate_state, options.repeats), .min = 1, .max = 10000 },
	{ KEY_MOST, "most", "N",
	  "stop at N occurrences, a power of ten; default: 1000000", BY_TAKE },
	{ 0, "quick", NULL,
	  "check this machine in at most ten minutes (-r 10 --most 10000 "
	  "--budget 600, unless given) and write results and machine to "
	  "assay-check.txt, or to the FILE of -o, ready to send",
	  INTO(validate_state, quick) },
	{ 0, "time", NULL,
	  "compare simulated with real cycles on this machine, kernel by "
	  "kernel and program by program; default model: host",
	  INTO(validate_state, time) },
	{ 0, "real-only", NULL,
	  "with --time and --journal: measure real times only, for a moment "
	  "when the machine is idle; the same without this option then "
	  "simulates",
	  INTO(validate_state, real_only) },
	{ 0, "brief", NULL,
	  "count each event only with its own kernel, not with all kernels "
	  "that predict it; with --time: kernels only",
	  INTO(validate_state, brief) },
	{ 0, "tolerance", "PERCENT",
	  "accept counts that vary, and counts of other kernels, within "
	  "PERCENT of the prediction; default: 1",
	  INTO(validate_state, tolerance_pct), .min = 0.001, .max = 100 },
	{ 0, "patterns", NULL,
	  "also test the other read patterns: start-read, read-read, "
	  "read-stop",
	  INTO(validate_state, options.patterns) },
	{ 0, "matrix", NULL,
	  "show a table of events and platforms validated so far by this "
	  "user or in FILEs (-o FILE.json); count nothing",
	  INTO(validate_state, matrix) },
	{ 0, "worker", "PROGRAM",
	  "run the kernels on another machine through PROGRAM, which uses the "
	  "protocol of libexec/kernels",
	  INTO(validate_state, options.worker) },
	SIMULATOR_COUNTERS(validate_state, simulator),
	SIMULATOR_NOISE(validate_state, simulator),
	{ 0, "journal", "FILE",
	  "save counts to FILE and resume from it after an interruption; with "
	  "--time: real times and simulated cycles",
	  INTO(validate_state, options.journal) },
	{ 0, "budget", "SECONDS", "start no further kernel after SECONDS",
	  INTO(validate_state, options.budget_s), .min = 0.001 },
	{ 0, "no-save", NULL,
	  "do not store the result for 'assay explain' and 'assay count'",
	  INTO(validate_state, forget) },
	{ 0 },
};

/* Options. */

static int take_most(struct cli *cli, const char *text)
{
	struct validate_state *s = cli->state;
	char *end;
	double most = strtod(text, &end);

	for (size_t i = 0; *text && !*end && i < VALIDATE_SIZES; i++) {
		if (validate_size(i) == most) {
			s->options.sizes = i + 1;
			return 0;
		}
	}
	return say_usage(
		&cli->console,
		"--most requires a power of ten from 1 to 1000000, not '%s'",
		text);
}

/* Only --most: the parser stores the others. */
static int take_validate_option(struct cli *cli, int key, const char *argument)
{
	(void)key;
	return take_most(cli, argument);
}

/* Counting. */

static bool has_hardware(const struct cli *cli)
{
	struct assay_pmu pmu;
	bool has;

	if (session_open(&cli->console))
		return false;
	has = assay_get_pmu(&pmu) == PAPI_OK && pmu.kind == ASSAY_PMU_HARDWARE;
	PAPI_shutdown();
	return has;
}

/* A GPU needs no PMU beside it; with a PMU's events it is not counted. */
static int choose_gpu(struct cli *cli)
{
	struct validate_state *s = cli->state;
	size_t on_gpu = 0;

	for (size_t i = 0; i < s->events.n; i++)
		on_gpu += strncmp(s->events.names[i], "cuda::", 6) == 0 ||
			  strcmp(s->events.names[i], "gpu") == 0;
	s->options.gpu = on_gpu > 0;
	if (on_gpu > 0 && (on_gpu < s->events.n || s->options.journal))
		return say_usage(
			&cli->console,
			"GPU events cannot be combined with other events or "
			"--journal");
	if (on_gpu > 0 && !driver_is_there())
		return say_failure(&cli->console,
				   "cannot run kernels on a GPU: %s",
				   driver_why_not());
	return 0;
}

/* Its options are checked before anything is said or counted. */
static int check_simulator(const struct cli *cli,
			   const struct simulator_options *simulator)
{
	struct diag diag = { .text = "" };
	int status = simulator_check(simulator, &diag);

	if (status)
		say_error(&cli->console, "%s", diag.text);
	return status;
}

/* Events of the operating system need no PMU. */
static int choose_software(struct cli *cli)
{
	struct validate_state *s = cli->state;
	size_t n = 0;

	for (size_t i = 0; i < s->events.n; i++)
		n += strncmp(s->events.names[i], "perf::", 6) == 0 ||
		     strcmp(s->events.names[i], "software") == 0;
	s->options.software = n > 0;
	if (n > 0 && n < s->events.n) {
		say_error(&cli->console,
			  "software events cannot be combined with others");
		return CMD_USAGE;
	}
	if (n > 0 && (cli->pmu.kind == PMU_SIMULATED || cli->pmu.model)) {
		say_error(&cli->console,
			  "software events are this machine's, not those of "
			  "the simulated PMU");
		return CMD_USAGE;
	}
	return 0;
}

static int choose_pmu(struct cli *cli)
{
	struct validate_state *s = cli->state;
	int status = choose_gpu(cli);

	if (!status)
		status = choose_software(cli);
	if (status || s->options.gpu || s->options.software)
		return status;

	if (s->options.worker &&
	    (cli->pmu.kind == PMU_SIMULATED || cli->pmu.model))
		return say_usage(&cli->console,
				 "--worker cannot be combined with "
				 "--pmu sim: it counts on "
				 "another machine's PMU");
	if (s->options.worker)
		return 0;
	if (cli->pmu.kind == PMU_NONE)
		return say_usage(&cli->console,
				 "nothing can be validated without a PMU");
	if (cli->pmu.kind == PMU_HARDWARE ||
	    (cli->pmu.kind == PMU_AUTO && !cli->pmu.model && has_hardware(cli)))
		return 0;
	s->simulator.model = cli->pmu.model;
	s->options.simulator = &s->simulator;
	return check_simulator(cli, &s->simulator);
}

static const struct format formats[] = {
	FORMAT("text", ".txt", validate_write_text),
	DATA_FORMATS(validate_describe),
	FORMAT("html", ".html", validate_write_page),
	{ 0 },
};

/* Results of counts that were disturbed on purpose are not kept. */
static void keep(const struct cli *cli, const struct validation *v)
{
	const struct validate_state *s = cli->state;
	struct diag diag = { .text = "" };

	if (s->forget || s->simulator.noise || v->cut_short)
		return;
	if (validated_save(v, &diag))
		say_note(&cli->console, "the result is not stored: %s",
			 diag.text);
}

/* A check that ends soon, for those who have a machine and little time. */

#define QUICK_REPEATS 10
#define QUICK_SIZES   5 /* 1 to 10,000 */
#define QUICK_S       600

/* The file to send is about this machine: what is counted is to be here. */
static int plan_quick(const struct cli *cli)
{
	struct validate_state *s = cli->state;

	if (s->matrix || s->options.worker)
		return say_usage(&cli->console,
				 "--quick cannot be combined with %s",
				 s->matrix ? "--matrix" : "--worker");
	if (!s->options.repeats)
		s->options.repeats = QUICK_REPEATS;
	if (!s->options.sizes)
		s->options.sizes = QUICK_SIZES;
	if (s->options.budget_s <= 0)
		s->options.budget_s = QUICK_S;
	return 0;
}

static const char *packet_path(const struct cli *cli)
{
	return cli->output.path ? cli->output.path : "assay-check.txt";
}

/* The form of host/capture.h; the JSON of the results is the first file. */
static int put_packet(const void *what, const struct report_style *style,
		      FILE *to)
{
	struct fs fs = { .root = "" };
	int err;

	(void)style;
	fputs("-- assay/validation.json --\n", to);
	err = document_write_json(validate_describe, what, to);
	return err ? err : capture_write(&fs, to);
}

/* Write what is to be sent; -o then names that file. @status, or a failure. */
static int write_packet(const struct cli *cli, const struct validation *v,
			int status)
{
	struct output output = cli->output;

	output.path = packet_path(cli);
	status = output_write(&output, put_packet, v, stdout, status);
	if (status != CMD_FAILED && strcmp(output.path, "-") != 0)
		say_note(&cli->console,
			 "results and machine are in %s; it contains no names "
			 "of users or hosts and no addresses",
			 output.path);
	return status;
}

static int write_results(const struct cli *cli, const struct format *format,
			 const struct validation *v, int status)
{
	const struct validate_state *s = cli->state;
	struct output output = cli->output;

	if (s->quick) {
		status = write_packet(cli, v, status);
		if (output.path && strcmp(output.path, "-") == 0)
			return status;
		output.path = NULL;
	}
	return status == CMD_FAILED
		       ? status
		       : output_write_as(&output, format, v, stdout, status);
}

/* The format of what is shown; with --quick -o names another file. */
static const struct format *choose_format(const struct cli *cli)
{
	const struct validate_state *s = cli->state;
	struct output output = cli->output;

	if (s->quick)
		output.path = NULL;
	return output_format(&output, formats);
}

static int validate(struct cli *cli)
{
	struct validate_state *s = cli->state;
	const struct format *format = choose_format(cli);
	struct validation *v = NULL;
	int status =
		format ? output_check(&cli->output, s->quick ? packet_path(cli)
							     : cli->output.path)
		       : CMD_USAGE;

	s->options.events = (const char **)s->events.names;
	s->options.n_events = s->events.n;
	if (!status)
		status = validate_check_events(&cli->console, &s->options);
	if (!status)
		status = choose_pmu(cli);
	if (!s->options.sizes)
		s->options.sizes = VALIDATE_SIZES;
	if (!status && s->options.simulator && cli->pmu.kind == PMU_AUTO)
		say_note(&cli->console,
			 "validating the simulated PMU (model %s)",
			 simulator_model(cli->pmu.model));
	s->options.tolerance = s->tolerance_pct ? s->tolerance_pct / 100
						: 0.01; /* the 2005 paper's */
	if (!status)
		status = validate_run(&cli->console, &s->options, &v);
	if (!status && !s->brief)
		status = validate_by_catalogue(&cli->console, &s->options, v);
	if (!status && !s->options.gpu && !s->options.software)
		status = validate_explain(&cli->console, &s->options, v);
	if (!status) {
		keep(cli, v);
		if (v->cut_short)
			say_note(&cli->console,
				 "the time budget ended before the last count");
		if (validate_count(v, VERDICT_FAIL))
			status = CMD_LIMIT;
		else if (!validate_count(v, VERDICT_PASS))
			status = CMD_UNMEASURED;
		status = write_results(cli, format, v, status);
	}
	validate_free(v);
	return status;
}

/* Cycles against time. */

static const struct format time_formats[] = {
	FORMAT("text", ".txt", time_write_text),
	DATA_FORMATS(time_describe),
	{ 0 },
};

/* The model of this machine, if no other one was asked for. */
static int find_model(struct cli *cli, char **path)
{
	struct diag diag = { .text = "" };
	struct validate_state *s = cli->state;
	int status = 0;

	*path = NULL;
	if (!cli->pmu.model && machine_host_model(&cli->console, path, &diag))
		return say_failure(&cli->console, "%s", diag.text);
	s->simulator.model = cli->pmu.model ? cli->pmu.model : *path;
	if (!s->simulator.counters)
		s->simulator.counters = "unlimited";
	status = check_simulator(cli, &s->simulator);
	return status;
}

static int write_times(struct cli *cli, const struct format *format,
		       const struct time_table *table)
{
	const struct validate_state *s = cli->state;
	struct diag diag = { .text = "" };

	/* some rows say little about the others */
	if (!s->forget && !s->some && !s->real_only && time_save(table, &diag))
		say_note(&cli->console, "the result is not stored: %s",
			 diag.text);
	return output_write_as(&cli->output, format, table, stdout, 0);
}

static int validate_times(struct cli *cli, char **names, size_t n)
{
	struct validate_state *s = cli->state;
	const struct format *format = output_format(&cli->output, time_formats);
	struct time_options time_options = { .simulator = &s->simulator,
					     .repeats = s->options.repeats,
					     .brief = s->brief,
					     .budget_s = s->options.budget_s,
					     .real_only = s->real_only,
					     .journal = s->options.journal,
					     .names = names,
					     .n_names = n };
	struct time_table *table = NULL;
	char *model = NULL;
	int status = format ? output_check(&cli->output, cli->output.path)
			    : CMD_USAGE;

	if (!status &&
	    (s->matrix || s->quick || s->options.worker || s->events.n))
		status = say_usage(&cli->console,
				   "--time cannot be combined with %s",
				   s->matrix           ? "--matrix"
				   : s->quick          ? "--quick"
				   : s->options.worker ? "--worker"
						       : "-e");
	if (!status && s->real_only && !s->options.journal)
		status = say_usage(&cli->console,
				   "--real-only requires --journal FILE");
	if (!status &&
	    (cli->pmu.kind == PMU_HARDWARE || cli->pmu.kind == PMU_NONE))
		status = say_usage(&cli->console,
				   "--time is about the simulated PMU; "
				   "use --pmu sim");
	if (!status)
		status = find_model(cli, &model);
	s->some = n > 0;
	if (!status)
		status = time_measure(&cli->console, &time_options, &table);
	if (!status)
		status = write_times(cli, format, table);
	time_free(table);
	free(model);
	return status;
}

static int run_validate(struct cli *cli, int argc, char **argv)
{
	struct validate_state *s = cli->state;
	int status = s->quick && !s->time ? plan_quick(cli) : 0;

	if (!status && s->real_only && !s->time)
		status =
			say_usage(&cli->console, "--real-only requires --time");
	if (status) {
		/* said already */
	} else if (s->matrix && !s->time) {
		status = validate_show_matrix(&cli->output, argv, (size_t)argc);
	} else if (s->time) {
		status = validate_times(cli, argv, (size_t)argc);
	} else if (argc > 0) {
		status = say_usage(
			&cli->console,
			"unexpected argument '%s'; give events with -e",
			argv[0]);
	} else {
		status = validate(cli);
	}
	selection_fini(&s->events);
	return status;
}

const struct command command_validate = {
	.name = "validate",
	.summary = "compare predicted with reported counts, event by event",
	.synopsis =
		"[options] | --quick | --time [NAME...] | --matrix [FILE...]",
	.text = "Run kernels that cause a known number of events, 1 to "
		"1,000,000, and compare reported with predicted counts, "
		"before and after subtracting the overhead. The exit "
		"status is 4 if a count differs from its prediction, and "
		"3 if nothing could be counted.",
	.options = options,
	.formats = formats,
	.common = COMMON_PMU | COMMON_OUTPUT,
	.take = take_validate_option,
	.run = run_validate,
	.state_bytes = sizeof(struct validate_state),
};
