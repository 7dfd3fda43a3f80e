/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The second TLB and what a walk of the page tables costs.
 *
 * Thousands of pages in a row would need more lines than the first cache has.
 * Pages a power of two apart use only some of the sets: then a few hundred
 * are enough. Their number times the distance is the number of entries, as
 * long as it falls by half with each doubling; what remains at the end is the
 * ways. The first TLB hides whatever holds less than itself.
 */
#include "machine/parts.h"

#include <math.h>

#include "analysis/ramp.h"
#include "machine/chain.h"

#define MOST_POINTS 64
#define STRIDES     7 /* powers of two: 8 to 512 pages */
#define FIRST       8
#define RISE        1.15 /* of cost, that is no longer noise */

struct stlb {
	size_t stride;
	void *first;
	double walk;   /* cycles, where all miss */
	double second; /* cycles, where the second TLB has all */
	double walks[STRIDES];
};

static void prepare_pages(struct lab *lab, void *context, double x,
			  struct load *load)
{
	struct stlb *s = context;
	struct chain chain = {
		.n = (size_t)x,
		.spacing = s->stride * lab->page_bytes,
		.rotate = lab->line_bytes,
		.within = lab->page_bytes,
	};

	s->first = chain_make(lab, &chain);
	*load = chain_load(&s->first, chain.n, 16);
}

/*
 * The number of pages of this distance that are held, by a sweep from @from
 * to @to; 0: there is no step. Half a step more is the better guess.
 */
static int find_step(struct lab *lab, struct machine *m, struct stlb *s,
		     double from, double to, double *held)
{
	struct timing points[MOST_POINTS];
	double x[MOST_POINTS], y[MOST_POINTS];
	size_t n = part_points(points, MOST_POINTS, from, to, 40, true);
	size_t knee;
	int err = lab_sweep(lab, points, n, prepare_pages, s);

	*held = 0;
	if (err)
		return err;
	n = part_columns(points, n, x, y);
	if (n < 8)
		return 0;
	s->second = ramp_median(y, 3);
	s->walk = ramp_median(y + n - 3, 3);
	if (s->walk < 1.5 * s->second ||
	    !ramp_knee(y, n, s->second * RISE, &knee) || knee + 1 >= n)
		return 0;
	*held = (x[knee] + x[knee + 1]) / 2;
	if (m)
		part_keep(m, "STLB", "pages", points, n, (double)s->stride);
	return 0;
}

/* Page by page between the last that fits and the first that does not. */
static int refine(struct lab *lab, struct stlb *s, double *held)
{
	struct timing points[MOST_POINTS];
	double x[MOST_POINTS], y[MOST_POINTS];
	double from = floor(*held * 0.92), to = ceil(*held * 1.08) + 1;
	size_t n, knee;
	int err;

	n = part_points(points, MOST_POINTS, from, to, MOST_POINTS, false);
	err = lab_sweep(lab, points, n, prepare_pages, s);
	if (err)
		return err;
	n = part_columns(points, n, x, y);
	if (n > 2 && ramp_knee(y, n, s->second * RISE, &knee) && knee + 1 < n)
		*held = x[knee];
	return 0;
}

/* The first TLB's share at this distance, which hides what is smaller. */
static double hidden(const struct machine *m, size_t stride)
{
	double entries = machine_get(m, "DTLB_entries");
	double ways = machine_get(m, "DTLB_ways");
	double held = entries / (double)stride;

	return held > ways ? held : ways;
}

struct steps {
	double held[STRIDES];
	size_t n; /* seen, from the first on */
};

static void say_entries(struct machine *m, const struct steps *s,
			double entries, double spread)
{
	struct machine_constant *c = machine_add(
		m, "STLB_entries", machine_round(entries), "entries",
		"pages a power of two apart until walks begin, times their "
		"distance");

	if (c)
		c->spread = spread;
	if (s->n == 0)
		machine_doubt(m, c, "no second step was seen");
	else if (spread > 0)
		machine_doubt(m, c, "different distances disagree");
}

static void say_ways(struct machine *m, const struct steps *s, double entries,
		     bool exact)
{
	double ways = NAN;
	struct machine_constant *c;

	for (size_t i = 1; i < s->n && isnan(ways); i++)
		if (s->held[i] == s->held[i - 1])
			ways = s->held[i];
	c = machine_add(m, "STLB_ways", ways, "ways",
			"what is held when the distance between pages doubles "
			"and no less is held");
	if (c)
		c->spread = isnan(ways) ? NAN : 0;
	if (isnan(ways))
		machine_doubt(m, c,
			      "the first TLB holds more than one set of the "
			      "second");
	else if (!exact)
		machine_doubt(m, c, "the entries are not certain");
	c = machine_add(m, "STLB_sets", entries / ways, "sets",
			"entries by ways");
	if (isnan(ways))
		machine_doubt(m, c, "the ways are not known");
	else if (!exact)
		machine_doubt(m, c, "the entries are not certain");
	if (c)
		c->spread = isnan(ways) ? NAN : 0;
}

