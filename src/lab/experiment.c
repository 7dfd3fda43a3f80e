/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Experiments: units of work handed to worker processes as these get free, and
 * their counts collected.
 */
#include "lab/experiment.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "console/console.h"
#include "lab/journal.h"
#include "lab/process.h"

#define MAX_WORKERS 16
#define NO_UNIT     SIZE_MAX

struct driver {
	const struct console *console;
	const struct experiment *experiment;
	struct experiment_result *result;
	struct process workers[MAX_WORKERS];
	size_t busy_with[MAX_WORKERS]; /* a unit, or NO_UNIT */
	unsigned n_workers;
	/* The events that can be counted, in the order of the workers. */
	size_t *wanted;
	size_t n_wanted;
	size_t **sets; /* [set]: events of it, in the order of counts */
	size_t *set_sizes;
	bool briefed; /* the above is known */
	bool *taken;  /* [unit]: it is done, or a worker has it */
	size_t next;  /* unit to look at, where they go in order */
	size_t finished;
	struct journal journal;
	struct progress progress;
	uint64_t start_ns;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int signo)
{
	interrupted = signo;
}

/* The result. */

double experiment_count(const struct experiment_result *result, size_t unit,
			unsigned repeat, size_t event)
{
	return result
		->counts[(unit * result->repeats + repeat) * result->n_events +
			 event];
}

void experiment_free(struct experiment_result *result)
{
	if (!result)
		return;
	for (size_t i = 0; i < result->n_events; i++) {
		free(result->events[i].name);
		free(result->events[i].reason);
	}
	for (size_t i = 0; result->reasons && i < result->n_units; i++)
		free(result->reasons[i]);
	free(result->events);
	free(result->reasons);
	free(result->counts);
	free(result);
}

/* Talking to a worker. */

/* The next line of worker @w; NULL after a message if it has ended. */
static char *need_line(struct driver *d, unsigned w)
{
	char *line = process_wait_line(&d->workers[w]);
	char fate[64];

	if (!line) {
		process_end(&d->workers[w]);
		say_error(d->console, "the program that runs kernels %s",
			  process_fate(&d->workers[w], fate, sizeof(fate)));
	}
	return line;
}

static int start_worker(struct driver *d, unsigned w)
{
	const struct experiment *e = d->experiment;
	struct diag diag = { .text = "" };

	d->busy_with[w] = NO_UNIT;
	if (process_start(&d->workers[w], e->worker, e->simulator, &diag))
		return say_failure(d->console, "%s", diag.text);
	return 0;
}

static int add_event(struct driver *d, const char *name)
{
	struct experiment_result *r = d->result;
	struct experiment_event *grown =
		realloc(r->events, (r->n_events + 1) * sizeof(*r->events));

	if (!grown)
		return say_no_memory(d->console);
	r->events = grown;
	r->events[r->n_events] =
		(struct experiment_event){ .name = strdup(name) };
	return r->events[r->n_events++].name ? 0 : say_no_memory(d->console);
}

static int ask_pmu(struct driver *d)
{
	char kind[16];
	char *line;

	/* if it has ended already, there is no answer */
	process_send(&d->workers[0], "hello");
	line = need_line(d, 0);
	if (!line)
		return CMD_FAILED;
	if (sscanf(line, "pmu %15s %u", kind, &d->result->counters) != 2 ||
	    (strcmp(kind, "none") == 0 && !d->experiment->without_pmu)) {
		say_error_hint(d->console,
			       "--pmu sim counts on a simulated one",
			       "there is no usable PMU");
		return CMD_FAILED;
	}
	return 0;
}

/* The events to count: as told, or all that the first worker knows. */
static int learn_events(struct driver *d)
{
	const struct experiment *e = d->experiment;
	char *line;
	int status = 0;

	for (size_t i = 0; i < e->n_events && !status; i++)
		status = add_event(d, e->events[i]);
	if (e->n_events > 0)
		return status;
	if (process_send(&d->workers[0], "events"))
		return CMD_FAILED;
	while (!status && (line = need_line(d, 0))) {
		if (strcmp(line, "end") == 0)
			return 0;
		if (strncmp(line, "event ", 6) == 0)
			status = add_event(d, line + 6);
	}
	return CMD_FAILED;
}

