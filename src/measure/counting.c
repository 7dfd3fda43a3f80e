/* SPDX-License-Identifier: BSD-3-Clause */
/* A program run and counted, for every verb that does so. */

#include "measure/counting.h"

#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "console/console.h"
#include "measure/pmu.h"
#include "measure/slowdown.h"
#include "process/process.h"

int counting_bad_metrics(const struct console *console, const struct diag *diag)
{
	say_diag(console, diag);
	return CMD_USAGE;
}

int counting_unknown_group(const struct console *console,
			   const struct metrics *m, const char *name)
{
	OWNED char *names = metrics_group_names(m);
	struct nearest near;
	char *rest = NULL, *copy = names ? strdup(names) : NULL;
	const char *hint;
	const struct metric_file *file = NULL;
	bool is_elsewhere = false;

	nearest_init(&near, name);
	for (char *one = copy ? strtok_r(copy, ",", &rest) : NULL; one;
	     one = strtok_r(NULL, ",", &rest)) {
		one += *one == ' ';
		is_elsewhere = is_elsewhere || !strcmp(one, name);
		nearest_add(&near, one);
	}
	hint = nearest_text(&near, "");
	if (metrics_find(m, name, &file))
		say_error(console, "%s is a metric, not a group; use -g %s",
			  name, file->name);
	else if (is_elsewhere)
		say_error(console,
			  "no metric of group '%s' is defined for this PMU",
			  name);
	else if (hint)
		say_error_hint(console, hint, "there is no group '%s'", name);
	else
		say_error(console, "there is no group '%s'; groups: %s", name,
			  names ? names : "none");
	free(copy);
	return CMD_USAGE;
}

static void note_launcher(const struct console *console, char **argv)
{
	OWNED char *order = program_launcher_order(console->as, argv);

	if (order)
		say_note(console,
			 "this counts %s itself, not the tasks that it "
			 "launches; to count each task: %s",
			 argv[0], order);
}

int counting_need_program(const struct console *console, int argc, char **argv)
{
	OWNED char *path = NULL;

	if (argc == 0)
		return say_usage(console,
				 "no program given; usage: %s ./program",
				 console->as);
	note_launcher(console, argv);
	return program_need(console, argv[0], &path);
}

int counting_open(const struct console *console,
		  const struct pmu_choice *choice, struct counting *c)
{
	struct diag diag = { .text = "" };
	int status = pmu_open(console, choice, c->counters, &c->pmu);

	c->is_open = !status;
	if (!status && c->from_main && c->pmu.kind != PMU_SIMULATED)
		status = say_usage(console,
				   "--from main requires the simulated PMU: "
				   "add --pmu sim");
	if (!status && c->repeatable && c->pmu.kind != PMU_SIMULATED)
		status = say_usage(console,
				   "--repeatable requires the simulated PMU: "
				   "add --pmu sim");
	c->pmu.simulator.from = c->from_main ? "main" : NULL;
	c->pmu.simulator.repeatable = c->repeatable;
	c->pmu.simulator.sampled = c->sampled;
	if (!status &&
	    constants_open(&c->constants, c->machine, c->pmu.model, &diag))
		status = counting_bad_metrics(console, &diag);
	c->metrics.constants = &c->constants;
	return status;
}

/* It may be a metric: then its group is what to ask for. */
static int unknown_name(const struct console *console, const struct counting *c,
			const char *name)
{
	const struct metric_file *file = NULL;
	struct metrics shipped = { 0 };
	bool is_metric = !metrics_init(&shipped, c->pmu.model, NULL) &&
			 metrics_find(&shipped, name, &file);
	struct selection needed = { 0 };
	bool is_group = !is_metric &&
			metrics_add_events(&shipped, name, &needed) == PAPI_OK;

	if (is_metric)
		say_error(console,
			  "%s is a metric, not an event; -g %s counts the "
			  "events that the metrics of that group need",
			  name, file->name);
	else if (is_group)
		say_error(console,
			  "%s is a group of metrics, not an event; use -g %s",
			  name, name);
	selection_fini(&needed);
	metrics_fini(&shipped);
	return is_metric || is_group ? CMD_USAGE
				     : session_unknown_event(console, name);
}

