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
#include "report/text_page.h"
#include "write/number.h"

#define COMMAND_LINES 3

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
	STRBUF(text);

	strbuf_addf(&text, "%s, %u CPU%s", m->cpu ? m->cpu : "unknown CPU",
		    m->cpus, m->cpus == 1 ? "" : "s");
	if (m->hypervisor)
		strbuf_addf(&text, ", %s guest", m->hypervisor);
	if (strcmp(pmu->kind, "sim") == 0)
		strbuf_addf(&text, "; simulated PMU %s",
			    report_model_name(pmu->model));
	else if (strcmp(pmu->kind, "hw") == 0)
		strbuf_addf(&text, "; PMU %s", pmu->model ? pmu->model : "");
	else
		strbuf_add(&text, "; no PMU");
	fputs(on(p, INK_DIM), p->to);
	style_wrap(p->style, strbuf_text(&text), 0, 2, p->to);
	fputs(off(p), p->to);
}

/* "  +- 0.4 %  (0.210 s .. 0.216 s)" when there were several runs. */
static void add_seconds_spread(const struct page *p,
			       const struct report_number *n,
			       struct strbuf *text)
{
	char low[NUMBER_CAPACITY], high[NUMBER_CAPACITY];

	if (isnan(n->stddev))
		return;
	if (n->value > 0)
		strbuf_addf(text, "  %s %.1f %%",
			    style_sign(p->style, SIGN_PLUS_MINUS),
			    100 * n->stddev / (double)n->value);
	strbuf_addf(text, "  (%s %s %s)", number_seconds(low, (double)n->min),
		    style_sign(p->style, SIGN_ELLIPSIS),
		    number_seconds(high, (double)n->max));
}

static void put_seconds(const struct page *p, const char *name,
			const struct report_number *n, const char *remark)
{
	STRBUF(more);
	char text[NUMBER_CAPACITY];

	add_seconds_spread(p, n, &more);
	if (*remark)
		strbuf_addf(&more, "  %s%s%s", on(p, INK_DIM), remark, off(p));
	fprintf(p->to, "%16s    %-*s%s\n",
		number_seconds(text, (double)n->value), more.len ? 8 : 0, name,
		strbuf_text(&more));
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
			 (double)(100 * (t->user_s.value + t->system_s.value) /
				  t->wall_s.value));
	if (p->r->attached)
		return;
	put_seconds(p, "user", &t->user_s, busy);
	put_seconds(p, "system", &t->system_s, "");
}

static void put_resources(const struct page *p)
{
	const struct report_resources *u = &p->r->resources;
	char a[NUMBER_CAPACITY], b[NUMBER_CAPACITY];

	style_heading(p->style,
		      p->r->time.native
			      ? "resources"
			      : "resources, including the simulator's",
		      p->to);
	fprintf(p->to, "%16s    peak memory%s%s%s\n",
		number_kilobytes(a, u->max_rss_kb), on(p, INK_DIM),
		u->rss_is_bound ? ", at most" : "", off(p));
	fprintf(p->to, "%16s    page faults       %s%s from disk%s\n",
		number_count(a, (double)(u->minor_faults + u->major_faults)),
		on(p, INK_DIM), number_count(b, (double)u->major_faults),
		off(p));
	fprintf(p->to, "%16s    context switches  %s%s voluntary%s\n",
		number_count(a, (double)(u->voluntary_switches +
					 u->involuntary_switches)),
		on(p, INK_DIM), number_count(b, (double)u->voluntary_switches),
		off(p));
}

/* What the signs mean, if any was used. */
static void put_legend(const struct page *p)
{
	bool simulated = false, scaled = false, sampled = false;

	for (size_t i = 0; i < p->r->n_events; i++) {
		const struct report_event *e = &p->r->events[i];

		simulated |= e->simulated && e->quality != REPORT_NONE;
		if (e->quality != REPORT_SCALED)
			continue;
		scaled |= e->running_ns < e->enabled_ns;
		sampled |= e->running_ns >= e->enabled_ns;
	}
	if (!simulated && !scaled && !sampled)
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
		fputs("  ~ counted for part of the time and extrapolated\n",
		      p->to);
	if (sampled)
		fputs("  ~ estimated from samples of the program; "
		      "--exact-cycles counts all\n",
		      p->to);
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

int write_text(const void *report, const struct report_style *style, FILE *to)
{
	const struct report *r = report;
	struct page page = { .r = r, .style = style, .to = to };

	put_command(&page);
	put_exit(&page);
	put_machine(&page);
	put_time(&page);
	if (!r->attached)
		put_resources(&page);
	text_put_events(&page);
	text_put_threads(&page);
	text_put_metrics(&page);
	put_legend(&page);
	put_notes(&page);
	return fflush(to) || ferror(to) ? PAPI_ESYS : 0;
}
