/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first TLB for data: one line in each of a number of pages, each line in
 * another set of the cache, so that only translations run short.
 *
 * Pages that follow each other fill all sets evenly, so cost rises after as
 * many pages as there are entries. Pages a power of two apart use only some of
 * the sets: entries halve with each doubling until one set is left, and its
 * ways are what remains. If nothing halves, it is fully associative.
 */
#include "machine/parts.h"

#include <math.h>
#include <stdio.h>

#include "analysis/ramp.h"
#include "base/array.h"
#include "machine/lab.h"

#define MOST_POINTS 80
#define RISE        1.06 /* of cost, that is no longer noise */
/* Cycles, on an exact clock: one set of many that has a page too many. */
#define RISE_EXACT 0.12
#define SHARE      0.015 /* of the rise to where all are missing */
#define STRIDES    8     /* powers of two tried: 1 to 128 pages */
#define SPACINGS   8     /* of stops: an eighth of a page to 16 pages */
#define PAGE_FLAT  1.12  /* times the cost that are still no rise, ... */
#define PAGE_RISE  1.3   /* ... and that are one */
#define TRIES      10    /* at most, for each of them */

struct tlb {
	size_t stride; /* in pages */
	size_t most;   /* pages whose lines the first cache holds */
	double base;
	void *first;
};

struct knee {
	size_t pages; /* 0: none was seen */
	size_t votes, tries;
};

static bool is_sure(const struct knee *knee)
{
	return knee->pages && 2 * knee->votes > knee->tries;
}

static void prepare_pages(struct lab *lab, void *context, double x,
			  struct load *load)
{
	struct tlb *tlb = context;
	struct chain chain = {
		.n = (size_t)x,
		.spacing = tlb->stride * lab->page_bytes,
		.rotate = lab->line_bytes,
		.within = lab->page_bytes,
	};

	tlb->first = chain_make(lab, &chain);
	*load = chain_load(&tlb->first, chain.n, 64);
}

/* Above this, translations are missing. */
static double limit_of(const struct lab *lab, const struct tlb *tlb,
		       const double *y, size_t n)
{
	double small = tlb->base * (RISE - 1);
	double share = (y[n - 1] - tlb->base) * SHARE;

	if (lab->clock.is_cycles)
		return tlb->base + RISE_EXACT;
	return tlb->base + (small > share ? small : share);
}

/* Sweep; the last number of pages that costs no more; 0: beyond sight. */
static int sweep_knee(struct lab *lab, struct tlb *tlb, struct timing *points,
		      size_t n, size_t *knee, size_t *next)
{
	double x[MOST_POINTS], y[MOST_POINTS];
	size_t at;
	int err = lab_sweep(lab, points, n, prepare_pages, tlb);

	if (err)
		return err;
	/* The lowest tenth: a neighbour on the same core takes entries, too. */
	for (size_t i = 0; i < n; i++)
		points[i].value = points[i].low;
	n = part_columns(points, n, x, y);
	*knee = 0;
	if (n < 4 || !ramp_knee(y, n, limit_of(lab, tlb, y, n), &at) || at >= n)
		return 0;
	*knee = (size_t)x[at];
	*next = (size_t)x[at + 1];
	return 0;
}

/* First in big steps, then page by page. */
static int find_knee_once(struct lab *lab, struct machine *m, struct tlb *tlb,
			  size_t *knee)
{
	struct timing points[MOST_POINTS];
	size_t from = 1, to = 0, n;
	int err;

	n = part_points(points, MOST_POINTS, 2, (double)tlb->most, 20, true);
	err = sweep_knee(lab, tlb, points, n, &from, &to);
	if (err || from == 0) {
		*knee = 0;
		return err;
	}
	from = from > 6 ? from - from / 8 - 2 : 1;
	to += to / 8 + 4;
	n = part_points(points, MOST_POINTS, (double)from, (double)to,
			to - from + 1, false);
	err = sweep_knee(lab, tlb, points, n, knee, &to);
	if (!err && m)
		part_keep(m, "DTLB", "pages", points, n, 1);
	return err;
}

