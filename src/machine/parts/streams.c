/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bandwidth: memory that each level holds is read, written and copied with the
 * widest instructions there are; main memory also written past the caches. A
 * sample of main memory is a piece that was not touched for long, since a
 * longer one would not stay undisturbed.
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
#define PASSES_FAR 3           /* of main memory */
#define SURE       0.03        /* two passes agree within this */
#define FAR        (256 * MIB) /* where it begins */

static const struct {
	const char *name;
	const char *words;
	double bytes; /* moved for each byte of the array */
} streams[ARCH_STREAMS] = {
	[ARCH_READ] = { "read", "read", 1 },
	[ARCH_WRITE] = { "write", "written", 1 },
	[ARCH_COPY] = { "copy", "copied, read and written bytes both counted",
			2 },
	[ARCH_WRITE_NT] = { "write_nt", "written past the caches", 1 },
};

struct level {
	const char *name; /* NULL: there is none */
	size_t bytes;     /* 0: pieces of main memory */
	struct best best[ARCH_STREAMS];
};

struct streaming {
	struct arch_memory memory;
	enum arch_stream kind;
	size_t bytes;
	size_t piece; /* next one of main memory */
};

static void prepare(struct lab *lab, void *context, double x, struct load *load)
{
	struct streaming *s = context;
	size_t piece = lab->clock.is_cycles ? PIECE / 16 : PIECE;
	char *at = lab->memory;

	(void)x;
	if (s->bytes == 0) {
		at += FAR + s->piece;
		s->piece = (s->piece + 2 * piece) % AREA;
	}
	/* Halves of an array, or two pieces, that are not copies in step. */
	s->memory.bytes = s->bytes ? s->bytes / 2 : piece;
	s->memory.bytes &= ~(size_t)(ARCH_CHUNK - 1);
	s->memory.from = at;
	s->memory.to = at + s->memory.bytes;
	*load = (struct load){
		.run = arch_stream(s->kind),
		.arg = &s->memory,
		.times = 1,
		.operations = (double)s->memory.bytes,
	};
	if (s->kind != ARCH_COPY && s->bytes) {
		s->memory.to = at;
		s->memory.bytes = s->bytes & ~(size_t)(ARCH_CHUNK - 1);
	}
	if (s->bytes) {
		load->times = 1 + 65536 / s->memory.bytes;
		load->warm = 2;
	}
	load->operations = (double)(load->times * s->memory.bytes);
}

static bool is_measured(const struct level *level, enum arch_stream kind)
{
	return level->name && (kind != ARCH_WRITE_NT || !level->bytes);
}

static int time_level(struct lab *lab, struct level *level, size_t *piece)
{
	struct streaming s = { .bytes = level->bytes, .piece = *piece };
	int err = 0;

	for (int i = 0; !err && i < ARCH_STREAMS; i++) {
		struct timing point = { .x = 0 };

		s.kind = (enum arch_stream)i;
		if (!is_measured(level, s.kind))
			continue;
		err = lab_sweep(lab, &point, 1, prepare, &s);
		best_take(&level->best[i], point);
	}
	*piece = s.piece;
	return err;
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
			      : "main memory, in pieces of a large area");
	c = machine_add(m, name,
			machine_round(streams[kind].bytes / timing.value),
			"bytes/cycle", method);
	if (!c)
		return;
	c->spread = timing_spread(&timing);
	if (timing.samples == 0)
		machine_doubt(m, c, "no sample was left undisturbed");
	else if (!(c->spread <= PART_SPREAD))
		machine_doubt(m, c, "the samples are far apart");
	else if (!exact && !sure)
		machine_doubt(m, c, "it was so only once of several times");
	else if (!level->bytes && m->virtual_)
		machine_doubt(m, c, PART_SHARED);
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
		machine_doubt(m, c, "it is made of what is not certain");
	c = machine_add(m, "Mem_min", machine_round((double)line / stream),
			"cycles", "a line, by the bandwidth of reading");
	if (!good)
		machine_doubt(m, c, "it is made of what is not certain");
	c = machine_add(m, "bytes_one_miss_at_a_time", machine_round(misses),
			"bytes/cycle", "a line, by the latency of memory");
	if (!good_lat)
		machine_doubt(m, c, "it is made of what is not certain");
}

static size_t half(double bytes)
{
	return isnan(bytes) ? 0 : (size_t)(bytes / 2);
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
	bool exact = lab->clock.is_cycles;
	struct level levels[4] = {
		{ .name = isnan(l1) ? NULL : "L1", .bytes = half(l1) },
		{ .name = isnan(l2) ? NULL : "L2", .bytes = half(l2) },
		{ .name = has_l3 ? "L3" : NULL, .bytes = half(4 * l2) },
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
	for (size_t i = 0; !err && i < ARRAY_SIZE(levels); i++)
		for (int k = 0; k < ARCH_STREAMS; k++)
			if (is_measured(&levels[i], (enum arch_stream)k))
				say_stream(m, &levels[i], (enum arch_stream)k,
					   exact);
	if (!err)
		say_roofs(m, lab->line_bytes);
	return err;
}
