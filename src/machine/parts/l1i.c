/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first cache for instructions, by running code for its size.
 *
 *  - about where it ends: straight code of growing size. What is decoded may
 *    be kept, too, in a smaller place, so the last rise counts, not the first,
 *    up to where the second cache ends: a small one is full before LARGEST, and
 *    where its sets are depends on the addresses that the system hands out;
 *  - its size: straight code of sizes around that, several times, in memory
 *    of its own each time: how addresses fall changes single points;
 *  - its ways: pieces of code a page or more apart, which share sets.
 *
 * Straight code is fetched ahead, but not as fast as it is run: a line from
 * the second cache costs more cycles, though not its latency.
 */
#include "machine/parts.h"

#include <math.h>
#include <string.h>

#include "analysis/ramp.h"
#include "base/array.h"
#include "machine/code.h"

#define KIB          1024.0
#define SMALLEST     (4 * KIB)
#define LARGEST      (112 * KIB)
#define MOST_POINTS  48
#define MOST_PIECES  24
#define DISTANCES    4   /* of pieces: 1 to 8 pages */
#define LEAST_PIECE  256 /* of shorter ones the jumps cost more than lines */
#define TRIES        5
#define NEAR         0.92 /* of the last level: still below it */
#define STEP         0.85 /* and what there must be before, to be a step */
#define WINDOW_LOW   0.68 /* of the end: a ramp of four ways is in it */
#define WINDOW_HIGH  1.08
#define KNEE         0.15 /* of the rise */
#define KNEE_EXACT   0.03 /* the same on a clock without noise */
#define BEYOND       0.1  /* of it, there must be an eighth further on */
#define FARTHER      1.5  /* latencies of the second cache: from beyond it */
#define GRAIN        16   /* a size is so many parts of a power of two */
#define LINES_RUN    4096 /* in a sample, at least ... */
#define ROUNDS_RUN   4    /* ... and so many rounds */
#define ROUNDS_EXACT 32   /* reading simulated cycles takes lines away */

/* A curve under way: a ring for each of its points. */
struct curve {
	struct timing points[MOST_POINTS];
	struct code_ring rings[MOST_POINTS];
	size_t n;
	size_t line_bytes;
};

static void prepare_ring(struct lab *lab, void *context, double x,
			 struct load *load)
{
	struct curve *curve = context;
	struct code_ring *ring = curve->rings;
	double lines;
	uint64_t rounds;

	for (size_t i = 0; i < curve->n; i++)
		if (curve->points[i].x == x)
			ring = &curve->rings[i];
	lines = (double)(ring->pieces * ring->bytes / curve->line_bytes);
	rounds = (uint64_t)(LINES_RUN / lines) + ROUNDS_RUN;
	if (lab->clock.is_cycles)
		rounds += ROUNDS_EXACT;
	*load = (struct load){ .run = code_run,
			       .arg = ring,
			       .times = rounds,
			       .warm = ROUNDS_RUN,
			       .operations = (double)rounds * lines,
			       .steady = true };
}

/* 0, PAPI_ENOMEM, or PAPI_ENOSUPP if code cannot be written here. */
static int time_curve(struct lab *lab, struct curve *curve)
{
	struct code code;
	int err;

	curve->line_bytes = lab->line_bytes;
	if (!code_open(&code, curve->rings, curve->n, lab->page_bytes))
		return PAPI_ENOSUPP;
	err = lab_sweep(lab, curve->points, curve->n, prepare_ring, curve);
	code_close(&code);
	return err;
}

/* Straight code of @from to @to bytes. */
static int time_sizes(struct lab *lab, struct curve *curve, double from,
		      double to, bool by_ratio)
{
	double line = (double)lab->line_bytes;

	curve->n = part_points(curve->points, MOST_POINTS, from / line,
			       to / line, MOST_POINTS, by_ratio);
	for (size_t i = 0; i < curve->n; i++)
		curve->rings[i] = (struct code_ring){
			.pieces = 1,
			.bytes = (size_t)curve->points[i].x * lab->line_bytes,
		};
	return time_curve(lab, curve);
}

