/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bandwidth: memory that each level holds is read, written and copied with the
 * widest instructions there are; main memory also written past the caches. A
 * sample of main memory is a piece that was not touched for long, since a
 * longer one would not stay undisturbed.
 *
 * The end of a pass over an array costs a misprediction, which is much of a
 * pass over a small one. So half of the array is timed as well: the faster of
 * the two counts, and is certain if the other is as fast.
 */
#include "machine/parts.h"

#include <math.h>
#include <stdio.h>

#include "base/array.h"
#include "machine/arch.h"

#define MIB        ((size_t)1 << 20)
#define AREA       (192 * MIB) /* main memory that is gone through */
#define PIECE      MIB
#define PASSES     7
#define PASSES_FAR 3    /* of main memory */
#define SURE       0.03 /* two passes agree within this */
#define VARIES     0.05 /* rates of an array and of half of it differ by less */
#define FASTER     0.01 /* a farther level is not, but for that */
#define FAR        (256 * MIB) /* where it begins */

#define NO_SIZE    "the size of the cache is not known"
#define NO_THIRD   "no third-level cache was found"

static const struct {
	const char *name;
	const char *words;
	double bytes; /* moved for each byte of the array */
} streams[ARCH_STREAMS] = {
	[ARCH_READ] = { "read", "read", 1 },
	[ARCH_WRITE] = { "write", "written", 1 },
	[ARCH_COPY] = { "copy", "copied (read and written bytes both counted)",
			2 },
	[ARCH_WRITE_NT] = { "write_nt", "written with non-temporal stores", 1 },
};

struct level {
	const char *name;
	size_t bytes;        /* 0: pieces of main memory */
	const char *unknown; /* why nothing is measured; NULL: it is */
	struct best best[ARCH_STREAMS];
	bool varies[ARCH_STREAMS]; /* with the size of the array */
};

struct streaming {
	struct arch_memory memory;
	enum arch_stream kind;
	size_t bytes;
	size_t piece; /* next one of main memory */
	bool narrow;  /* the narrowest vectors */
};

static void prepare(struct lab *lab, void *context, double x, struct load *load)
{
	struct streaming *s = context;
	size_t piece = lab->clock.is_cycles ? PIECE / 16 : PIECE;
	char *at = lab->memory;

	if (s->bytes == 0) {
		at += FAR + s->piece;
		s->piece = (s->piece + 2 * piece) % AREA;
	}
	/* Halves of an array, or two pieces, that are not copies in step. */
	s->memory.bytes = s->bytes ? (size_t)((double)s->bytes * x) / 2 : piece;
	s->memory.bytes &= ~(size_t)(ARCH_CHUNK - 1);
	s->memory.from = at;
	s->memory.to = at + s->memory.bytes;
	*load = (struct load){
		.run = s->narrow ? arch_narrow_stream(s->kind)
				 : arch_stream(s->kind),
		.arg = &s->memory,
		.times = 1,
		.operations = (double)s->memory.bytes,
		.whole = true,
	};
	if (s->kind != ARCH_COPY && s->bytes) {
		s->memory.to = at;
		s->memory.bytes = (size_t)((double)s->bytes * x) &
				  ~(size_t)(ARCH_CHUNK - 1);
	}
	if (s->bytes) {
		load->times = 1 + 65536 / s->memory.bytes;
		load->warm = 2;
		load->steady = true;
	}
	load->operations = (double)(load->times * s->memory.bytes);
}

static bool is_measured(const struct level *level, enum arch_stream kind)
{
	return !level->unknown && (kind != ARCH_WRITE_NT || !level->bytes);
}

static int time_level(struct lab *lab, struct level *level, size_t *piece)
{
	struct streaming s = { .bytes = level->bytes, .piece = *piece };
	int err = 0;

	for (int i = 0; !err && i < ARCH_STREAMS; i++) {
		struct timing points[2] = { { .x = 1 }, { .x = 0.5 } };

		s.kind = (enum arch_stream)i;
		if (!is_measured(level, s.kind))
			continue;
		err = lab_sweep(lab, points, level->bytes ? 2 : 1, prepare, &s);
		if (level->bytes && points[1].value < points[0].value)
			best_take(&level->best[i], points[1]);
		else
			best_take(&level->best[i], points[0]);
		level->varies[i] |= level->bytes &&
				    !(fabs(points[1].value - points[0].value) <
				      VARIES * points[0].value);
	}
	*piece = s.piece;
	return err;
}

