/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The second cache. Its sets are chosen by physical addresses, which a program
 * does not know, so rings say little about it. But all lines of a page share
 * what they do not know: pages are of one colour if their lines compete for
 * the same sets. So:
 *
 *  - from many pages that together evict a page, leave out what is not needed:
 *    the rest is of its colour, and as many as there are ways;
 *  - find more pages of that colour: how many must be tried for one is the
 *    number of colours, which gives the sets;
 *  - once more: pages chosen at random evict one as often as a cache of so many
 *    colours and ways lets them.
 */
#include "machine/parts/colour.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/ramp.h"
#include "base/array.h"
#include "machine/lab.h"

#define OFF        0.4  /* a power of two, that colours are by chance */
#define DRAWS      24   /* pages and choices of others, for each ... */
#define SIZES      3    /* ... of some shares of the cache */
#define SIGMAS     3.0  /* by which chance may be off */
#define THRASHED   1.35 /* times the cost of a hit: a page too many */
#define RINGS_SAME 0.03 /* of two rings, the share by which they differ */
#define TRIALS     5    /* colours looked at; on the simulated PMU two ... */
#define MOST_TRIES 9    /* ... and while they disagree, up to so many */
#define LEAD       2    /* more must say the same than say something else */
#define SAME       0.05 /* latencies of two tries differ by less */
#define STEEP      0.67 /* of the way to the top, in one step */
#define HELD       0.9  /* of the first TLB's entries */
#define ATTEMPTS                                                               \
	4 /* for each that must succeed: others may evict what we look at */

#define CURVE "L2"

static void prepare_alike(struct lab *lab, void *context, double x,
			  struct load *load)
{
	struct colour *c = context;
	size_t lines = c->lines;
	size_t n = (size_t)x;

	c->lines = lab->clock.is_cycles ? 8 : 16;
	c->first = colour_ring(c, c->alike, n);
	*load = chain_load(&c->first, n * c->lines, 8);
	c->lines = lines;
}

/* What one colour said. */
struct found {
	unsigned ways;
	double colours;
	struct timing beyond; /* the cost when all miss */
	bool is_gradual;      /* rings get slower page by page */
};

static bool has_curve(const struct machine *m)
{
	return m->n_sweeps &&
	       strcmp(m->sweeps[m->n_sweeps - 1].name, CURVE) == 0;
}

/*
 * Where a curve with noise rises: what evicts a page may be one too many, and
 * is about as many pages as there are ways.
 */
static void find_knee(const struct colour *c, const struct timing *points,
		      size_t n, struct found *found)
{
	double x[COLOUR_ALIKE], y[COLOUR_ALIKE], top;
	double set = (double)c->n_set;
	size_t knee;

	found->ways = 0;
	found->beyond = points[n - 1];
	n = part_columns(points, n, x, y);
	if (n < 4)
		return;
	top = ramp_median(y + n - 3, 3);
	if (top < c->hit * THRASHED ||
	    !ramp_knee(y, n, c->hit + (top - c->hit) / 4, &knee) ||
	    knee + 1 >= n)
		return;
	if (fabs(x[knee] - set) <= 1 + set / 8)
		found->ways = (unsigned)x[knee];
}

/*
 * Whether one page more than @pages makes a ring as slow as it gets: the second
 * way to find the ways, for a clock without noise. Pages that have a way each
 * are held, and with one more all of them are evicted in turn; where some
 * survive, how many ways there are cannot be told from what evicts a page.
 */
static bool is_steep(const struct timing *points, size_t n, unsigned pages)
{
	double x[COLOUR_ALIKE], y[COLOUR_ALIKE], top;

	n = part_columns(points, n, x, y);
	if (n < 4)
		return false;
	top = ramp_median(y + n - 3, 3);
	for (size_t i = 0; i + 1 < n; i++)
		if (x[i] == (double)pages)
			return y[i + 1] - y[i] >= STEEP * (top - y[i]);
	return false;
}

