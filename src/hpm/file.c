/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts the sums of all threads into the file's elements, with what was taken
 * off and what is in doubt. Buffering, and replacing the old file, are left to
 * emit.c.
 */
#include "hpm/file.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <assay/assay.h>

#include "base/array.h"
#include "base/clock.h"
#include "hpm/emit.h"
#include "hpm/hold.h"
#include "hpm/setting.h"

/* Shorter than so many times its cost, a section's numbers are in doubt. */
#define SHORT_FACTOR 20

static const char *const kind_names[SECTION_KINDS] = { "process", "thread" };

/* One attribute: ` name="value"`. */
static void put_text(struct emit *e, const char *name, const char *value)
{
	emit_text(e, " ");
	emit_text(e, name);
	emit_text(e, "=\"");
	emit_xml(e, value);
	emit_text(e, "\"");
}

static void put_integer(struct emit *e, const char *name, int64_t value)
{
	emit_text(e, " ");
	emit_text(e, name);
	emit_text(e, "=\"");
	emit_integer(e, value);
	emit_text(e, "\"");
}

static void put_real(struct emit *e, const char *name, double value, int digits)
{
	emit_text(e, " ");
	emit_text(e, name);
	emit_text(e, "=\"");
	emit_real(e, value, digits);
	emit_text(e, "\"");
}

static void put_threshold(struct emit *e, const char *name, double value)
{
	if (!isnan(value))
		put_real(e, name, value, 3);
}

/* Counts are whole numbers; time is nanoseconds, written as seconds. */
static void put_quantity(struct emit *e, const char *name, size_t q,
			 double value)
{
	if (q == 0)
		put_real(e, name, value / 1e9, 9);
	else
		put_real(e, name, value, 3);
}

static void put_sum(struct emit *e, const char *name, size_t q, int64_t value)
{
	if (q == 0)
		put_real(e, name, (double)value / 1e9, 9);
	else
		put_integer(e, name, value);
}

static void put_events(struct emit *e, const struct hpm_state *state)
{
	for (size_t i = 0; i < state->events.n; i++) {
		const struct hpm_event *event = &state->events.list[i];

		emit_text(e, "  <Event");
		put_text(e, "name", event->name);
		put_text(e, "counted", event->reason ? "false" : "true");
		if (event->reason)
			put_text(e, "reason", event->reason);
		emit_text(e, "/>\n");
	}
}

/* Name of quantity @q: the counted events follow time. */
static const char *quantity_name(const struct hpm_state *state, size_t q)
{
	for (size_t i = 0; i < state->events.n; i++)
		if (!state->events.list[i].reason && --q == 0)
			return state->events.list[i].name;
	return "Seconds";
}

static void put_costs(struct emit *e, const struct hpm_state *state)
{
	for (int kind = 0; kind < SECTION_KINDS; kind++) {
		const struct cost *cost = &state->costs[kind];

		for (size_t q = 0; q < cost->n && cost_is_known(cost); q++) {
			emit_text(e, "  <Overhead");
			put_text(e, "kind", kind_names[kind]);
			put_text(e, "name", quantity_name(state, q));
			put_sum(e, "inside", q, cost_of(cost->inside, q));
			put_sum(e, "full", q,
				cost_of(cost->full, q) +
					(q == 0 ? cost_of(&cost->pair_ns, 0)
						: 0));
			put_sum(e, "uncertainty", q, cost_of(cost->spread, q));
			emit_text(e, "/>\n");
		}
	}
}

/* Problems without a place in the program. */
static void put_count_of(struct emit *e, const char *what, uint64_t count)
{
	if (count == 0)
		return;
	emit_text(e, "  <Problem");
	put_text(e, "what", what);
	put_integer(e, "id", 0);
	put_integer(e, "count", (int64_t)count);
	emit_text(e, "/>\n");
}

static void put_problems(struct emit *e, struct hpm_state *state)
{
	for (int i = 0; i < state->problems_n; i++) {
		const struct problem *p = &state->problems[i];

		emit_text(e, "  <Problem");
		put_text(e, "what", p->what);
		put_integer(e, "id", p->id);
		put_text(e, "file", p->file ? p->file : "");
		put_integer(e, "line", p->line);
		put_integer(e, "count", (int64_t)p->count);
		emit_text(e, "/>\n");
	}
	put_count_of(e, "further problems", state->problems_lost);
	put_count_of(e,
		     "called in a signal handler that interrupted such a call",
		     atomic_load(&state->nested));
}

static void put_statistics(struct emit *e, const struct section *section,
			   size_t q)
{
	const struct tally *t = &section->tallies[q];

	put_quantity(e, "mean", q, t->mean);
	put_quantity(e, "stddev", q, section_stddev(section, q));
	put_sum(e, "min", q, t->min);
	put_sum(e, "max", q, t->max);
}