/* Nothing was measured of a level that is not known. */
static void say_unknown(struct machine *m, const char *level,
			enum arch_stream kind, const char *reason)
{
	char name[32];

	snprintf(name, sizeof(name), "%s_%s", level, streams[kind].name);
	machine_doubt(
		m,
		machine_add(m, name, NAN, "bytes/cycle", "an array that fits"),
		reason);
}

static void say_stream(struct machine *m, const struct level *level,
		       enum arch_stream kind, bool exact)
{
	bool sure;
	struct timing timing = best_pick(&level->best[kind], SURE, &sure);
	char name[32], method[160];
	struct machine_constant *c;

	snprintf(name, sizeof(name), "%s_%s", level->name, streams[kind].name);
	snprintf(method, sizeof(method), "%s, %u bytes at a time, %s",
		 streams[kind].words, arch_stream_width(),
		 level->bytes ? "from an array that fits"
			      : "in main memory, in pieces of a large area");
	c = machine_add(m, name,
			machine_round(streams[kind].bytes / timing.value),
			"bytes/cycle", method);
	if (!c)
		return;
	c->spread = timing_spread(&timing);
	if (timing.samples == 0)
		machine_doubt(m, c, "every sample was disturbed");
	else if (!(c->spread <= PART_SPREAD))
		machine_doubt(m, c, "the samples vary too much");
	else if (!exact && !sure)
		machine_doubt(m, c,
			      "only one of several measurements gave "
			      "this value");
	else if (level->varies[kind])
		machine_doubt(m, c,
			      "half of the array is read or written at "
			      "another rate");
	else if (!level->bytes && m->virtual_)
		machine_doubt(m, c, PART_SHARED);
}

/*
 * Stores to one place, one after the other, say how many leave a cycle: a small
 * array is not written faster, unless the last of its stores still wait when
 * the time is taken.
 */
static bool is_written_faster(const struct machine *m, size_t kind,
			      double value)
{
	double each = fmin(machine_get(m, "store_min"),
			   machine_get(m, "store_vec_min"));

	return kind == ARCH_WRITE &&
	       value * each > arch_stream_width() * (1 + FASTER);
}

static void doubt_unless_fast(struct machine *m, size_t kind, double bytes)
{
	char name[32], next[32];
	struct machine_constant *c;
	double cycles;

	snprintf(name, sizeof(name), "L1_%s", streams[kind].name);
	snprintf(next, sizeof(next), "L2_%s", streams[kind].name);
	c = (struct machine_constant *)machine_find(m, name);
	if (!c || isnan(c->value))
		return;
	cycles = bytes / c->value;
	if (machine_get(m, "BR_miss_lat") > VARIES * cycles)
		machine_doubt(m, c,
			      "much of a pass over so small an array is "
			      "the misprediction at its end");
	else if (machine_get(m, next) > c->value * (1 + VARIES))
		machine_doubt(m, c, "L2 seems to be faster");
	else if (is_written_faster(m, kind, c->value))
		machine_doubt(m, c,
			      "it exceeds the rate of stores to one "
			      "line");
}

/* What comes through the first cache comes at its rate at most. */
static void doubt_if_faster(struct machine *m, const char *level, size_t kind)
{
	char name[32];
	const struct machine_constant *first;
	struct machine_constant *c;

	snprintf(name, sizeof(name), "L1_%s", streams[kind].name);
	first = machine_find(m, name);
	snprintf(name, sizeof(name), "%s_%s", level, streams[kind].name);
	c = (struct machine_constant *)machine_find(m, name);
	if (c && first &&
	    c->value > first->value * (1 + (first->stable ? FASTER : 0)))
		machine_doubt(m, c, "it exceeds the bandwidth of L1");
}

/* Roofs for formulas. */
static void say_roofs(struct machine *m, size_t line)
{
	const struct machine_constant *read = machine_find(m, "mem_read");
	const struct machine_constant *lat = machine_find(m, "Mem_lat");
	double stream = read ? read->value : NAN;
	double misses = lat ? (double)line / lat->value : NAN;
	bool good = read && read->stable, good_lat = lat && lat->stable;
	struct machine_constant *c;

	c = machine_add(m, "bytes_stream", stream, "bytes/cycle",
			"main memory read by one core");
	if (!good)
		machine_doubt(m, c,
			      "the values it is derived from are uncertain");
	c = machine_add(m, "Mem_min", machine_round((double)line / stream),
			"cycles", "line size divided by the read bandwidth");
	if (!good)
		machine_doubt(m, c,
			      "the values it is derived from are uncertain");
	c = machine_add(m, "bytes_one_miss_at_a_time", machine_round(misses),
			"bytes/cycle",
			"line size divided by the memory "
			"latency");
	if (!good_lat)
		machine_doubt(m, c,
			      "the values it is derived from are uncertain");
}

