/* SPDX-License-Identifier: BSD-3-Clause */
/* assay count, also called hpmcount: run a program, count, report. */

#include <errno.h>
#include <math.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cmd.h"
#include "cli/store.h"
#include "console/elapsed.h"
#include "measure/counting.h"
#include "process/process.h"
#include "report/laws.h"

#define MOST_RUNS    10000
#define LONGEST_MS   3600000   /* of an interval */
#define MEANWHILE_NS 50000000u /* between reads for threads that end */
#define USUAL_GROUP  "hpm"     /* the metrics of the 2001 paper's Table 1 */
#define PAGE_GROUP   "cycles"  /* also on a page: where cycles went */

enum {
	KEY_EVENT_FILE = CMD_LONG,
	KEY_FROM,
	KEY_FOR,
};

struct count_options {
	struct counting counting;
	struct selection groups; /* names of -g */
	struct selection files;  /* paths of -m */
	const struct format *format;
	struct attach_target attach; /* the process of -p */
	bool per_thread;
	bool check;           /* counts against each other */
	bool exact_cycles;    /* no estimates */
	unsigned interval_ms; /* of -I; 0: none */
	struct interval interval;
	struct elapsed elapsed;
	struct watch watch;
	struct task task;
	char *path; /* of -o, for this task */
	time_t started;
};

static const struct cmd_option options[] = {
	{ 'e', "events", "EVENT,...",
	  "count these events; may be repeated (environment: HPM_EVENTS); "
	  "default: the usual events that can be counted here",
	  INTO_AS(EVENTS, count_options, counting.selection) },
	{ KEY_EVENT_FILE, "event-file", "FILE",
	  "count the events named in FILE, one or several per line "
	  "(environment: HPM_EVENT_FILE)",
	  BY_TAKE },
	{ 'g', "group", "GROUP",
	  "show the metrics of a group and count the events they need; a "
	  "group is a metric file (hpm, lcpi, ...) or a category in one "
	  "(cache, ...); may be repeated",
	  INTO_AS(NAME, count_options, groups) },
	{ 'm', "metrics", "FILE",
	  "also report the metrics in FILE; may be repeated",
	  INTO_AS(NAME, count_options, files) },
	{ 'r', "repeat", "N",
	  "run the program N times and report mean, standard deviation, "
	  "min and max",
	  INTO(count_options, counting.repeat), .min = 1, .max = MOST_RUNS },
	{ 0, "no-multiplex", NULL,
	  "if there are more events than counters, run the program "
	  "several times instead of multiplexing",
	  INTO(count_options, counting.no_multiplex) },
	{ 'p', "pid", "PID",
	  "count a running process with all its threads until it ends or "
	  "Ctrl-C; the process is not stopped",
	  BY_TAKE },
	{ KEY_FOR, "for", "SECONDS", "count for SECONDS; requires --pid",
	  BY_TAKE },
	{ 0, "per-thread", NULL,
	  "also report min, mean and max over threads, and outliers",
	  INTO(count_options, per_thread) },
	{ 'I', "interval", "MS",
	  "print per-event deltas every MS milliseconds; csv and json end "
	  "with the totals",
	  INTO(count_options, interval_ms), .min = 1, .max = LONGEST_MS,
	  .unit = "milliseconds" },
	{ 0, "counters", "N[+F]|unlimited",
	  "give the simulated PMU N programmable and F fixed counters; "
	  "default: unlimited",
	  INTO(count_options, counting.counters) },
	{ KEY_FROM, "from", "exec|main",
	  "start counting at exec or at main; on the simulated PMU, "
	  "counts from main do not depend on directory, environment and "
	  "preloaded libraries; default: exec",
	  BY_TAKE },
	{ 0, "repeatable", NULL,
	  "fix random numbers and the order of threads on the "
	  "simulated PMU, so that counts repeat and limits can be tight",
	  INTO(count_options, counting.repeatable) },
	{ 0, "exact-cycles", NULL,
	  "model every cycle on the simulated PMU instead of estimating "
	  "cycles from samples; takes several times longer",
	  INTO(count_options, exact_cycles) },
	{ 0, "check", NULL,
	  "check that counts agree with each other (hits + misses = accesses, "
	  "stalls <= cycles, ...); on the simulated PMU, unless events are "
	  "chosen, also count the events that this needs",
	  INTO(count_options, check) },
	{ 0 },
};

