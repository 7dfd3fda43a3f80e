/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages are tested by timing one after others were used. */

#include "machine/parts/colour.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "analysis/ramp.h"
#include "base/array.h"
#include "machine/arch.h"
#include "machine/lab.h"

#define MOST_TRIES 3072 /* pages tested for their colour */
#define GROUPS     12   /* parts, of which one is left out at a time */
/*
 * Times the cost of a hit. Some first caches look lines up by a hash of the
 * address, and lines that share it delay each other: 1.6 times was seen.
 */
#define EVICTED       1.85
#define EVICTED_EXACT 0.4 /* of a hit more, on a clock without noise */
#define FEW           64  /* pages that are gone through more often */
#define AHEAD         4   /* lines that may be fetched ahead */
#define CHAIN         128 /* multiplications: longer than reading the clock */
#define MOST_MORE     64 /* pages of a colour that are enough to know how rare */

static char *page_at(const struct colour *c, size_t page)
{
	return (char *)c->lab->memory + page * c->lab->page_bytes;
}

/* A ring through some lines of each of @n pages, @at bytes behind them. */
static void *ring_at(struct colour *c, const size_t *pages, size_t n, size_t at)
{
	size_t step = c->span / c->lines;
	size_t k = 0;

	at += c->shift % step;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < c->lines; j++)
			c->stops[k++] = page_at(c, pages[i]) + at + j * step;
	return chain_link(c->lab, c->stops, k);
}

void *colour_ring(struct colour *c, const size_t *pages, size_t n)
{
	return ring_at(c, pages, n, 0);
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

/*
 * @p, a long while after the clock said @ticks. Of a core with large buffers
 * the code that reads the clock is still on its way then, and would hide a
 * load that need not wait; the simulated one's fences delay nothing behind
 * them.
 */
static void *long_after(void *p, uint64_t ticks)
{
	for (unsigned i = 0; i < CHAIN; i++) {
		ticks *= UINT64_C(0x9e3779b97f4a7c15);
		__asm__("" : "+r"(ticks)); /* step by step */
	}
	return after(p, (const void *)(uintptr_t)ticks);
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

static double time_all(const struct colour *c, void **victim)
{
	uint64_t from = now(c);

	loads_chase(victim, 1);
	return (double)(now(c) - from);
}

/*
 * On an exact clock line by line, of which the middle one counts: some line may
 * share its set with what is run here, and come from farther away. Of four, two
 * may: it is the second then. Waiting for all that was begun hides a few cycles
 * of each.
 */
static double time_each(const struct colour *c, void **victim)
{
	double ticks[COLOUR_LINES];

	for (size_t i = 0; i < c->lines; i++) {
		uint64_t from = now(c);

		*victim = walk(long_after(*victim, from), 1);
		arch_fence();
		ticks[i] = (double)(now(c) - from) - c->empty;
	}
	if (c->lines > 4)
		return ramp_median(ticks, c->lines) * (double)c->lines;
	timing_of(ticks, c->lines); /* puts them in order */
	return ticks[(c->lines - 1) / 2] * (double)c->lines;
}

/* Ticks for the lines of @target after those of @n pages were used. */
double colour_time(struct colour *c, size_t target, const size_t *pages,
		   size_t n)
{
	void *victim = colour_ring(c, &target, 1);
	void *others = n ? colour_ring(c, pages, n) : NULL;
	void *fill = c->n_fillers ? ring_at(c, c->fillers, c->n_fillers,
					    c->filler_at)
				  : NULL;
	/* The page, at a line that is none of its own. */
	void *aside = page_at(c, target) + c->shift + c->span / c->lines / 2;
	/* Replacement that is not exact takes long to settle. */
	size_t passes = n < FEW ? 6 : c->lab->clock.is_cycles ? 4 : 2;
	double ticks[16];

	for (unsigned i = 0; i < c->turns; i++) {
		void *last;

		last = victim = walk(victim, 2 * c->lines);
		if (others)
			last = others = walk(after(others, last),
					     passes * n * c->lines);
		if (fill)
			last = fill = walk(after(fill, last),
					   3 * c->n_fillers * c->lines);
		/* so that its translation is there */
		last = *(void *volatile *)after(aside, last);
		victim = after(victim, last);
		ticks[i] = c->lab->clock.is_cycles ? time_each(c, &victim)
						   : time_all(c, &victim);
	}
	return lower_half(ticks, c->turns);
}

bool colour_evicts(struct colour *c, size_t target, const size_t *pages,
		   size_t n)
{
	return colour_time(c, target, pages, n) > c->limit;
}

void colour_shuffle(struct lab *lab, size_t *items, size_t n)
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
	size_t rest[COLOUR_SET];

	for (size_t g = 0; g < groups; g++) {
		size_t from = c->n_set * g / groups;
		size_t to = c->n_set * (g + 1) / groups;
		size_t n = 0;

		for (size_t i = 0; i < c->n_set; i++)
			if (i < from || i >= to)
				rest[n++] = c->set[i];
		if (!colour_evicts(c, target, rest, n))
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
			colour_shuffle(c->lab, c->set, c->n_set);
			continue;
		}
		/* Was it somebody else who evicted the target? */
		if (groups == c->n_set ||
		    !colour_evicts(c, target, c->set, c->n_set))
			break;
		groups *= 2;
		idle++;
	}
	return c->n_set > 1 && c->n_set < COLOUR_ALIKE / 2 + COLOUR_ALIKE / 4;
}

