/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of an interval turned into rates and metrics, for the ring. */
#include "view/live.h"

#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "measure/counting.h"

void live_sampler_init(struct live_sampler *s, struct counting *c,
		       const struct selection *groups, struct live_buffer *b)
{
	memset(s, 0, sizeof(*s));
	s->counting = c;
	s->groups = groups;
	s->buffer = b;
	s->clock_hz = derive_clock_rate();
}

void live_sampler_fini(struct live_sampler *s)
{
	free(s->lines);
	free(s->before);
	free(s->since);
	free(s->counts);
	free(s->totals);
	free(s->sample.values);
}

static bool is_native(const struct live_sampler *s)
{
	return s->counting->pmu.kind != PMU_SIMULATED;
}

static bool is_counted(const struct event_row *e)
{
	return !e->reason && e->state != EVENT_NOT_YET;
}

static const struct event_row *find_event(const struct live_sampler *s,
					  const char *name, size_t *index)
{
	const struct event_list *m = &s->counting->measure;

	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->events[i].name, name) == 0 &&
		    is_counted(&m->events[i])) {
			*index = i;
			return &m->events[i];
		}
	return NULL;
}

static const char *name_of(const struct live_line *line, size_t k)
{
	return line->file->set->names.names[line->metric->slots[k]];
}

/* Whether all that a metric needs is there. */
static bool can_derive(const struct live_sampler *s,
		       const struct live_line *line)
{
	for (size_t k = 0; k < line->metric->n_slots; k++) {
		const char *name = name_of(line, k);
		size_t i;

		if (metrics_is_input(name) ? !is_native(s)
					   : !find_event(s, name, &i))
			return false;
	}
	return line->metric->n_slots > 0;
}

static bool is_asked_for(const struct live_sampler *s,
			 const struct metric_file *file, size_t i)
{
	for (size_t k = 0; k < s->groups->n; k++)
		if (metrics_in_group(file, i, s->groups->names[k]))
			return true;
	return s->groups->n == 0;
}

/* Metrics of several files may have one formula: the first is shown. */
static bool is_there(const struct live_sampler *s, const struct def *def)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct metric *m = s->lines[i].metric;

		if (m && m->def->formula && def->formula &&
		    strcmp(m->def->formula, def->formula) == 0)
			return true;
	}
	return false;
}

static int add_line(struct live_sampler *s, const struct live_line *line)
{
	return array_add(s->lines, s->n, *line);
}

static int find_lines(struct live_sampler *s)
{
	const struct metrics *all = &s->counting->metrics;
	const struct event_list *m = &s->counting->measure;
	int err = 0;

	for (size_t f = 0; f < all->n; f++) {
		const struct metric_file *file = &all->files[f];

		for (size_t i = 0; !err && i < file->set->n; i++) {
			struct live_line line = {
				.metric = &file->set->metrics[i],
				.file = file,
			};

			if (is_asked_for(s, file, i) && can_derive(s, &line) &&
			    !is_there(s, line.metric->def))
				err = add_line(s, &line);
		}
	}
	for (size_t i = 0; !err && i < m->n; i++)
		if (is_counted(&m->events[i]))
			err = add_line(s, &(struct live_line){ .event = i });
	return err;
}

static const char *text_of(const struct def *def, enum def_key key)
{
	const char *text = def_field(def, key);

	return text ? text : "";
}

/* An event is shown as a rate; on the simulator per sample: no second there
 * is one of the machine's. */
static char *rate_unit(const struct live_sampler *s, const struct event_row *e)
{
	return str_format("%s%s", e->unit, is_native(s) ? "/s" : "/sample");
}

static struct live_series describe(const struct live_sampler *s,
				   const struct live_line *line)
{
	const struct event_row *e;

	if (line->metric) {
		const struct def *def = line->metric->def;

		return (struct live_series){
			.name = strdup(def->name),
			.unit = strdup(text_of(def, KEY_UNIT)),
			.text = strdup(def_title(def)),
			.formula = strdup(def->formula ? def->formula : ""),
		};
	}
	e = &s->counting->measure.events[line->event];
	return (struct live_series){
		.name = strdup(e->name),
		.unit = rate_unit(s, e),
		.text = strdup(e->text ? e->text : ""),
		.formula = strdup(""),
		.event = true,
	};
}

static size_t most_names(const struct metrics *m)
{
	size_t most = 0;

	for (size_t i = 0; i < m->n; i++)
		if (m->files[i].set->names.n > most)
			most = m->files[i].set->names.n;
	return most;
}