/* The number that most tries agree on; of two such, the larger one. */
static void count_votes(struct knee *knee, const size_t *seen, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t same = 0;

		for (size_t j = 0; j < n; j++)
			same += seen[j] == seen[i];
		if (same > knee->votes ||
		    (same == knee->votes && seen[i] > knee->pages)) {
			knee->votes = same;
			knee->pages = seen[i];
		}
	}
}

/*
 * Several tries, and more if they disagree: a page that somebody else uses
 * meanwhile takes an entry away.
 */
static int find_knee(struct lab *lab, struct machine *m, struct tlb *tlb,
		     struct knee *knee)
{
	size_t tries = lab->clock.is_cycles ? 1 : lab->quick ? 3 : TRIES / 2;
	size_t seen[TRIES];

	for (size_t i = 0; i < TRIES; i++) {
		int err = find_knee_once(lab, i == 0 ? m : NULL, tlb, &seen[i]);

		if (err)
			return err;
		*knee = (struct knee){ .tries = i + 1 };
		count_votes(knee, seen, i + 1);
		if (i + 1 >= tries && is_sure(knee))
			break;
		if (lab->clock.is_cycles)
			break;
	}
	return 0;
}

/* Whether @pages are @expected, but for one that somebody else took. */
static bool is_about(size_t pages, size_t expected)
{
	size_t slack = expected > 16;

	return pages + slack >= expected && pages <= expected + slack;
}

/* Whether @knees are as sets and ways make them, and how many ways. */
static bool halve(const struct knee *knees, size_t *ways)
{
	bool good = is_sure(&knees[0]);
	bool ended = false;

	*ways = knees[0].pages;
	for (size_t i = 1; i < STRIDES; i++) {
		size_t pages = knees[i].pages;

		if (is_about(pages, *ways))
			ended = true;
		else if (!ended && is_about(2 * pages, *ways))
			*ways = pages;
		else
			good = false;
		good &= is_sure(&knees[i]);
	}
	return good && ended;
}

static void say_ways(struct machine *m, const struct knee *knees)
{
	struct machine_constant *c;
	size_t least;
	bool good = halve(knees, &least);
	double ways = least ? (double)least : NAN;

	c = machine_add(m, "DTLB_ways", ways, "ways",
			"the number of pages at power-of-two distances that "
			"stay cached, as the distance grows");
	if (least == knees[0].pages)
		machine_remark(m, c, "fully associative");
	if (c)
		c->spread = 0;
	if (!good)
		machine_doubt(m, c,
			      "the number of cached pages does not halve when "
			      "the distance doubles");
	c = machine_add(m, "DTLB_sets", (double)knees[0].pages / ways, "sets",
			"entries divided by ways");
	if (c)
		c->spread = 0;
	if (!good)
		machine_doubt(m, c, "the number of ways is not certain");
}

static int find_base(struct lab *lab, struct tlb *tlb)
{
	struct load load;
	struct timing timing;

	prepare_pages(lab, tlb, 4, &load);
	timing = lab_time(lab, &load);
	tlb->base = timing.value;
	return timing.samples ? 0 : PAPI_EMISC;
}

/*
 * The page's size: half as many pages again as there are entries cost more,
 * but not if two of them are really one.
 */
static void prepare_spacing(struct lab *lab, void *context, double x,
			    struct load *load)
{
	struct tlb *tlb = context;
	struct chain chain = {
		.n = tlb->most,
		.spacing = (size_t)x,
		.rotate = lab->line_bytes,
		.within = (size_t)fmin(x, (double)lab->page_bytes),
	};

	/* Every line goes to another set, also of pages that are shared. */
	if (chain.spacing < lab->page_bytes)
		chain.every = lab->page_bytes / chain.spacing;
	tlb->first = chain_make(lab, &chain);
	*load = chain_load(&tlb->first, chain.n, 32);
}

/*
 * Where the cost of the @n points rises, for good; 0: unclear. It may rise once
 * more where the pages are too far apart for the next TLB, too.
 */
static double find_rise(const struct timing *points, size_t n)
{
	double low = points[0].low;
	size_t at = 0;

	while (at < n && points[at].low < low * PAGE_FLAT)
		at++;
	for (size_t i = at; i < n; i++)
		if (!(points[i].low > low * PAGE_RISE))
			return 0;
	return at < n ? points[at].x : 0;
}

