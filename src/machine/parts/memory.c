/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What lies behind the second cache. Where a shared cache ends depends on who
 * else uses it, so its size is the effective one: where the cost of a ring is
 * half way from that cache to memory. Memory's own latency is that of lines
 * that were put out of all caches.
 *
 * Stops are two lines apart: what fetches lines in pairs finds nothing to do.
 */
#include "machine/parts.h"

#include <math.h>

#include "analysis/ramp.h"
#include "machine/arch.h"
#include "machine/lab.h"

#define KIB         1024.0
#define MIB         (1024 * KIB)
#define MOST_POINTS 64
#define LARGEST     (40 * MIB)
#define QUICK       (12 * MIB)
#define SIMULATED   (96 * MIB)
#define FLUSHED     32   /* pages */
#define APART       3    /* numbers of stops in a page that are compared */
#define LARGE       8192 /* stops */
#define FEW         4
#define SAME        1.1  /* latencies that differ by less are one */
#define SPARE       8    /* a TLB has room if it holds an eighth more */
#define LAT_SLACK   2.0  /* cycles between two ways to find one, ... */
#define LAT_SHARE   0.05 /* ... and the share of it */
#define HIDDEN      24.0 /* cycles that waiting for a line may hide */

#define NO_THIRD    "there is no third cache"
#define DISAGREE    "two methods disagree"
#define NO_TLB      "it is not known which TLB holds the pages of the ring"

struct sizes {
	size_t spacing;
	void *first;
	struct best flushed;
	struct timing apart[APART]; /* the same, with fewer stops in a page */
};

static void prepare_size(struct lab *lab, void *context, double x,
			 struct load *load)
{
	struct sizes *s = context;
	struct chain chain = {
		.n = (size_t)(x / (double)s->spacing),
		.spacing = s->spacing,
		/* 16 pages at a time, that the TLBs be not measured. */
		.block = 16 * lab->page_bytes / s->spacing,
	};

	s->first = chain_make(lab, &chain);
	*load = chain_load(&s->first, chain.n, 1);
	if (chain.n > LARGE) {
		/* One pass warms a large one; and steps are long there, so
		 * that fewer of them escape interruption. */
		load->warm /= 2;
		load->times /= 4;
		load->operations /= 4;
	}
}

/* Lines that are in no cache. They may be timed once only. */
static void prepare_flushed(struct lab *lab, void *context, double x,
			    struct load *load)
{
	struct sizes *s = context;
	struct chain chain = { .n = FLUSHED * lab->page_bytes / (size_t)x,
			       .spacing = (size_t)x,
			       .block = 16 * lab->page_bytes / (size_t)x };
	char *at;

	s->first = chain_make(lab, &chain);
	at = s->first;
	for (size_t i = 0; i < chain.n; i++) {
		char *next = *(void **)at;

		arch_flush(at);
		at = next;
	}
	*load = (struct load){
		.run = loads_chase,
		.arg = &s->first,
		.times = chain.n / LOAD_CHASE_STEPS,
		.operations = (double)chain.n,
	};
}

/*
 * The simulator flushes 256 bytes that begin at a multiple of that. On an exact
 * clock stops are farther apart than anything fetches ahead within a page: as
 * many lines as the stops of a page were brought by four at a time.
 */
static double flushed_bytes(const struct lab *lab)
{
	return fmax(lab->clock.is_cycles ? 512 : 256,
		    4 * (double)lab->line_bytes);
}

/* On an exact clock also twice and four times as far apart. */
static int time_flushed(struct lab *lab, struct sizes *s)
{
	size_t n = lab->clock.is_cycles ? APART : 1;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		s->apart[i] = (struct timing){ .x = flushed_bytes(lab) *
						    (double)(1 << i) };
		err = lab_sweep(lab, &s->apart[i], 1, prepare_flushed, s);
	}
	best_take(&s->flushed, s->apart[0]);
	return err;
}

/* Whether a TLB of so many entries holds @pages: 1, 0, or NaN: who knows. */
static double is_held(double entries, double pages)
{
	if (entries >= pages + pages / SPARE)
		return 1;
	return entries <= pages - pages / SPARE ? 0 : NAN; /* NaN for NaN */
}

/*
 * What the first stop in each of @pages waits for its translation, for each of
 * its stops. They are used in turn, so a TLB that does not hold all of them
 * holds none when its turn comes. NaN: it is not known who has it.
 */
static double translation(const struct machine *m, double stops, double pages)
{
	double entries = machine_get(m, "STLB_entries");
	double first = is_held(machine_get(m, "DTLB_entries"), pages);
	double second = entries == 0 ? 0 : is_held(entries, pages);

	if (first == 1)
		return 0;
	if (isnan(first) || isnan(second))
		return NAN;
	return machine_get(m, second == 1 ? "STLB_lat" : "TLB_data_lat") /
	       stops;
}

/*
 * What one stop more costs, from the times of two rings through the same pages:
 * what comes once, such as reading a clock that is not in the caches either,
 * and what comes once in each page, its translation, is the same in both.
 */
