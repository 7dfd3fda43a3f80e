/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts take turns. While a part rests its events are not counted, so what it
 * would have counted is estimated from its own turns: their mean scaled to
 * the whole time, with an error from their spread.
 */
#include "core/rotor.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "core/slice.h"
#include "core/ticker.h"

#define DEFAULT_TURN_NS 10000000U /* PAPI's default: 10 ms */

/* Statistics of one event over its finished turns. */
struct turns {
	uint64_t n;
	double mean; /* counts per nanosecond */
	double m2;   /* sum of squared deviations of that */
};

struct rotor {
	struct slice *slice; /* whose events they are; borrowed */
	size_t n;            /* of all events */
	struct slice **parts;
	size_t parts_n;
	size_t *first;        /* parts[p] has events first[p] .. first[p+1]-1 */
	struct count *counts; /* of all events, as of the last turn's end */
	struct count
		*at_start;    /* what the active part had when its turn began */
	struct count *latest; /* room for one part's counts */
	struct turns *turns;
	size_t active;
	uint64_t turn_began_ns;
	bool running;
	volatile int busy; /* the owner is inside: a tick keeps out */
	struct ticker *ticker;
};

static size_t part_size(const struct rotor *r, size_t p)
{
	return r->first[p + 1] - r->first[p];
}

static void end_statistics(struct turns *t, double counted, double length_ns)
{
	double rate = length_ns > 0 ? counted / length_ns : 0;
	double step = rate - t->mean;

	t->n++;
	t->mean += step / (double)t->n;
	t->m2 += step * (rate - t->mean);
}

/*
 * Of a time made of turns of equal length, a share f was seen in n turns whose
 * rates have variance s2. The estimate for the whole is T times the mean rate;
 * its variance is T^2 s2/n (1-f), as for a sample without replacement. One turn
 * tells nothing of others: all the rest may be different.
 *
 * Turns that are alike do not tell of a burst that lay in none of them. Three
 * standard errors cover a turn in which the event happened every nanosecond.
 */
static double variance_of(const struct turns *t, const struct count *c,
			  double turn_ns)
{
	double whole = (double)c->enabled_ns, seen = (double)c->running_ns;
	double unseen = whole - seen;
	double burst = fmin(unseen, turn_ns) / 3;
	double rest;

	if (unseen <= 0)
		return 0;
	if (t->n >= 2)
		return whole * (t->m2 / (double)(t->n - 1)) / (double)t->n *
			       unseen +
		       burst * burst;
	rest = seen > 0 ? (double)c->value * unseen / seen : 0;
	return rest * rest + burst * burst;
}

/* Add what the active part has counted up to now. */
static void account(struct rotor *r, const struct count *latest, bool turn_ends)
{
	uint64_t now = clock_thread_ns();
	uint64_t length = now - r->turn_began_ns;
	size_t first = r->first[r->active];

	for (size_t i = 0; i < r->n; i++)
		r->counts[i].enabled_ns += length;
	for (size_t i = 0; i < part_size(r, r->active); i++) {
		struct count *c = &r->counts[first + i];
		uint64_t counted = latest[i].value - r->at_start[i].value;

		c->value += counted;
		c->running_ns += length;
		if (turn_ends)
			end_statistics(&r->turns[first + i], (double)counted,
				       (double)length);
		r->at_start[i] = latest[i];
	}
	r->turn_began_ns = now;
}

static uint64_t turn_of(const struct rotor *r)
{
	uint64_t asked = r->slice->opt.multiplex_ns;

	return asked ? asked : DEFAULT_TURN_NS;
}

static void give(const struct rotor *r, struct count *counts)
{
	for (size_t i = 0; i < r->n; i++) {
		counts[i] = r->counts[i];
		counts[i].variance = variance_of(&r->turns[i], &counts[i],
						 (double)turn_of(r));
	}
}

static int begin_turn(struct rotor *r)
{
	r->turn_began_ns = clock_thread_ns();
	return slice_start(r->parts[r->active], r->at_start);
}

