/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What perf stat -x counted while a bundle ran single kernels, as a file of
 * counts. The bundle (--run) says which kernel it is in lines as in a file of
 * counts, and perf's lines follow these:
 *
 *   assay-run 1
 *   geometry NUMBER ...
 *   unit KERNEL TIMES ...
 *   value,unit,event,[variance%,]run time,share of the time[,metric,unit]
 *
 * A kernel may be there several times: its counts are repeats then. With -r
 * perf gives a mean and its standard error: two counts have these, the mean
 * less and plus the error. A count of a part of the time is perf's estimate,
 * with an error that nobody knows: it is left out.
 */
#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "bundle/counts.h"
#include "bundle/foreign.h"

#define SEPARATORS ",;|:\t"
#define MOST_CELLS ((size_t)1 << 24)
#define WHOLE      99.995 /* per cent of the time, rounded to two digits */
#define MOST_COUNT 9e18

struct event {
	char *name;
	double share;   /* of the time, at most; NAN: nothing was said */
	bool supported; /* perf did not say that it is not */
	char *unit;     /* what it is given in, if those are no counts */
	size_t counts;
};

struct perf_count {
	size_t unit, event;
	double value;
};

struct runs {
	char *version, *where, *cpu, *geometry; /* the first run's lines */
	char **units;                           /* lines */
	size_t n_units, at;                     /* at: the last one read */
	struct event *events;
	size_t n_events;
	struct perf_count *counts;
	size_t n_counts;
};

/* A line of perf's. */
struct reading {
	double value; /* NAN: none */
	const char *unit, *event;
	double error; /* per cent of the value; 0 without -r */
	double share; /* of the time, per cent */
	bool supported;
};

static int refuse(struct diag *diag, const char *line, const char *why)
{
	return diag_fail(diag, PAPI_EINVAL, "'%.40s%s': %s", line,
			 strlen(line) > 40 ? "..." : "", why);
}

static int no_memory(struct diag *diag)
{
	return diag_fail(diag, PAPI_ENOMEM, "out of memory");
}

/* Perf's lines. */

/* The end of a field at @text; commas between slashes are an event's own. */
static char *field_end(char *text, char separator)
{
	bool inside = false;

	for (; *text && (inside || *text != separator); text++)
		inside ^= *text == '/' && (inside || strchr(text + 1, '/'));
	return text;
}

/* Cut the field off; what follows it, or the end of the line. */
static char *cut_field(char *text, char separator)
{
	char *end = field_end(text, separator);
	char *next = *end ? end + 1 : end;

	*end = '\0';
	return next;
}

/* The value, and what follows it; NULL: it is none. */
static char *take_value(char *line, struct reading *r)
{
	static const char not_counted[] = "<not counted>",
			  not_supported[] = "<not supported>";
	char *end = line;

	r->value = NAN;
	r->supported = true;
	if (strncmp(line, not_counted, strlen(not_counted)) == 0)
		return line + strlen(not_counted);
	if (strncmp(line, not_supported, strlen(not_supported)) == 0) {
		r->supported = false;
		return line + strlen(not_supported);
	}
	if (*line >= '0' && *line <= '9')
		r->value = strtod(line, &end);
	return end > line ? end : NULL;
}

/* Variance, if it ends in %; then the run time and the share of all time. */
static void take_rest(char *rest, char separator, struct reading *r)
{
	double numbers[2] = { NAN, NAN };
	char *next;

	for (size_t i = 0; i < 2 && *rest; rest = next) {
		next = cut_field(rest, separator);
		if (strchr(rest, '%'))
			r->error = strtod(rest, NULL);
		else
			numbers[i++] = strtod(rest, NULL);
	}
	if (strchr(rest, '%')) /* newer ones print it last */
		r->error = strtod(rest, NULL);
	r->share = numbers[1];
}

/* True: the line has a reading. */
static bool take_reading(char *line, struct reading *r)
{
	char separator, *rest = take_value(line, r);

	r->error = 0;
	if (!rest || !*rest || !strchr(SEPARATORS, *rest))
		return false;
	separator = *rest++;
	r->unit = rest;
	rest = cut_field(rest, separator);
	r->event = rest;
	rest = cut_field(rest, separator);
	take_rest(rest, separator, r);
	return *r->event && !(*r->unit >= '0' && *r->unit <= '9') &&
	       *r->unit != '<' && (isnan(r->value) || r->value < MOST_COUNT) &&
	       r->error >= 0 && r->error < 1e6;
}

static struct event *find_event(struct runs *runs, const char *name)
{
	struct event event = { .share = NAN, .supported = true };

	for (size_t i = 0; i < runs->n_events; i++)
		if (strcmp(runs->events[i].name, name) == 0)
			return &runs->events[i];
	event.name = strdup(name);
	if (!event.name || array_add(runs->events, runs->n_events, event)) {
		free(event.name);
		return NULL;
	}
	return &runs->events[runs->n_events - 1];
}

