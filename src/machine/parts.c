/* SPDX-License-Identifier: BSD-3-Clause */
/* What parts have in common: points, columns, latencies. */

#include "machine/parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "analysis/ramp.h"

#define AGAIN 4

size_t part_points(struct timing *points, size_t capacity, double from,
		   double to, size_t wanted, bool by_ratio)
{
	size_t n = 0;

	for (size_t i = 0; i < wanted && n < capacity; i++) {
		double t = wanted > 1 ? (double)i / (double)(wanted - 1) : 0;
		double x = by_ratio ? from * pow(to / from, t)
				    : from + (to - from) * t;

		x = round(x);
		if (n == 0 || x > points[n - 1].x)
			points[n++] = (struct timing){ .x = x };
	}
	return n;
}

double part_page_lines(const struct lab *lab, const struct machine *m)
{
	double ways = machine_get(m, "L1D_ways");
	double way = machine_get(m, "L1D_bytes") / ways;

	return ways * fmin(way, (double)lab->page_bytes) /
	       (double)lab->line_bytes;
}

const char *const machine_curve_names[] = {
	"latency", "L1D",  "L1D_set", "L2",   "L3",   "L1I",
	"L1I_set", "line", "page",    "DTLB", "STLB", NULL,
};

static bool is_curve(const char *name)
{
	for (size_t i = 0; machine_curve_names[i]; i++)
		if (strcmp(machine_curve_names[i], name) == 0)
			return true;
	return false;
}

void part_keep(struct machine *m, const char *name, const char *x_label,
	       const struct timing *points, size_t n, double x_scale)
{
	struct machine_sweep *s =
		machine_add_sweep(m, name, x_label, "cycles per access");

	assert(is_curve(name));
	for (size_t i = 0; i < n; i++)
		if (points[i].samples)
			machine_add_point(
				m, s,
				(struct machine_point){
					points[i].x * x_scale, points[i].value,
					points[i].low, points[i].median });
}

size_t part_columns(const struct timing *points, size_t n, double *x, double *y)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (!points[i].samples)
			continue;
		x[kept] = points[i].x;
		y[kept++] = points[i].value;
	}
	return kept;
}

void best_take(struct best *best, struct timing timing)
{
	if (timing.samples && best->n < BEST_MOST)
		best->timings[best->n++] = timing;
}

static bool is_near(double a, double b, double slack)
{
	return fabs(a - b) <= slack * b;
}

/* How many timings are near the one at @i, and the middle one of them. */
static size_t count_near(const struct best *best, size_t i, double slack,
			 size_t *middle)
{
	double values[BEST_MOST];
	double median;
	size_t n = 0;

	for (size_t j = 0; j < best->n; j++)
		if (is_near(best->timings[j].value, best->timings[i].value,
			    slack))
			values[n++] = best->timings[j].value;
	median = ramp_median(values, n);
	*middle = i;
	for (size_t j = 0; j < best->n; j++)
		if (fabs(best->timings[j].value - median) <
		    fabs(best->timings[*middle].value - median))
			*middle = j;
	return n;
}

struct timing best_pick(const struct best *best, double slack, bool *sure)
{
	struct timing pick = timing_of(NULL, 0);
	size_t most = 0;

	for (size_t i = 0; i < best->n; i++) {
		size_t middle;
		size_t near = count_near(best, i, slack, &middle);

		if (near > most || (near == most &&
				    best->timings[middle].value < pick.value)) {
			most = near;
			pick = best->timings[middle];
		}
	}
	if (sure)
		*sure = most > 1 && 3 * most >= best->n;
	return pick;
}

static bool is_whole(double value)
{
	return fabs(value - round(value)) <= PART_WHOLE;
}

struct timing part_time_whole(struct lab *lab, const struct load *load)
{
	struct timing timing = lab_time(lab, load);

	for (int i = 0; i < AGAIN && !lab->clock.is_cycles &&
			(!is_whole(timing.value) ||
			 !(timing_spread(&timing) <= PART_SPREAD));
	     i++)
		timing = lab_time(lab, load);
	return timing;
}

struct machine_constant *part_latency(struct machine *m, const char *name,
				      const struct timing *timing, bool whole,
				      const char *method)
{
	double nearest = round(timing->value);
	bool near = is_whole(timing->value);
	double value = near ? nearest : machine_round(timing->value);
	struct machine_constant *c =
		machine_add(m, name, value, "cycles", method);

	if (!c)
		return NULL;
	c->spread = timing_spread(timing);
	if (timing->samples == 0)
		machine_doubt(m, c, "every sample was disturbed");
	else if (!(c->spread <= PART_SPREAD))
		machine_doubt(m, c, "the samples vary too much");
	else if (whole && !near)
		machine_doubt(m, c, "not an integer number of cycles");
	return c;
}
