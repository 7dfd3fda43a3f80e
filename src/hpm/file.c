/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpm/file.h"

#include <errno.h>
#include <math.h>
#include <papi.h>
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
			put_sum(e, "full", q, cost_of(cost->full, q));
			put_sum(e, "uncertainty", q, cost_of(cost->spread, q));
			emit_text(e, "/>\n");
		}
	}
}

static void put_problems(struct emit *e, const struct hpm_state *state)
{
	for (int i = 0; i < state->problems_n; i++) {
		const struct problem *p = &state->problems[i];

		emit_text(e, "  <Problem");
		put_text(e, "what", p->what);
		put_integer(e, "id", p->id);
		put_text(e, "file", p->place.file);
		put_integer(e, "line", p->place.line);
		put_integer(e, "count", (int64_t)p->count);
		emit_text(e, "/>\n");
	}
	if (state->problems_lost > 0) {
		emit_text(e, "  <Problem");
		put_text(e, "what", "more than can be named");
		put_integer(e, "id", 0);
		put_integer(e, "count", (int64_t)state->problems_lost);
		emit_text(e, "/>\n");
	}
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
	put_sum(e, "uncertainty", q,
		cost_is_known(cost)
			? cost_of(cost->spread, q) * (int64_t)section->count
			: 0);
}

static bool is_short(const struct section *section, const struct cost *cost)
{
	return cost_is_known(cost) &&
	       section->tallies[0].mean <
		       SHORT_FACTOR * (double)cost_of(cost->full, 0);
}

static void put_place(struct emit *e, const struct section *section)
{
	char lid[PATH_MAX];

	snprintf(lid, sizeof(lid), "%s%d", section->start.file,
		 section->start.line);
	put_text(e, "lid", lid);
	put_text(e, "disp", "true");
	put_text(e, "label", section->label);
	put_text(e, "file", section->start.file);
	put_integer(e, "linestart", section->start.line);
	put_integer(e, "lineend", section->stop.line);
}

/* Metrics, from the corrected counts, with what is good and bad as in the
 * HPM Toolkit: for single and double precision, which here are the same. */
static void put_metrics(struct emit *e, const struct hpm_state *state,
			const struct section *section, const struct cost *cost)
{
	for (size_t q = 0; q < cost->n; q++)
		state->quantities[q] =
			(double)section_inclusive(section, q, state->costs) /
			(q == 0 ? 1e9 : 1);
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

	for (size_t q = 0; q < cost->n; q++) {
		const struct tally *tally = &section->tallies[q];
		const char *name = quantity_name(state, q);
		int64_t inclusive = section_inclusive(section, q, state->costs);
		int64_t exclusive = section_exclusive(section, q, state->costs);

		if (q == 0) {
			put_data(e, "ExcSec", section, q, exclusive,
				 tally->exclusive, cost);
			emit_text(e, "/>\n");
		}
		put_data(e, q == 0 ? "IncSec" : name, section, q, inclusive,
			 tally->inclusive, cost);
		if (q > 0) {
			put_sum(e, "exclusive", q, exclusive);
			put_text(e, "disp", "false");
		}
		put_statistics(e, section, q);
		emit_text(e, "/>\n");
	}
	put_metrics(e, state, section, cost);
	emit_text(e, "  </InstrumentationPt>\n");
}

static void put_thread(struct emit *e, const struct hpm_state *state,
		       struct hpm_thread *t, enum file_moment moment)
{
	if (moment != FILE_DYING) {
		thread_lock(t);
	} else if (!thread_try_lock(t)) {
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

/* By their numbers; the list begins with the latest. */
static void put_threads(struct emit *e, const struct hpm_state *state,
			enum file_moment moment)
{
	struct hpm_thread *latest = state->threads;
	int n = latest ? latest->number + 1 : 0;

	for (int number = 0; number < n; number++)
		for (struct hpm_thread *t = latest; t; t = t->next)
			if (t->number == number)
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
	if (pmu.name && *pmu.name)
		put_text(e, "model", pmu.name);
	put_text(e, "complete", complete ? "true" : "false");
	emit_text(e, ">\n");
}

void file_name(const struct hpm_state *state, char *path, size_t size)
{
	const char *whole = secure_getenv("HPM_OUTPUT");
	const char *folder = secure_getenv("HPM_LOG_DIR");

	if (whole)
		snprintf(path, size, "%s", whole);
	else
		snprintf(path, size, "%s%shpm_%05d_%s.xml",
			 folder ? folder : "", folder ? "/" : "", state->task,
			 state->program);
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
	err = emit_open(&e, path);
	if (!err) {
		put_file(&e, state, moment);
		err = emit_close(&e);
	}
	if (err)
		state_fail("cannot write %s: %s", path, strerror(e.error));
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
		state_fail("there is no memory to keep the sections in");
	return text;
}

/* Signals. */

static const int fatal[] = { SIGHUP,  SIGINT, SIGTERM, SIGXCPU, SIGQUIT,
			     SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGABRT };

/* The default action was reset by SA_RESETHAND, so raising it again ends us. */
static void on_fatal(int signal)
{
	struct hpm_state *state = state_current();

	if (state)
		file_write(state, FILE_DYING);
	raise(signal);
}

/* A stack that has overflown has no room for the handler. */
static void give_stack(void)
{
	static char room[65536] __attribute__((aligned(16)));
	stack_t old, stack = { .ss_sp = room, .ss_size = sizeof(room) };

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