static int add_count(struct runs *runs, struct event *event, double value)
{
	struct perf_count count = { runs->at, (size_t)(event - runs->events),
				    round(value) };

	event->counts++;
	return array_add(runs->counts, runs->n_counts, count);
}

static int keep_reading(struct runs *runs, const struct reading *r)
{
	struct event *event = find_event(runs, r->event);
	double off = r->value * r->error / 100;
	int err;

	if (!event)
		return PAPI_ENOMEM;
	event->supported &= r->supported;
	if (*r->unit && !event->unit && !(event->unit = strdup(r->unit)))
		return PAPI_ENOMEM;
	event->share = fmax(event->share, r->share);
	if (isnan(r->value) || *r->unit || !(r->share >= WHOLE))
		return 0;
	err = add_count(runs, event, fmax(0, r->value - off));
	return err || !(r->error > 0) ? err
				      : add_count(runs, event, r->value + off);
}

static int take_perf(struct runs *runs, char *line, struct diag *diag)
{
	OWNED char *copy = strdup(line);
	struct reading r;

	if (!copy)
		return no_memory(diag);
	if (!take_reading(copy, &r))
		return refuse(diag, line,
			      "it is no line of perf stat -x; -A, -I and "
			      "--per-... cannot be used here");
	if (runs->n_units == 0)
		return refuse(diag, line,
			      "before it no kernel is named; what the bundle "
			      "prints with --run belongs into the same file");
	return keep_reading(runs, &r) ? no_memory(diag) : 0;
}

/* The bundle's lines. */

static int take_unit(struct runs *runs, const char *line)
{
	char *copy;

	for (runs->at = 0; runs->at < runs->n_units; runs->at++)
		if (strcmp(runs->units[runs->at], line) == 0)
			return 0;
	copy = strdup(line);
	if (copy && !array_add(runs->units, runs->n_units, copy))
		return 0;
	free(copy);
	return PAPI_ENOMEM;
}

/* The first one is kept. */
static int take_text(char **kept, const char *line)
{
	if (!*kept)
		*kept = strdup(line);
	return *kept ? 0 : PAPI_ENOMEM;
}

