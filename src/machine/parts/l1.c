/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first cache for data. Its place in it is decided by the address within a
 * page, which a program knows, so all of it can be found exactly:
 *
 *  - about where it ends: rings of growing size;
 *  - the line: two words at a distance, of which the second is fetched with
 *    the first or not;
 *  - sets and ways: the ramp of cost where the cache is a little too small;
 *  - ways once more: addresses that all fall into one set.
 */
#include "machine/parts.h"

#include <math.h>

#include "analysis/ramp.h"
#include "base/array.h"
#include "machine/chain.h"
#include "machine/loads.h"

#define KIB         1024.0
#define MOST_POINTS 64
#define SMALLEST    (2 * KIB)
#define LARGEST     (512 * KIB)
#define RISE        1.25 /* of cost, that is no longer noise */
#define PAIR_BLOCK  1024 /* the line is shorter */
#define MOST_PAIRS  2048
#define MOST_WAYS   40
#define GOOD_FIT    0.06 /* error of the ramp, as a share of its rise */
#define RIVAL       1.3  /* times the error that the next best must have */

struct l1 {
	double flat, risen; /* bytes: it ends between them */
	double latency;
	void *first; /* of the present chain */
	size_t spacing;
	size_t blocks; /* of pairs */
};

static void prepare_size(struct lab *lab, void *context, double x,
			 struct load *load)
{
	struct l1 *l1 = context;
	struct chain chain = { .n = (size_t)x, .spacing = l1->spacing };

	l1->first = chain_make(lab, &chain);
	*load = chain_load(&l1->first, chain.n, 8);
}

/* Rings from 2K to 512K: where cost leaves its first level. */
static int find_end(struct lab *lab, struct l1 *l1)
{
	struct timing points[MOST_POINTS];
	double x[MOST_POINTS], y[MOST_POINTS];
	size_t n, knee;
	int err;

	l1->spacing = lab->line_bytes;
	n = part_points(points, MOST_POINTS, SMALLEST / (double)l1->spacing,
			LARGEST / (double)l1->spacing, 33, true);
	err = lab_sweep(lab, points, n, prepare_size, l1);
	if (err)
		return err;
	n = part_columns(points, n, x, y);
	if (n < 8)
		return PAPI_EMISC;
	l1->latency = ramp_median(y, 4);
	if (!ramp_knee(y, n, l1->latency * RISE, &knee) || knee + 1 >= n)
		return PAPI_EMISC;
	l1->flat = x[knee] * (double)l1->spacing;
	l1->risen = x[knee + 1] * (double)l1->spacing;
	return 0;
}

/* Pairs at the distance x, one in a block, blocks in random order. */
static void prepare_pairs(struct lab *lab, void *context, double x,
			  struct load *load)
{
	struct l1 *l1 = context;
	struct chain chain = { .n = l1->blocks, .spacing = PAIR_BLOCK };
	char *first = chain_make(lab, &chain);
	char *at = first;

	do {
		char *next = *(void **)at;
		char *second = at + (size_t)x;

		*(void **)second = next;
		*(void **)at = second;
		at = next;
	} while (at != first);
	l1->first = first;
	*load = chain_load(&l1->first, 2 * l1->blocks, 4);
}

/* Where between the first and the last of @y the cost rises, cleanly. */
static size_t find_jump(const double *y, size_t n, bool *clean)
{
	double middle = (y[0] + y[n - 1]) / 2;
	size_t jump = 0;

	while (jump < n && y[jump] < middle)
		jump++;
	*clean = y[n - 1] > y[0] * 1.2;
	for (size_t i = 0; i < n; i++) {
		double level = i < jump ? y[0] : y[n - 1];

		if (fabs(y[i] - level) > (y[n - 1] - y[0]) / 4)
			*clean = false;
	}
	return jump;
}

static int find_line(struct lab *lab, struct machine *m, struct l1 *l1)
{
	static const double distances[] = { 8, 16, 32, 64, 128, 256, 512 };
	struct timing points[7];
	double x[7], y[7];
	struct machine_constant *c;
	bool clean = false;
	double line = NAN;
	size_t n, jump;
	int err;

	l1->blocks = (size_t)(4 * l1->risen) / PAIR_BLOCK;
	if (l1->blocks > MOST_PAIRS)
		l1->blocks = MOST_PAIRS;
	for (size_t i = 0; i < 7; i++)
		points[i] = (struct timing){ .x = distances[i] };
	err = lab_sweep(lab, points, 7, prepare_pairs, l1);
	if (err)
		return err;
	part_keep(m, "line", "distance in bytes", points, 7, 1);
	n = part_columns(points, 7, x, y);
	jump = n == 7 ? find_jump(y, n, &clean) : n;
	if (n == 7 && jump < n)
		line = x[jump];
	c = machine_add(m, "line_bytes", line, "bytes",
			"two words at a growing distance, in blocks that the "
			"first cache does not hold: from one line on the "
			"second costs as much as the first");
	if (c)
		c->spread = 0;
	if (!clean)
		machine_doubt(m, c, "the step is not clear");
	if (!isnan(line))
		lab->line_bytes = (size_t)line;
	return 0;
}

