/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a program and taking its samples meanwhile. */

#include "record/record.h"

#include <inttypes.h>
#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <assay/assay.h>

#include "base/strbuf.h"
#include "console/console.h"
#include "console/elapsed.h"
#include "measure/pmu.h"
#include "process/process.h"
#include "write/number.h"

#define TAKE_EVERY_NS 10000000u

/* Of an event's count: one thread that has a sample has more in samples. */
#define MANY 0.5

static void show_clock(void *context, uint64_t elapsed_ns)
{
	elapsed_show(context, elapsed_ns);
}

static void take_sample(void *context, uint64_t elapsed_ns)
{
	struct record_run *run = context;

	(void)elapsed_ns;
	if (!run->failed)
		run->failed = assay_recorder_take(run->recorder, gather_take,
						  run->gather);
}

static int describe_run(struct record_run *run, char **argv)
{
	static const char *const kinds[] = {
		[PMU_AUTO] = "none",
		[PMU_HARDWARE] = "hw",
		[PMU_SIMULATED] = "sim",
		[PMU_NONE] = "none",
	};
	struct profile *p = &run->gather->profile;
	const char *source = assay_recorder_source(run->recorder);
	int err = 0;

	p->pmu = kinds[run->pmu->kind];
	if (*run->pmu->model)
		p->model = texts_copy(&p->texts, pmu_model_name(run->pmu));
	p->native = run->pmu->kind != PMU_SIMULATED;
	for (char **word = argv; !err && *word; word++)
		err = profile_add_word(p, *word);
	for (size_t i = 0; !err && i < run->events->n; i++) {
		const struct record_event *e = &run->events->items[i];
		const struct profile_event event = {
			.name = e->name,
			.unit = e->unit,
			.source = source,
			.exact = strcmp(source, "sim") == 0,
			.period = e->period,
			.value = NAN,
		};

		err = profile_add_event(p, &event);
	}
	return err;
}

/* @threads: NULL, or those of a process that runs. */
static int open_recorder(const struct console *console, struct record_run *run,
			 pid_t pid, const struct threads *threads)
{
	size_t n = run->events->n;
	OWNED struct assay_record_event *events = calloc(n, sizeof(*events));
	const struct assay_recording what = {
		.pid = pid,
		.events = events,
		.n = n,
		.stacks = run->stacks,
		.threads = threads ? threads->ids : NULL,
		.n_threads = threads ? threads->n : 0,
	};
	int err = events ? 0 : PAPI_ENOMEM;

	for (size_t i = 0; !err && i < n; i++)
		events[i] = (struct assay_record_event){
			run->events->items[i].code,
			run->events->items[i].period,
		};
	if (!err)
		err = assay_recorder_open(&what, &run->recorder);
	if (!err)
		return 0;
	if (n == 1)
		say_error(console, "cannot sample %s: %s",
			  run->events->items[0].name, session_error(err));
	else
		say_error(console, "cannot sample these events: %s",
			  session_error(err));
	return err == PAPI_ENOMEM || err == PAPI_ESYS ? CMD_FAILED : CMD_USAGE;
}

/* Each thread counts a whole period before its first sample. */
static char *say_few(const struct profile_event *e, double share)
{
	char period[NUMBER_CAPACITY];

	return str_format("the samples of %s stand for %.0f %% of its count: "
			  "threads that count less than %s have none; use "
			  "%s@N with a smaller N",
			  e->name, 100 * share,
			  number_count(period, (double)e->period), e->name);
}

static char *say_none(const struct profile_event *e)
{
	char n[NUMBER_CAPACITY], period[NUMBER_CAPACITY];

	if (e->value <= 0)
		return str_format("no samples of %s: it did not occur",
				  e->name);
	return str_format("no samples of %s: it occurred %s times, and a "
			  "sample is taken every %s; use %s@N with a smaller N",
			  e->name, number_count(n, e->value),
			  number_count(period, (double)e->period), e->name);
}

/* An event that came too rarely: say so, and what would help. @partial: what
 * occurred is not all known. */
static int note_rare(struct profile *p, const struct profile_event *e,
		     bool partial)
{
	double sampled = (double)e->samples * (double)e->period;
	double share = sampled / (double)e->value;
	char *note;
	int err;

	if (isnan(e->value) || (partial && e->value <= 0))
		return 0;
	if (e->samples == 0)
		note = say_none(e);
	else if (share <= MANY && !p->lost && !p->throttled)
		note = say_few(e, share);
	else
		return 0;
	err = note ? profile_add_note(p, note) : PAPI_ENOMEM;
	free(note);
	return err;
}

static int note_simulation(struct record_run *run)
{
	const struct simulation *s = &run->simulation;
	OWNED char *note = NULL;

	if (!s->uncounted && !s->missing)
		return 0;
	note = s->uncounted
		       ? str_format("nothing was sampled: %s", s->uncounted)
		       : str_format("not in the samples: %s", s->missing);
	return note ? profile_add_note(&run->gather->profile, note)
		    : PAPI_ENOMEM;
}

