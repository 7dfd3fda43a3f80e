/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The second TLB and what a walk of the page tables costs.
 *
 * What they cost: a few more pages than the first TLB holds, next to each
 * other, which the second one holds if there is one; and as many so far apart
 * that they share a set of any TLB, so that each needs a walk. If the two cost
 * the same, there is no second TLB.
 *
 * How large it is: thousands of pages in a row would need more lines than the
 * first cache has. Pages a power of two apart use only some of the sets: then
 * a few hundred are enough. Their number times the distance is the number of
 * entries, as long as it falls by half with each doubling; what remains at the
 * end is the ways. The first TLB hides whatever holds less than itself, and
 * what the first cache has no lines for is not seen.
 *
 * Where the sets are chosen by more than a few bits of the address, pages far
 * apart share none. Then the number of pages decides: thousands of them, and as
 * many lines side by side, which cost the same but for their translation.
 */
#include "machine/parts.h"

#include <math.h>

#include "analysis/ramp.h"
#include "base/array.h"
#include "machine/lab.h"

#define MOST_POINTS 64
#define STRIDES     10   /* powers of two: 1 to 512 pages */
#define FARTHEST    512  /* pages: more sets than a second TLB has */
#define MOST_WAYS   40   /* nor has it more ways */
#define USED        0.85 /* of the first cache's lines */
#define SAME        0.03 /* costs that differ by less are one */
#define SEEN        0.15 /* of the way from a hit to a walk: a step */
/* Cycles, on an exact clock: one set of many that has a page too many. */
#define SEEN_EXACT 0.12

#define LONE                                                                   \
	5 /* lines apart: none is fetched ahead with another, and each         \
	   * set of the first cache has as many of them */
#define LESS       0.85 /* of the pages tried: what is tried next */

#define MANY       24   /* points of a sweep by number, ... */
#define MOST_PAGES 8192 /* ... up to so many */
#define RISE       1.6  /* from one level to the next */
#define BEYOND     1.5  /* times as many lines as the first cache has */
#define ROOMY      1.2  /* so many more entries than pages */

#define ENTRIES                                                                \
	"pages a power of two apart until page walks begin, times their "      \
	"distance"
#define WALK                                                                   \
	"latency that a page walk adds to a load, from pages that share a "    \
	"set of every TLB"

struct stlb {
	size_t stride;
	void *first;
	double near, far; /* cycles: hits of the second TLB, and walks */
	bool sure_near, sure_far;
	double most; /* pages whose lines the first cache holds */
	double safe; /* the same if each line brings its neighbour with it */
	double limit;
};

/* What is held, by the distance of pages. */
struct steps {
	double held[STRIDES];   /* pages, 0: none was seen */
	size_t stride[STRIDES]; /* pages apart */
	size_t n;
	bool hidden; /* the first TLB hid a step, or lines were too few */
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

/* What the first TLB holds at this distance. */
static double hidden(const struct machine *m, size_t stride)
{
	double entries = machine_get(m, "DTLB_entries");
	double ways = machine_get(m, "DTLB_ways");

	return fmax(entries / (double)stride, ways);
}

/* So many pages that each set of the first TLB has one too many. */
static double too_many(const struct machine *m, size_t stride)
{
	double ways = machine_get(m, "DTLB_ways");

	return ceil(hidden(m, stride) * (ways + 1) / ways) + 1;
}

/* Cost of @pages and of some more, this far apart; whether they agree. */
static int time_level(struct lab *lab, struct stlb *s, size_t stride,
		      double pages, double *cost, bool *sure)
{
	struct timing points[] = { { .x = pages },
				   { .x = ceil(pages * 1.15) + 1 } };
	int err;

	*cost = NAN;
	*sure = false;
	s->stride = stride;
	if (points[1].x > s->most ||
	    points[1].x > (double)chain_capacity(lab, stride))
		return 0;
	err = lab_sweep(lab, points, ARRAY_SIZE(points), prepare_pages, s);
	if (err || !points[0].samples || !points[1].samples)
		return err;
	*cost = fmin(points[0].value, points[1].value);
	*sure = fabs(points[0].value - points[1].value) < SAME * *cost;
	return 0;
}

static int find_levels(struct lab *lab, const struct machine *m, struct stlb *s)
{
	double near = too_many(m, 1);
	double far = fmax(1.5 * hidden(m, FARTHEST) + 1, MOST_WAYS);
	int err;

	/* Replacement that is not exact keeps some of a few too many, and what
	 * keeps parts of walks has more of them the fewer pages there are. */
	if (!lab->clock.is_cycles) {
		near *= 1.5;
		far = fmax(far, s->most / 2);
	}
	err = time_level(lab, s, 1, near, &s->near, &s->sure_near);
	if (!err)
		err = time_level(lab, s, FARTHEST, far, &s->far, &s->sure_far);
	s->limit = s->near + (lab->clock.is_cycles ? SEEN_EXACT
						   : SEEN * (s->far - s->near));
	return err;
}

static void prepare_lines(struct lab *lab, void *context, double x,
			  struct load *load)
{
	struct stlb *s = context;
	struct chain chain = { .n = (size_t)x,
			       .spacing = LONE * lab->line_bytes };