/* The ramp at the cache's end. */
static int find_ramp(struct lab *lab, struct machine *m, struct l1 *l1,
		     struct ramp *ramp)
{
	struct timing points[MOST_POINTS];
	double x[MOST_POINTS], y[MOST_POINTS];
	size_t n;
	int err;

	l1->spacing = lab->line_bytes;
	n = part_points(points, MOST_POINTS,
			0.75 * l1->flat / (double)l1->spacing,
			1.6 * l1->risen / (double)l1->spacing, 48, false);
	err = lab_sweep(lab, points, n, prepare_size, l1);
	if (err)
		return err;
	part_keep(m, "L1D", "bytes", points, n, (double)l1->spacing);
	n = part_columns(points, n, x, y);
	return ramp_fit(x, y, n, ramp) ? 0 : PAPI_EMISC;
}

static void prepare_set(struct lab *lab, void *context, double x,
			struct load *load)
{
	struct l1 *l1 = context;
	struct chain chain = { .n = (size_t)x, .spacing = l1->spacing };

	l1->first = chain_make(lab, &chain);
	*load = chain_load(&l1->first, chain.n, 8);
	load->times *= 2; /* steps are short */
	load->operations *= 2;
}

/* How many addresses of one set are held; 0: it cannot be told. */
static int find_ways(struct lab *lab, struct machine *m, struct l1 *l1,
		     double way_bytes, unsigned *ways)
{
	struct timing points[MOST_WAYS];
	double x[MOST_WAYS], y[MOST_WAYS];
	size_t n, knee;
	int err;

	l1->spacing = lab->page_bytes;
	while ((double)l1->spacing < way_bytes)
		l1->spacing *= 2;
	n = part_points(points, MOST_WAYS, 1, MOST_WAYS, MOST_WAYS, false);
	err = lab_sweep(lab, points, n, prepare_set, l1);
	if (err)
		return err;
	part_keep(m, "L1D_set", "lines of one set", points, n, 1);
	n = part_columns(points, n, x, y);
	*ways = 0;
	if (ramp_knee(y, n, l1->latency * RISE, &knee) && knee < n)
		*ways = (unsigned)x[knee];
	return 0;
}

static void say_geometry(struct machine *m, const struct ramp *ramp,
			 unsigned ways, size_t line)
{
	const struct {
		const char *name, *unit, *method;
		double value;
	} rows[] = {
		{ "L1D_bytes", "bytes",
		  "rings of random order: cost begins to rise where the cache "
		  "is full",
		  (double)ramp->sets * ramp->ways * (double)line },
		{ "L1D_ways", "ways",
		  "the ramp from full to all missing is one way long; and the "
		  "number of lines a page apart that stay",
		  ramp->ways },
		{ "L1D_sets", "sets", "the length of the same ramp in lines",
		  ramp->sets },
	};
	bool fits = ramp->error < GOOD_FIT && ramp->rival > RIVAL * ramp->error;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine_constant *c =
			machine_add(m, rows[i].name, rows[i].value,
				    rows[i].unit, rows[i].method);

		if (c)
			c->spread = ramp->error;
		if (!fits)
			machine_doubt(m, c,
				      "the ramp is not as least recently used "
				      "replacement makes it");
		else if (ways != ramp->ways)
			machine_doubt(m, c,
				      "two ways of finding the number of ways "
				      "disagree");
	}
}

static void say_nothing(struct machine *m)
{
	static const char *const names[] = { "line_bytes", "L1D_bytes",
					     "L1D_ways", "L1D_sets" };

	for (size_t i = 0; i < 4; i++)
		if (!machine_find(m, names[i]))
			machine_doubt(m,
				      machine_add(m, names[i], NAN, "",
						  "rings of growing size"),
				      "the cost of a ring shows no step");
}

int part_l1(struct lab *lab, struct machine *m)
{
	struct l1 l1 = { 0 };
	struct ramp ramp;
	unsigned ways = 0;
	struct timing latency;
	struct load load;
	int err = find_end(lab, &l1);

	if (!err)
		err = find_line(lab, m, &l1);
	if (!err)
		err = find_ramp(lab, m, &l1, &ramp);
	if (!err)
		err = find_ways(lab, m, &l1,
				ramp.sets * (double)lab->line_bytes, &ways);
	if (err == PAPI_EMISC) {
		say_nothing(m);
		return 0;
	}
	if (err)
		return err;
	say_geometry(m, &ramp, ways, lab->line_bytes);
	l1.spacing = lab->line_bytes;
	prepare_size(lab, &l1, 0.25 * l1.flat / (double)l1.spacing, &load);
	load.times *= 4;
	load.operations *= 4;
	latency = part_time_whole(lab, &load);
	part_latency(m, "L1_lat", &latency, true,
		     "a ring of a quarter of the first cache");
	return 0;
}
