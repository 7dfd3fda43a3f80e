/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The second cache. Its sets are chosen by physical addresses, which a program
 * does not know, so rings say little about it. But all lines of a page share
 * what they do not know: pages are of one colour if their lines compete for
 * the same sets. So:
 *
 *  - from many pages that together evict a page, leave out what is not needed:
 *    the rest is of its colour;
 *  - find more pages that these evict: how many must be tried for one is the
 *    number of colours, which gives the sets;
 *  - rings through a growing number of pages of one colour: the ways.
 */
#include "machine/parts.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/ramp.h"
#include "base/array.h"
#include "machine/chain.h"
#include "machine/loads.h"

#define MOST_LINES 16   /* used of a page */
#define POOL       8192 /* pages to choose from */
#define MOST_TRIES 3072 /* pages tested for their colour */
#define MOST_SET   2048 /* pages that evict one, at first */
#define ALIKE      36   /* pages of one colour that are enough */
#define GROUPS     12   /* parts, of which one is left out at a time */
/*
 * Times the cost of a hit. Some first caches look lines up by a hash of the
 * address, and lines that share it delay each other: 1.6 times was seen.
 */
#define EVICTED  1.85
#define THRASHED 1.35 /* the same for a ring that has a page too many */
#define FEW      64   /* pages that are gone through more often */
#define OFF      0.4  /* a power of two, that colours are by chance */
#define MANY     1500 /* pages, of which enough are of any colour */
#define TRIALS   5    /* colours looked at; on the simulated PMU one */
#define SAME     0.05 /* latencies of two tries differ by less */
#define LOOKS    6    /* at a page, until it proves to be of another colour */
#define ATTEMPTS 4    /* for each: others may evict what we look at */

#define CURVE    "L2"

struct colour {
	struct lab *lab;
	size_t lines;   /* used of each page */
	double limit;   /* ticks of the clock for a page that was evicted */
	double empty;   /* ticks for nothing, where that is known */
	unsigned turns; /* repeats of a test */
	void *stops[MOST_SET * MOST_LINES];
	size_t pool[POOL];
	size_t set[MOST_SET + 1]; /* pages that evict the target */
	size_t n_set;
	double hit;          /* cycles of a load from the second cache */
	double calm;         /* of one from the set, which is held whole */
	size_t alike[ALIKE]; /* pages of its colour */
	size_t n_alike;
	size_t tried;
	void *first; /* of the present chain */
};

static char *page_at(const struct colour *c, size_t page)
{
	return (char *)c->lab->memory + page * c->lab->page_bytes;
}

/* A ring through some lines of each of @n pages. */
static void *ring(struct colour *c, const size_t *pages, size_t n)
{
	size_t step = c->lab->page_bytes / c->lines;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < c->lines; j++)
			c->stops[k++] = page_at(c, pages[i]) + j * step;
	return chain_link(c->lab, c->stops, k);
}

static void *walk(void *p, size_t steps)
{
	for (size_t i = 0; i < steps; i++)
		p = *(void *volatile *)p;
	return p;
}

/*
 * @p, once @other has been loaded. A processor that looks far ahead would else
 * begin a walk before the one that was to evict its lines has ended.
 */
static void *after(void *p, const void *other)
{
	uintptr_t none = 0;

	__asm__("" : "+r"(none)); /* the compiler must not know */
	return (char *)p + ((uintptr_t)other & none);
}

static uint64_t now(const struct colour *c)
{
	return c->lab->clock.now(c->lab->clock.context);
}

/*
 * The mean of the lower half: others only ever make it slower, and the clock
 * may tick in steps that are longer than what is timed.
 */
static double lower_half(double *ticks, size_t n)
{
	double sum = 0;
	size_t half = (n + 1) / 2;

	timing_of(ticks, n); /* puts them in order */
	for (size_t i = 0; i < half; i++)
		sum += ticks[i];
	return sum / (double)half;
}

