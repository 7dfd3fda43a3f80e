/* SPDX-License-Identifier: BSD-3-Clause */
/* assay count, also called hpmcount: run a program, count, report. */

#include <errno.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/advice.h"
#include "cli/count.h"
#include "cli/derive.h"
#include "cli/metrics.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/say.h"
#include "cli/session.h"

enum {
	KEY_EVENT_FILE = CMD_LONG,
	KEY_NO_MULTIPLEX,
	KEY_COUNTERS,
};

static const struct cmd_option options[] = {
	{ 'e', "events", "EVENT,...",
	  "what to count; may be given several times (environment: "
	  "HPM_EVENTS); default: the usual events that can be counted here" },
	{ KEY_EVENT_FILE, "event-file", "FILE",
	  "count the events named in FILE, one or a list a line "
	  "(environment: HPM_EVENT_FILE)" },
	{ 'g', "group", "NAME",
	  "count what the metrics of a group need, and show those: a file of "
	  "metrics (hpm, lcpi, ...) or a category in one (cache, ...); may be "
	  "given several times" },
	{ 'm', "metrics", "FILE",
	  "derive also the metrics of FILE; may be given several times" },
	{ 'r', "repeat", "N",
	  "run the program N times; report mean, standard deviation, range" },
	{ KEY_NO_MULTIPLEX, "no-multiplex", NULL,
	  "if there are more events than counters, run the program again for "
	  "the rest instead of counting each part of the time" },
	{ KEY_COUNTERS, "counters", "N[+F]|unlimited",
	  "how many counters the simulated PMU has; default: unlimited" },
	{ 0 },
};

#define MOST_RUNS   10000
#define USUAL_GROUP "hpm" /* the metrics of the 2001 paper's Table 1 */

struct count {
	struct selection selection;
	struct selection groups; /* names of -g */
	struct selection files;  /* paths of -m */
	unsigned repeat;
	bool no_multiplex;
	const char *counters; /* of the simulated PMU */

	const struct report_writer *writer;
	struct pmu pmu;
	struct metrics metrics;
	struct measure measure;
	struct child_result *results;
};

static int bad_events(const struct cli *cli, int err, const char *where)
{
	if (err == PAPI_ENOMEM)
		say_error(cli, "out of memory");
	else if (err == PAPI_ESYS)
		say_error(cli, "cannot read %s: %s", where, strerror(errno));
	else
		say_error(cli, "an event name is missing in '%s'", where);
	return err == PAPI_ENOMEM ? CMD_FAILED : CMD_USAGE;
}

static int take_events(struct cli *cli, const char *list)
{
	struct count *c = cli->state;
	int err = selection_add_list(&c->selection, list);

	c->selection.chosen = true;
	return err ? bad_events(cli, err, list) : 0;
}

static int take_file(struct cli *cli, const char *path)
{
	struct count *c = cli->state;
	int err = selection_add_file(&c->selection, path);

	c->selection.chosen = true;
	return err ? bad_events(cli, err, path) : 0;
}

static int take_repeat(struct cli *cli, const char *text)
{
	struct count *c = cli->state;
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || end == text || *end || n < 1 || n > MOST_RUNS) {
		say_error(cli, "--repeat takes a number from 1 to %d, not '%s'",
			  MOST_RUNS, text);
		return CMD_USAGE;
	}
	c->repeat = (unsigned)n;
	return 0;
}

static int keep(const struct cli *cli, struct selection *list,
		const char *argument)
{
	if (selection_add(list, argument) == 0)
		return 0;
	say_error(cli, "out of memory");
	return CMD_FAILED;
}

static int take(struct cli *cli, int key, const char *argument)
{
	struct count *c = cli->state;

	switch (key) {
	case 'e':
		return take_events(cli, argument);
	case KEY_EVENT_FILE:
		return take_file(cli, argument);
	case 'g':
		return keep(cli, &c->groups, argument);
	case 'm':
		return keep(cli, &c->files, argument);
	case 'r':
		return take_repeat(cli, argument);
	case KEY_NO_MULTIPLEX:
		c->no_multiplex = true;
		break;
	case KEY_COUNTERS:
		c->counters = argument;
		break;
	}
	return 0;
}

/* What the environment asks for, unless options did. */
static int read_environment(struct cli *cli)
{
	struct count *c = cli->state;
	const char *events = getenv("HPM_EVENTS");
	const char *file = getenv("HPM_EVENT_FILE");
	int status = 0;

	if (c->selection.chosen)
		return 0;
	if (events && *events)
		status = take_events(cli, events);
	if (!status && file && *file)
		status = take_file(cli, file);
	return status;
}

static enum usual usual_for(const struct pmu *pmu)
{
	switch (pmu->kind) {
	case PMU_HARDWARE:
		return USUAL_ALL;
	case PMU_SIMULATED:
		return USUAL_HARDWARE;
	default:
		return USUAL_SOFTWARE;
	}
}