static size_t half(double bytes)
{
	return isnan(bytes) ? 0 : (size_t)(bytes / 2);
}

/*
 * The second cache by narrow loads and stores, of which a line takes several:
 * whether they wait for a line one by one.
 */
static int time_narrow(struct lab *lab, struct machine *m, size_t bytes)
{
	static const char *const names[] = { "L2_read_16", "L2_write_16" };
	struct streaming s = { .bytes = bytes, .narrow = true };
	int err = 0;

	for (int i = 0; !err && i < 2; i++) {
		struct best best = { .n = 0 };
		struct machine_constant *c;
		struct timing timing;
		bool sure;

		s.kind = i ? ARCH_WRITE : ARCH_READ;
		for (unsigned p = 0;
		     !err && p < (lab->clock.is_cycles ? 1 : PASSES); p++) {
			struct timing point = { .x = 1 };

			err = lab_sweep(lab, &point, 1, prepare, &s);
			best_take(&best, point);
		}
		timing = best_pick(&best, SURE, &sure);
		c = machine_add(m, names[i], machine_round(1 / timing.value),
				"bytes/cycle",
				"an array that fits, 16 bytes at a time");
		if (c)
			c->spread = timing_spread(&timing);
		if (!(timing_spread(&timing) <= PART_SPREAD))
			machine_doubt(m, c, "the samples are far apart");
		else if (!sure && !lab->clock.is_cycles)
			machine_doubt(m, c,
				      "it was so only once of several times");
	}
	return err;
}

/* Pages that were never touched are not memory yet. */
static void touch(const struct lab *lab)
{
	for (size_t i = 0; i < AREA + 2 * PIECE; i += lab->page_bytes)
		((volatile char *)lab->memory)[FAR + i] = 1;
}

int part_streams(struct lab *lab, struct machine *m)
{
	double l1 = machine_get(m, "L1D_bytes");
	double l2 = machine_get(m, "L2_bytes");
	bool has_l3 = !isnan(l2) && !isnan(machine_get(m, "L3_lat"));
	const char *no_l2 = isnan(l2) ? NO_SIZE : NULL;
	bool exact = lab->clock.is_cycles;
	struct level levels[4] = {
		{ .name = "L1",
		  .bytes = half(l1),
		  .unknown = isnan(l1) ? NO_SIZE : NULL },
		{ .name = "L2", .bytes = half(l2), .unknown = no_l2 },
		{ .name = "L3",
		  /* half of it is more than the second holds, too */
		  .bytes = half(8 * l2),
		  .unknown = has_l3  ? NULL
			     : no_l2 ? no_l2
				     : NO_THIRD },
		{ .name = "mem" },
	};
	size_t piece = 0;
	int err = 0;

	if (!arch_stream_width())
		return 0;
	if (!exact)
		touch(lab);
	for (unsigned p = 0; p < (exact ? 1 : PASSES); p++)
		for (size_t i = 0; !err && i < ARRAY_SIZE(levels); i++)
			if (levels[i].bytes || p < PASSES_FAR)
				err = time_level(lab, &levels[i], &piece);
	if (!err && !no_l2)
		err = time_narrow(lab, m, half(l2));
	for (size_t i = 0; !err && i < ARRAY_SIZE(levels); i++)
		for (int k = 0; k < ARCH_STREAMS; k++)
			if (is_measured(&levels[i], (enum arch_stream)k))
				say_stream(m, &levels[i], (enum arch_stream)k,
					   exact);
			else if (levels[i].unknown && k != ARCH_WRITE_NT)
				say_unknown(m, levels[i].name,
					    (enum arch_stream)k,
					    levels[i].unknown);
	for (size_t k = 0; !err && !isnan(l1) && k < ARCH_WRITE_NT; k++) {
		doubt_unless_fast(m, k, (double)half(l1));
		for (size_t i = 1; exact && i < ARRAY_SIZE(levels); i++)
			doubt_if_faster(m, levels[i].name, k);
	}
	if (!err)
		say_roofs(m, lab->line_bytes);
	return err;
}
