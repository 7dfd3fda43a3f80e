/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first cache for data. Its place in it is decided by the address within a
 * page, which a program knows, so all of it can be found exactly:
 *
 *  - about where it ends: rings of growing size;
 *  - the line: two words at a distance, of which the second is fetched with
 *    the first or not. What fetches ahead brings the line behind, too, so it is
 *    looked at in both directions: a line is as long in either;
 *  - ways: addresses that all fall into one set, as against the same pages with
 *    lines of different sets, so that translations do not count;
 *  - sets: the least distance at which addresses still fall into one set;
 *  - both once more: the ramp of cost where the cache is a little too small,
 * or, where replacement makes another one, that it begins where it should.
 */
#include "machine/parts.h"

#include <math.h>

#include "analysis/ramp.h"
#include "base/array.h"
#include "machine/lab.h"

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
#define FULL        0.1  /* of the rise: less, and all is held ... */
#define OVERFULL    0.5  /* ... more, and a way too much is not */

struct l1 {
	double flat, risen; /* bytes: it ends between them */
	double latency;
	void *first; /* of the present chain */
	size_t spacing;
	size_t blocks;  /* of pairs */
	bool down;      /* the second of a pair lies below the first */
	bool same_line; /* of each page; else another one */
};

/* Sets and ways by addresses that share a set; 0: not found. */
struct geometry {
	size_t ways;
	double way_bytes;
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
	/* the first word of a line, or the last of one */
	size_t from = l1->down ? PAIR_BLOCK - sizeof(void *) : 0;
	size_t to = l1->down ? from - (size_t)x : (size_t)x;
	char *first = chain_make(lab, &chain);
	char *at = first;

	do {
		char *next = *(void **)at;

		*(void **)(at + to) = next + from;
		*(void **)(at + from) = at + to;
		at = next;
	} while (at != first);
	l1->first = first + from;
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

/* The line by pairs in one direction; NaN: there is no clear step. */
static int find_line_once(struct lab *lab, struct machine *m, struct l1 *l1,
			  double *line)
{
	static const double distances[] = { 8, 16, 32, 64, 128, 256, 512 };
	struct timing points[7];
	double x[7], y[7];
	bool clean = false;
	size_t n, jump;
	int err;

	*line = NAN;
	for (size_t i = 0; i < 7; i++)
		points[i] = (struct timing){ .x = distances[i] };
	err = lab_sweep(lab, points, 7, prepare_pairs, l1);
	if (err)
		return err;
	if (m)
		part_keep(m, "line", "distance in bytes", points, 7, 1);
	n = part_columns(points, 7, x, y);
	jump = n == 7 ? find_jump(y, n, &clean) : n;
	if (jump < n && clean)
		*line = x[jump];
	return 0;
}

static int find_line(struct lab *lab, struct machine *m, struct l1 *l1)
{
	struct machine_constant *c;
	double up, down = NAN, line;
	int err;

	l1->blocks = (size_t)(2 * l1->risen) / PAIR_BLOCK;
	if (l1->blocks > MOST_PAIRS)
		l1->blocks = MOST_PAIRS;
	err = find_line_once(lab, m, l1, &up);
	l1->down = true;
	if (!err)
		err = find_line_once(lab, NULL, l1, &down);
	if (err)
		return err;
	/* Fetching ahead makes it look longer in one direction. */
	line = fmin(up, down);
	c = machine_add(m, "line_bytes", line, "bytes",
			"loads of two words at growing distance, upwards and "
			"downwards, in blocks larger than L1: from a "
			"distance of one line on, the second load costs as "
			"much as the first");
	if (c)
		c->spread = 0;
	if (isnan(line))
		machine_doubt(m, c, "the step is not clear");
	else if (isnan(up) || isnan(down))
		machine_doubt(m, c, "it is clear in one direction only");
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
	struct chain chain = {
		.n = (size_t)x,
		.spacing = l1->spacing,
		.rotate = l1->same_line ? 0 : lab->line_bytes,
		.within = lab->page_bytes,
	};

	l1->first = chain_make(lab, &chain);
	*load = chain_load(&l1->first, chain.n, 8);
	load->times *= 2; /* steps are short */
	load->operations *= 2;
}

/*
 * How many addresses @spacing apart are held; 0: it cannot be told. What the
 * same pages cost with lines of different sets is taken off.
 */
static int find_held(struct lab *lab, struct machine *m, struct l1 *l1,
		     size_t spacing, size_t *held)
{
	struct timing points[2][MOST_WAYS];
	double x[MOST_WAYS], y[MOST_WAYS], rest[MOST_WAYS];
	size_t n, knee;

	*held = 0;
	l1->spacing = spacing;
	for (int same = 0; same < 2; same++) {
		int err;

		l1->same_line = same;
		n = part_points(points[same], MOST_WAYS, 1, MOST_WAYS,
				MOST_WAYS, false);
		err = lab_sweep(lab, points[same], n, prepare_set, l1);
		if (err)
			return err;
	}
	if (m)
		part_keep(m, "L1D_set", "lines of one set", points[1], n, 1);
	if (part_columns(points[0], n, x, rest) < n ||
	    part_columns(points[1], n, x, y) < n)
		return 0;
	for (size_t i = 0; i < n; i++)
		y[i] -= rest[i] - l1->latency;
	if (ramp_knee(y, n, l1->latency * RISE, &knee) && knee < n)
		*held = (size_t)x[knee];
	return 0;
}

/* From a distance of all the cache down, as long as no more are held. */
static int find_geometry(struct lab *lab, struct machine *m, struct l1 *l1,
			 struct geometry *g)
{
	size_t spacing = lab->page_bytes;
	int err;