/* Each value by the middle one of five: how single addresses fall is gone. */
static void smooth(double *y, size_t n)
{
	double raw[MOST_POINTS];

	memcpy(raw, y, n * sizeof(*y));
	for (size_t i = 2; i + 2 < n; i++)
		y[i] = ramp_median(raw + i - 2, 5);
}

/* Points before the first whose code comes from beyond the second cache. */
static size_t count_nearer(const struct machine *m, const double *y, size_t n)
{
	double second = machine_get(m, "L2_lat"); /* NaN: not known */
	size_t i = 0;

	while (i < n && !(y[i] - y[0] > FARTHER * second))
		i++;
	return i;
}

/* Bytes where the last level begins; 0: there is no step to it. */
static int find_end(struct lab *lab, struct machine *m, double *end)
{
	struct curve curve;
	double x[MOST_POINTS], y[MOST_POINTS], last;
	size_t n, at;
	int err = time_sizes(lab, &curve, SMALLEST, LARGEST, true);

	*end = 0;
	if (err)
		return err;
	part_keep(m, "L1I", "bytes", curve.points, curve.n,
		  (double)lab->line_bytes);
	n = part_columns(curve.points, curve.n, x, y);
	if (n < MOST_POINTS / 2)
		return 0;
	smooth(y, n);
	n = count_nearer(m, y, n);
	if (n < MOST_POINTS / 4)
		return 0;
	last = ramp_median(y + n - n / 6, n / 6);
	for (at = n; at > 0 && y[at - 1] > last * NEAR; at--)
		;
	if (at < 5 || at >= n - 4 || ramp_median(y + at - 5, 3) > last * STEP)
		return 0;
	*end = x[at] * (double)lab->line_bytes;
	return 0;
}

/*
 * A whole number of sixteenths of a power of two, as any number of sets by a
 * usual number of ways is; 0 if @lines is not near one.
 */
static double round_size(double lines)
{
	double grain = exp2(floor(log2(lines * 1.02))) / GRAIN;
	double size = round(lines / grain) * grain;

	return fabs(size - lines) <= 0.4 * grain ? size : 0;
}

/* The level before the rise: of points near, but not on, its ramp. */
static double level_before(const double *x, const double *y, size_t n)
{
	double last = ramp_median(y + n - n / 8, n / 8);
	double middle = (ramp_median(y, n / 4) + last) / 2;
	size_t up = n, from = 0, to = 0;

	while (up > 0 && y[up - 1] > middle)
		up--;
	for (size_t i = 0; up < n && i < n; i++) {
		if (x[i] < x[up] * 0.78)
			from = i + 1;
		if (x[i] < x[up] * 0.92)
			to = i + 1;
	}
	return to > from ? ramp_median(y + from, to - from) : NAN;
}

/* Bytes by one curve around @end; 0: they cannot be told. */
static int find_size(struct lab *lab, double end, double *bytes)
{
	struct curve curve;
	double x[MOST_POINTS], y[MOST_POINTS], low, rise;
	double share = lab->clock.is_cycles ? KNEE_EXACT : KNEE;
	size_t n, knee;
	int err = time_sizes(lab, &curve, end * WINDOW_LOW, end * WINDOW_HIGH,
			     false);

	*bytes = 0;
	if (err)
		return err;
	n = part_columns(curve.points, curve.n, x, y);
	if (n < MOST_POINTS / 2)
		return 0;
	smooth(y, n);
	low = level_before(x, y, n);
	rise = ramp_median(y + n - n / 8, n / 8) - low;
	if (!(rise > low * (1 / STEP - 1)) ||
	    !ramp_knee(y, n, low + rise * share, &knee) || knee >= n)
		return 0;
	*bytes = round_size(x[knee]) * (double)lab->line_bytes;
	return 0;
}

/*
 * On an exact clock there is one try. Then straight code of half of @bytes and
 * of all of it must cost the same, an eighth more must cost more, and twice as
 * much about what the second cache takes for a line: what else there is costs
 * less, such as translations, or more, such as memory.
 */
