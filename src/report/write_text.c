/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report for people: time, resources, counters, metrics, what to do next.
 * The number comes first on a line, then its name, then what to make of it.
 * A sign behind a number says that it was not simply counted: * simulated,
 * ~ scaled up from part of the time.
 */

#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "report/number.h"
#include "report/style.h"

#define COMMAND_LINES 3

/* One report being written. */
struct page {
	const struct report *r;
	const struct report_style *style;
	FILE *to;
};

static const char *on(const struct page *p, enum ink ink)
{
	return style_on(p->style, ink);
}

static const char *off(const struct page *p)
{
	return style_off(p->style);
}

static void put_spaces(const struct page *p, size_t n)
{
	fprintf(p->to, "%*s", (int)n, "");
}

/* The first lines of it: enough to know it by. */
static void put_command(const struct page *p)
{
	const char *const *word = p->r->command;
	size_t left = COMMAND_LINES * (size_t)p->style->width;

	fputs(on(p, INK_BOLD), p->to);
	for (; word && *word && left > 0; word++) {
		left = style_put(*word, left, p->to);
		if (word[1] && left > 0)
			left = style_put(" ", left, p->to);
	}
	if (left == 0)
		fputs(style_sign(p->style, SIGN_ELLIPSIS), p->to);
	fputs(off(p), p->to);
}

static void put_exit(const struct page *p)
{
	int status = p->r->exit;

	if (p->r->attached)
		fprintf(p->to, "   process %ld", p->r->task.pid);
	else if (status > 128 && status < 128 + 65)
		fprintf(p->to, "   %skilled by signal %d (%s)%s",
			on(p, INK_POOR), status - 128, strsignal(status - 128),
			off(p));
	else if (status != 0)
		fprintf(p->to, "   %sexit %d%s", on(p, INK_POOR), status,
			off(p));
	else
		fputs("   exit 0", p->to);
	if (p->r->task.rank >= 0 && p->r->task.size > 0)
		fprintf(p->to, "   task %ld of %ld", p->r->task.rank,
			p->r->task.size);
	else if (p->r->task.rank >= 0)
		fprintf(p->to, "   task %ld", p->r->task.rank);
	if (p->r->runs > 1)
		fprintf(p->to, "   %u runs", p->r->runs);
	if (p->r->passes > 1)
		fprintf(p->to, "   %u passes", p->r->passes);
	putc('\n', p->to);
}

static void put_machine(const struct page *p)
{
	const struct report_machine *m = &p->r->machine;
	const struct report_pmu *pmu = &p->r->pmu;
	struct strbuf text = { 0 };

	strbuf_addf(&text, "%s, %u CPU%s", m->cpu ? m->cpu : "unknown CPU",
		    m->cpus, m->cpus == 1 ? "" : "s");
	if (m->hypervisor)
		strbuf_addf(&text, ", %s guest", m->hypervisor);
	if (strcmp(pmu->kind, "sim") == 0)
		strbuf_addf(&text, "; simulated PMU %s",
			    pmu->model ? pmu->model : "");
	else if (strcmp(pmu->kind, "hw") == 0)
		strbuf_addf(&text, "; PMU %s", pmu->model ? pmu->model : "");
	else
		strbuf_add(&text, "; no PMU");
	fputs(on(p, INK_DIM), p->to);
	style_wrap(p->style, strbuf_text(&text), 0, 2, p->to);
	fputs(off(p), p->to);
	strbuf_fini(&text);
}

/* "  +- 0.4 %  (0.210 s .. 0.216 s)" when there were several runs. */
static void add_seconds_spread(const struct page *p,
			       const struct report_number *n,
			       struct strbuf *text)
{
	char low[NUMBER_ROOM], high[NUMBER_ROOM];

	if (isnan(n->stddev))
		return;
	if (n->value > 0)
		strbuf_addf(text, "  %s %.1f %%",
			    style_sign(p->style, SIGN_PLUS_MINUS),
			    100 * n->stddev / n->value);
	strbuf_addf(text, "  (%s %s %s)", number_seconds(low, n->min),
		    style_sign(p->style, SIGN_ELLIPSIS),
		    number_seconds(high, n->max));
}