	s->first = chain_make(lab, &chain);
	*load = chain_load(&s->first, chain.n, 16);
}

/*
 * The first cache may hold fewer lines, one in a page, than it has: what is
 * fetched with each takes room, too. As many lines in a few pages show that,
 * and have no more to do with translation than the first pages beyond the first
 * TLB. Only so many pages are tried as there are lines that all stay.
 */
static int find_room(struct lab *lab, const struct machine *m, struct stlb *s)
{
	double pages_each =
		(double)(LONE * lab->line_bytes) / (double)lab->page_bytes;
	double base = machine_get(m, "L1_lat");
	double entries = machine_get(m, "DTLB_entries");

	for (; s->most > entries; s->most = floor(s->most * LESS)) {
		struct timing point = { .x = s->most };
		bool translated = s->most * pages_each < entries;
		int err = lab_sweep(lab, &point, 1, prepare_lines, s);

		if (err)
			return err;
		if (point.samples &&
		    point.value < s->limit - (translated ? s->near - base : 0))
			return 0;
	}
	return 0;
}

/*
 * The last of the pages @from to @to that costs no more than a hit; 0: even
 * the first does; NaN: none does. In @next the first one that does.
 */
static int find_step(struct lab *lab, struct machine *m, struct stlb *s,
		     double from, double to, double *held, double *next)
{
	struct timing points[MOST_POINTS];
	double x[MOST_POINTS], y[MOST_POINTS];
	bool by_ratio = to - from >= MOST_POINTS;
	size_t n = part_points(
		points, MOST_POINTS, from, to,
		by_ratio ? MOST_POINTS / 2 : (size_t)(to - from) + 1, by_ratio);
	size_t knee;
	int err = lab_sweep(lab, points, n, prepare_pages, s);

	*held = 0;
	if (err)
		return err;
	if (m)
		part_keep(m, "STLB", "pages", points, n, (double)s->stride);
	n = part_columns(points, n, x, y);
	if (n < 2 || !ramp_knee(y, n, s->limit, &knee))
		return 0;
	*held = knee < n ? x[knee] : NAN;
	if (knee + 1 < n)
		*next = x[knee + 1];
	return 0;
}

/* First in big steps, then page by page. */
static int find_held(struct lab *lab, struct machine *m, struct stlb *s,
		     double from, double *held)
{
	double next = NAN;
	int err = find_step(lab, m, s, from, s->most, held, &next);

	while (!err && *held > 0 && next > *held + 1)
		err = find_step(lab, NULL, s, *held, next, held, &next);
	return err;
}

static int find_steps(struct lab *lab, struct machine *m, struct stlb *s,
		      struct steps *steps)
{
	int err = 0;