int counting_look_up(const struct console *console,
		     const struct pmu_choice *choice, struct counting *c)
{
	size_t bad = 0;
	int err;

	if (c->repeat == 0)
		c->repeat = 1;
	err = measure_init(&c->measure, &c->selection, c->repeat, &bad);
	c->measure.sharing = c->no_multiplex ? SHARE_PASSES : SHARE_TIME;
	c->measure.no_hardware = choice->kind == PMU_NONE;
	if (!err)
		return 0;
	if (err == PAPI_ENOEVNT)
		return unknown_name(console, c, c->selection.names[bad]);
	say_error(console, "cannot count %s: %s",
		  bad < c->selection.n ? c->selection.names[bad] : "",
		  session_error(err));
	return err == PAPI_ENOMEM ? CMD_FAILED : CMD_USAGE;
}

/* Become the program, on the PMU and with what its GPUs need. */
static void exec_counted(void *context, char **argv)
{
	struct counting *c = context;

	gpu_set_environment(&c->gpu);
	pmu_exec(&c->pmu, argv);
}

static int run_pass(const struct console *console, struct counting *c,
		    char **argv, struct child_result *result)
{
	struct child child;
	int error = child_start(&child, argv, exec_counted, c);
	int err;

	if (error)
		return say_failure(console, "cannot start a process: %s",
				   strerror(error));
	err = measure_start(&c->measure, child.pid);
	if (err) {
		say_error(console, "cannot count the program: %s",
			  session_error(err));
		child_abandon(&child);
		return CMD_FAILED;
	}
	error = child_run(&child, c->watch, result);
	if (error) {
		measure_cancel(&c->measure);
		return program_exec_failed(console, argv[0], error);
	}
	err = measure_finish(&c->measure);
	if (err)
		return say_failure(console, "cannot read the counters: %s",
				   session_error(err));
	if (c->pmu.kind == PMU_SIMULATED)
		return simulation_judge(console, &c->measure, result->status,
					&c->simulation);
	return 0;
}

/* A run: one pass, or as many as it takes to count all events exactly. */
static int run_once(const struct console *console, struct counting *c,
		    char **argv, struct child_result *result)
{
	struct child_result other;
	int status;

	measure_begin(&c->measure);
	status = run_pass(console, c, argv, result);
	while (!status && result->status == 0 && measure_waits(&c->measure))
		status = run_pass(console, c, argv, &other);
	if (!status)
		measure_end(&c->measure);
	return status;
}

int counting_run(const struct console *console, const struct pmu_choice *choice,
		 struct counting *c, char **argv)
{
	int status = gpu_open(console, &c->gpu, &c->measure);

	if (status)
		return status;
	pmu_announce(console, choice, &c->pmu, &c->measure);
	c->results = calloc(c->repeat, sizeof(*c->results));
	if (!c->results)
		return say_no_memory(console);
	for (c->runs = 0; c->runs < c->repeat;) {
		struct child_result *result = &c->results[c->runs];

		status = run_once(console, c, argv, result);
		if (status)
			return status;
		slowdown_note_run(&c->pmu, &c->measure, c->simulation.engine,
				  child_busy_seconds(result));
		c->runs++;
		if (result->status != 0)
			break;
	}
	if (c->runs < c->repeat)
		say_note(console,
			 "run %zu of %u failed; the remaining runs are skipped",
			 c->runs, c->repeat);
	return 0;
}

struct run_result counting_result(const struct counting *c, char **argv)
{
	return (struct run_result){
		.argv = argv,
		.pmu = &c->pmu,
		.measure = &c->measure,
		.results = c->results,
		.runs = c->runs,
		.simulation = &c->simulation,
	};
}

void counting_fini(struct counting *c)
{
	if (c->is_open)
		measure_fini(&c->measure);
	gpu_close(&c->gpu);
	simulation_fini(&c->simulation);
	metrics_fini(&c->metrics);
	constants_fini(&c->constants);
	if (c->is_open)
		pmu_close(&c->pmu);
	free(c->results);
	selection_fini(&c->selection);
}