static int say_diag(const struct cli *cli, const struct diag *diag)
{
	if (diag->file && diag->line)
		say_error(cli, "%s:%zu: %s", diag->file, diag->line,
			  diag->text);
	else
		say_error(cli, "%s",
			  *diag->text ? diag->text : "out of memory");
	return CMD_USAGE;
}

static int load_metrics(struct cli *cli)
{
	struct count *c = cli->state;
	struct diag diag = { .text = "" };

	for (size_t i = 0; i < c->files.n; i++)
		if (metrics_load(&c->metrics, c->files.names[i], c->pmu.model,
				 &diag))
			return say_diag(cli, &diag);
	if (metrics_init(&c->metrics, c->pmu.model, &diag))
		return say_diag(cli, &diag);
	return 0;
}

static int unknown_group(const struct cli *cli, const struct metrics *m,
			 const char *name)
{
	char *names = metrics_group_names(m);

	say_error(cli, "there is no group '%s'; there are %s", name,
		  names ? names : "others");
	free(names);
	return CMD_USAGE;
}

/* The events that the groups of -g need. */
static int choose_groups(struct cli *cli)
{
	struct count *c = cli->state;

	c->selection.named = c->selection.n;
	for (size_t i = 0; i < c->groups.n; i++) {
		int err = metrics_add_events(&c->metrics, c->groups.names[i],
					     &c->selection);

		c->selection.chosen = true;
		if (err == PAPI_ENOEVNT)
			return unknown_group(cli, &c->metrics,
					     c->groups.names[i]);
		if (err)
			return bad_events(cli, err, c->groups.names[i]);
	}
	return 0;
}

/* With a PMU, as many of the events of the 2001 paper's metrics as fit. */
static int choose_usual(struct count *c)
{
	enum usual usual = usual_for(&c->pmu);
	int err = selection_add_usual(&c->selection, usual);

	if (!err && usual != USUAL_SOFTWARE)
		err = metrics_add_events(&c->metrics, USUAL_GROUP,
					 &c->selection);
	return err;
}

static int look_up_events(struct cli *cli)
{
	struct count *c = cli->state;
	size_t bad = 0;
	int err = 0;

	if (!c->selection.chosen)
		err = choose_usual(c);
	if (!err)
		err = measure_init(&c->measure, &c->selection, c->repeat, &bad);
	c->measure.sharing = c->no_multiplex ? SHARE_PASSES : SHARE_TIME;
	c->measure.no_hardware = cli->pmu == PMU_NONE;
	if (!err)
		return 0;
	if (err == PAPI_ENOEVNT)
		return session_unknown_event(cli, c->selection.names[bad]);
	say_error(cli, "cannot count %s: %s",
		  bad < c->selection.n ? c->selection.names[bad] : "",
		  *assay_error() ? assay_error() : PAPI_strerror(err));
	return err == PAPI_ENOMEM ? CMD_FAILED : CMD_USAGE;
}

static int say_exec_failed(const struct cli *cli, const char *name, int error)
{
	if (error == ENOEXEC)
		say_error(cli,
			  "cannot execute '%s': it is no program, or it "
			  "is a script that lacks its #! line",
			  name);
	else
		say_error(cli, "cannot execute '%s': %s", name,
			  strerror(error));
	return error == ENOENT ? CMD_NOT_FOUND : CMD_CANNOT_EXECUTE;
}

static int run_pass(struct cli *cli, char **argv, struct child_result *result)
{
	struct count *c = cli->state;
	struct child child;
	int error = child_start(&child, argv, pmu_exec, &c->pmu);
	int err;

	if (error) {
		say_error(cli, "cannot start a process: %s", strerror(error));
		return CMD_FAILED;
	}
	err = measure_start(&c->measure, child.pid);
	if (err) {
		say_error(cli, "cannot count the program: %s",
			  *assay_error() ? assay_error() : PAPI_strerror(err));
		child_abandon(&child);
		return CMD_FAILED;
	}
	error = child_run(&child, result);
	if (error) {
		measure_cancel(&c->measure);
		return say_exec_failed(cli, argv[0], error);
	}
	err = measure_finish(&c->measure);
	if (err) {
		say_error(cli, "cannot read the counters: %s",
			  *assay_error() ? assay_error() : PAPI_strerror(err));
		return CMD_FAILED;
	}
	return 0;
}

/* A run: one pass, or as many as it takes to count all events exactly. */
static int run_once(struct cli *cli, char **argv, struct child_result *result)
{
	struct count *c = cli->state;
	struct child_result other;
	int status;

	measure_begin(&c->measure);
	status = run_pass(cli, argv, result);
	while (!status && result->status == 0 && measure_waits(&c->measure))
		status = run_pass(cli, argv, &other);
	if (!status)
		measure_end(&c->measure);
	return status;
}