static int send_wants(struct driver *d, unsigned w)
{
	struct experiment_result *r = d->result;
	STRBUF(text);
	int err;

	for (size_t i = 0; i < r->n_events; i++)
		if (!r->events[i].reason)
			strbuf_addf(&text, "want %s\n", r->events[i].name);
	strbuf_add(&text, "pack");
	err = text.failed || process_send(&d->workers[w], "%s", text.text);
	return err ? CMD_FAILED : 0;
}

/* What the first worker says of each event; the others say the same. */
static int learn_wanted(struct driver *d, unsigned w)
{
	struct experiment_result *r = d->result;

	for (size_t i = 0; i < r->n_events; i++) {
		struct experiment_event *event = &r->events[i];
		char *line;

		if (event->reason)
			continue;
		line = need_line(d, w);
		if (!line)
			return CMD_FAILED;
		if (strcmp(line, "ok") == 0) {
			if (!d->briefed)
				d->wanted[d->n_wanted++] = i;
			continue;
		}
		event->reason =
			strdup(line + (strncmp(line, "no ", 3) ? 0 : 3));
		if (!event->reason)
			return say_no_memory(d->console);
	}
	return 0;
}

/* "set N N N": the members of one more set. */
static int take_set(struct driver *d, char *text)
{
	struct experiment_result *r = d->result;
	size_t *members = calloc(d->n_wanted + 1, sizeof(*members));
	size_t n = 0;

	if (!members)
		return say_no_memory(d->console);
	for (char *end; n < d->n_wanted; text = end) {
		unsigned long which = strtoul(text, &end, 10);

		if (end == text || which >= d->n_wanted)
			break;
		members[n] = d->wanted[which];
		r->events[members[n++]].set = r->sets;
	}
	d->sets[r->sets] = members;
	d->set_sizes[r->sets++] = n;
	return 0;
}

/* How the events were packed; every worker packs them alike. */
static int learn_sets(struct driver *d, unsigned w)
{
	int status = 0;
	char *line;

	while (!status && (line = need_line(d, w))) {
		if (strcmp(line, "end") == 0)
			return 0;
		if (strncmp(line, "no ", 3) == 0)
			return say_failure(d->console,
					   "the events cannot be counted: %s",
					   line + 3);
		if (!d->briefed && strncmp(line, "set", 3) == 0 &&
		    d->result->sets < d->n_wanted)
			status = take_set(d, line + 3);
	}
	return CMD_FAILED;
}

static int brief(struct driver *d, unsigned w)
{
	int status = learn_wanted(d, w);

	return status ? status : learn_sets(d, w);
}

static int start_workers(struct driver *d)
{
	size_t n;
	int status = start_worker(d, 0);

	for (unsigned w = 1; w < d->n_workers && !status; w++)
		status = start_worker(d, w);
	if (!status)
		status = ask_pmu(d);
	if (!status)
		status = learn_events(d);
	if (status)
		return status;
	n = d->result->n_events + 1;
	d->wanted = calloc(n, sizeof(*d->wanted));
	d->sets = calloc(n, sizeof(*d->sets));
	d->set_sizes = calloc(n, sizeof(*d->set_sizes));
	if (!d->wanted || !d->sets || !d->set_sizes)
		return say_no_memory(d->console);
	/* the first one's answers tell what to ask of the others */
	status = send_wants(d, 0);
	if (!status)
		status = brief(d, 0);
	d->briefed = true;
	for (unsigned w = 1; w < d->n_workers && !status; w++)
		status = send_wants(d, w);
	for (unsigned w = 1; w < d->n_workers && !status; w++)
		status = brief(d, w);
	return status;
}

/* Units. */

static bool is_out_of_time(const struct driver *d)
{
	double budget = d->experiment->budget_s;
	double spent = (double)(clock_real_ns() - d->start_ns) * 1e-9;

	return budget > 0 && spent >= budget;
}

#define SETS_CAPACITY 68

/*
 * The sets that a unit's events are in, as a word of zeros and ones; "-" if
 * all are wanted.
 */
static const char *sets_of(const struct driver *d,
			   const struct experiment_unit *unit, char *text)
{
	const struct experiment_result *r = d->result;

	if (unit->events == 0 || r->sets >= SETS_CAPACITY)
		return "-";
	memset(text, '0', r->sets);
	text[r->sets] = '\0';
	for (size_t i = 0; i < r->n_events && i < 64; i++)
		if (unit->events >> i & 1 && !r->events[i].reason)
			text[r->events[i].set] = '1';
	return text;
}