static int check_size(struct lab *lab, const struct machine *m, double bytes,
		      bool *good)
{
	static const double parts[] = { 0.5, 1, 1.125, 2 };
	struct curve curve = { .n = ARRAY_SIZE(parts) };
	double x[MOST_POINTS], y[MOST_POINTS], rise;
	double second = machine_get(m, "L2_lat");
	int err;

	for (size_t i = 0; i < curve.n; i++) {
		size_t lines = (size_t)(bytes * parts[i]) / lab->line_bytes;

		curve.points[i] = (struct timing){ .x = (double)lines };
		curve.rings[i] =
			(struct code_ring){ .pieces = 1,
					    .bytes = lines * lab->line_bytes };
	}
	err = time_curve(lab, &curve);
	*good = false;
	if (err || part_columns(curve.points, curve.n, x, y) < curve.n)
		return err;
	rise = y[3] - y[0];
	*good = rise > second / 2 && rise < FARTHER * second &&
		y[1] < y[0] + KNEE_EXACT * rise && y[2] > y[0] + BEYOND * rise;
	return 0;
}

/* What most of several tries said; 0: nothing. */
struct vote {
	double values[TRIES];
	size_t n;
};

static double winner(const struct vote *vote, bool *sure)
{
	double best = 0;
	size_t most = 0, valid = 0;

	for (size_t i = 0; i < vote->n; i++) {
		size_t same = 0;

		valid += vote->values[i] > 0;
		for (size_t k = 0; k < vote->n; k++)
			same += vote->values[k] == vote->values[i];
		if (vote->values[i] > 0 && same > most) {
			most = same;
			best = vote->values[i];
		}
	}
	*sure = (most > 1 || vote->n == 1) && 3 * valid <= 5 * most;
	return best;
}

/* What is known of the ways, and by pieces of which length. */
struct ways {
	double lines; /* that the cache has; 0: not known */
	size_t piece; /* bytes */
	double value; /* NaN: they cannot be told */
	bool sure;
};

/* Pieces of code @distance pages apart. */
static int time_pieces(struct lab *lab, struct curve *curve, size_t piece,
		       size_t distance)
{
	curve->n = MOST_PIECES;
	for (size_t i = 0; i < curve->n; i++) {
		curve->points[i] = (struct timing){ .x = (double)(i + 1) };
		curve->rings[i] = (struct code_ring){
			.pieces = i + 1,
			.bytes = piece,
			.spacing = distance * lab->page_bytes,
		};
	}
	return time_curve(lab, curve);
}

/* How many of the pieces are held; 0 if there is not just one step. */
static double find_held(const struct machine *m, const struct curve *curve)
{
	double x[MOST_POINTS], y[MOST_POINTS], low, rise;
	size_t n = part_columns(curve->points, curve->n, x, y);
	size_t knee, between = 0;

	if (n < MOST_PIECES)
		return 0;
	n = count_nearer(m, y, n);
	if (n < MOST_PIECES / 3)
		return 0;
	low = ramp_median(y, 3);
	rise = ramp_median(y + n - n / 4, n / 4) - low;
	for (size_t i = 0; i < n; i++)
		between += y[i] > low + rise / 4 && y[i] < low + rise * 3 / 4;
	if (rise > low * (1 / STEP - 1) && between <= 1 &&
	    ramp_knee(y, n, low + rise / 4, &knee) && knee < n)
		return x[knee];
	return 0;
}

static bool is_power_of_two(double value)
{
	return exp2(round(log2(value))) == value;
}

/*
 * Pieces twice as far apart: when no fewer are held, those are the ways. Of all
 * lines, if these are known, they leave a power of two of sets.
 */
static int try_ways(struct lab *lab, struct machine *m, struct ways *ways)
{
	size_t tries = lab->clock.is_cycles ? 1 : TRIES;
	double before = 0;

	ways->value = NAN;
	for (size_t d = 0; d < DISTANCES && isnan(ways->value); d++) {
		struct vote vote = { .n = tries };
		double held;

		for (size_t i = 0; i < tries; i++) {
			struct curve curve;
			int err = time_pieces(lab, &curve, ways->piece,
					      (size_t)1 << d);

			if (err)
				return err;
			if (d == 0 && i == 0 &&
			    ways->piece == lab->page_bytes / 2)
				part_keep(m, "L1I_set",
					  "pieces of code a page apart",
					  curve.points, curve.n, 1);
			held = find_held(m, &curve);
			vote.values[i] =
				ways->lines > 0 && held > 0 &&
						!is_power_of_two(ways->lines /
								 held)
					? 0
					: held;
		}
		held = winner(&vote, &ways->sure);
		if (held == 0)
			return 0;
		if (held == before)
			ways->value = held;
		before = held;
	}
	return 0;
}