/* How far what was taken off a section may be wrong. */
static void put_uncertainty(struct emit *e, const struct section *section,
			    size_t q, const struct cost *cost)
{
	uint64_t pairs = section->count;

	for (int kind = 0; kind < SECTION_KINDS; kind++)
		pairs += section->descendants[kind];
	if (cost_is_known(cost)) /* else nobody knows */
		put_sum(e, "uncertainty", q,
			cost_of(cost->spread, q) * (int64_t)pairs);
}

/* One quantity: corrected, with what was measured and what was taken off. */
static void put_data(struct emit *e, const char *name,
		     const struct section *section, size_t q, int64_t value,
		     int64_t raw, const struct cost *cost)
{
	emit_text(e, "    <data");
	put_text(e, "name", name);
	put_sum(e, "value", q, value);
	put_sum(e, "raw", q, raw);
	put_sum(e, "correction", q, raw - value);
	put_uncertainty(e, section, q, cost);
}

/* Against what its calls took: beside time the cost of a pair is known only if
 * it was measured. */
static bool is_short(const struct section *section, const struct cost *cost)
{
	double pair = section->count
			      ? (double)section->own_ns / (double)section->count
			      : 0;

	if (cost_is_known(cost))
		pair += (double)cost_of(cost->full, 0);
	return section->count && section->tallies[0].mean < SHORT_FACTOR * pair;
}

static void put_place(struct emit *e, const struct section *section)
{
	char lid[PATH_MAX];

	snprintf(lid, sizeof(lid), "%s%d", section->file, section->line_start);
	put_text(e, "lid", lid);
	put_text(e, "disp", "true");
	put_text(e, "label", section->label);
	put_text(e, "file", section->file);
	put_integer(e, "linestart", section->line_start);
	put_integer(e, "lineend", section->line_end);
}

/* Of time in seconds; NaN: not all of it was counted. */
static double value_of(const struct hpm_state *state,
		       const struct section *section, size_t q)
{
	if (q > 0 && section->unread)
		return NAN;
	return (double)section_inclusive(section, q, state->costs) /
	       (q == 0 ? 1e9 : 1);
}

/* Metrics, from the corrected counts, with what is good and bad as in the
 * HPM Toolkit: for single and double precision, which here are the same. */
static void put_metrics(struct emit *e, const struct hpm_state *state,
			const struct section *section, const struct cost *cost)
{
	for (size_t q = 0; q < cost->n; q++)
		state->quantities[q] = value_of(state, section, q);
	for (size_t i = 0; i < state->metrics.n; i++) {
		const struct hpm_metric *metric = &state->metrics.list[i];
		const struct metric_row *row = metric->row;
		double value = derive_value(&state->metrics, metric,
					    state->quantities);
		const char *verdict = derive_verdict(row, value);

		if (!isfinite(value))
			continue;
		emit_text(e, "    <data");
		put_text(e, "name", row->name);
		put_real(e, "value", value, 6);
		if (row->unit[0])
			put_text(e, "unit", row->unit);
		put_text(e, "formula", row->formula);
		put_threshold(e, "sbad", row->bad);
		put_threshold(e, "sgood", row->good);
		put_threshold(e, "dbad", row->bad);
		put_threshold(e, "dgood", row->good);
		if (verdict)
			put_text(e, "verdict", verdict);
		emit_text(e, "/>\n");
	}
}

static void put_times(struct emit *e, const struct hpm_state *state,
		      const struct section *section, const struct cost *cost)
{
	const struct tally *tally = &section->tallies[0];

	put_data(e, "ExcSec", section, 0,
		 section_exclusive(section, 0, state->costs), tally->exclusive,
		 cost);
	emit_text(e, "/>\n");
	put_data(e, "IncSec", section, 0,
		 section_inclusive(section, 0, state->costs), tally->inclusive,
		 cost);
	if (section->count)
		put_statistics(e, section, 0);
	emit_text(e, "/>\n");
}

/* An event of a section that was not read each time has a reason, no sums. */
static void put_event(struct emit *e, const struct hpm_state *state,
		      const struct section *section, size_t q)
{
	const char *name = quantity_name(state, q);

	if (section->unread) {
		emit_text(e, "    <data");
		put_text(e, "name", name);
		put_text(e, "disp", "false");
		put_text(e, "reason", section->why ? section->why : "");
		emit_text(e, "/>\n");
		return;
	}
	put_data(e, name, section, q,
		 section_inclusive(section, q, state->costs),
		 section->tallies[q].inclusive, &state->costs[section->kind]);
	if (section->unread_inside)
		put_text(e, "reason",
			 "exclusive: an inner section was not counted");
	else
		put_sum(e, "exclusive", q,
			section_exclusive(section, q, state->costs));
	if (!section->unread_inside && section->kind == SECTION_PROCESS &&
	    state->missing.text[0])
		put_text(e, "reason", state->missing.text);
	put_text(e, "disp", "false");
	if (section->count)
		put_statistics(e, section, q);
	emit_text(e, "/>\n");
}