/* Entries by each distance that still halves; how far they are apart. */
static double judge(const struct steps *s, double *entries)
{
	double seen[STRIDES], low, high;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (i > 0 && s->held[i] > 0.75 * s->held[i - 1])
			break;
		seen[n++] = s->held[i] * (double)((size_t)FIRST << i);
	}
	*entries = ramp_median(seen, n);
	low = high = *entries;
	for (size_t i = 0; i < n; i++) {
		low = fmin(low, seen[i]);
		high = fmax(high, seen[i]);
	}
	return n > 1 ? (high - low) / *entries : 1;
}

/* A whole number of cycles, if it is near one. */
static double tidy(double value)
{
	bool near = fabs(value - round(value)) <= PART_WHOLE;

	return near ? round(value) : machine_round(value);
}

static void say_costs(struct machine *m, const struct stlb *s, size_t n)
{
	double base = machine_get(m, "L1_lat");
	double walk = s->walks[n - 1] - base;
	struct machine_constant *c;

	c = machine_add(m, "STLB_lat", tidy(s->second - base), "cycles",
			"what a translation that only the second TLB has adds "
			"to a load");
	if (c)
		c->spread = fabs(round(s->second) - s->second) / s->second;
	c = machine_add(m, "TLB_data_lat", tidy(walk), "cycles",
			"what a walk of the page tables adds to a load: the "
			"cost with more pages than any TLB holds");
	/* The widest distance has the most pages too many. */
	if (c)
		c->spread = n > 1 ? fabs(walk - s->walks[n - 2] + base) / walk
				  : NAN;
	if (c && !(c->spread < PART_SPREAD))
		machine_doubt(m, c, "it depends on where the pages lie");
}

static int find_steps(struct lab *lab, struct machine *m, struct stlb *s,
		      struct steps *steps)
{
	double lines = machine_get(m, "L1D_bytes") / (double)lab->line_bytes;
	double second = NAN;

	for (size_t i = 0; i < STRIDES; i++) {
		double from, to, held;
		int err;

		s->stride = (size_t)FIRST << i;
		from = fmax(4, 1.25 * hidden(m, s->stride) + 1);
		to = fmin(0.85 * lines, (double)chain_room(lab, s->stride));
		if (to < 2 * from)
			break;
		err = find_step(lab, steps->n ? NULL : m, s, from, to, &held);
		if (!err && held > 0)
			err = refine(lab, s, &held);
		if (err)
			return err;
		if (held == 0)
			break;
		if (steps->n == 0)
			second = s->second;
		s->walks[steps->n] = s->walk;
		steps->held[steps->n++] = held;
	}
	s->second = second;
	return 0;
}

/* Without a second step, the first TLB is all there is. */
static int find_walk(struct lab *lab, struct machine *m, struct stlb *s)
{
	struct load load;
	struct timing timing;
	struct machine_constant *c;

	s->stride = 8;
	prepare_pages(lab, s, fmax(8, 3 * hidden(m, 8)), &load);
	timing = lab_time(lab, &load);
	c = machine_add(m, "STLB_entries", 0, "entries",
			"pages a power of two apart until walks begin, times "
			"their distance");
	machine_remark(m, c, "there is no second step");
	if (c)
		c->spread = 0;
	timing.value -= machine_get(m, "L1_lat");
	part_latency(m, "TLB_data_lat", &timing, false,
		     "what a walk of the page tables adds to a load");
	return 0;
}

int part_stlb(struct lab *lab, struct machine *m)
{
	struct stlb s = { .second = NAN, .walk = NAN };
	struct steps steps = { .n = 0 };
	double entries = NAN;
	double spread;
	int err;

	if (isnan(machine_get(m, "DTLB_ways")) ||
	    isnan(machine_get(m, "L1D_bytes")))
		return 0;
	err = find_steps(lab, m, &s, &steps);
	if (err)
		return err;
	if (steps.n == 0)
		return find_walk(lab, m, &s);
	spread = judge(&steps, &entries);
	say_entries(m, &steps, entries, spread);
	say_ways(m, &steps, entries, spread == 0);
	say_costs(m, &s, steps.n);
	return 0;
}