/*
 * A piece that is longer than a way takes several lines of a set, and so few
 * are held that the way seems to be as long as the piece. Shorter ones tell.
 */
static int find_ways(struct lab *lab, struct machine *m, struct ways *ways)
{
	double bytes = ways->lines * (double)lab->line_bytes;
	int err;

	ways->piece = lab->page_bytes / 2;
	err = try_ways(lab, m, ways);
	while (!err && ways->lines > 0 &&
	       bytes <= ways->value * (double)ways->piece) {
		ways->piece /= 2;
		ways->value = NAN;
		if (ways->piece >= LEAST_PIECE)
			err = try_ways(lab, m, ways);
	}
	return err;
}

static void say(struct machine *m, double bytes, bool sure)
{
	struct machine_constant *c =
		machine_add(m, "L1I_bytes", bytes > 0 ? bytes : NAN, "bytes",
			    "straight-line code of growing size: the cost last "
			    "rises when the instruction cache is full");

	if (c)
		c->spread = bytes > 0 ? 0 : NAN;
	if (bytes == 0)
		machine_doubt(m, c,
			      "the cost of more code shows no clear step");
	else if (!sure)
		machine_doubt(m, c,
			      "code of about that size does not have the "
			      "expected cost, or repeated measurements "
			      "disagree");
}

static void say_ways(struct machine *m, double ways, bool sure, double sets)
{
	const struct {
		const char *name, *unit, *method;
		double value;
	} rows[] = {
		{ "L1I_ways", "ways",
		  "pieces of code that share sets: how many stay cached at any "
		  "distance",
		  ways },
		{ "L1I_sets", "sets", "size divided by ways and line size",
		  sets },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine_constant *c =
			machine_add(m, rows[i].name, rows[i].value,
				    rows[i].unit, rows[i].method);

		if (c)
			c->spread = isnan(rows[i].value) ? NAN : 0;
		if (isnan(rows[i].value))
			machine_doubt(m, c,
				      "pieces of code that share sets show no "
				      "single step");
		else if (!sure)
			machine_doubt(m, c, "repeated measurements disagree");
		else if (!is_power_of_two(sets))
			machine_doubt(m, c,
				      "size and ways do not give a "
				      "power-of-two number of sets");
	}
}

static void say_no_code(struct machine *m)
{
	static const char *const names[] = { "L1I_bytes", "L1I_ways",
					     "L1I_sets" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		machine_doubt(m,
			      machine_add(m, names[i], NAN, "",
					  "code of growing size"),
			      "this system does not allow running code that "
			      "a program generates");
}

int part_l1i(struct lab *lab, struct machine *m)
{
	struct vote vote = { .n = lab->clock.is_cycles ? 1 : TRIES };
	struct ways ways = { .value = NAN };
	double end = 0, bytes = 0;
	bool sure = false;
	int err = find_end(lab, m, &end);

	for (size_t i = 0; !err && end > 0 && i < vote.n; i++)
		err = find_size(lab, end, &vote.values[i]);
	if (!err && end > 0)
		bytes = winner(&vote, &sure);
	if (!err && bytes > 0 && lab->clock.is_cycles)
		err = check_size(lab, m, bytes, &sure);
	ways.lines = bytes / (double)lab->line_bytes;
	if (!err)
		err = find_ways(lab, m, &ways);
	if (err == PAPI_ENOSUPP) {
		say_no_code(m);
		return 0;
	}
	if (err)
		return err;
	say(m, bytes, sure);
	say_ways(m, ways.value, sure && ways.sure,
		 bytes > 0 ? ways.lines / ways.value : NAN);
	return 0;
}