/* What was counted besides. */
static int take_values(struct record_run *run)
{
	struct profile *p = &run->gather->profile;
	OWNED uint64_t *values = calloc(p->n_events, sizeof(*values));

	if (!values)
		return PAPI_ENOMEM;
	if (run->simulation.uncounted ||
	    assay_recorder_values(run->recorder, values))
		return 0;
	for (size_t i = 0; i < p->n_events; i++)
		p->events[i].value = (long double)values[i];
	return 0;
}

/* What was counted besides, and what the reader should know. */
static int finish(struct record_run *run, const struct child_result *result)
{
	struct profile *p = &run->gather->profile;
	bool partial = run->simulation.missing != NULL;
	int err;

	p->timeline.unit =
		texts_copy(&p->texts, assay_recorder_clock(run->recorder));
	p->exit = result->status;
	p->wall_s = (double)result->wall_ns * 1e-9;
	err = texts_error(&p->texts);
	if (!err)
		err = take_values(run);
	if (!err)
		err = note_simulation(run);
	if (!err)
		err = gather_name_made_code(run->gather);
	if (!err)
		err = taken_note(run->gather);
	for (size_t i = 0; !err && i < p->n_events; i++)
		err = note_rare(p, &p->events[i], partial);
	if (!err && run->gather->truncated) {
		OWNED char *note = str_format(
			"%" PRIu64 " stacks are incomplete: their callers have "
			"no unwind tables, or they are very deep",
			run->gather->truncated);

		err = note ? profile_add_note(p, note) : PAPI_ENOMEM;
	}
	return err;
}

/* What is done while the program runs. */
static struct watch meanwhile(const struct console *console,
			      struct record_run *run, struct elapsed *elapsed)
{
	struct watch watch = {
		.timers = { { TAKE_EVERY_NS, take_sample, run } },
	};

	elapsed_init(elapsed, console);
	if (elapsed->wanted)
		watch.timers[1] = (struct watch_timer){ ELAPSED_EVERY_NS,
							show_clock, elapsed };
	return watch;
}

/* Whether the simulated PMU failed, and what it could not sample. */
static int finish_run(const struct console *console, struct record_run *run,
		      const struct child_result *result)
{
	struct event_list none = { 0 }; /* the profile has its own */

	if (run->pmu->kind != PMU_SIMULATED)
		return 0;
	return simulation_judge(console, &none, result->status,
				&run->simulation);
}

static int take_rest(const struct console *console, struct record_run *run,
		     const struct child_result *result)
{
	int status;

	take_sample(run, 0);
	status = finish_run(console, run, result);
	if (status)
		return status;
	if (!run->failed)
		run->failed = finish(run, result);
	if (!run->failed)
		return 0;
	return say_failure(console, "cannot take the samples: %s",
			   session_error(run->failed));
}

static int run_child(const struct console *console, struct record_run *run,
		     struct child *child, char **argv)
{
	struct elapsed elapsed;
	struct watch watch = meanwhile(console, run, &elapsed);
	struct child_result result;
	int error = child_run(child, &watch, &result);

	elapsed_clear(&elapsed);
	if (error)
		return program_exec_failed(console, argv[0], error);
	return take_rest(console, run, &result);
}

int record_run(const struct console *console, struct record_run *run,
	       char **argv)
{
	struct child child;
	int error = child_start(&child, argv, pmu_exec, run->pmu);
	int status;

	if (error)
		return say_failure(console, "cannot start a process: %s",
				   strerror(error));
	status = open_recorder(console, run, child.pid, NULL);
	if (!status && describe_run(run, argv))
		status = say_no_memory(console);
	if (status)
		child_abandon(&child);
	else
		status = run_child(console, run, &child, argv);
	assay_recorder_close(run->recorder);
	run->recorder = NULL;
	simulation_fini(&run->simulation);
	return status;
}

/* An event of each thread on each CPU: that is soon more than is usual. */
static void allow_many_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int open_attached(const struct console *console, struct record_run *run,
			 const struct attach_target *attach)
{
	struct threads threads;
	int status, err = threads_list(attach->pid, &threads);

	if (err)
		return say_failure(console, "cannot sample process %d: %s",
				   (int)attach->pid,
				   err == PAPI_ENOMEM ? "out of memory"
						      : "it has ended");
	allow_many_files();
	status = open_recorder(console, run, attach->pid, &threads);
	threads_fini(&threads);
	return status;
}

int record_attach(const struct console *console, struct record_run *run,
		  const struct attach_target *attach)
{
	struct child_result result;
	struct elapsed elapsed;
	struct watch watch;
	int status = open_attached(console, run, attach);

	if (status)
		return status;
	if (describe_run(run, attach->argv) ||
	    record_read_maps(run->gather, attach->pid)) {
		status = say_no_memory(console);
	} else {
		watch = meanwhile(console, run, &elapsed);
		attach_wait(attach, &watch, &result);
		elapsed_clear(&elapsed);
		status = take_rest(console, run, &result);
	}
	assay_recorder_close(run->recorder);
	run->recorder = NULL;
	simulation_fini(&run->simulation);
	return status;
}