static void put_seconds(const struct page *p, const char *name,
			const struct report_number *n, const char *remark)
{
	struct strbuf more = { 0 };
	char text[NUMBER_ROOM];

	add_seconds_spread(p, n, &more);
	if (*remark)
		strbuf_addf(&more, "  %s%s%s", on(p, INK_DIM), remark, off(p));
	fprintf(p->to, "%16s    %-*s%s\n", number_seconds(text, n->value),
		more.len ? 8 : 0, name, strbuf_text(&more));
	strbuf_fini(&more);
}

static void put_time(const struct page *p)
{
	const struct report_time *t = &p->r->time;
	char busy[48] = "";

	style_heading(p->style, "time", p->to);
	put_seconds(p, "wall", &t->wall_s,
		    t->native
			    ? ""
			    : "under the simulator: not this machine's speed");
	if (t->wall_s.value > 0 && t->native)
		snprintf(busy, sizeof(busy), "%.0f %% of one CPU",
			 100 * (t->user_s.value + t->system_s.value) /
				 t->wall_s.value);
	if (p->r->attached)
		return;
	put_seconds(p, "user", &t->user_s, busy);
	put_seconds(p, "system", &t->system_s, "");
}

static void put_resources(const struct page *p)
{
	const struct report_resources *u = &p->r->resources;
	char a[NUMBER_ROOM], b[NUMBER_ROOM];

	style_heading(p->style,
		      p->r->time.native ? "resources"
					: "resources, the simulator's included",
		      p->to);
	fprintf(p->to, "%16s    memory at most\n",
		number_kilobytes(a, u->max_rss_kb));
	fprintf(p->to, "%16s    page faults       %s%s from disk%s\n",
		number_count(a, (double)(u->minor_faults + u->major_faults)),
		on(p, INK_DIM), number_count(b, (double)u->major_faults),
		off(p));
	fprintf(p->to, "%16s    context switches  %s%s because it waited%s\n",
		number_count(a, (double)(u->voluntary_switches +
					 u->involuntary_switches)),
		on(p, INK_DIM), number_count(b, (double)u->voluntary_switches),
		off(p));
}

/* Sign, name and remark behind a number; the name column is @width wide. */
struct line {
	const char *number;
	const char *unit;
	bool simulated;
	bool scaled;
	const char *name;
	size_t width;
	const char *remark;
};

#define NUMBER_COLUMNS 16 /* a count of 10^12 with its commas */

/* As much of @text as fits into @room columns, with a sign for the rest. */
static void put_cut(const struct page *p, const char *text, size_t room)
{
	size_t column = 0;

	if (style_columns(text) <= room) {
		fputs(text, p->to);
		return;
	}
	for (; *text && room > 2; text++) {
		if (((unsigned char)*text & 0xc0) != 0x80 &&
		    ++column + 2 > room)
			break;
		putc(*text, p->to);
	}
	fputs(style_sign(p->style, SIGN_ELLIPSIS), p->to);
}

static void put_line(const struct page *p, const struct line *l)
{
	struct strbuf number = { 0 };
	size_t used;
	size_t name = style_columns(l->name);

	strbuf_add(&number, l->number);
	if (*l->unit)
		strbuf_addf(&number, " %s", l->unit);
	used = style_columns(strbuf_text(&number));
	put_spaces(p, used < NUMBER_COLUMNS ? NUMBER_COLUMNS - used : 0);
	used = used < NUMBER_COLUMNS ? NUMBER_COLUMNS : used;
	fprintf(p->to, "%s%s%s %c%c %s", on(p, INK_BOLD), strbuf_text(&number),
		off(p), l->simulated ? '*' : ' ', l->scaled ? '~' : ' ',
		l->name);
	used += 4 + name;
	if (*l->remark && name < l->width) {
		put_spaces(p, l->width - name);
		used += l->width - name;
	}
	if (*l->remark && used + 12 < p->style->width) {
		fprintf(p->to, "  %s", on(p, INK_DIM));
		put_cut(p, l->remark, p->style->width - used - 2);
		fputs(off(p), p->to);
	}
	putc('\n', p->to);
	strbuf_fini(&number);
}