static void put_section(struct emit *e, const struct hpm_state *state,
			const struct hpm_thread *t,
			const struct section *section)
{
	const struct cost *cost = &state->costs[section->kind];

	emit_text(e, "  <InstrumentationPt");
	put_place(e, section);
	put_integer(e, "tid", t->number);
	put_integer(e, "task", state->task);
	put_integer(e, "id", section->id);
	put_text(e, "kind", kind_names[section->kind]);
	if (section->parent >= 0)
		put_integer(e, "parent", t->sections.list[section->parent].id);
	if (!state->simulated && is_short(section, cost))
		put_text(e, "short", "true");
	emit_text(e, ">\n    <data");
	put_text(e, "name", "Count");
	put_integer(e, "value", (int64_t)section->count);
	emit_text(e, "/>\n");
	put_times(e, state, section, cost);
	for (size_t q = 1; q < cost->n; q++)
		put_event(e, state, section, q);
	put_metrics(e, state, section, cost);
	emit_text(e, "  </InstrumentationPt>\n");
}

static void put_thread(struct emit *e, const struct hpm_state *state,
		       struct hpm_thread *t, enum file_moment moment)
{
	if (moment != FILE_DYING) {
		thread_lock(t);
	} else if (!thread_lock_dying(t)) {
		emit_text(e, "  <Problem");
		put_text(e, "what", "a thread's sections were in use");
		put_integer(e, "id", t->number);
		emit_text(e, " count=\"1\"/>\n");
		return;
	}
	for (size_t i = 0; i < t->sections.n; i++)
		put_section(e, state, t, &t->sections.list[i]);
	thread_unlock(t);
}

static void put_threads(struct emit *e, const struct hpm_state *state,
			enum file_moment moment)
{
	for (struct hpm_thread *t = state->threads; t; t = t->next)
		put_thread(e, state, t, moment);
}