/* The unit that is to be run next; their number: none is left. */
static size_t next_unit(struct driver *d)
{
	const struct experiment *e = d->experiment;

	if (e->choose)
		return e->choose(e->chooser, d->result, d->taken);
	while (d->next < d->result->n_units && d->taken[d->next])
		d->next++;
	return d->next;
}

/* Give worker @w the next unit, if there is one and time for it. */
static void hand_out(struct driver *d, unsigned w)
{
	const struct experiment_unit *unit;
	const struct kernel_point *p;
	char sets[SETS_CAPACITY];

	size_t next = next_unit(d);

	if (next == d->result->n_units)
		return;
	if (is_out_of_time(d)) {
		d->result->cut_short = true;
		return;
	}
	d->taken[next] = true;
	d->busy_with[w] = next;
	unit = &d->experiment->units[d->busy_with[w]];
	p = &unit->point;
	/* if it has ended, we will see */
	process_send(&d->workers[w], "run %s %llu %llu %u %u %u %u %d %u %s",
		     unit->kernel->name, (unsigned long long)p->times,
		     (unsigned long long)p->footprint, p->unit, p->offset,
		     p->pages_per_block, p->k, (int)unit->pattern,
		     d->result->repeats, sets_of(d, unit, sets));
}

/* "SET REPEAT COUNT COUNT ...": counts of a unit. */
static void take_counts(struct driver *d, size_t unit, char *text)
{
	struct experiment_result *r = d->result;
	unsigned long set = strtoul(text, &text, 10);
	unsigned long repeat = strtoul(text, &text, 10);
	double *counts;

	if (set >= r->sets || repeat >= r->repeats)
		return;
	r->runs++;
	counts = r->counts + (unit * r->repeats + repeat) * r->n_events;
	for (size_t i = 0; i < d->set_sizes[set]; i++)
		counts[d->sets[set][i]] = (double)strtoll(text, &text, 10);
}

static int finish(struct driver *d, unsigned w)
{
	size_t unit = d->busy_with[w];
	int err;

	d->busy_with[w] = NO_UNIT;
	err = journal_add(&d->journal, d->result, unit);
	if (err)
		return say_failure(d->console, "cannot write '%s': %s",
				   d->experiment->journal, strerror(err));
	progress_step(&d->progress, ++d->finished);
	return 0;
}

static int refuse(struct driver *d, unsigned w, const char *why)
{
	char **reason = &d->result->reasons[d->busy_with[w]];

	free(*reason);
	*reason = strdup(why);
	return *reason ? finish(d, w) : say_no_memory(d->console);
}

/* A kernel that ended its worker is given up; another worker goes on. */
static int replace_worker(struct driver *d, unsigned w)
{
	char fate[64], why[128];
	int status;

	process_end(&d->workers[w]);
	if (d->busy_with[w] == NO_UNIT)
		return say_failure(
			d->console, "the program that runs kernels %s",
			process_fate(&d->workers[w], fate, sizeof(fate)));
	snprintf(why, sizeof(why), "the program that ran it %s",
		 process_fate(&d->workers[w], fate, sizeof(fate)));
	status = refuse(d, w, why);
	if (!status)
		status = start_worker(d, w);
	if (!status)
		status = send_wants(d, w);
	return status ? status : brief(d, w);
}

static int hear(struct driver *d, unsigned w)
{
	int status = 0;
	char *line;

	if (!process_read(&d->workers[w]))
		return interrupted ? 0 : replace_worker(d, w);
	while (!status && (line = process_line(&d->workers[w]))) {
		if (d->busy_with[w] == NO_UNIT)
			continue;
		if (strncmp(line, "c ", 2) == 0)
			take_counts(d, d->busy_with[w], line + 2);
		else if (strcmp(line, "end") == 0)
			status = finish(d, w);
		else if (strncmp(line, "no ", 3) == 0)
			status = refuse(d, w, line + 3);
	}
	return status;
}

static bool is_busy(const struct driver *d)
{
	for (unsigned w = 0; w < d->n_workers; w++)
		if (d->busy_with[w] != NO_UNIT)
			return true;
	return false;
}