static int find_page_once(struct lab *lab, struct machine *m, struct tlb *tlb,
			  size_t *page)
{
	struct timing points[SPACINGS];
	int err;

	for (size_t i = 0; i < SPACINGS; i++)
		points[i] = (struct timing){ .x = (double)(lab->page_bytes / 8
							   << i) };
	err = lab_sweep(lab, points, SPACINGS, prepare_spacing, tlb);
	if (err)
		return err;
	if (m)
		part_keep(m, "page", "distance in bytes", points, SPACINGS, 1);
	*page = (size_t)find_rise(points, SPACINGS);
	return 0;
}

static struct machine_constant *add_page(struct machine *m, double bytes)
{
	return machine_add(
		m, "page_bytes", bytes, "bytes",
		"one and a half times as many addresses as the TLB has "
		"entries: the smallest distance at which they cost more");
}

static int find_page(struct lab *lab, struct machine *m, struct tlb *tlb,
		     size_t entries)
{
	size_t tries = lab->clock.is_cycles ? 1 : 3;
	size_t seen[TRIES];
	struct knee knee = { 0 };
	struct machine_constant *c;

	tlb->most = entries + entries / 2;
	tlb->stride = 1;
	for (size_t i = 0; i < TRIES; i++) {
		int err = find_page_once(lab, i ? NULL : m, tlb, &seen[i]);

		if (err)
			return err;
		knee = (struct knee){ .tries = i + 1 };
		count_votes(&knee, seen, i + 1);
		if (i + 1 >= tries && is_sure(&knee))
			break;
		if (lab->clock.is_cycles)
			break;
	}
	c = add_page(m, knee.pages ? (double)knee.pages : NAN);
	if (!is_sure(&knee))
		machine_doubt(m, c, "the step is not clear");
	if (c)
		c->spread = 1 - (double)knee.votes / (double)knee.tries;
	return 0;
}

static void say_entries(struct machine *m, const struct knee *knee)
{
	struct machine_constant *c =
		machine_add(m, "DTLB_entries",
			    knee->pages ? (double)knee->pages : NAN, "entries",
			    "one line in each of a growing number of pages: "
			    "the largest number without added cost");

	if (c)
		c->spread = 1 - (double)knee->votes / (double)knee->tries;
	if (!knee->pages)
		machine_doubt(m, c, "the cost of more pages shows no step");
	else if (!is_sure(knee))
		machine_doubt(m, c, "repeated measurements disagree");
}

/* Without the number of entries there is nothing to fill with pages. */
static void say_nothing_more(struct machine *m)
{
	static const char *const names[] = { "DTLB_ways", "DTLB_sets" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		machine_doubt(m,
			      machine_add(m, names[i], NAN, "",
					  "pages a power of two apart"),
			      "the number of TLB entries is not clear");
	machine_doubt(m, add_page(m, NAN),
		      "the number of TLB entries is not clear");
}

int part_tlb(struct lab *lab, struct machine *m)
{
	double lines = part_page_lines(lab, m);
	struct tlb tlb = {
		.stride = 1,
		.most = 256,
	};
	struct knee knees[STRIDES] = { 0 };
	size_t most;
	int err = find_base(lab, &tlb);

	if (err == PAPI_EMISC) {
		say_nothing_more(m);
		return 0;
	}
	if (err)
		return err;
	if (!isnan(lines))
		tlb.most = (size_t)(lines * 0.6);
	err = find_knee(lab, m, &tlb, &knees[0]);
	if (err)
		return err;
	say_entries(m, &knees[0]);
	if (knees[0].pages == 0) {
		say_nothing_more(m);
		return 0;
	}
	most = knees[0].pages * 2;
	for (size_t i = 1; !err && i < STRIDES; i++) {
		tlb.stride = (size_t)1 << i;
		tlb.most = most < 16 ? 16 : most;
		if (tlb.most * 5 / 4 > chain_capacity(lab, tlb.stride))
			break;
		err = find_knee(lab, NULL, &tlb, &knees[i]);
	}
	say_ways(m, knees);
	return err ? err : find_page(lab, m, &tlb, knees[0].pages);
}