/* A time is shown as one, whatever unit it was counted in. */
static double seconds_in(const char *unit)
{
	static const struct {
		const char *unit;
		double seconds;
	} times[] = {
		{ "s", 1 },
		{ "ms", 1e-3 },
		{ "us", 1e-6 },
		{ "ns", 1e-9 },
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (strcmp(times[i].unit, unit) == 0)
			return times[i].seconds;
	return 0;
}

/* @value of event @e, without its unit. */
static const char *event_number(const struct report_event *e, double value,
				char *text)
{
	double time = seconds_in(e->unit);

	return time > 0 ? number_seconds(text, value * time)
			: number_count(text, value);
}

/* What stands behind an event's name: its spread, else its quality or text. */
static void event_remark(const struct page *p, const struct report_event *e,
			 struct strbuf *out)
{
	const struct report_number *n = &e->number;
	const char *pm = style_sign(p->style, SIGN_PLUS_MINUS);
	char low[NUMBER_ROOM], high[NUMBER_ROOM];

	if (!isnan(n->stddev) && n->value != 0)
		strbuf_addf(out, "%s %.2g %%  (%s %s %s)%s", pm,
			    100 * n->stddev / fabs(n->value),
			    event_number(e, n->min, low),
			    style_sign(p->style, SIGN_ELLIPSIS),
			    event_number(e, n->max, high),
			    e->quality == REPORT_SCALED ? "  " : "");
	if (e->quality == REPORT_SCALED && e->enabled_ns > 0) {
		strbuf_addf(out, "counted %.0f %% of the time",
			    100 * (double)e->running_ns /
				    (double)e->enabled_ns);
		if (e->error > 0 && n->value > 0)
			strbuf_addf(out, ", %s %.2g %%", pm,
				    100 * e->error / n->value);
	} else if (isnan(n->stddev)) {
		strbuf_add(out, e->text);
	}
}

static void put_event(const struct page *p, const struct report_event *e,
		      size_t width)
{
	struct strbuf remark = { 0 };
	char number[NUMBER_ROOM];
	struct line line = {
		.number = event_number(e, e->number.value, number),
		.unit = seconds_in(e->unit) > 0 ? "" : e->unit,
		.simulated = e->simulated,
		.scaled = e->quality == REPORT_SCALED,
		.name = e->name,
		.width = width,
	};

	event_remark(p, e, &remark);
	line.remark = strbuf_text(&remark);
	put_line(p, &line);
	strbuf_fini(&remark);
}

/* Names that lack a value for the same reason, on one line with it. */
struct absent {
	const char *name;
	const char *reason;
};

static struct absent absent_event(const struct report *r, size_t i)
{
	const struct report_event *e = &r->events[i];
	bool none = e->quality == REPORT_NONE;

	return (struct absent){ e->name, none ? e->reason : NULL };
}

static struct absent absent_metric(const struct report *r, size_t i)
{
	const struct report_metric *m = &r->metrics[i];
	bool none = isnan(m->number.value);

	return (struct absent){ m->name, none ? m->reason : NULL };
}

static bool seen_before(const struct report *r, size_t i, const char *reason,
			struct absent (*get)(const struct report *, size_t))
{
	for (size_t k = 0; k < i; k++) {
		struct absent a = get(r, k);

		if (a.reason && strcmp(a.reason, reason) == 0)
			return true;
	}
	return false;
}

static void put_absent(const struct page *p, size_t n,
		       struct absent (*get)(const struct report *, size_t))
{
	for (size_t i = 0; i < n; i++) {
		struct absent first = get(p->r, i);
		struct strbuf names = { 0 };

		if (!first.reason || seen_before(p->r, i, first.reason, get))
			continue;
		strbuf_add(&names, "no value: ");
		for (size_t k = i; k < n; k++) {
			struct absent a = get(p->r, k);

			if (a.reason && strcmp(a.reason, first.reason) == 0)
				strbuf_addf(&names, "%s%s", k > i ? ", " : "",
					    a.name);
		}
		fputs(on(p, INK_FAIR), p->to);
		put_spaces(p, 2);
		style_wrap(p->style, strbuf_text(&names), 2, 12, p->to);
		fputs(off(p), p->to);
		put_spaces(p, 12);
		style_wrap(p->style, first.reason, 12, 12, p->to);
		strbuf_fini(&names);
	}
}

static size_t widest(size_t a, const char *name)
{
	size_t b = style_columns(name);

	return b > a ? b : a;
}

static void put_events(const struct page *p)
{
	const struct report *r = p->r;
	size_t width = 0;

	if (r->n_events == 0)
		return;
	for (size_t i = 0; i < r->n_events; i++)
		width = widest(width, r->events[i].name);
	style_heading(p->style, "counters", p->to);
	for (size_t i = 0; i < r->n_events; i++)
		if (r->events[i].quality != REPORT_NONE)
			put_event(p, &r->events[i], width);
	put_absent(p, r->n_events, absent_event);
}

#define MOST_NAMED 4 /* of threads that stand apart */

static void add_thread_name(const struct report_thread *t, struct strbuf *out)
{
	strbuf_addf(out, "%ld", t->tid);
	if (*t->name)
		strbuf_addf(out, " (%s)", t->name);
}

/* "apart: 4711 (worker), 4712 (worker) and 3 more", or nothing. */
static void put_apart(const struct page *p, const struct report_fold *f)
{
	const struct report_threads *t = &p->r->threads;
	struct strbuf text = { 0 };
	size_t named = 0;

	if (f->n_apart == 0)
		return;
	strbuf_add(&text, "apart: ");
	for (size_t i = 0; i < t->n && named < MOST_NAMED; i++) {
		if (!f->apart[i])
			continue;
		strbuf_add(&text, named++ ? ", " : "");
		add_thread_name(&t->list[i], &text);
		strbuf_add(&text, f->values[i] < f->mean ? " less" : " more");
	}
	if (f->n_apart > named)
		strbuf_addf(&text, " and %zu others", f->n_apart - named);
	put_spaces(p, NUMBER_COLUMNS + 4);
	style_wrap(p->style, strbuf_text(&text), NUMBER_COLUMNS + 4,
		   NUMBER_COLUMNS + 4, p->to);
	strbuf_fini(&text);
}

static void put_fold(const struct page *p, const struct report_fold *f)
{
	const double numbers[] = { f->values[f->least], f->mean,
				   f->values[f->most] };
	double time = seconds_in(f->unit);
	char number[NUMBER_ROOM];

	for (size_t i = 0; i < 3; i++)
		fprintf(p->to, "%*s", NUMBER_COLUMNS,
			time > 0 ? number_seconds(number, numbers[i] * time)
				 : number_count(number, numbers[i]));
	fprintf(p->to, "    %s%s%s\n", f->event,
		*f->unit && !(time > 0) ? ", " : "", time > 0 ? "" : f->unit);
	put_apart(p, f);
}

static void put_threads(const struct page *p)
{
	const struct report_threads *t = &p->r->threads;
	char heading[48];

	if (!t->asked)
		return;
	snprintf(heading, sizeof(heading), "threads: %zu", t->n);
	style_heading(p->style, t->reason ? "threads" : heading, p->to);
	if (t->reason) {
		put_spaces(p, 2);
		style_wrap(p->style, t->reason, 2, 2, p->to);
		return;
	}
	fprintf(p->to, "%*s%*s%*s\n", NUMBER_COLUMNS, "least", NUMBER_COLUMNS,
		"mean", NUMBER_COLUMNS, "most");
	for (size_t i = 0; i < t->n_folds; i++)
		put_fold(p, &t->folds[i]);
}

static enum ink verdict_ink(enum report_verdict verdict)
{
	static const enum ink inks[] = {
		[REPORT_NO_VERDICT] = INK_PLAIN,
		[REPORT_GOOD] = INK_GOOD,
		[REPORT_FAIR] = INK_FAIR,
		[REPORT_POOR] = INK_POOR,
	};

	return inks[verdict];
}

#define VERDICT_COLUMNS 4 /* "good", "fair", "poor" */

static const char *metric_name(const struct report_metric *m)
{
	return *m->text ? m->text : m->name;
}

static void put_verdict(const struct page *p, const struct report_metric *m,
			size_t width)
{
	const char *verdict = report_verdict_name(m->verdict);

	if (!verdict)
		return;
	put_spaces(p, width - style_columns(metric_name(m)) + 2);
	fprintf(p->to, "%s%-*s%s", on(p, verdict_ink(m->verdict)),
		VERDICT_COLUMNS, verdict, off(p));
	if (m->goal)
		fprintf(p->to, "  %swant %s%s", on(p, INK_DIM), m->goal,
			off(p));
}

static void put_metric(const struct page *p, const struct report_metric *m,
		       size_t width)
{
	const struct report_number *n = &m->number;
	struct strbuf number = { 0 };
	char text[NUMBER_ROOM];

	strbuf_add(&number, number_short(text, n->value));
	if (*m->unit)
		strbuf_addf(&number, " %s", m->unit);
	fprintf(p->to, "%s%*s%s %c%c %s", on(p, INK_BOLD), NUMBER_COLUMNS,
		strbuf_text(&number), off(p), m->simulated ? '*' : ' ',
		m->scaled ? '~' : ' ', metric_name(m));
	strbuf_fini(&number);
	put_verdict(p, m, width);
	if (!isnan(n->stddev) && n->value != 0)
		fprintf(p->to, "  %s %.2g %%",
			style_sign(p->style, SIGN_PLUS_MINUS),
			100 * n->stddev / fabs(n->value));
	putc('\n', p->to);
}

static void put_metrics(const struct page *p)
{
	const struct report *r = p->r;
	size_t width = 0;
	bool any = false;

	for (size_t i = 0; i < r->n_metrics; i++) {
		if (isnan(r->metrics[i].number.value))
			continue;
		any = true;
		width = widest(width, metric_name(&r->metrics[i]));
	}
	if (!any && (r->n_metrics == 0 || !p->style->verbose))
		return;
	style_heading(p->style, "metrics", p->to);
	for (size_t i = 0; i < r->n_metrics; i++)
		if (!isnan(r->metrics[i].number.value))
			put_metric(p, &r->metrics[i], width);
	put_absent(p, r->n_metrics, absent_metric);
}

/* What the signs mean, if any was used. */
static void put_legend(const struct page *p)
{
	bool simulated = false, scaled = false;

	for (size_t i = 0; i < p->r->n_events; i++) {
		const struct report_event *e = &p->r->events[i];

		simulated |= e->simulated && e->quality != REPORT_NONE;
		scaled |= e->quality == REPORT_SCALED;
	}
	if (!simulated && !scaled)
		return;
	putc('\n', p->to);
	if (simulated) {
		fputs("  * ", p->to);
		style_wrap(p->style,
			   "simulated: exact for the modelled machine, not "
			   "measured on this one",
			   4, 4, p->to);
	}
	if (scaled)
		fputs("  ~ counted part of the time and scaled up\n", p->to);
}

static void put_notes(const struct page *p)
{
	if (p->r->n_notes == 0)
		return;
	style_heading(p->style, "what to do next", p->to);
	for (size_t i = 0; i < p->r->n_notes; i++) {
		fprintf(p->to, "  %s ", style_sign(p->style, SIGN_BULLET));
		style_wrap(p->style, p->r->notes[i], 4, 4, p->to);
	}
}

int write_text(const struct report *r, const struct report_style *style,
	       FILE *to)
{
	struct page page = { .r = r, .style = style, .to = to };

	put_command(&page);
	put_exit(&page);
	put_machine(&page);
	put_time(&page);
	if (!r->attached)
		put_resources(&page);
	put_events(&page);
	put_threads(&page);
	put_metrics(&page);
	put_legend(&page);
	put_notes(&page);
	return fflush(to) || ferror(to) ? PAPI_ESYS : 0;
}