	*g = (struct geometry){ 0 };
	while ((double)spacing < l1->risen)
		spacing *= 2;
	err = find_held(lab, m, l1, spacing, &g->ways);
	while (!err && g->ways && spacing > lab->line_bytes) {
		size_t held;

		err = find_held(lab, NULL, l1, spacing / 2, &held);
		if (held != g->ways)
			break;
		spacing /= 2;
	}
	g->way_bytes = (double)spacing;
	return err;
}

/* Whether all that @g should hold is held, and a way more is not. */
static int check_capacity(struct lab *lab, struct l1 *l1,
			  const struct geometry *g, bool *good)
{
	double way = g->way_bytes / (double)lab->line_bytes;
	double full = way * (double)g->ways;
	struct timing points[] = { { .x = full },
				   { .x = full + way },
				   { .x = 2 * full + way } };
	double rise;
	int err;

	l1->spacing = lab->line_bytes;
	err = lab_sweep(lab, points, ARRAY_SIZE(points), prepare_size, l1);
	rise = points[2].value - l1->latency;
	*good = rise > l1->latency * (RISE - 1) &&
		points[0].value < l1->latency + FULL * rise &&
		points[1].value > l1->latency + OVERFULL * rise;
	return err;
}

static void say_geometry(struct machine *m, const struct geometry *g,
			 size_t line, double spread, bool good)
{
	double way = g->ways ? g->way_bytes : NAN;
	double ways = g->ways ? (double)g->ways : NAN;
	const struct {
		const char *name, *unit, *method;
		double value;
	} rows[] = {
		{ "L1D_bytes", "bytes",
		  "ways times the distance of addresses that share a set; "
		  "checked by random pointer chases of growing size, whose "
		  "cost rises when the cache is full",
		  ways * way },
		{ "L1D_ways", "ways",
		  "the number of lines a page or more apart that stay "
		  "cached; checked by the ramp from all hits to all misses, "
		  "which is one way long",
		  ways },
		{ "L1D_sets", "sets",
		  "the smallest distance of addresses that share a set, "
		  "divided by the line size",
		  way / (double)line },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine_constant *c =
			machine_add(m, rows[i].name, rows[i].value,
				    rows[i].unit, rows[i].method);

		if (c)
			c->spread = spread;
		if (!g->ways)
			machine_doubt(m, c,
				      "addresses that share a set show no "
				      "step");
		else if (!good)
			machine_doubt(m, c,
				      "random pointer chases and addresses "
				      "that share a set give different sizes");
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
						  "pointer chases of growing "
						  "size"),
				      "the cost of a pointer chase shows no "
				      "step");
}

/* Sets and ways, by two methods. */
static int measure_geometry(struct lab *lab, struct machine *m, struct l1 *l1)
{
	struct geometry g;
	struct ramp ramp;
	bool fits, good;
	int err = find_ramp(lab, m, l1, &ramp);

	fits = !err && ramp.error < GOOD_FIT && ramp.rival > RIVAL * ramp.error;
	if (err == PAPI_EMISC)
		err = 0;
	if (!err)
		err = find_geometry(lab, m, l1, &g);
	if (err)
		return err;
	good = fits && ramp.ways == g.ways &&
	       ramp.sets * (double)lab->line_bytes == g.way_bytes;
	if (!good && g.ways)
		err = check_capacity(lab, l1, &g, &good);
	if (!err)
		say_geometry(m, &g, lab->line_bytes, fits ? ramp.error : 0,
			     good);
	return err;
}

int part_l1(struct lab *lab, struct machine *m)
{
	struct l1 l1 = { 0 };
	struct timing latency;
	struct load load;
	int err = find_end(lab, &l1);

	if (!err)
		err = find_line(lab, m, &l1);
	if (!err)
		err = measure_geometry(lab, m, &l1);
	if (err == PAPI_EMISC) {
		say_nothing(m);
		return 0;
	}
	if (err)
		return err;
	l1.spacing = lab->line_bytes;
	prepare_size(lab, &l1, 0.25 * l1.flat / (double)l1.spacing, &load);
	load.times *= 4;
	load.operations *= 4;
	latency = part_time_whole(lab, &load);
	part_latency(m, "L1_lat", &latency, true,
		     "a pointer chase through a quarter of L1");
	return 0;
}