/* Ticks for the lines of @target after those of @n pages were used. */
static double time_target(struct colour *c, size_t target, const size_t *pages,
			  size_t n)
{
	void *victim = ring(c, &target, 1);
	void *others = n ? ring(c, pages, n) : NULL;
	/* Replacement that is not exact takes long to settle. */
	size_t passes = n < FEW ? 6 : 2;
	double ticks[16];

	for (unsigned i = 0; i < c->turns; i++) {
		uint64_t from;

		victim = walk(victim, 2 * c->lines);
		if (others)
			others = walk(others, passes * n * c->lines);
		from = now(c);
		victim = walk(after(victim, others), c->lines);
		ticks[i] = (double)(now(c) - from) - c->empty;
	}
	return lower_half(ticks, c->turns);
}

static bool evicts(struct colour *c, size_t target, const size_t *pages,
		   size_t n)
{
	return time_target(c, target, pages, n) > c->limit;
}

static void shuffle(struct lab *lab, size_t *items, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = lab_random(lab, i);
		size_t kept = items[i - 1];

		items[i - 1] = items[j];
		items[j] = kept;
	}
}

/* Leave out one of @groups parts of the set, if the rest still evicts. */
static bool drop_group(struct colour *c, size_t target, size_t groups)
{
	size_t rest[MOST_SET];

	for (size_t g = 0; g < groups; g++) {
		size_t from = c->n_set * g / groups;
		size_t to = c->n_set * (g + 1) / groups;
		size_t n = 0;

		for (size_t i = 0; i < c->n_set; i++)
			if (i < from || i >= to)
				rest[n++] = c->set[i];
		if (!evicts(c, target, rest, n))
			continue;
		memcpy(c->set, rest, n * sizeof(*rest));
		c->n_set = n;
		return true;
	}
	return false;
}

/* Pages that evict @target and of which none can be left out. */
static bool reduce(struct colour *c, size_t target)
{
	size_t groups = GROUPS;

	for (int idle = 0; c->n_set > 1 && idle < 4;) {
		if (groups > c->n_set)
			groups = c->n_set;
		if (drop_group(c, target, groups)) {
			idle = 0;
			shuffle(c->lab, c->set, c->n_set);
			continue;
		}
		/* Was it somebody else who evicted the target? */
		if (groups == c->n_set || !evicts(c, target, c->set, c->n_set))
			break;
		groups *= 2;
		idle++;
	}
	return c->n_set > 1 && c->n_set < ALIKE / 2 + ALIKE / 4;
}

/* A few pages that evict the first of a new choice from the pool. */
static bool find_set(struct colour *c, size_t *target)
{
	size_t n = 64;

	shuffle(c->lab, c->pool, POOL);
	*target = c->pool[0];
	while (n < MOST_SET && !evicts(c, *target, c->pool + 1, n))
		n += n / 2;
	if (n >= MOST_SET)
		return false;
	memcpy(c->set, c->pool + 1, n * sizeof(*c->set));
	c->n_set = n;
	return reduce(c, *target);
}

/* The least cost of a ring of @n pages; a glance if it is below @enough. */
static double look(struct colour *c, size_t n, double enough)
{
	size_t lines = c->lines;
	struct load load;
	double cost = HUGE_VAL;

	if (!c->lab->clock.is_cycles)
		c->lines = 16;
	c->first = ring(c, c->set, n);
	load = chain_load(&c->first, n * c->lines, 6);
	c->lines = lines;
	for (int i = 0; i < LOOKS; i++) {
		double cycles;

		if (lab_sample(c->lab, &load, &cycles) && cycles < cost)
			cost = cycles;
		if (cost < enough || c->lab->clock.is_cycles)
			break;
	}
	return cost;
}

/* Whether a ring through the set and @page, too, is more than is held. */
static bool is_alike(struct colour *c, size_t page)
{
	double limit = fmax(c->hit, c->calm) * THRASHED;
	double cost;

	c->set[c->n_set] = page;
	cost = look(c, c->n_set + 1, limit);
	return cost >= limit && cost < HUGE_VAL;
}

/* More pages of the same colour, and how rare they are. */
static void find_alike(struct colour *c, size_t target)
{
	c->n_alike = 0;
	c->tried = 0;
	c->calm = look(c, c->n_set, 0);
	c->alike[c->n_alike++] = target;
	for (size_t i = 0; i < c->n_set && c->n_alike < ALIKE; i++)
		c->alike[c->n_alike++] = c->set[i];
	for (size_t i = POOL; i-- > MOST_SET && c->tried < MOST_TRIES;) {
		c->tried++;
		if (!is_alike(c, c->pool[i]))
			continue;
		c->alike[c->n_alike++] = c->pool[i];
		if (c->n_alike == ALIKE)
			break;
	}
}