/*
 * Lines that fall into the target's sets of the first cache: half as many again
 * as it has ways. In pages of their own, which are like the target's as far as
 * the first cache is concerned.
 */
void colour_choose_fillers(struct colour *c, const struct machine *m,
			   size_t target)
{
	double ways = machine_get(m, "L1D_ways");

	c->n_fillers = 0;
	if (!c->lab->clock.is_cycles)
		return; /* noise would hide what they leave */
	c->n_fillers =
		(size_t)fmin(COLOUR_FILLERS, isnan(ways) ? 0 : 1.5 * ways + 1);
	for (size_t i = 0; i < c->n_fillers; i++) {
		size_t page = COLOUR_POOL + i * (COLOUR_POOL / COLOUR_FILLERS) +
			      lab_random(c->lab, COLOUR_POOL / COLOUR_FILLERS);

		page -= page % c->way_pages;
		c->fillers[i] = page + target % c->way_pages;
		*(void *volatile *)(page_at(c, c->fillers[i])) = NULL;
	}
}

/* Fillers that are of the target's colour belong to what evicts it. */
static void move_fillers(struct colour *c, size_t target)
{
	if (c->filler_at)
		return;
	for (size_t i = 0; i < c->n_fillers && c->n_set < COLOUR_SET;) {
		size_t page = c->fillers[i];

		c->fillers[i] = c->fillers[--c->n_fillers];
		if (!colour_evicts(c, target, c->set, c->n_set)) {
			c->set[c->n_set++] = page;
			continue;
		}
		c->fillers[c->n_fillers++] = c->fillers[i];
		c->fillers[i++] = page;
	}
}

/*
 * What is run here has lines of its own, some of them in the sets of those that
 * are looked at, where they take a way. So each choice looks at other lines.
 */
static void choose_lines(struct colour *c)
{
	size_t line = c->lab->line_bytes;

	if (c->lab->clock.is_cycles)
		c->shift = line * lab_random(c->lab, c->span / c->lines / line);
}