static int hear_all(struct driver *d)
{
	struct pollfd fds[MAX_WORKERS];
	int status = 0;

	for (unsigned w = 0; w < d->n_workers; w++)
		fds[w] = (struct pollfd){ .fd = d->busy_with[w] == NO_UNIT
							? -1
							: d->workers[w].from,
					  .events = POLLIN };
	if (poll(fds, d->n_workers, -1) < 0)
		return 0; /* a signal */
	for (unsigned w = 0; w < d->n_workers && !status; w++)
		if (fds[w].revents)
			status = hear(d, w);
	return status;
}

static int work(struct driver *d)
{
	int status = 0;

	while (!status && !interrupted) {
		for (unsigned w = 0; w < d->n_workers; w++)
			if (d->busy_with[w] == NO_UNIT)
				hand_out(d, w);
		if (!is_busy(d))
			break;
		status = hear_all(d);
	}
	return interrupted ? CMD_SIGNAL + interrupted : status;
}

/* All of it. */

static unsigned worker_count(const struct experiment *e)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned n = e->workers;

	if (!e->simulator)
		return 1;
	if (n == 0)
		n = cpus > 1 ? 2 : 1;
	if (n > e->n_units)
		n = e->n_units ? (unsigned)e->n_units : 1;
	return n < MAX_WORKERS ? n : MAX_WORKERS;
}

static int make_result(struct driver *d)
{
	struct experiment_result *r = d->result;
	size_t n;

	r->n_units = d->experiment->n_units;
	n = r->n_units * r->repeats * r->n_events;
	r->counts = malloc((n + 1) * sizeof(*r->counts));
	r->reasons = calloc(r->n_units + 1, sizeof(*r->reasons));
	d->taken = calloc(r->n_units + 1, sizeof(*d->taken));
	if (!r->counts || !r->reasons || !d->taken)
		return say_no_memory(d->console);
	for (size_t i = 0; i < n; i++)
		r->counts[i] = NAN;
	return 0;
}

static int run_experiment(struct driver *d)
{
	const struct experiment *e = d->experiment;
	struct diag diag = { .text = "" };
	int status = e->simulator ? simulator_check(e->simulator, &diag) : 0;

	if (status) {
		say_error(d->console, "%s", diag.text);
		return status;
	}
	status = start_workers(d);
	if (!status)
		status = make_result(d);
	if (!status)
		status = journal_open(&d->journal, d->console, e,
				      experiment_hash(e, d->result), d->result,
				      d->taken);
	if (status)
		return status;
	d->finished = d->result->resumed;
	progress_start(&d->progress, d->console,
		       e->what ? e->what : "measuring", "kernels",
		       d->result->n_units);
	status = work(d);
	progress_end(&d->progress);
	return status;
}

static void close_driver(struct driver *d)
{
	for (unsigned w = 0; w < d->n_workers; w++)
		process_end(&d->workers[w]);
	for (unsigned s = 0; d->sets && s < d->result->sets; s++)
		free(d->sets[s]);
	free(d->wanted);
	free(d->sets);
	free(d->set_sizes);
	free(d->taken);
	journal_close(&d->journal);
}

int experiment_run(const struct console *console,
		   const struct experiment *experiment,
		   struct experiment_result **result)
{
	struct sigaction ours = { .sa_handler = on_signal };
	struct sigaction pipe = { .sa_handler = SIG_IGN };
	struct sigaction old_int, old_term, old_pipe;
	struct driver d = { .console = console,
			    .experiment = experiment,
			    .n_workers = worker_count(experiment),
			    .start_ns = clock_real_ns(),
			    .journal = { .fd = -1 } };
	int status;

	d.result = calloc(1, sizeof(*d.result));
	if (!d.result)
		return say_no_memory(console);
	d.result->repeats = experiment->repeats ? experiment->repeats : 1;
	interrupted = 0;
	sigaction(SIGINT, &ours, &old_int);
	sigaction(SIGTERM, &ours, &old_term);
	sigaction(SIGPIPE, &pipe, &old_pipe);
	status = run_experiment(&d);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGTERM, &old_term, NULL);
	sigaction(SIGPIPE, &old_pipe, NULL);
	close_driver(&d);
	if (status)
		experiment_free(d.result);
	else
		*result = d.result;
	return status;
}
