/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A classification as one page: the table of events, and for each event its
 * slopes, and its curves over the memory touched where kernels were run at
 * several footprints. Nothing is loaded from elsewhere.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "cli/classify.h"
#include "report/chart.h"
#include "report/xml.h"

enum {
	SERIES = 8,
	POINTS = 64
};

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
	"<meta name=\"viewport\" content=\"width=device-width\">"
	"<title>What events count</title>\n<style>"
	"body{font:15px/1.45 system-ui,sans-serif;max-width:70em;"
	"margin:2em auto;padding:0 1em;color:#222}"
	"table{border-collapse:collapse;width:100%}"
	"th,td{text-align:left;padding:.25em .6em;border-bottom:1px solid #ddd;"
	"vertical-align:top}"
	"td.n{text-align:right;font-variant-numeric:tabular-nums}"
	"code{font-size:.93em}summary{cursor:pointer}"
	".dead,.unstirred,.unclassified,.uncounted{color:#777}.noisy{color:#a05a00}"
	"input{font:inherit;padding:.3em;width:24em;max-width:100%}"
	"svg{max-width:100%;height:auto}</style>\n";

static const char script[] =
	"<script>const q=document.getElementById('q');q.oninput=()=>{"
	"const w=q.value.toLowerCase();"
	"document.querySelectorAll('tbody tr').forEach(r=>{"
	"r.hidden=!r.textContent.toLowerCase().includes(w)})}</script>\n";

static bool is_sweep(const struct classify_bench *b)
{
	return (b->kernel->uses & USES_FOOTPRINT) != 0;
}

/* Benches that differ from @first in nothing but the footprint. */
static bool same_sweep(const struct classify_bench *first,
		       const struct classify_bench *b)
{
	return b->kernel == first->kernel &&
	       b->point.unit == first->point.unit &&
	       b->point.offset == first->point.offset &&
	       b->point.pages_per_block == first->point.pages_per_block &&
	       b->point.k == first->point.k;
}

struct curves {
	struct chart_series series[SERIES];
	double x[SERIES][POINTS], y[SERIES][POINTS];
	size_t n;
};

static void add_curve(struct curves *curves, const struct classification *c,
		      size_t event, size_t first)
{
	const struct classify_plan *plan = c->plan;
	double *x = curves->x[curves->n], *y = curves->y[curves->n];
	bool counted = false;
	size_t n = 0;

	for (size_t b = first; b < plan->n_benches && n < POINTS; b++) {
		if (!same_sweep(&plan->benches[first], &plan->benches[b]))
			continue;
		x[n] = (double)plan->benches[b].point.footprint;
		y[n] = c->slope[event * plan->n_benches + b];
		counted |= fabs(y[n]) > 0.005;
		n++;
	}
	if (n < 3 || !counted)
		return;
	curves->series[curves->n++] = (struct chart_series){
		plan->benches[first].kernel->name, x, y, NULL, n, CHART_LINE, 0
	};
}

static void collect_curves(struct curves *curves,
			   const struct classification *c, size_t event)
{
	const struct classify_plan *plan = c->plan;

	curves->n = 0;
	for (size_t b = 0; b < plan->n_benches && curves->n < SERIES; b++) {
		size_t first = 0;

		if (!is_sweep(&plan->benches[b]))
			continue;
		while (!is_sweep(&plan->benches[first]) ||
		       !same_sweep(&plan->benches[first], &plan->benches[b]))
			first++;
		if (first == b)
			add_curve(curves, c, event, b);
	}
}

static void put_curves(const struct classification *c, size_t event,
		       struct curves *curves, FILE *to)
{
	static const char *const names[] = { "L1D", "L2", "L3" };
	const struct kernel_machine *m = &c->plan->machine;
	const double marks[] = { (double)m->l1d.bytes, (double)m->l2.bytes,
				 (double)m->l3.bytes };
	struct chart chart = {
		.title = c->events[event].name,
		.x_label = "bytes touched",
		.y_label = "counts each time",
		.x_scale = CHART_BYTES,
		.series = curves->series,
		.marks = marks,
		.mark_names = names,
		.n_marks = 3,
	};

	collect_curves(curves, c, event);
	chart.n = curves->n;
	if (curves->n)
		chart_write_svg(&chart, to);
}

static void put_slopes(const struct classification *c, size_t event, FILE *to)
{
	size_t benches = c->plan->n_benches;

	fputs("<p>", to);
	for (size_t b = 0; b < benches; b++) {
		double slope = c->slope[event * benches + b];

		if (isnan(slope) || fabs(slope) < 5e-4)
			continue;
		xml_put_text(c->plan->benches[b].name, to);
		fprintf(to, "&nbsp;<b>%.4g</b>; ", slope);
	}
	fputs("elsewhere nothing.</p>\n", to);
}

static void put_event(const struct classification *c, size_t i,
		      struct curves *curves, FILE *to)
{
	const struct classify_event *e = &c->events[i];
	bool known = e->kind == CLASSIFY_TERM || e->kind == CLASSIFY_SCALED ||
		     e->kind == CLASSIFY_SUM;
	char *formula = known ? classify_formula(c, e) : NULL;

	fprintf(to, "<tr class=\"%s\"><td><details><summary><code>",
		classify_class(e));
	xml_put_text(e->name, to);
	fputs("</code></summary>\n", to);
	if (e->kind >= CLASSIFY_NOISY) {
		put_slopes(c, i, to);
		put_curves(c, i, curves, to);
	}
	fprintf(to, "</details></td><td>%s</td><td class=\"n\">",
		classify_class(e));
	if (known)
		fprintf(to, "%.4f", e->confidence);
	fputs("</td><td>", to);
	if (e->kind == CLASSIFY_TERM)
		xml_put_text(classify_term_text(e->formula.term[0]), to);
	else if (formula)
		xml_put_text(formula, to);
	else if (e->reason)
		xml_put_text(e->reason, to);
	fputs("</td></tr>\n", to);
	free(formula);
}

int classify_write_html(const void *what, const struct report_style *style,
			FILE *to)
{
	const struct classified *d = what;
	const struct classification *c = d->c;
	struct curves *curves = calloc(1, sizeof(*curves));

	(void)style;
	if (!curves)
		return PAPI_ENOMEM;
	fputs(head, to);
	fprintf(to,
		"<h1>What events count</h1>\n<p>%zu events of the PMU "
		"<b>%s %s</b>, by %zu kernels with their parameters in %zu "
		"runs.",
		c->n, d->pmu, d->model, c->plan->n_benches, c->runs);
	if (c->rank)
		fprintf(to, " %zu events are independent.", c->rank);
	fputs("</p>\n<p><input id=\"q\" type=\"search\" "
	      "placeholder=\"find an event or a class\" "
	      "aria-label=\"find\"></p>\n"
	      "<table><thead><tr><th>event<th>class<th>sure<th>counts"
	      "</thead><tbody>\n",
	      to);
	for (size_t i = 0; i < c->n; i++)
		put_event(c, i, curves, to);
	fputs("</tbody></table>\n", to);
	fputs(script, to);
	free(curves);
	return ferror(to) ? PAPI_ESYS : 0;
}