static void prepare_alike(struct lab *lab, void *context, double x,
			  struct load *load)
{
	struct colour *c = context;
	size_t lines = c->lines;
	size_t n = (size_t)x;

	c->lines = lab->clock.is_cycles ? 8 : 16;
	c->first = ring(c, c->alike, n);
	*load = chain_load(&c->first, n * c->lines, 8);
	c->lines = lines;
}

/* What one colour said. */
struct found {
	unsigned ways;
	double colours;
	struct timing beyond; /* the cost when all miss */
};

/* Rings through 1, 2, ... pages of one colour. */
static int count_ways(struct colour *c, struct timing *points,
		      struct found *found)
{
	double x[ALIKE], y[ALIKE];
	size_t n = part_points(points, ALIKE, 1, (double)c->n_alike, c->n_alike,
			       false);
	int err = lab_sweep(c->lab, points, n, prepare_alike, c);
	double hit = fmax(c->hit, c->calm);
	double top;
	size_t knee;

	if (err)
		return err;
	n = part_columns(points, n, x, y);
	if (n < 4)
		return 0;
	top = ramp_median(y + n - 3, 3);
	if (top < hit * THRASHED ||
	    !ramp_knee(y, n, hit + (top - hit) / 4, &knee) || knee + 1 >= n)
		return 0;
	found->ways = (unsigned)x[knee];
	found->beyond = points[n - 1];
	/* Pages of one colour may also be short of entries of the TLB. */
	found->beyond.value -= hit - c->hit;
	found->beyond.low -= hit - c->hit;
	found->beyond.median -= hit - c->hit;
	return 0;
}

/* Ticks of a hit and the limit above which the lines are gone. */
static void calibrate(struct colour *c)
{
	double hits[9];

	c->limit = 0;
	c->empty = 0;
	for (size_t i = 0; i < ARRAY_SIZE(hits); i++) {
		uint64_t from = now(c);

		hits[i] = (double)(now(c) - from);
	}
	if (c->lab->clock.is_cycles)
		c->empty = ramp_median(hits, ARRAY_SIZE(hits));
	for (size_t i = 0; i < ARRAY_SIZE(hits); i++) {
		/* Enough pages for the first cache to lose the target. */
		shuffle(c->lab, c->pool, POOL);
		hits[i] = time_target(c, c->pool[0], c->pool + 1, 24);
	}
	c->limit = ramp_median(hits, ARRAY_SIZE(hits)) * EVICTED;
	if (c->lab->clock.is_cycles)
		c->limit = (ramp_median(hits, ARRAY_SIZE(hits)) +
			    time_target(c, c->pool[0], c->pool + 1, MANY)) /
			   2;
}

static bool has_curve(const struct machine *m)
{
	return m->n_sweeps &&
	       strcmp(m->sweeps[m->n_sweeps - 1].name, CURVE) == 0;
}

/* One colour, from a random page on. */
static int try_colour(struct colour *c, struct machine *m, struct found *found)
{
	struct timing points[ALIKE];
	size_t target, more;
	int err;

	*found = (struct found){ 0 };
	calibrate(c);
	if (!find_set(c, &target))
		return 0;
	find_alike(c, target);
	more = c->n_alike - 1 - c->n_set;
	if (more < 4)
		return 0;
	err = count_ways(c, points, found);
	found->colours = (double)c->tried / (double)more;
	/* What evicts a page is as many pages as there are ways. */
	if (fabs((double)found->ways - (double)c->n_set) >
	    1 + (double)c->n_set / 8)
		found->ways = 0;
	if (found->ways && !has_curve(m))
		part_keep(m, CURVE, "pages of one colour", points, c->n_alike,
			  1);
	return err;
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
	double seen[TRIALS];
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (found[i].ways == ways)
			seen[k++] = found[i].colours;
	return ramp_power_of_two(ramp_median(seen, k), off);
}