static int bad_events(const struct cli *cli, int err, const char *where)
{
	if (err == PAPI_ENOMEM)
		say_error(&cli->console, "out of memory");
	else if (err == PAPI_ESYS)
		say_error(&cli->console, "cannot read %s: %s", where,
			  strerror(errno));
	else
		say_error(&cli->console, "an event name is missing in '%s'",
			  where);
	return err == PAPI_ENOMEM ? CMD_FAILED : CMD_USAGE;
}

static int take_events(struct cli *cli, const char *list)
{
	struct count_options *c = cli->state;
	int err = selection_add_list(&c->counting.selection, list);

	c->counting.selection.chosen = true;
	return err ? bad_events(cli, err, list) : 0;
}

static int take_file(struct cli *cli, const char *path)
{
	struct count_options *c = cli->state;
	struct diag diag = { .text = "" };

	c->counting.selection.chosen = true;
	if (selection_add_file(&c->counting.selection, path, &diag) == 0)
		return 0;
	return say_usage(&cli->console, "%s", diag.text);
}

static int take_count_option(struct cli *cli, int key, const char *argument)
{
	static const char *const from[] = { "exec", "main", NULL };
	struct count_options *c = cli->state;
	int place = 0;
	int status;

	switch (key) {
	case KEY_EVENT_FILE:
		return take_file(cli, argument);
	case 'p':
		return attach_take_pid(&cli->console, &c->attach, argument);
	case KEY_FOR:
		return attach_take_limit(&cli->console, &c->attach, argument);
	default:
		status = store_word(&cli->console, "from", from, argument,
				    &place);
		c->counting.from_main = place == 1;
		return status;
	}
}