/* A few pages that evict the first of a new choice from the pool. */
bool colour_find_set(struct colour *c, const struct machine *m, size_t *target)
{
	size_t n = 64;

	choose_lines(c);
	colour_shuffle(c->lab, c->pool, COLOUR_POOL);
	*target = c->pool[0];
	colour_choose_fillers(c, m, *target);
	if (colour_evicts(c, *target, NULL, 0))
		return false;
	while (n < COLOUR_SET && !colour_evicts(c, *target, c->pool + 1, n))
		n += n / 2;
	if (n >= COLOUR_SET)
		return false;
	memcpy(c->set, c->pool + 1, n * sizeof(*c->set));
	c->n_set = n;
	if (!reduce(c, *target))
		return false;
	move_fillers(c, *target);
	return true;
}

/* Whether @page can stand for one of the pages that evict @target. */
static bool is_alike(struct colour *c, size_t target, size_t page)
{
	size_t kept = c->set[0];
	bool alike;

	c->set[0] = page;
	alike = colour_evicts(c, target, c->set, c->n_set);
	c->set[0] = kept;
	return alike;
}

/* More pages of the same colour, and how rare they are. */
void colour_find_alike(struct colour *c, size_t target)
{
	c->n_alike = 0;
	c->tried = 0;
	c->more = 0;
	c->alike[c->n_alike++] = target;
	for (size_t i = 0; i < c->n_set && c->n_alike < COLOUR_ALIKE; i++)
		c->alike[c->n_alike++] = c->set[i];
	for (size_t i = COLOUR_POOL;
	     i-- > COLOUR_SET && c->tried < MOST_TRIES;) {
		c->tried++;
		if (!is_alike(c, target, c->pool[i]))
			continue;
		if (c->n_alike < COLOUR_ALIKE)
			c->alike[c->n_alike++] = c->pool[i];
		if (++c->more == MOST_MORE)
			break;
	}
}

/* What reading the clock takes, where that is known. */
static double time_nothing(const struct colour *c)
{
	double ticks[9];

	for (size_t i = 0; i < ARRAY_SIZE(ticks); i++) {
		uint64_t from = now(c);
		void *volatile nothing = long_after(NULL, from);

		(void)nothing;
		arch_fence();
		ticks[i] = (double)(now(c) - from);
	}
	return c->lab->clock.is_cycles ? ramp_median(ticks, ARRAY_SIZE(ticks))
				       : 0;
}

/* Ticks of a hit and the limit above which the lines are gone. */
void colour_calibrate(struct colour *c, const struct machine *m)
{
	double hits[9];

	c->empty = time_nothing(c);
	for (size_t i = 0; i < ARRAY_SIZE(hits); i++) {
		colour_shuffle(c->lab, c->pool, COLOUR_POOL);
		colour_choose_fillers(c, m, c->pool[0]);
		/* Enough pages for the first cache to lose the target, where
		 * its ways are not known. */
		hits[i] = colour_time(c, c->pool[0], c->pool + 1,
				      c->n_fillers ? 0 : 24);
	}
	c->hit_ticks = ramp_median(hits, ARRAY_SIZE(hits));
	c->limit = c->hit_ticks * EVICTED;
	if (c->lab->clock.is_cycles)
		c->limit = c->hit_ticks +
			   EVICTED_EXACT * (double)c->lines * c->hit;
}

void colour_init(struct colour *c, struct lab *lab, const struct machine *m)
{
	bool exact = lab->clock.is_cycles;
	double way = machine_get(m, "L1D_bytes") / machine_get(m, "L1D_ways");
	size_t page = lab->page_bytes;

	*c = (struct colour){
		.lab = lab,
		.lines = COLOUR_LINES,
		.turns = exact ? 1 : 5,
		.way_pages = way > (double)page ? (size_t)way / page : 1,
		.span = way < (double)page ? (size_t)way : page,
		.filler_at = way < (double)page ? (size_t)way : 0,
	};
	/* Fewer lines: what fetches ahead must not reach the next one. */
	while (exact &&
	       (c->lines > 8 || c->span / c->lines <= AHEAD * lab->line_bytes))
		c->lines /= 2;
	for (size_t i = 0; i < COLOUR_POOL; i++) {
		c->pool[i] = i;
		*(void *volatile *)page_at(c, i) = NULL;
	}
}