/*
 * Replacement that is not exact spares a page for a while, so that more pages
 * than there are ways are needed to evict it. But a ring of that many is not
 * held, and one of as many as there are ways is. (That a longer ring is held
 * says nothing: it may be in the first cache.)
 */
static void doubt_set(const struct colour *c, const struct timing *points,
		      size_t n, struct found *found)
{
	struct found ring = { .ways = 0 };

	find_knee(c, points, n, &ring);
	if (ring.ways && ring.ways < found->ways)
		found->ways = ring.ways;
	found->is_gradual = !is_steep(points, n, found->ways);
}

/* Rings through 1, 2, ... pages of one colour. */
static int count_ways(struct colour *c, struct machine *m, struct found *found)
{
	struct timing points[COLOUR_ALIKE];
	size_t n = part_points(points, COLOUR_ALIKE, 1, (double)c->n_alike,
			       c->n_alike, false);
	int err = lab_sweep(c->lab, points, n, prepare_alike, c);

	if (err)
		return err;
	if (c->lab->clock.is_cycles)
		doubt_set(c, points, n, found);
	else
		find_knee(c, points, n, found);
	if (found->ways && !has_curve(m))
		part_keep(m, CURVE, "pages of one colour", points, n, 1);
	return 0;
}

/* Cycles of a line that the second cache does not hold. */
static struct timing time_beyond(struct colour *c, size_t target)
{
	double ticks = colour_time(c, target, c->set, c->n_set) - c->hit_ticks;
	double cycles = c->hit + ticks / c->lab->ticks / (double)c->lines;

	return (struct timing){
		.low = cycles, .value = cycles, .median = cycles, .samples = 1
	};
}

/* One colour, from a random page on. */
static int try_colour(struct colour *c, struct machine *m, struct found *found)
{
	size_t target;

	*found = (struct found){ 0 };
	colour_calibrate(c, m);
	if (!colour_find_set(c, m, &target))
		return 0;
	found->beyond = time_beyond(c, target);
	colour_find_alike(c, target);
	if (c->more < 4)
		return 0;
	found->colours = (double)c->tried / (double)c->more;
	found->ways = (unsigned)c->n_set;
	return count_ways(c, m, found);
}

/* How likely it is that at least @ways of @n pages are of one of @colours. */
static double chance_of(double n, double colours, unsigned ways)
{
	double p = 1 / colours;
	double below = 0;

	if (colours <= 1)
		return n >= ways;
	for (unsigned k = 0; k < ways; k++)
		below += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) +
			     k * log(p) + (n - k) * log(1 - p));
	return 1 - below;
}

/*
 * Whether pages chosen at random evict one as often as they should: of a cache
 * that is half as large, or has other ways, they do so more or less often.
 */
static bool check_size(struct colour *c, const struct machine *m, unsigned ways,
		       double colours)
{
	static const double shares[SIZES] = { 0.7, 1, 1.4 };
	double seen = 0, expected = 0, variance = 0;

	for (size_t i = 0; i < SIZES * DRAWS; i++) {
		double n = round(shares[i % SIZES] * ways * colours);
		double chance;

		if (n >= COLOUR_SET)
			continue;
		colour_shuffle(c->lab, c->pool, COLOUR_POOL);
		colour_choose_fillers(c, m, c->pool[0]);
		chance =
			chance_of(n + (c->filler_at ? 0 : (double)c->n_fillers),
				  colours, ways);
		seen += colour_evicts(c, c->pool[0], c->pool + 1, (size_t)n);
		expected += chance;
		variance += chance * (1 - chance);
	}
	return variance > 0 &&
	       fabs(seen - expected) <= 1 + SIGMAS * sqrt(variance);
}