static bool starts(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

static int take_line(struct runs *runs, char *line, struct diag *diag)
{
	int err = 0;

	/* a line that begins with a separator has a metric and no count */
	if (!*line || *line == '#' || strchr(SEPARATORS, *line) ||
	    starts(line, "assay-run 1"))
		return 0;
	if (starts(line, "assay "))
		err = take_text(&runs->version, line);
	else if (starts(line, "where "))
		err = take_text(&runs->where, line);
	else if (starts(line, "cpu "))
		err = take_text(&runs->cpu, line);
	else if (starts(line, "unit "))
		err = take_unit(runs, line);
	else if (!starts(line, "geometry "))
		return take_perf(runs, line, diag);
	else if (take_text(&runs->geometry, line))
		err = PAPI_ENOMEM;
	else if (strcmp(runs->geometry, line) != 0)
		return refuse(diag, line,
			      "it is another machine's than the runs before");
	return err ? no_memory(diag) : 0;
}

static int take_lines(struct runs *runs, char *text, struct diag *diag)
{
	int err = 0;

	for (char *line = text, *next; !err && *line; line = next) {
		size_t n = strcspn(line, "\r\n");

		next = line + n + (line[n] != '\0');
		line[n] = '\0';
		err = take_line(runs, line, diag);
	}
	return err;
}

/* The file of counts. */

/* Why an event has no counts; NULL: it has some. To be freed. */
static int find_reason(const struct event *e, char **reason)
{
	*reason = NULL;
	if (e->counts)
		return 0;
	if (!e->supported)
		*reason = strdup("perf says that it is not supported");
	else if (e->unit)
		*reason = str_format("perf gives it in %s, which are no counts",
				     e->unit);
	else if (e->share > 0)
		*reason = str_format("perf counted it %.0f %% of the time at "
				     "most, and estimated the rest: count "
				     "fewer events at once",
				     e->share);
	else
		*reason = strdup("perf did not count it: count fewer events "
				 "at once");
	return *reason ? 0 : PAPI_ENOMEM;
}

static int put_events(struct strbuf *to, const struct runs *runs)
{
	for (size_t i = 0; i < runs->n_events; i++)
		strbuf_addf(to, "event %s\n", runs->events[i].name);
	for (size_t i = 0; i < runs->n_events; i++) {
		OWNED char *reason = NULL;

		if (find_reason(&runs->events[i], &reason))
			return PAPI_ENOMEM;
		if (reason)
			strbuf_addf(to, "refused %zu %s\n", i, reason);
	}
	strbuf_add(to, "set");
	for (size_t i = 0; i < runs->n_events; i++)
		if (runs->events[i].counts)
			strbuf_addf(to, " %zu", i);
	strbuf_add(to, "\n");
	return 0;
}

/* One row: a unit's counts, repeat by repeat. */
static void put_row(struct strbuf *to, const struct runs *runs, size_t unit,
		    const double *table, size_t repeats)
{
	bool any = false;

	for (size_t i = 0; i < repeats * runs->n_events; i++)
		any |= !isnan(table[i]);
	if (!any) {
		strbuf_addf(to, "x %zu perf counted none of the events .\n",
			    unit);
		return;
	}
	strbuf_addf(to, "c %zu 0", unit);
	for (size_t i = 0; i < repeats * runs->n_events; i++) {
		if (!runs->events[i % runs->n_events].counts)
			continue;
		if (isnan(table[i]))
			strbuf_add(to, " -");
		else
			strbuf_addf(to, " %.0f", table[i]);
	}
	strbuf_add(to, " .\n");
}

/* How often the count of a unit and event that is there most often is there;
 * @seen has a number for each, all 0 before and after. */
static size_t count_repeats(const struct runs *runs, unsigned *seen)
{
	size_t most = 0;

	for (size_t i = 0; i < runs->n_counts; i++) {
		const struct perf_count *c = &runs->counts[i];
		unsigned n = ++seen[c->unit * runs->n_events + c->event];

		most = n > most ? n : most;
	}
	memset(seen, 0, runs->n_units * runs->n_events * sizeof(*seen));
	return most;
}

static void fill_table(const struct runs *runs, double *table, size_t repeats,
		       unsigned *seen)
{
	size_t events = runs->n_events;

	for (size_t i = 0; i < runs->n_units * repeats * events; i++)
		table[i] = NAN;
	for (size_t i = 0; i < runs->n_counts; i++) {
		const struct perf_count *c = &runs->counts[i];
		unsigned repeat = seen[c->unit * events + c->event]++;

		table[(c->unit * repeats + repeat) * events + c->event] =
			c->value;
	}
}

static int put_all(struct strbuf *to, const struct runs *runs,
		   struct diag *diag)
{
	size_t events = runs->n_events, cells = runs->n_units * events, repeats;
	OWNED unsigned *seen =
		cells > MOST_CELLS ? NULL : calloc(cells + 1, sizeof(*seen));
	OWNED double *table = NULL;

	if (!seen)
		return no_memory(diag);
	repeats = count_repeats(runs, seen);
	table = repeats > MOST_CELLS / (cells + 1)
			? NULL
			: calloc(repeats * cells + 1, sizeof(*table));
	if (!table)
		return no_memory(diag);
	fill_table(runs, table, repeats, seen);
	strbuf_addf(to, COUNTS_MAGIC "%s\n%s\n%s\npmu hw 0 perf-stat\n%s\n",
		    runs->version, runs->where, runs->cpu, runs->geometry);
	strbuf_addf(to, "repeats %zu\n", repeats);
	if (put_events(to, runs))
		return no_memory(diag);
	for (size_t u = 0; u < runs->n_units; u++)
		strbuf_addf(to, "%s\n", runs->units[u]);
	strbuf_add(to, "counts\n");
	for (size_t u = 0; u < runs->n_units; u++)
		put_row(to, runs, u, table + u * repeats * events, repeats);
	foreign_end(to);
	return to->failed ? no_memory(diag) : 0;
}

/* Whether there is enough to be put. */
static int check(const struct runs *runs, struct diag *diag)
{
	OWNED char *reason = NULL;

	if (!runs->version || !runs->where || !runs->cpu || !runs->geometry ||
	    runs->n_events == 0)
		return diag_fail(diag, PAPI_EINVAL,
				 "it has no counts of perf stat -x beside what "
				 "the bundle prints with --run");
	if (runs->n_counts)
		return 0;
	if (find_reason(&runs->events[0], &reason))
		return no_memory(diag);
	return diag_fail(diag, PAPI_EINVAL,
			 "none of its events was counted: %s: %s",
			 runs->events[0].name, reason);
}

bool perf_is(const char *text)
{
	return starts(text, PERF_RUN) || strstr(text, "\n" PERF_RUN) != NULL;
}

static void free_runs(struct runs *runs)
{
	for (size_t i = 0; i < runs->n_units; i++)
		free(runs->units[i]);
	for (size_t i = 0; i < runs->n_events; i++) {
		free(runs->events[i].name);
		free(runs->events[i].unit);
	}
	free(runs->units);
	free(runs->events);
	free(runs->counts);
	free(runs->version);
	free(runs->where);
	free(runs->cpu);
	free(runs->geometry);
}

int perf_read(char *text, struct strbuf *to, struct diag *diag)
{
	struct runs runs = { 0 };
	int err = take_lines(&runs, text, diag);

	err = err ? err : check(&runs, diag);
	err = err ? err : put_all(to, &runs, diag);
	free_runs(&runs);
	return err;
}