static double cost_of_more(const struct lab *lab, const struct timing *many,
			   const struct timing *few)
{
	double bytes = FLUSHED * (double)lab->page_bytes;
	double n = bytes / many->x, less = bytes / few->x;

	return (n * many->value - less * few->value) / (n - less);
}

static void say_latency(struct lab *lab, struct machine *m,
			const struct sizes *s)
{
	bool exact = lab->clock.is_cycles, sure;
	struct timing timing = best_pick(&s->flushed, PART_SPREAD, &sure);
	struct machine_constant *c;
	double other = NAN;

	if (exact) {
		timing.value = cost_of_more(lab, &s->apart[0], &s->apart[1]);
		other = cost_of_more(lab, &s->apart[1], &s->apart[2]);
	}
	c = part_latency(m, "Mem_lat", &timing, false,
			 "a ring of lines that were put out of all caches");
	if (exact &&
	    !(fabs(other - timing.value) <= LAT_SLACK + timing.value / 100))
		machine_doubt(m, c, DISAGREE);
	else if (!exact && !sure)
		machine_doubt(m, c, "it was so only once of several times");
	else if (m->virtual_)
		machine_doubt(m, c, PART_SHARED);
}

/* What follows the second cache may be memory. */
static void compare_latencies(struct machine *m, bool exact)
{
	struct machine_constant *c =
		(struct machine_constant *)machine_find(m, "L3_lat");
	double memory = machine_get(m, "Mem_lat");

	if (!c || !(c->value * SAME > memory && c->value < memory * SAME))
		return;
	if (exact && !c->stable)
		return; /* something else may be wrong with it */
	c->value = NAN;
	machine_doubt(m, c, NO_THIRD);
}

/* The size of a third cache that is none, or is not known. */
static void say_no_size(struct machine *m, const char *reason)
{
	machine_doubt(m,
		      machine_add(m, "L3_bytes", NAN, "bytes",
				  "pointer chases of growing size"),
		      reason);
}

/* Where @y passes half way, by ratio, from @low to @high; 0: nowhere. */
static double cross(const double *x, const double *y, size_t n, double low,
		    double high)
{
	double middle = sqrt(low * high);

	for (size_t i = n; i-- > 1;)
		if (y[i - 1] < middle && y[i] >= middle)
			return exp2((log2(x[i - 1]) + log2(x[i])) / 2);
	return 0;
}

static void say_size(struct machine *m, double bytes, bool shared)
{
	struct machine_constant *c;
	double power = exp2(floor(log2(bytes)) - (shared ? 3 : 5));

	c = machine_add(m, "L3_bytes",
			bytes > 0 ? round(bytes / power) * power : NAN, "bytes",
			"pointer chases of growing size: where the cost is "
			"halfway between L3 and memory");
	if (c)
		c->spread = shared ? 0.15 : 0.05;
	if (bytes > 0 && shared)
		machine_doubt(m, c,
			      "it is what other users of the cache leave at "
			      "the moment");
	else if (!(bytes > 0))
		machine_doubt(m, c,
			      "the cost of pointer chases shows no "
			      "such step");
}

/*
 * The third cache once more, by a ring that the second does not hold. That is
 * what counts, if lines of one colour cost about as much: of these, reading the
 * clock hides some cycles.
 */
static int check_latency(struct lab *lab, struct machine *m, struct sizes *s)
{
	struct machine_constant *c =
		(struct machine_constant *)machine_find(m, "L3_lat");
	struct timing point = { .x = 3 * machine_get(m, "L2_bytes") };
	struct timing less = { .x = 2 * machine_get(m, "L2_bytes") };
	double page = (double)lab->page_bytes;
	double more;
	int err;

	if (!c || isnan(c->value) || isnan(point.x))
		return 0;
	/* A few lines of a page: too few for what fetches ahead to learn. */
	s->spacing = lab->page_bytes / FEW;
	err = lab_sweep(lab, &point, 1, prepare_size, s);
	if (err)
		return err;
	point.value -= translation(m, FEW, point.x / page);
	err = lab_sweep(lab, &less, 1, prepare_size, s);
	if (err)
		return err;
	less.value -= translation(m, FEW, less.x / page);
	if (isnan(point.value)) {
		machine_doubt(m, c, NO_TLB);
		return 0;
	}
	/* of the smaller one that may not be known: then nothing is compared */
	if (fabs(less.value - point.value) > LAT_SHARE * point.value)
		machine_doubt(m, c, "it depends on the size of the ring");
	more = c->value - point.value;
	if (more > LAT_SLACK + LAT_SHARE * c->value || more < -HIDDEN)
		machine_doubt(m, c, DISAGREE);
	if (point.value > 0)
		c->value = round(point.value);
	return 0;
}