	for (size_t stride = 1; !err && stride <= FARTHEST; stride *= 2) {
		double from = too_many(m, stride);
		double held = 0;

		s->stride = stride;
		if (from + 4 > s->most || from < 2) {
			steps->hidden = true;
			continue;
		}
		err = find_held(lab, steps->n ? NULL : m, s, from, &held);
		if (isnan(held)) /* more are held than can be tried */
			continue;
		if (held == 0)
			break; /* fewer are held than the first TLB holds */
		steps->stride[steps->n] = stride;
		steps->held[steps->n++] = held;
	}
	return err;
}

/* Entries by the distances that halve what is held; 0: not seen. */
static double count_entries(const struct steps *s, bool *agree)
{
	double entries = 0;

	*agree = true;
	for (size_t i = 1; i < s->n; i++) {
		double product = s->held[i - 1] * (double)s->stride[i - 1];

		if (s->held[i] == s->held[i - 1])
			break;
		*agree = *agree && 2 * s->held[i] == s->held[i - 1] &&
			 (entries == 0 || entries == product);
		entries = product;
	}
	/* Pages next to each other use all sets. */
	if (entries == 0 && s->n && s->stride[0] == 1)
		entries = s->held[0];
	return entries;
}

static double count_ways(const struct steps *s)
{
	for (size_t i = 1; i < s->n; i++)
		if (s->held[i] == s->held[i - 1])
			return s->held[i];
	return NAN;
}

static void say(struct machine *m, const char *name, double value,
		const char *unit, const char *method, const char *doubt)
{
	struct machine_constant *c = machine_add(m, name, value, unit, method);

	if (c)
		c->spread = isnan(value) ? NAN : 0;
	if (doubt)
		machine_doubt(m, c, doubt);
}

/*
 * As many pages at every distance are held by a second TLB that is fully
 * associative, or by the first cache: a line that misses there brings its
 * neighbour with it, which takes another one's place, and so on. find_room()
 * may miss that, because as long as all lines hit none is brought.
 */
static bool may_be_cache(const struct stlb *s, double entries, double sets)
{
	return sets == 1 && entries > s->safe;
}

static void say_size(struct machine *m, const struct stlb *stlb,
		     const struct steps *s)
{
	bool agree;
	double entries = count_entries(s, &agree);
	double ways = count_ways(s);
	double sets = entries > 0 ? entries / ways : NAN;
	const char *doubt = NULL;

	if (entries == 0)
		doubt = "L1 has too few lines, or the first-level TLB too "
			"many entries, to see where it ends";
	else if (s->n < 2) /* a step by chance looks like one of the TLB */
		doubt = "pages at one distance only show where it ends";
	else if (!agree || (!isnan(sets) && exp2(round(log2(sets))) != sets))
		doubt = "different distances disagree";
	else if (may_be_cache(stlb, entries, sets))
		doubt = "it may be L1 that holds no more, with what is fetched "
			"ahead";
	say(m, "STLB_entries", entries > 0 ? entries : NAN, "entries", ENTRIES,
	    doubt);
	if (isnan(ways))
		doubt = "the first-level TLB holds more than one set of the "
			"second level";
	say(m, "STLB_ways", ways, "ways",
	    "the number of pages that stay cached when doubling their "
	    "distance no longer reduces it",
	    doubt);
	say(m, "STLB_sets", sets, "sets", "entries divided by ways", doubt);
}

/* A whole number of cycles, if it is near one. */
static double tidy(double value)
{
	bool near = fabs(value - round(value)) <= PART_WHOLE;

	return near ? round(value) : machine_round(value);
}

static void say_walk(struct machine *m, const struct stlb *s, double base)
{
	const char *doubt = NULL;

	if (isnan(s->far))
		doubt = "L1 has fewer lines than the measurement needs pages";
	else if (!s->sure_far)
		doubt = "it depends on the number of pages";
	say(m, "TLB_data_lat", tidy(s->far - base), "cycles", WALK, doubt);
}

/* Lines in as many pages, or side by side. */
struct many {
	bool dense;
	bool apart; /* dense, but every other line only */
	void *first;
};

static void prepare_many(struct lab *lab, void *context, double x,
			 struct load *load)
{
	struct many *many = context;
	size_t page = lab->page_bytes;
	size_t line = lab->line_bytes * (many->apart ? 2 : 1);
	struct chain chain = {
		.n = (size_t)x,
		.spacing = many->dense ? line : page,
		.rotate = many->dense ? 0 : line,
		.within = many->dense ? 0 : page,
		.block = many->dense ? 16 * page / line : 0,
	};

	many->first = chain_make(lab, &chain);
	*load = chain_load(&many->first, chain.n, 4);
}

/* What translation adds to a load, by the number of pages. */
static int time_many(struct lab *lab, const struct machine *m,
		     struct timing *cost, size_t *n)
{
	struct timing dense[MANY];
	struct many many = { .dense = false };
	int err;

	*n = part_points(cost, MANY, 2 * machine_get(m, "DTLB_entries"),
			 MOST_PAGES, MANY, true);
	for (size_t i = 0; i < *n; i++)
		dense[i] = (struct timing){ .x = cost[i].x };
	err = lab_sweep(lab, cost, *n, prepare_many, &many);
	many.dense = true;
	if (!err)
		err = lab_sweep(lab, dense, *n, prepare_many, &many);
	for (size_t i = 0; !err && i < *n; i++)
		cost[i].value -= dense[i].value;
	return err;
}

/*
 * Entries by the number of pages: where what translation adds rises by half
 * for good. False: it does not.
 */
static bool find_rise(const struct timing *cost, size_t n, double near,
		      double *entries, double *far)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		if (cost[i].value < near * RISE)
			at = i + 1;
	/* a level there must be, before and after */
	if (at < 3 || at + 2 > n)
		return false;
	*entries = cost[at - 1].x;
	*far = cost[at + 1 < n ? at + 1 : at].value;
	return *far > near * RISE;
}