/* What was asked for and cannot be counted, with the first reason. */
static char *what_is_missing(const struct event_list *m)
{
	struct strbuf text = { 0 };
	const char *reason = NULL;

	for (size_t i = 0; i < m->n; i++) {
		const struct event_row *e = &m->events[i];

		if (!e->wanted || !e->reason)
			continue;
		strbuf_addf(&text, "%s%s",
			    reason ? ", " : "Not counted: ", e->name);
		reason = reason ? reason : e->reason;
	}
	if (reason)
		strbuf_addf(&text, " (%s)", reason);
	return reason ? strbuf_take(&text) : NULL;
}

/* The first time the events are open, and it is known what can be shown. */
static int begin(struct live_sampler *s)
{
	const struct event_list *m = &s->counting->measure;
	struct live_series *series;
	int err = find_lines(s);

	series = calloc(s->n + 1, sizeof(*series));
	s->before = calloc(m->n + 1, sizeof(*s->before));
	s->since = calloc(m->n + 1, sizeof(*s->since));
	s->counts =
		calloc(most_names(&s->counting->metrics) + 1, sizeof(double));
	s->totals = calloc(s->n + 1, sizeof(*s->totals));
	s->sample.values = calloc(s->n + 1, sizeof(double));
	if (err || !series || !s->before || !s->since || !s->counts ||
	    !s->totals || !s->sample.values) {
		free(series);
		return PAPI_ENOMEM;
	}
	for (size_t i = 0; i < s->n; i++)
		series[i] = describe(s, &s->lines[i]);
	return live_buffer_describe(s->buffer, series, s->n,
				    what_is_missing(m));
}

static void take_counts(struct live_sampler *s)
{
	const struct event_list *m = &s->counting->measure;

	for (size_t i = 0; i < m->n; i++) {
		const struct event_row *e = &m->events[i];
		long double now = e->total;

		s->since[i] = (double)(now - s->before[i]);
		if (!isnan(now))
			s->before[i] = now;
	}
}

static double metric_value(struct live_sampler *s, const struct live_line *line,
			   double seconds)
{
	for (size_t k = 0; k < line->metric->n_slots; k++) {
		const char *name = name_of(line, k);
		double value = NAN;
		size_t i;

		if (strcmp(name, "wall_s") == 0)
			value = seconds;
		else if (metrics_is_input(name))
			value = s->clock_hz;
		else if (find_event(s, name, &i))
			value = s->since[i];
		s->counts[line->metric->slots[k]] = value;
	}
	return metric_eval(line->metric, s->counts);
}

static void fill_values(struct live_sampler *s, double seconds)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct live_line *line = &s->lines[i];

		if (line->metric) {
			s->sample.values[i] = metric_value(s, line, seconds);
			continue;
		}
		s->sample.values[i] = is_native(s)
					      ? s->since[line->event] / seconds
					      : s->since[line->event];
		s->totals[i] = s->before[line->event];
	}
}

/* Marks are told in the time of the program's start. */
static void take_marks(struct live_sampler *s)
{
	struct live_sample *sample = &s->sample;
	uint64_t lost = s->reader.lost;
	struct mark marks[LIVE_MARKS], rest;

	sample->n_marks = 0;
	sample->lost_marks = 0;
	if (!s->marks)
		return;
	sample->n_marks =
		(unsigned)marks_take(s->marks, &s->reader, marks, LIVE_MARKS);
	for (unsigned i = 0; i < sample->n_marks; i++) {
		sample->marks[i] = (struct live_mark){
			.time_s = fmax(
				0, ((double)marks[i].ns - (double)s->start_ns) /
					   1e9),
			.begins = marks[i].begins,
			.number = marks[i].number,
		};
		memcpy(sample->marks[i].word, marks[i].word, MARKS_WORD);
	}
	while (marks_take(s->marks, &s->reader, &rest, 1) > 0)
		sample->lost_marks++;
	sample->lost_marks += (unsigned)(s->reader.lost - lost);
}

void live_sampler_take(struct live_sampler *s, uint64_t elapsed_ns)
{
	double now_s = (double)elapsed_ns / 1e9;

	if (s->err || now_s <= s->last_s)
		return;
	if (!s->begun) {
		s->begun = true;
		s->err = begin(s);
		if (s->err)
			return;
	}
	take_counts(s);
	take_marks(s);
	s->sample.time_s = now_s;
	fill_values(s, now_s - s->last_s);
	s->last_s = now_s;
	live_buffer_add(s->buffer, &s->sample, s->totals);
}

void live_sampler_fire(void *sampler, uint64_t elapsed_ns)
{
	struct live_sampler *s = sampler;

	if (!s->start_ns)
		s->start_ns = clock_real_ns() - elapsed_ns;
	/* one that cannot be read is left out; the next may succeed */
	if (measure_read(&s->counting->measure) == 0)
		live_sampler_take(s, elapsed_ns);
}