/* All runs; fewer if one fails. How many there were is in *@runs. */
static int run_all(struct cli *cli, char **argv, size_t *runs)
{
	struct count *c = cli->state;

	c->results = calloc(c->repeat, sizeof(*c->results));
	if (!c->results) {
		say_error(cli, "out of memory");
		return CMD_FAILED;
	}
	for (*runs = 0; *runs < c->repeat;) {
		struct child_result *result = &c->results[*runs];
		int status = run_once(cli, argv, result);

		if (status)
			return status;
		++*runs;
		if (result->status != 0)
			break;
	}
	if (*runs < c->repeat)
		say_note(cli, "run %zu of %u failed; no further ones", *runs,
			 c->repeat);
	return 0;
}

/* The metrics of the groups asked for, else of all or of the usual one. */
static int derive(const struct count *c, const struct counted *counted,
		  struct report *r)
{
	const char *usual = c->selection.chosen ? NULL : USUAL_GROUP;
	int err = 0;

	if (c->groups.n == 0)
		return derive_metrics(&c->metrics, usual, counted, r);
	for (size_t i = 0; !err && i < c->groups.n; i++)
		err = derive_metrics(&c->metrics, c->groups.names[i], counted,
				     r);
	return err;
}

static bool all_measured(const struct report *r)
{
	for (size_t i = 0; i < r->n_events; i++)
		if (r->events[i].quality == REPORT_NONE)
			return false;
	return true;
}

static int report(struct cli *cli, char **argv, size_t runs)
{
	struct count *c = cli->state;
	struct counted counted = {
		.argv = argv,
		.pmu = &c->pmu,
		.measure = &c->measure,
		.results = c->results,
		.runs = runs,
	};
	struct report r = { 0 };
	int status;

	if (count_report(&counted, &r) || derive(c, &counted, &r) ||
	    advice_add(&r)) {
		say_error(cli, "out of memory");
		report_fini(&r);
		return CMD_FAILED;
	}
	status = r.exit;
	if (status == 0 && cli->strict && !all_measured(&r))
		status = CMD_UNMEASURED;
	status = output_report(cli, c->writer, &r, status);
	report_fini(&r);
	return status;
}

static int count_program(struct cli *cli, char **argv)
{
	size_t runs = 0;
	int status = load_metrics(cli);

	if (!status)
		status = choose_groups(cli);
	if (!status)
		status = look_up_events(cli);
	if (status)
		return status;
	pmu_announce(cli, &((struct count *)cli->state)->pmu);
	status = run_all(cli, argv, &runs);
	return status ? status : report(cli, argv, runs);
}

static void note_launcher(const struct cli *cli, char **argv)
{
	char *order = program_launcher_order(cli->as, argv);

	if (order)
		say_note(cli,
			 "this counts %s itself, not the tasks that it "
			 "starts elsewhere; to count each task: %s",
			 argv[0], order);
	free(order);
}

/* Everything that can be wrong is found before the program is started. */
static int check(struct cli *cli, int argc, char **argv)
{
	struct count *c = cli->state;
	char *path = NULL;
	int status;

	if (c->repeat == 0)
		c->repeat = 1;
	if (argc == 0) {
		say_error(cli, "which program? As in: %s ./program", cli->as);
		return CMD_USAGE;
	}
	c->writer = output_writer(cli);
	if (!c->writer)
		return CMD_USAGE;
	note_launcher(cli, argv);
	status = read_environment(cli);
	if (!status)
		status = program_need(cli, argv[0], &path);
	free(path);
	return status;
}

static int run(struct cli *cli, int argc, char **argv)
{
	struct count *c = cli->state;
	int status = check(cli, argc, argv);

	if (!status)
		status = pmu_open(cli, c->counters, &c->pmu);
	if (!status) {
		status = count_program(cli, argv);
		measure_fini(&c->measure);
		metrics_fini(&c->metrics);
		pmu_close(&c->pmu);
	}
	free(c->results);
	selection_fini(&c->selection);
	selection_fini(&c->groups);
	selection_fini(&c->files);
	return status;
}

const struct command command_count = {
	.name = "count",
	.summary = "run a program and report what it made the machine do",
	.synopsis = "[options] [--] PROGRAM [ARGUMENT ...]",
	.text = "Run PROGRAM with its threads and children, and report time, "
		"resources, counters, and the metrics that they allow. The "
		"report goes to standard error unless -o says otherwise; the "
		"exit status is the program's own.",
	.options = options,
	.common = COMMON_OUTPUT | COMMON_PMU | COMMON_STRICT,
	.runs_program = true,
	.take = take,
	.run = run,
	.state_bytes = sizeof(struct count),
};