#define BY_NUMBER                                                              \
	"pages in growing number until walks begin, against as many lines "    \
	"side by side"

/* True: there is a second TLB after all, and now it is known. */
static bool say_by_number(struct machine *m, const struct timing *cost,
			  size_t n, double near)
{
	double entries, far;

	if (!find_rise(cost, n, near, &entries, &far))
		return false;
	say(m, "STLB_entries", entries, "entries", BY_NUMBER,
	    "it lies between this number of pages and the next one tried");
	say(m, "STLB_lat", tidy(near), "cycles", BY_NUMBER, NULL);
	say(m, "TLB_data_lat", machine_round(far), "cycles", BY_NUMBER,
	    "it depends on the number of pages");
	return true;
}

/*
 * The same for loads that miss L1D: pages, each with a line, against as many
 * lines close together. Neither has anything to fetch ahead. (Not on the
 * simulated PMU, whose prefetchers may be any.)
 */
static int say_beyond(struct lab *lab, struct machine *m)
{
	double lines = machine_get(m, "L1D_bytes") / (double)lab->line_bytes;
	struct timing pages = { .x = ceil(BEYOND * lines) };
	struct timing close = pages;
	struct many many = { .dense = false };
	struct machine_constant *c;
	int err;

	if (lab->clock.is_cycles ||
	    !(machine_get(m, "STLB_entries") > ROOMY * pages.x))
		return 0;
	err = lab_sweep(lab, &pages, 1, prepare_many, &many);
	many.dense = true;
	many.apart = true;
	if (!err)
		err = lab_sweep(lab, &close, 1, prepare_many, &many);
	if (err)
		return err;
	c = machine_add(m, "STLB_L2_lat",
			machine_round(fmax(pages.value - close.value, 0)),
			"cycles",
			"what the second-level TLB adds to a load that L2 "
			"answers");
	if (c)
		c->spread = timing_spread(&pages);
	if (!pages.samples || !close.samples)
		machine_doubt(m, c, "every sample was disturbed");
	else if (!(timing_spread(&pages) <= PART_SPREAD))
		machine_doubt(m, c, "the samples vary too much");
	return 0;
}

/* Without a second TLB pages cost a walk wherever they lie. */
static void say_none(struct machine *m, const struct stlb *s)
{
	struct machine_constant *c =
		machine_add(m, "STLB_entries", 0, "entries", ENTRIES);

	machine_remark(m, c,
		       "pages beyond the first-level TLB cost the same at "
		       "any distance");
	if (c)
		c->spread = 0;
	if (!s->sure_near || !s->sure_far)
		machine_doubt(m, c, "their cost depends on their number");
}

static void say_unknown(struct machine *m)
{
	static const char *const names[] = { "STLB_entries", "STLB_ways",
					     "STLB_sets", "STLB_lat",
					     "TLB_data_lat" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		say(m, names[i], NAN, "", "pages a power of two apart",
		    "the first-level TLB or L1 is not known");
}

int part_stlb(struct lab *lab, struct machine *m)
{
	double lines = part_page_lines(lab, m);
	struct stlb s = { .most = floor(USED * lines),
			  .safe = floor(USED * lines / 2) };
	struct steps steps = { .n = 0 };
	double base = machine_get(m, "L1_lat");
	int err;

	if (isnan(s.most) || isnan(machine_get(m, "DTLB_ways"))) {
		say_unknown(m);
		return 0;
	}
	err = find_levels(lab, m, &s);
	if (err)
		return err;
	if (fabs(s.far - s.near) < SAME * s.far) {
		struct timing cost[MANY];
		size_t n = 0;

		if (!lab->clock.is_cycles)
			err = time_many(lab, m, cost, &n);
		if (err || say_by_number(m, cost, n, s.near - base))
			return err;
		say_none(m, &s);
		say_walk(m, &s, base);
		return 0;
	}
	err = find_room(lab, m, &s);
	if (!err && s.far > s.near)
		err = find_steps(lab, m, &s, &steps);
	if (err)
		return err;
	say_size(m, &s, &steps);
	say(m, "STLB_lat", tidy(s.near - base), "cycles",
	    "added latency of a load whose translation is only in the "
	    "second-level TLB",
	    s.sure_near ? NULL : "it depends on the number of pages");
	say_walk(m, &s, base);
	return say_beyond(lab, m);
}