/* The number of ways that most colours have; how many have it. */
static unsigned vote(const struct found *found, size_t n, unsigned *votes)
{
	unsigned ways = 0;

	*votes = 0;
	for (size_t i = 0; i < n; i++) {
		unsigned same = 0;

		for (size_t j = 0; j < n; j++)
			same += found[j].ways == found[i].ways;
		/* A page too many in a set adds a way; nothing takes one. */
		if (found[i].ways &&
		    (same > *votes ||
		     (same == *votes && found[i].ways < ways))) {
			ways = found[i].ways;
			*votes = same;
		}
	}
	return ways;
}

/* Colours must be a power of two; the middle of what was seen. */
static double count_colours(const struct found *found, size_t n, unsigned ways,
			    double *off)
{
	double seen[MOST_TRIES];
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (found[i].ways == ways)
			seen[k++] = found[i].colours;
	return ramp_power_of_two(ramp_median(seen, k), off);
}

/* How many of @n values are the same as @value. */
static size_t count_same(const double *seen, size_t n, double value)
{
	size_t same = 0;

	for (size_t i = 0; i < n; i++)
		same += fabs(seen[i] - value) < SAME * value;
	return same;
}

/* What tries that found @ways saw beyond the second cache; how many. */
static size_t see_beyond(const struct found *found, size_t n, unsigned ways,
			 double *seen)
{
	size_t k = 0;

	for (size_t i = 0; ways && i < n; i++)
		if (found[i].ways == ways)
			seen[k++] = found[i].beyond.value;
	return k;
}

/* The cost beyond is that of the next cache, or of memory. */
static void say_beyond(struct machine *m, const struct found *found, size_t n,
		       unsigned ways, bool sure, bool exact)
{
	struct timing timing = timing_of(NULL, 0);
	double seen[MOST_TRIES];
	size_t k = see_beyond(found, n, ways, seen);
	struct machine_constant *c;

	for (size_t i = 0; i < n; i++)
		if (ways && found[i].ways == ways)
			timing = found[i].beyond;
	timing.value = ramp_median(seen, k);
	c = part_latency(m, "L3_lat", &timing, false,
			 "lines of a page that were evicted from L2 by as "
			 "many pages of the same colour as L2 has ways");
	sure &= 2 * count_same(seen, k, timing.value) > k;
	/* Parts of a shared cache are not all as far away. */
	sure &= exact;
	if (!sure)
		machine_doubt(
			m, c,
			"it depends on which part of the cache a line is in");
}

/*
 * Whether @n tries say that there are @ways. An exact clock leaves no noise for
 * them to differ by, but what is run here has lines of its own, which take a
 * way from some of the sets that are looked at: there fewer pages are held, and
 * the ring gets slower page by page. Such a try says nothing; every other one
 * that differs is against.
 */
static bool do_agree(const struct found *found, size_t n, unsigned ways,
		     bool exact)
{
	size_t same = 0, crowded = 0;

	for (size_t i = 0; i < n; i++) {
		same += found[i].ways == ways && !found[i].is_gradual;
		crowded += found[i].ways < ways && found[i].is_gradual;
	}
	if (!exact)
		return 2 * same > n;
	return same >= (crowded ? LEAD + 1 : LEAD) &&
	       2 * same + crowded >= n + LEAD;
}

static void say_l2(struct machine *m, struct colour *c,
		   const struct found *found, size_t n)
{
	const struct lab *lab = c->lab;
	unsigned votes;
	unsigned ways = vote(found, n, &votes);
	bool agree = do_agree(found, n, ways, lab->clock.is_cycles);
	double off = 0;
	double colours = ways ? count_colours(found, n, ways, &off) : NAN;
	double sets =
		colours * (double)lab->page_bytes / (double)lab->line_bytes;
	bool fits = ways && check_size(c, m, ways, colours);
	const struct {
		const char *name, *unit, *method;
		double value;
		bool good;
	} rows[] = {
		{ "L2_ways", "ways",
		  "pointer chases through pages of one colour, found by "
		  "which pages evict each other: the largest number of pages "
		  "that stay cached",
		  ways ? (double)ways : NAN, agree && fabs(off) < OFF },
		{ "L2_sets", "sets",
		  "lines per page times the number of page colours, from how "
		  "many pages are tried until one competes with a given page",
		  sets, agree && fabs(off) < OFF },
		{ "L2_bytes", "bytes", "sets times ways times line size",
		  sets * ways * (double)lab->line_bytes,
		  agree && fabs(off) < OFF },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine_constant *row =
			machine_add(m, rows[i].name, rows[i].value,
				    rows[i].unit, rows[i].method);

		if (row)
			row->spread = 1 - (double)votes / (double)n;
		if (!ways)
			machine_doubt(m, row,
				      "no pages of one colour were found");
		else if (!rows[i].good)
			machine_doubt(m, row,
				      "repeated measurements or methods "
				      "disagree");
		else if (!fits)
			machine_doubt(m, row,
				      "randomly chosen pages evict others "
				      "more or less often than expected");
	}
	say_beyond(m, found, n, ways, ways && 2 * votes > n,
		   lab->clock.is_cycles);
}