/* The cost beyond is that of the next cache, or of memory. */
static void say_beyond(struct machine *m, const struct found *found, size_t n,
		       unsigned ways, bool sure, bool exact)
{
	struct timing timing = timing_of(NULL, 0);
	double seen[TRIALS];
	size_t k = 0;
	struct machine_constant *c;

	for (size_t i = 0; i < n; i++) {
		if (!ways || found[i].ways != ways)
			continue;
		timing = found[i].beyond;
		seen[k++] = timing.value;
	}
	timing.value = ramp_median(seen, k);
	c = part_latency(m, "L3_lat", &timing, false,
			 "a ring through more pages of one colour of the "
			 "second cache than it has ways");
	for (size_t i = 0; i < k; i++)
		sure &= fabs(seen[i] - timing.value) < SAME * timing.value;
	/* Parts of a shared cache are not all as far away. */
	sure &= exact;
	if (!sure)
		machine_doubt(
			m, c,
			"it depends on which part of the cache a line is in");
}

static void say_l2(struct machine *m, const struct lab *lab,
		   const struct found *found, size_t n)
{
	unsigned votes;
	unsigned ways = vote(found, n, &votes);
	double off = 0;
	double colours = ways ? count_colours(found, n, ways, &off) : NAN;
	double sets =
		colours * (double)lab->page_bytes / (double)lab->line_bytes;
	const struct {
		const char *name, *unit, *method;
		double value;
		bool good;
	} rows[] = {
		{ "L2_ways", "ways",
		  "rings through pages of one colour, which were found by what "
		  "evicts them: the last number of pages that is held",
		  ways ? (double)ways : NAN, 2 * votes > n },
		{ "L2_sets", "sets",
		  "lines of a page, times the colours of pages: how many must "
		  "be tried to find one that given ones evict",
		  sets, 2 * votes > n && fabs(off) < OFF },
		{ "L2_bytes", "bytes", "sets by ways by the size of a line",
		  sets * ways * (double)lab->line_bytes,
		  2 * votes > n && fabs(off) < OFF },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine_constant *c =
			machine_add(m, rows[i].name, rows[i].value,
				    rows[i].unit, rows[i].method);

		if (c)
			c->spread = 1 - (double)votes / (double)n;
		if (!ways)
			machine_doubt(m, c,
				      "no pages of one colour were found");
		else if (!rows[i].good)
			machine_doubt(m, c, "several tries disagree");
	}
	say_beyond(m, found, n, ways, ways && 2 * votes > n,
		   lab->clock.is_cycles);
}

static void init(struct colour *c, struct lab *lab)
{
	bool exact = lab->clock.is_cycles;

	*c = (struct colour){
		.lab = lab,
		.lines = exact ? 4 : MOST_LINES,
		.turns = exact ? 1 : 5,
	};
	for (size_t i = 0; i < POOL; i++) {
		c->pool[i] = i;
		*(void *volatile *)page_at(c, i) = NULL;
	}
}

/* A ring that the second cache surely holds and the first does not. */
static double find_latency(struct lab *lab, struct machine *m)
{
	double l1 = machine_get(m, "L1D_bytes");
	size_t line = lab->line_bytes;
	struct chain chain = {
		.n = (size_t)(3 * (isnan(l1) ? 32768 : l1)) / line,
		.spacing = line,
	};
	void *first = chain_make(lab, &chain);
	struct load load = chain_load(&first, chain.n, 2);
	struct timing timing = lab_time(lab, &load);

	part_latency(m, "L2_lat", &timing, false,
		     "a ring three times the first cache");
	return timing.value;
}

int part_l2(struct lab *lab, struct machine *m)
{
	struct colour *c = malloc(sizeof(*c));
	size_t trials = lab->clock.is_cycles ? 1 : lab->quick ? 3 : TRIALS;
	struct found found[TRIALS] = { 0 };
	size_t n = 0;
	int err = 0;

	if (!c)
		return PAPI_ENOMEM;
	init(c, lab);
	c->hit = find_latency(lab, m);
	for (size_t i = 0; !err && i < trials * ATTEMPTS && n < TRIALS; i++) {
		unsigned votes;

		if (i >= trials && lab_is_late(lab))
			break;
		err = try_colour(c, m, &found[n]);
		n += found[n].ways != 0;
		vote(found, n, &votes);
		if (n >= trials && 2 * votes > n)
			break;
	}
	if (!err)
		say_l2(m, lab, found, n > trials ? n : trials);
	free(c);
	return err;
}
