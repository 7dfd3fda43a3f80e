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

#define MIB   ((size_t)1 << 20)
#define AREA  (192 * MIB) /* main memory that is gone through */
#define PIECE MIB
#define FAR   (256 * MIB) /* where it begins */

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
	const char *name;
	size_t bytes; /* 0: pieces of main memory */
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

static int time_stream(struct lab *lab, struct machine *m,
		       const struct level *level, struct streaming *s)
{
	struct timing point = { .x = 0 };
	char name[32], method[160];
	struct machine_constant *c;
	int err = lab_sweep(lab, &point, 1, prepare, s);

	if (err)
		return err;
	snprintf(name, sizeof(name), "%s_%s", level->name,
		 streams[s->kind].name);
	snprintf(method, sizeof(method), "%s, %u bytes at a time, %s",
		 streams[s->kind].words, arch_stream_width(),
		 level->bytes ? "from an array that fits"
			      : "main memory, in pieces of a large area");
	c = machine_add(m, name,
			machine_round(streams[s->kind].bytes / point.value),
			"bytes/cycle", method);
	if (!c)
		return 0;
	c->spread = timing_spread(&point);
	if (!(c->spread <= PART_SPREAD))
		machine_doubt(m, c, "the samples are far apart");
	return 0;
}

static int time_level(struct lab *lab, struct machine *m,
		      const struct level *level)
{
	struct streaming s = { .bytes = level->bytes };
	int err = 0;

	for (int i = 0; !err && i < ARCH_STREAMS; i++) {
		s.kind = (enum arch_stream)i;
		if (s.kind == ARCH_WRITE_NT && level->bytes)
			continue;
		err = time_stream(lab, m, level, &s);
	}
	return err;
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

int part_streams(struct lab *lab, struct machine *m)
{
	double l1 = machine_get(m, "L1D_bytes");
	double l2 = machine_get(m, "L2_bytes");
	bool has_l3 = !isnan(machine_get(m, "L3_lat"));
	struct level levels[] = {
		{ "L1", isnan(l1) ? 0 : (size_t)(l1 / 2) },
		{ "L2", isnan(l2) ? 0 : (size_t)(l2 / 2) },
		{ "L3", isnan(l2) || !has_l3 ? 0 : (size_t)(2 * l2) },
		{ "mem", 0 },
	};
	int err = 0;

	if (!arch_stream_width())
		return 0;
	if (!lab->clock.is_cycles)
		for (size_t i = 0; i < AREA + 2 * PIECE; i += lab->page_bytes)
			((volatile char *)lab->memory)[FAR + i] = 1;
	for (size_t i = 0; !err && i < ARRAY_SIZE(levels); i++)
		if (levels[i].bytes || i + 1 == ARRAY_SIZE(levels))
			err = time_level(lab, m, &levels[i]);
	if (!err)
		say_roofs(m, lab->line_bytes);
	return err;
}
