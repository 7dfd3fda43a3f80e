/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The curves of an event on the page: what it counts per iteration over the
 * memory touched, where kernels were run at several footprints, and what it
 * counts in all over its iterations, whose slopes tell events apart.
 */

#include <math.h>
#include <string.h>

#include "classify/inside.h"
#include "write/html.h"

enum {
	SERIES = 8,
	POINTS = 64
};

bool classify_is_sweep(const struct classify_bench *b)
{
	return (b->kernel->uses & USES_FOOTPRINT) != 0;
}

/* A kernel over its footprints, or over its lengths. */
struct curve {
	const char *name;
	double x[POINTS], y[POINTS];
	size_t n;
};

struct curves {
	struct curve list[SERIES];
	size_t n;
};

static void add_curve(struct curves *curves, const struct classification *c,
		      size_t event, size_t first)
{
	const struct classify_plan *plan = c->plan;
	struct curve *curve = &curves->list[curves->n];
	bool counted = false;
	size_t n = 0;

	for (size_t b = first; b < plan->n_benches && n < POINTS; b++) {
		if (!classify_same_sweep(&plan->benches[first],
					 &plan->benches[b]))
			continue;
		curve->x[n] = (double)plan->benches[b].point.footprint;
		curve->y[n] = c->slope[event * plan->n_benches + b];
		counted |= fabs(curve->y[n]) > SHOWN_CURVE;
		n++;
	}
	if (n < 3 || !counted)
		return;
	curve->name = plan->benches[first].kernel->name;
	curve->n = n;
	curves->n++;
}

static void collect_curves(struct curves *curves,
			   const struct classification *c, size_t event)
{
	const struct classify_plan *plan = c->plan;

	curves->n = 0;
	for (size_t b = 0; b < plan->n_benches && curves->n < SERIES; b++) {
		size_t first = 0;

		if (!classify_is_sweep(&plan->benches[b]))
			continue;
		while (!classify_is_sweep(&plan->benches[first]) ||
		       !classify_same_sweep(&plan->benches[first],
					    &plan->benches[b]))
			first++;
		if (first == b)
			add_curve(curves, c, event, b);
	}
}

static void put_marks(const struct kernel_machine *m, struct json *j)
{
	const struct {
		const char *name;
		double bytes;
	} marks[] = {
		{ "L1D", (double)m->l1d.bytes },
		{ "L2", (double)m->l2.bytes },
		{ "L3", (double)m->l3.bytes },
	};

	json_array(j, "marks");
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		if (!(marks[i].bytes > 0))
			continue;
		json_row(j, NULL);
		json_number(j, "x", marks[i].bytes);
		json_string(j, "label", marks[i].name);
		json_end_object(j);
	}
	json_end_array(j);
}

static void put_all(const struct curves *curves, struct html_report *page)
{
	json_array(&page->json, "series");
	for (size_t i = 0; i < curves->n; i++) {
		const struct curve *c = &curves->list[i];

		html_report_series(page, c->name, "both", c->x, c->y, c->n);
	}
	html_report_end(page);
}

static void put_sweeps(const struct classification *c, size_t event,
		       struct html_report *page)
{
	struct curves curves;

	collect_curves(&curves, c, event);
	if (curves.n == 0)
		return;
	html_report_part(page, "chart", "Counts over the memory touched");
	html_report_axis(page, "x", "bytes touched", true);
	html_report_axis(page, "y", "counts per iteration", false);
	put_marks(&c->plan->machine, &page->json);
	put_all(&curves, page);
}

/*
 * Over lengths, as the paper has them: only kernels that have no parameter and
 * are run equally often, so that their slopes can be compared by eye.
 */
static bool has_lengths(const struct classify_bench *b)
{
	return !b->kernel->uses && !b->kernel->points && !b->kernel->times[0] &&
	       b->n >= 3 && b->n <= POINTS;
}

/* The steepest of them whose slope is not drawn yet; n_benches: none. */
static size_t next_steepest(const struct classification *c, size_t event,
			    const double *drawn, size_t n)
{
	size_t benches = c->plan->n_benches, best = benches;
	const double *slope = c->slope + event * benches;

	for (size_t b = 0; b < benches; b++) {
		bool fresh = slope[b] >= SHOWN_STEEP &&
			     has_lengths(&c->plan->benches[b]);

		for (size_t i = 0; fresh && i < n; i++)
			fresh = slope[b] < 0.98 * drawn[i];
		if (fresh && n > 0 && slope[b] < drawn[0] / SHOWN_FLAT)
			fresh = false;
		if (fresh && (best == benches || slope[b] > slope[best]))
			best = b;
	}
	return best;
}

static double mean_count(const struct experiment_result *r, size_t unit,
			 size_t event)
{
	double sum = 0;

	for (unsigned i = 0; i < r->repeats; i++)
		sum += experiment_count(r, unit, i, event);
	return sum / r->repeats;
}

static void put_lengths(const struct classification *c, size_t event,
			struct html_report *page)
{
	const struct classify_plan *plan = c->plan;
	double drawn[SERIES];
	struct curves curves = { .n = 0 };

	while (curves.n < SERIES) {
		size_t b = next_steepest(c, event, drawn, curves.n);
		struct curve *curve = &curves.list[curves.n];
		const struct classify_bench *bench = &plan->benches[b];

		if (b == plan->n_benches)
			break;
		*curve = (struct curve){ .name = bench->name, .n = bench->n };
		for (size_t i = 0; i < bench->n; i++) {
			size_t unit = bench->first + i;

			curve->x[i] = (double)plan->units[unit].point.times;
			curve->y[i] = mean_count(c->result, unit, event);
		}
		drawn[curves.n++] = c->slope[event * plan->n_benches + b];
	}
	if (curves.n == 0)
		return;
	html_report_part(page, "chart", "Counts over iterations");
	html_report_axis(page, "x", "iterations", false);
	html_report_axis(page, "y", "counts", false);
	put_all(&curves, page);
}

void classify_put_curves(const struct classification *c, size_t event,
			 struct html_report *page)
{
	put_lengths(c, event, page);
	put_sweeps(c, event, page);
}