static int end_turn(struct rotor *r)
{
	int err = slice_stop(r->parts[r->active], r->latest);

	if (!err)
		account(r, r->latest, true);
	return err;
}

/* In the signal handler, on the thread that counts. */
static void on_tick(void *data, void *context)
{
	struct rotor *r = data;

	(void)context;
	if (r->busy || !r->running || end_turn(r))
		return;
	r->active = (r->active + 1) % r->parts_n;
	begin_turn(r);
}

int rotor_start(struct rotor *r, struct count *counts)
{
	int err;

	give(r, counts);
	r->busy = 1;
	err = begin_turn(r);
	if (!err) {
		r->running = true;
		if (r->parts_n > 1)
			err = ticker_start(r->ticker, turn_of(r), false);
		if (err) {
			r->running = false;
			end_turn(r);
		}
	}
	r->busy = 0;
	return err;
}

int rotor_read(struct rotor *r, struct count *counts)
{
	int err;

	r->busy = 1;
	err = slice_read(r->parts[r->active], r->latest);
	if (!err) {
		account(r, r->latest, false);
		give(r, counts);
	}
	r->busy = 0;
	return err;
}

int rotor_stop(struct rotor *r, struct count *counts)
{
	int err;

	r->busy = 1;
	ticker_stop(r->ticker);
	r->running = false;
	err = end_turn(r);
	if (!err)
		give(r, counts);
	r->busy = 0;
	return err;
}

/* Opening. */

size_t rotor_size(const struct rotor *r)
{
	return r->n;
}

void rotor_close(struct rotor *r)
{
	if (!r)
		return;
	ticker_free(r->ticker);
	while (r->parts_n > 0)
		slice_free(r->parts[--r->parts_n]);
	free(r->parts);
	free(r->first);
	free(r->counts);
	free(r->at_start);
	free(r->latest);
	free(r->turns);
	free(r);
}

/* A new, empty part after the others. */
static int add_part(struct rotor *r)
{
	struct slice *part;
	int err = slice_new(r->slice->component, &part);

	if (err)
		return err;
	part->opt = r->slice->opt;
	part->opt.multiplex = false;
	r->parts[r->parts_n++] = part;
	return 0;
}

/* Event number @i into the last part if it fits there, else a new one. */
static int place_event(struct rotor *r, size_t i)
{
	struct slice *part = r->parts[r->parts_n - 1];
	int err;

	slice_close(part);
	err = slice_append(part, r->slice->events[i]);
	if (err)
		return err;
	err = slice_open(part);
	if (!err)
		return 0;
	if (part->n == 1) {
		r->slice->diag = part->diag;
		return err;
	}
	slice_remove(part, part->n - 1);
	err = slice_open(part);
	if (err)
		return err;
	r->first[r->parts_n] = i;
	err = add_part(r);
	return err ? err : place_event(r, i);
}

static struct rotor *rotor_new(struct slice *s)
{
	struct rotor *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->slice = s;
	r->n = s->n;
	r->parts = calloc(s->n, sizeof(struct slice *));
	r->first = calloc(s->n + 1, sizeof(*r->first));
	r->counts = calloc(s->n, sizeof(*r->counts));
	r->at_start = calloc(s->n, sizeof(*r->at_start));
	r->latest = calloc(s->n, sizeof(*r->latest));
	r->turns = calloc(s->n, sizeof(*r->turns));
	if (!r->parts || !r->first || !r->counts || !r->at_start ||
	    !r->latest || !r->turns || ticker_new(on_tick, r, &r->ticker)) {
		rotor_close(r);
		return NULL;
	}
	return r;
}

int rotor_open(struct slice *s, struct rotor **out)
{
	struct rotor *r = rotor_new(s);
	int err = PAPI_ENOMEM;

	if (!r)
		return err;
	err = add_part(r);
	for (size_t i = 0; i < s->n && !err; i++)
		err = place_event(r, i);
	if (err) {
		rotor_close(r);
		return err;
	}
	r->first[r->parts_n] = s->n;
	*out = r;
	return 0;
}