/* Where pages do not lie in order, some sets are full long before others. */
static int check_step(struct lab *lab, struct machine *m, struct sizes *s,
		      double bytes, double limit)
{
	struct timing points[] = { { .x = bytes * 0.9 },
				   { .x = bytes * 1.2 },
				   { .x = bytes * 2 } };
	int err = lab_sweep(lab, points, 3, prepare_size, s);

	if (!err && !(points[0].value < limit &&
		      points[2].value - points[1].value <
			      0.1 * (points[2].value - points[0].value)))
		machine_doubt(
			m,
			(struct machine_constant *)machine_find(m, "L3_bytes"),
			"the step is not sharp");
	return err;
}

/* One line a page fills a cache sooner; only where pages lie in order. */
static int find_size_exactly(struct lab *lab, struct machine *m,
			     struct sizes *s)
{
	struct timing points[MOST_POINTS];
	double x[MOST_POINTS], y[MOST_POINTS];
	double page = (double)lab->page_bytes;
	double from = fmax(2 * machine_get(m, "L2_bytes") / page,
			   1.5 * machine_get(m, "STLB_entries"));
	double limit, bytes;
	size_t n, knee;
	int err;

	s->spacing = lab->page_bytes;
	n = part_points(points, MOST_POINTS, from * page, SIMULATED, 24, true);
	for (size_t i = 0; i < n; i++)
		points[i].x = round(points[i].x / page) * page;
	err = lab_sweep(lab, points, n, prepare_size, s);
	if (err)
		return err;
	part_keep(m, "L3", "bytes", points, n, 1);
	n = part_columns(points, n, x, y);
	limit = y[0] + (y[n - 1] - y[0]) / 10;
	if (n < 4 || y[n - 1] < y[0] * SAME || !ramp_knee(y, n, limit, &knee) ||
	    knee + 1 >= n) {
		say_size(m, 0, false);
		return 0;
	}
	n = part_points(points, MOST_POINTS, x[knee], x[knee + 1], 12, false);
	err = lab_sweep(lab, points, n, prepare_size, s);
	if (err)
		return err;
	n = part_columns(points, n, x, y);
	bytes = x[0];
	if (ramp_knee(y, n, limit, &knee))
		bytes = knee < n ? x[knee] : x[n - 1];
	say_size(m, bytes, false);
	return check_step(lab, m, s, bytes, limit);
}

/*
 * The least that each size cost, as others make rings slower, but never faster;
 * and no more than a larger one, which a cache holds only if it holds the
 * smaller one, too.
 */
static size_t least_costs(const struct timing *points, size_t n, double *x,
			  double *y)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (!points[i].samples)
			continue;
		x[kept] = points[i].x;
		y[kept++] = points[i].low;
	}
	for (size_t i = kept; i-- > 1;)
		y[i - 1] = fmin(y[i - 1], y[i]);
	return kept;
}

/* The largest ring may still be in the cache: then memory costs more. */
static double cost_of_memory(const struct sizes *s, double largest)
{
	return fmax(best_pick(&s->flushed, PART_SPREAD, NULL).value, largest);
}

static int find_size(struct lab *lab, struct machine *m, struct sizes *s)
{
	struct timing points[MOST_POINTS];
	double x[MOST_POINTS], y[MOST_POINTS];
	double largest = lab->quick ? QUICK : LARGEST;
	size_t n;
	int err;

	s->spacing = 2 * lab->line_bytes;
	n = part_points(points, MOST_POINTS, 16 * KIB, largest,
			lab->quick ? 20 : 40, true);
	err = lab_sweep(lab, points, n, prepare_size, s);
	if (err)
		return err;
	part_keep(m, "latency", "bytes", points, n, 1);
	n = least_costs(points, n, x, y);
	if (!isnan(machine_get(m, "L3_lat")) && n > 4)
		say_size(m,
			 cross(x, y, n, machine_get(m, "L3_lat"),
			       cost_of_memory(s, y[n - 1])),
			 true);
	return 0;
}

static int find_shared_size(struct lab *lab, struct machine *m, struct sizes *s)
{
	unsigned rounds = lab->rounds;
	int err;

	lab->rounds = lab->quick ? 5 : 9;
	err = find_size(lab, m, s);
	lab->rounds = rounds;
	return err;
}

int part_memory(struct lab *lab, struct machine *m)
{
	bool exact = lab->clock.is_cycles;
	bool flushes = arch_flush(lab->memory);
	struct sizes s = { .spacing = 0 };
	int err = 0;

	for (int i = 0; flushes && !err && i < (exact ? 1 : 2); i++)
		err = time_flushed(lab, &s);
	if (!err && !exact)
		err = find_shared_size(lab, m, &s);
	if (!err && !exact && flushes)
		err = time_flushed(lab, &s); /* some time later */
	if (!err && flushes)
		say_latency(lab, m, &s);
	if (!err && exact)
		err = check_latency(lab, m, &s);
	if (err)
		return err;
	compare_latencies(m, exact);
	if (exact && !isnan(machine_get(m, "L3_lat")))
		err = find_size_exactly(lab, m, &s);
	if (!err && !machine_find(m, "L3_bytes"))
		say_no_size(m, isnan(machine_get(m, "L2_bytes"))
				       ? "L2 is not known"
				       : NO_THIRD);
	return err;
}