static void put_head(struct emit *e, const struct hpm_state *state,
		     bool complete)
{
	static const char *const kinds[] = { "none", "hw", "sim" };
	struct assay_pmu pmu = { 0 };

	assay_get_pmu(&pmu);
	emit_text(e, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<hpm");
	put_text(e, "version", "1");
	put_text(e, "program", state->program);
	put_integer(e, "task", state->task);
	put_integer(e, "pid", getpid());
	put_integer(e, "started", (int64_t)state->began);
	put_real(e, "seconds",
		 (double)(clock_real_ns() - state->began_ns) / 1e9, 9);
	put_text(e, "pmu", kinds[pmu.kind]);
	if (pmu.name && strncmp(pmu.name, "sim-", 4) == 0)
		pmu.name += 4; /* the machine model's own name */
	if (pmu.name && *pmu.name)
		put_text(e, "model", pmu.name);
	put_text(e, "complete", complete ? "true" : "false");
	emit_text(e, ">\n");
}

void file_name(const struct hpm_state *state, char *path, size_t size)
{
	const char *whole = setting("HPM_OUTPUT");
	const char *folder = setting("HPM_LOG_DIR");

	const char *slash = whole ? strrchr(whole, '/') : NULL;
	int n = folder ? (int)strlen(folder) : 0;

	if (whole && !hold_is_on()) {
		snprintf(path, size, "%s", whole);
		return;
	}
	if (whole) { /* the name of all tasks' file: ours is beside it */
		folder = slash ? whole : NULL;
		n = slash ? (int)(slash - whole) : 0;
	}
	snprintf(path, size, "%.*s%shpm_%05d_%s.xml", n, folder ? folder : "",
		 folder ? "/" : "", state->task, state->program);
}

static void put_file(struct emit *e, struct hpm_state *state,
		     enum file_moment moment)
{
	put_head(e, state, moment == FILE_FINAL);
	put_events(e, state);
	put_costs(e, state);
	put_problems(e, state);
	put_threads(e, state, moment);
	emit_text(e, "</hpm>\n");
}

/* Sections without counts are told of on standard error, too. */
static void complain_of_unread(struct hpm_state *state)
{
	unsigned long sections = 0, unread = 0;
	char line[280];
	const char *why = NULL;

	for (struct hpm_thread *t = state->threads; t; t = t->next)
		for (size_t i = 0; i < t->sections.n; i++) {
			const struct section *section = &t->sections.list[i];

			sections++;
			unread += section->unread > 0;
			if (!why && section->unread)
				why = section->why;
		}
	if (unread == 0)
		return;
	snprintf(line, sizeof(line), "%lu of %lu sections have no counts: %s",
		 unread, sections,
		 why ? why : "the counters could not be read");
	file_complain(line);
}

/* What the file says is missing, standard error says, too. */
static void complain_of_missing(struct hpm_state *state)
{
	char line[280];

	complain_of_unread(state);
	if (!state->missing.text[0])
		return;
	snprintf(line, sizeof(line), "not in the sections of the process: %s",
		 state->missing.text);
	file_complain(line);
}

void file_complain(const char *sentence)
{
	char line[320];
	ssize_t said;

	snprintf(line, sizeof(line), "libhpm: %s\n", sentence);
	said = write(STDERR_FILENO, line, strlen(line));
	(void)said; /* if that fails, there is nobody to tell */
}

/* Large, and one file is written at a time. */
static struct emit e;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int file_write(struct hpm_state *state, enum file_moment moment)
{
	char path[PATH_MAX];
	int err;

	if (moment == FILE_FINAL)
		pthread_mutex_lock(&lock);
	else if (pthread_mutex_trylock(&lock))
		return 0; /* somebody is writing it just now */
	file_name(state, path, sizeof(path));
	/* a handler of signals may have interrupted what that asks */
	if (state->simulated && moment != FILE_DYING)
		missing_look(&state->missing);
	err = emit_open(&e, path);
	if (!err) {
		/* who was told to go is killed if it does not hurry */
		e.hurried = moment == FILE_DYING;
		put_file(&e, state, moment);
		err = emit_close(&e);
	}
	if (err)
		state_fail("cannot write %s: %s", path, strerror(e.error));
	if (moment == FILE_FINAL)
		complain_of_missing(state);
	pthread_mutex_unlock(&lock);
	if (err && moment != FILE_CHECKPOINT)
		file_complain(state_error());
	return err;
}

/* All that was written to @fd. */
static char *read_back(int fd, size_t *size)
{
	off_t end = lseek(fd, 0, SEEK_END);
	char *text = end > 0 ? malloc((size_t)end + 1) : NULL;

	if (!text)
		return NULL;
	if (pread(fd, text, (size_t)end, 0) != end) {
		free(text);
		return NULL;
	}
	text[end] = 0;
	*size = (size_t)end;
	return text;
}

char *file_text(struct hpm_state *state, size_t *size)
{
	int fd = memfd_create("hpm", MFD_CLOEXEC);
	char *text = NULL;

	pthread_mutex_lock(&lock);
	if (fd >= 0) {
		emit_attach(&e, fd);
		put_file(&e, state, FILE_FINAL);
		if (emit_close(&e) == 0)
			text = read_back(fd, size);
		close(fd);
	}
	pthread_mutex_unlock(&lock);
	if (!text)
		state_fail("out of memory for the sections");
	return text;
}

/* Signals. */

/* Those that end a process and may come to any. The last ones come from what
 * the thread itself does. */
static const int fatal[] = {
	SIGHUP,  SIGINT,    SIGTERM, SIGXCPU, SIGQUIT, SIGALRM, SIGUSR1,
	SIGUSR2, SIGVTALRM, SIGPROF, SIGIO,   SIGPIPE, SIGXFSZ, SIGSEGV,
	SIGBUS,  SIGFPE,    SIGILL,  SIGABRT, SIGSYS,
};
#define FIRST_FAULT 13

/* The default action was reset by SA_RESETHAND, so raising it again ends us. */
static void die(int signal)
{
	struct hpm_state *state = state_current();

	if (state)
		file_write(state, FILE_DYING);
	raise(signal);
}

static bool is_fault(int signal)
{
	for (size_t i = FIRST_FAULT; i < ARRAY_SIZE(fatal); i++)
		if (fatal[i] == signal)
			return true;
	return false;
}

/*
 * A signal that was sent can wait until a call of ours that it interrupted has
 * ended; a fault would only come again.
 */
static void on_fatal(int signal)
{
	if (is_fault(signal) || !call_defer(signal, die))
		die(signal);
}

/* A stack that has overflown has no room for the handler. */
static void give_stack(void)
{
	static char stack_memory[65536] __attribute__((aligned(16)));
	stack_t old, stack = { .ss_sp = stack_memory,
			       .ss_size = sizeof(stack_memory) };

	if (sigaltstack(NULL, &old) == 0 && old.ss_flags & SS_DISABLE)
		sigaltstack(&stack, NULL);
}

void file_write_on_signals(void)
{
	struct sigaction action = { .sa_handler = on_fatal,
				    .sa_flags = (int)SA_RESETHAND | SA_NODEFER |
						SA_ONSTACK };
	struct sigaction old;

	give_stack();

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		if (sigaction(fatal[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL && !(old.sa_flags & SA_SIGINFO))
			sigaction(fatal[i], &action, NULL);
}