/* What the environment asks for, unless options did. */
static int read_environment(struct cli *cli)
{
	struct count_options *c = cli->state;
	const char *events = getenv("HPM_EVENTS");
	const char *file = getenv("HPM_EVENT_FILE");
	int status = 0;

	if (c->counting.selection.chosen)
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

static int load_metrics(struct cli *cli)
{
	struct count_options *c = cli->state;
	struct diag diag = { .text = "" };

	for (size_t i = 0; i < c->files.n; i++)
		if (metrics_load(&c->counting.metrics, c->files.names[i],
				 c->counting.pmu.model, &diag))
			return counting_bad_metrics(&cli->console, &diag);
	if (metrics_init(&c->counting.metrics, c->counting.pmu.model, &diag))
		return counting_bad_metrics(&cli->console, &diag);
	return 0;
}

/* The events that the groups of -g need. */
static int choose_groups(struct cli *cli)
{
	struct count_options *c = cli->state;

	c->counting.selection.named = c->counting.selection.n;
	for (size_t i = 0; i < c->groups.n; i++) {
		int err = metrics_add_events(&c->counting.metrics,
					     c->groups.names[i],
					     &c->counting.selection);

		c->counting.selection.chosen = true;
		if (err == PAPI_ENOEVNT)
			return counting_unknown_group(&cli->console,
						      &c->counting.metrics,
						      c->groups.names[i]);
		if (err)
			return bad_events(cli, err, c->groups.names[i]);
	}
	return 0;
}

/* Where counters are unlimited, cycles are accounted for at no cost. */
static bool shows_cycles(const struct count_options *c)
{
	return !c->counting.selection.chosen && !c->counting.counters &&
	       c->counting.pmu.kind == PMU_SIMULATED &&
	       strcmp(c->format->name, "html") == 0;
}

/* The group of the metrics in a file of -m; these were read first. */
static const char *users_group(const struct count_options *c, size_t i)
{
	return c->counting.metrics.files[i].name;
}

/* With a PMU, as many of the events of the 2001 paper's metrics as fit. */
static int choose_usual(struct count_options *c)
{
	enum usual usual = usual_for(&c->counting.pmu);
	int err = selection_add_usual(&c->counting.selection, usual);

	if (!err && usual != USUAL_SOFTWARE)
		err = metrics_add_events(&c->counting.metrics, USUAL_GROUP,
					 &c->counting.selection);
	if (!err && shows_cycles(c))
		err = metrics_add_events(&c->counting.metrics, PAGE_GROUP,
					 &c->counting.selection);
	for (size_t i = 0; !err && i < c->files.n; i++) {
		err = metrics_add_events(&c->counting.metrics,
					 users_group(c, i),
					 &c->counting.selection);
		if (err == PAPI_ENOEVNT) /* all are for other processors */
			err = 0;
	}
	return err;
}

/* The metrics of the groups asked for, else of all or of the usual one. */
static int derive(const struct count_options *c,
		  const struct run_result *counted, struct report *r)
{
	const char *usual = c->counting.selection.chosen ? NULL : USUAL_GROUP;
	int err = 0;

	if (c->groups.n == 0)
		err = derive_metrics(&c->counting.metrics, usual, counted, r);
	if (!err && c->groups.n == 0 && shows_cycles(c))
		err = derive_metrics(&c->counting.metrics, PAGE_GROUP, counted,
				     r);
	for (size_t i = 0; !err && usual && c->groups.n == 0 && i < c->files.n;
	     i++)
		err = derive_metrics(&c->counting.metrics, users_group(c, i),
				     counted, r);
	for (size_t i = 0; !err && i < c->groups.n; i++)
		err = derive_metrics(&c->counting.metrics, c->groups.names[i],
				     counted, r);
	return err;
}

static bool all_measured(const struct report *r)
{
	for (size_t i = 0; i < r->n_events; i++)
		if (r->events[i].quality == REPORT_NONE || r->events[i].reason)
			return false; /* the latter: a part is missing */
	return true;
}

static bool shows_threads(const struct count_options *c)
{
	return c->per_thread || c->counting.measure.n_rows > 1;
}

static void tell_broken(void *console, const char *sentence)
{
	say_error(console, "%s", sentence);
}

/* The exit status, with what was asked of the counts. */
static int judge_report(struct cli *cli, struct report *r)
{
	const struct count_options *c = cli->state;
	struct laws_result laws = { 0 };

	if (c->check)
		laws = laws_check(r, tell_broken, &cli->console);
	if (laws.failed || r->exit)
		return laws.failed ? CMD_FAILED : r->exit;
	if (laws.broken)
		return CMD_BROKEN;
	return cli->strict && !all_measured(r) ? CMD_UNMEASURED : 0;
}

static int report(struct cli *cli, char **argv)
{
	struct count_options *c = cli->state;
	struct run_result counted = counting_result(&c->counting, argv);
	struct report r = { .attached = c->attach.pid != 0 };
	int status;

	counted.attached = r.attached;
	if (count_report(&counted, &r) || count_note_simulation(&counted, &r) ||
	    derive(c, &counted, &r) ||
	    (shows_threads(c) && count_add_threads(&counted, &r)) ||
	    advice_add(&r) || count_note_left_out(&counted, &r) ||
	    count_note_validated(&counted, &r)) {
		say_error(&cli->console, "out of memory");
		report_fini(&r);
		return CMD_FAILED;
	}
	r.task = (struct report_task){
		.rank = c->task.rank,
		.size = c->task.size,
		.pid = c->counting.results[c->counting.runs - 1].pid,
		.started = c->started,
	};
	status = judge_report(cli, &r);
	if (!interval_is_all(&c->interval))
		status = output_write_as(&cli->output, c->format, &r, stderr,
					 status);
	report_fini(&r);
	return status;
}

static int add_event(void *selection, const char *name)
{
	return selection_add(selection, name);
}

static int choose_events(struct cli *cli)
{
	struct count_options *c = cli->state;
	int status = choose_groups(cli);
	int err;

	if (status || c->counting.selection.chosen)
		return status;
	err = choose_usual(c);
	if (!err && c->check && c->counting.pmu.kind == PMU_SIMULATED)
		err = laws_events(add_event, &c->counting.selection);
	return err ? bad_events(cli, err, "the usual events") : 0;
}

/* A simulated program is slow: how far it has come says more than a clock. */
static void tell_work(struct count_options *c, uint64_t elapsed_ns)
{
	struct event_list *m = &c->counting.measure;
	size_t i = 0;

	while (i < m->n && (strcmp(m->events[i].name, "PAPI_TOT_INS") != 0 ||
			    m->events[i].reason))
		i++;
	if (c->counting.pmu.kind == PMU_SIMULATED && i < m->n &&
	    measure_read(m) == 0 && !isnan((double)m->events[i].total))
		elapsed_work(&c->elapsed, (double)m->events[i].total,
			     elapsed_ns);
}

/* The clock, with which of several runs it is. */
static void show_elapsed(void *count, uint64_t elapsed_ns)
{
	struct count_options *c = count;

	tell_work(c, elapsed_ns);
	if (c->counting.repeat > 1)
		snprintf(c->elapsed.what, sizeof(c->elapsed.what),
			 "run %zu of %u", c->counting.runs + 1,
			 c->counting.repeat);
	elapsed_show(&c->elapsed, elapsed_ns);
}

/* What is to be done while it runs: lines of counts, or a clock. */
static int set_watch(struct cli *cli)
{
	struct count_options *c = cli->state;
	int status = 0;

	elapsed_init(&c->elapsed, &cli->console);
	c->counting.watch = &c->watch;
	if (c->interval_ms) {
		c->watch.timers[0] =
			(struct watch_timer){ c->interval_ms *
						      UINT64_C(1000000),
					      interval_fire, &c->interval };
		status = interval_open(&c->interval, &cli->output, c->format,
				       &c->counting.measure);
	} else if (c->elapsed.wanted || c->counting.pmu.kind == PMU_SIMULATED) {
		c->watch.timers[0] = (struct watch_timer){
			c->elapsed.wanted ? ELAPSED_EVERY_NS : ELAPSED_LOG_NS,
			show_elapsed, c
		};
	}
	return status;
}

/* So that the kernel has room to tell of threads that end. */
static void read_meanwhile(void *measure, uint64_t elapsed_ns)
{
	(void)elapsed_ns;
	measure_read(measure); /* an error comes again in the end */
}

static int run_counted(struct cli *cli, char **argv)
{
	struct count_options *c = cli->state;
	int status = set_watch(cli);

	if (c->per_thread && c->counting.pmu.kind != PMU_SIMULATED)
		c->watch.timers[1] =
			(struct watch_timer){ MEANWHILE_NS, read_meanwhile,
					      &c->counting.measure };

	if (status)
		return status;
	/* The simulated PMU tells threads apart at no cost. */
	c->counting.measure.per_thread =
		c->per_thread || c->counting.pmu.kind == PMU_SIMULATED;
	if (c->attach.pid)
		status = attach_run(&cli->console, &cli->pmu, &c->attach,
				    &c->counting);
	else
		status = counting_run(&cli->console, &cli->pmu, &c->counting,
				      argv);
	elapsed_clear(&c->elapsed);
	if (!status && c->interval_ms)
		status = interval_finish(
			&c->interval, &cli->console,
			c->counting.results[c->counting.runs - 1].wall_ns,
			&c->counting.simulation);
	return status;
}

/* Estimates are of whole programs: what is added up from intervals, or held
 * against other counts, is exact. */
static bool allows_estimates(const struct count_options *c)
{
	return !c->exact_cycles && !c->check && !c->interval_ms &&
	       !c->attach.pid && !c->per_thread && !c->counting.from_main &&
	       !c->counting.counters;
}

static int count_program(struct cli *cli, char **argv)
{
	struct count_options *count = cli->state;
	struct counting *c = &count->counting;
	int status;

	cli->pmu.kind =
		gpu_choose_pmu(cli->pmu.kind, &c->selection, &count->groups);
	c->sampled = allows_estimates(count);
	status = counting_open(&cli->console, &cli->pmu, c);
	if (!status)
		status = load_metrics(cli);
	if (!status)
		status = choose_events(cli);
	if (!status)
		status = counting_look_up(&cli->console, &cli->pmu, c);
	if (!status)
		status = run_counted(cli, argv);
	return status ? status : report(cli, argv);
}

static int choose_path(struct cli *cli)
{
	struct count_options *c = cli->state;

	c->task = task_find();
	if (!cli->output.path)
		return 0;
	c->path = task_path(&cli->console, cli->output.path, &c->task);
	cli->output.path = c->path;
	return c->path ? output_check(&cli->output, c->path) : CMD_USAGE;
}

/* Options that contradict each other. */
static int check_options(struct cli *cli, int argc)
{
	const struct count_options *c = cli->state;
	const char *wrong = NULL;

	if (c->attach.pid && argc > 0)
		wrong = "--pid cannot be combined with a program";
	else if (c->attach.pid &&
		 (c->counting.repeat > 1 || c->counting.no_multiplex))
		wrong = "--pid cannot be combined with --repeat or "
			"--no-multiplex: a running process cannot be run again";
	else if (!c->attach.pid && c->attach.limit_ns)
		wrong = "--for requires --pid";
	else if (c->interval_ms &&
		 (c->counting.repeat > 1 || c->counting.no_multiplex))
		wrong = "--interval cannot be combined with --repeat or "
			"--no-multiplex: it shows one run";
	else if (c->exact_cycles && cli->pmu.engine &&
		 strcmp(cli->pmu.engine, "fast") == 0)
		wrong = "--exact-cycles cannot be combined with --engine fast: "
			"only the Valgrind engine models every cycle";
	if (wrong)
		say_error(&cli->console, "%s", wrong);
	return wrong ? CMD_USAGE : 0;
}

static int check_target(struct cli *cli, int argc, char **argv)
{
	struct count_options *c = cli->state;
	int status;

	if (!c->attach.pid)
		return counting_need_program(&cli->console, argc, argv);
	status = attach_open(&cli->console, &cli->pmu, &c->attach);
	if (cli->pmu.kind == PMU_AUTO) /* nothing can be simulated here */
		cli->pmu.kind = PMU_HARDWARE;
	return status;
}

/* Everything that can be wrong is found before the program is started. */
static int check(struct cli *cli, int argc, char **argv)
{
	struct count_options *c = cli->state;
	int status = check_options(cli, argc);

	if (!status)
		status = check_target(cli, argc, argv);
	if (!status)
		status = choose_path(cli);
	if (status)
		return status;
	c->format = output_format(&cli->output, report_formats);
	return c->format ? read_environment(cli) : CMD_USAGE;
}

static int run_count(struct cli *cli, int argc, char **argv)
{
	struct count_options *c = cli->state;
	int status = check(cli, argc, argv);

	c->started = time(NULL);
	if (!status)
		status = count_program(cli,
				       c->attach.pid ? c->attach.argv : argv);
	interval_close(&c->interval);
	counting_fini(&c->counting);
	selection_fini(&c->groups);
	selection_fini(&c->files);
	attach_fini(&c->attach);
	free(c->path);
	return status;
}

const struct command command_count = {
	.name = "count",
	.summary = "count events of a program and report metrics with "
		   "verdicts",
	.synopsis = "[options] [--] PROGRAM [ARGUMENT ...] | -p PID",
	.text = "Run PROGRAM with its threads and children, and report time, "
		"resources, counters, and the metrics derived from them. The "
		"report goes to standard error unless -o is given; the exit "
		"status is that of the program.",
	.options = options,
	.formats = report_formats,
	.common = COMMON_OUTPUT | COMMON_PMU | COMMON_STRICT,
	.runs_program = true,
	.take = take_count_option,
	.run = run_count,
	.state_bytes = sizeof(struct count_options),
};