/*
 * A ring @times as large as the first cache, which the second one should hold.
 * Stops are two lines apart, so that there is nothing to fetch ahead, and few
 * pages are in use at a time. If the first TLB holds them all the order is
 * random throughout: some processors learn the order of a few pages.
 */
static struct timing time_ring(struct lab *lab, const struct machine *m,
			       double times)
{
	double l1 = machine_get(m, "L1D_bytes");
	double bytes = times * (isnan(l1) ? 32768 : l1);
	double entries = machine_get(m, "DTLB_entries");
	bool is_held = bytes / (double)lab->page_bytes < HELD * entries;
	size_t spacing = 2 * lab->line_bytes;
	struct chain chain = {
		.n = (size_t)bytes / spacing,
		.spacing = spacing,
		.block = is_held && !lab->clock.is_cycles
				 ? 0
				 : 8 * lab->page_bytes / spacing,
	};
	void *first = chain_make(lab, &chain);
	struct load load = chain_load(&first, chain.n, 4);

	return lab_time(lab, &load);
}

static void find_latency(struct colour *c, struct machine *m)
{
	struct timing timing = time_ring(c->lab, m, 2);
	double larger = time_ring(c->lab, m, 3).value;
	struct machine_constant *lat;

	c->hit = timing.value;
	lat = part_latency(m, "L2_lat", &timing, false,
			   "pointer chases twice and three times as large as "
			   "L1");
	if (c->lab->clock.is_cycles &&
	    fabs(larger - timing.value) > RINGS_SAME * larger)
		machine_doubt(m, lat,
			      "it depends on the size of the pointer "
			      "chase");
}

/* Whether the tries found the same, and saw the same beyond it. */
static bool is_settled(const struct found *found, size_t n, bool exact)
{
	double seen[MOST_TRIES];
	unsigned votes;
	unsigned ways = vote(found, n, &votes);
	size_t k = see_beyond(found, n, ways, seen);

	return do_agree(found, n, ways, exact) &&
	       (!exact || 2 * count_same(seen, k, ramp_median(seen, k)) > k);
}

int part_l2(struct lab *lab, struct machine *m)
{
	struct colour *c = malloc(sizeof(*c));
	size_t trials = lab->clock.is_cycles ? 2 : lab->quick ? 3 : TRIALS;
	size_t most = lab->clock.is_cycles ? MOST_TRIES : TRIALS;
	struct found found[MOST_TRIES] = { 0 };
	size_t n = 0;
	int err = 0;

	if (!c)
		return PAPI_ENOMEM;
	colour_init(c, lab, m);
	find_latency(c, m);
	for (size_t i = 0; !err && i - n < trials * ATTEMPTS && n < most; i++) {
		if (i >= trials && lab_is_late(lab))
			break;
		err = try_colour(c, m, &found[n]);
		n += found[n].ways != 0;
		if (n >= trials && is_settled(found, n, lab->clock.is_cycles))
			break;
	}
	if (!err)
		say_l2(m, c, found, n > trials ? n : trials);
	free(c);
	return err;
}
