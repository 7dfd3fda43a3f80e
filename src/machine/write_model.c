/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine written as a model file (docs/formats/model.md), so that the
 * simulated PMU models the machine that was measured. Each line says where its
 * number comes from: measured, what the machine says of itself, or the name of
 * its family.
 * What nobody knows stays as in the model that the file starts from.
 */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "machine/families.h"
#include "machine/format.h"

#define BASE     "icx"
#define L3_WAYS  16 /* not measured; the size is */
#define FEW_WAYS 8  /* a second TLB has as many, or more */

/* log2 of the targets of indirect branches that are known: the model's table
 * is direct-mapped, and must hold the list that is timed. */
#define TURN_BITS    12

#define HALF_A_CYCLE 0.5
#define SEEN         0.2 /* cycles that are more than noise */
#define NARROW       16  /* bytes of a narrow load or store */
#define TWICE        1.7 /* and somewhat less, as things vary */

/* Jumps of which each has a piece of code of its own. */
#define JUMPS       "BR_2048_min"
#define JUMPS_COUNT 2048
#define JUMP_BYTES  32

/* What the streamers of servers' cores have on their way. */
#define L2_MISSES 48

struct choice {
	double value;
	const char *from;
};

/* What is certain; else what the machine says of itself; else what was
 * measured nevertheless. */
static struct choice choose(const struct machine *m, const char *name)
{
	const struct machine_constant *c = machine_find(m, name);

	if (!c)
		return (struct choice){ NAN, "" };
	if (c->stable && !isnan(c->value))
		return (struct choice){ c->value, "measured" };
	if (!isnan(c->nominal))
		return (struct choice){ c->nominal,
					"as the machine describes itself" };
	return (struct choice){ c->value, "measured, not stable" };
}

enum how {
	AS_IS,    /* rounded */
	PORTS,    /* as many as make its cycles per operation */
	IN_MEGA,  /* by a million */
	PER_LINE, /* hundredths of a cycle for a line, from bytes per cycle */
	IN_HUNDREDTHS, /* of a cycle */
};

/*
 * Bytes a cycle that memory gives one core. Others may use it while it is
 * measured, and make it slower, but not faster: the best of what was seen.
 */
static struct choice memory_rate(const struct machine *m)
{
	static const char *const names[] = { "mem_read", "mem_write",
					     "mem_copy" };
	struct choice best = { NAN, "" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct choice c = choose(m, names[i]);

		if (isnan(best.value) || c.value > best.value)
			best = c;
	}
	return best;
}

static const struct row {
	const char *section, *key, *constant;
	enum how how;
} rows[] = {
	{ "memory", "line", "line_bytes", AS_IS },
	{ "memory", "dram_latency", "Mem_lat", AS_IS },
	{ "l1i", "sets", "L1I_sets", AS_IS },
	{ "l1i", "ways", "L1I_ways", AS_IS },
	{ "l1d", "sets", "L1D_sets", AS_IS },
	{ "l1d", "ways", "L1D_ways", AS_IS },
	{ "l1d", "latency", "L1_lat", AS_IS },
	{ "l2", "sets", "L2_sets", AS_IS },
	{ "l2", "ways", "L2_ways", AS_IS },
	{ "l2", "latency", "L2_lat", AS_IS },
	{ "l2", "line_time", "L2_read", PER_LINE },
	{ "dtlb", "sets", "DTLB_sets", AS_IS },
	{ "dtlb", "ways", "DTLB_ways", AS_IS },
	{ "pipeline", "clock", "clock_hz", IN_MEGA },
	{ "pipeline", "issue", "issue_width", AS_IS },
	{ "pipeline", "mispredict", "BR_miss_lat", AS_IS },
	{ "pipeline", "forward", "store_forward_lat", AS_IS },
	{ "pipeline", "forward_time", "store_forward_lat", IN_HUNDREDTHS },
	{ "pipeline", "forward_vec", "store_forward_vec_lat", AS_IS },
	{ "pipeline", "taken_time", "BR_lat", IN_HUNDREDTHS },
	{ "pipeline", "commit_time", "store_min", IN_HUNDREDTHS },
	{ "pipeline", "commit_vec_time", "store_vec_min", IN_HUNDREDTHS },
	{ "ports", "int", "int_add_min", PORTS },
	{ "ports", "mul", "int_mul_min", PORTS },
	{ "ports", "fp", "FP_add_min", PORTS },
	{ "ports", "vec", "vec_add_min", PORTS },
	{ "ports", "branch", "BR_min", PORTS },
	{ "ports", "load", "L1_min", PORTS },
	{ "ports", "store", "store_min", PORTS },
	{ "latency", "alu", "int_add_lat", AS_IS },
	{ "latency", "lea3", "int_lea3_lat", AS_IS },
	{ "latency", "shift", "int_shift_lat", AS_IS },
	{ "latency", "bit", "int_popcount_lat", AS_IS },
	{ "latency", "mul", "int_mul_lat", AS_IS },
	{ "latency", "div", "int_div_short_lat", AS_IS },
	{ "latency", "vec", "vec_add_lat", AS_IS },
	{ "latency", "cross", "vec_int_lat", AS_IS },
	{ "latency", "fcvt", "FP_int_lat", AS_IS },
	{ "latency", "fadd", "FP_add_lat", AS_IS },
	{ "latency", "fmul", "FP_mul_lat", AS_IS },
	{ "latency", "fma", "FP_fma_lat", AS_IS },
	{ "latency", "fdiv_s", "FP_div_single_lat", AS_IS },
	{ "latency", "fdiv_d", "FP_div_lat", AS_IS },
	{ "latency", "fsqrt_s", "FP_sqrt_single_lat", AS_IS },
	{ "latency", "fsqrt_d", "FP_sqrt_lat", AS_IS },
	{ "interval", "fdiv_d", "FP_div_min", AS_IS },
	{ "interval", "fsqrt_d", "FP_sqrt_min", AS_IS },
};

static void put_section(FILE *to, const char **last, const char *section)
{
	if (*last && strcmp(*last, section) == 0)
		return;
	fprintf(to, "\n[%s]\n", section);
	*last = section;
}

static void put(FILE *to, const char *key, double value, const char *from)
{
	fprintf(to, "%s = %.0f  # %s\n", key, value, from);
}

static void put_switch(FILE *to, const char *key, bool on, const char *from)
{
	fprintf(to, "%s = %s  # %s\n", key, on ? "on" : "off", from);
}

static double number_for(const struct machine *m, enum how how, double value)
{
	if (how == PER_LINE)
		value = 100 * choose(m, "line_bytes").value / value;
	if (how == PORTS)
		value = value > 0 ? 1 / value : NAN;
	if (how == IN_HUNDREDTHS)
		value *= 100;
	if (how == IN_MEGA)
		value /= 1e6;
	/* no part of the model takes no time or has no place */
	return fmax(round(value), 1);
}

static void put_rows(const struct machine *m, const char *section,
		     const char **last, FILE *to)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct choice c = choose(m, rows[i].constant);

		if (strcmp(rows[i].section, section) != 0 || isnan(c.value))
			continue;
		put_section(to, last, section);
		put(to, rows[i].key, number_for(m, rows[i].how, c.value),
		    c.from);
	}
}

static const char *default_of(const struct family *family)
{
	return family ? family->name : "assumed: the processor is unknown";
}

/*
 * What a core really has of the last cache: a guest, or one of several on it,
 * may have far less than the cache is said to have. What was measured is what
 * the others left then; it is never more than there is.
 */
static struct choice usable_l3(const struct machine *m)
{
	const struct machine_constant *c = machine_find(m, "L3_bytes");

	if (c && !isnan(c->value) && c->value < c->nominal)
		return (struct choice){ c->value,
					c->stable ? "measured"
						  : "measured, not stable" };
	return choose(m, "L3_bytes");
}

static void put_l3(const struct machine *m, const struct family *family,
		   const char **last, FILE *to)
{
	struct choice bytes = usable_l3(m);
	struct choice latency = choose(m, "L3_lat");
	struct choice line = choose(m, "line_bytes");

	put_section(to, last, "l3");
	if (isnan(bytes.value) || isnan(latency.value) || isnan(line.value)) {
		fputs("kind = none  # none was found\n", to);
		return;
	}
	fprintf(to, "kind = %s  # %s\n", family ? family->l3 : "victim",
		default_of(family));
	put(to, "sets", round(bytes.value / line.value / L3_WAYS), bytes.from);
	put(to, "ways", L3_WAYS, "assumed: only the size was measured");
	put(to, "latency", round(latency.value), latency.from);
	if (!isnan(choose(m, "L3_read").value))
		put(to, "line_time",
		    number_for(m, PER_LINE, choose(m, "L3_read").value),
		    choose(m, "L3_read").from);
}

static double value_of(const struct machine *m, const char *name)
{
	return choose(m, name).value;
}

/* Cycles for a line at the measured bytes a cycle. */
static double per_line(const struct machine *m, const char *name)
{
	return value_of(m, "line_bytes") / value_of(m, name);
}

static void put_hundredths(FILE *to, const char *key, double cycles,
			   const char *from)
{
	put(to, key, fmax(round(100 * cycles), 1), from);
}

/*
 * What narrow loads and stores, of which a line takes several, say of L1D: if
 * they take twice as long as from L1D, and longer than the line, each load runs
 * again when its line has come.
 */
static void put_narrow(const struct machine *m, const char **last, FILE *to)
{
	const char *from = choose(m, "L2_read_16").from;
	double each = value_of(m, "line_bytes") / NARROW;
	/* they are of vectors, which may have fewer ports */
	double loads =
		each * fmax(value_of(m, "L1_min"), value_of(m, "load_vec_min"));
	double stores = each * value_of(m, "store_vec_min");
	double read = per_line(m, "L2_read_16");
	double write = per_line(m, "L2_write_16");

	if (isnan(read) || isnan(loads))
		return;
	put_section(to, last, "l1d");
	put_switch(to, "replay",
		   read > TWICE * loads &&
			   read > TWICE * per_line(m, "L2_read"),
		   from);
	if (write > stores + HALF_A_CYCLE && write > per_line(m, "L2_write"))
		put_hundredths(to, "store_line_time", write - stores,
			       choose(m, "L2_write_16").from);
}

/* Lines that are written take the time that is left of what was read. */
static void put_written(const struct machine *m, const char **last, FILE *to)
{
	double l2 = per_line(m, "L2_write") - per_line(m, "L2_read");
	double line = value_of(m, "line_bytes");
	double read = line / memory_rate(m).value;
	double both = 2 * per_line(m, "mem_copy");
	/* a line that is written was read; of one that is copied, two were */
	double memory = fmin(per_line(m, "mem_write") - read, both - 2 * read);
	double past = per_line(m, "mem_write_nt");

	if (l2 > 0) {
		put_section(to, last, "l2");
		put_hundredths(to, "write_time", l2,
			       choose(m, "L2_write").from);
	}
	if (memory > 0) {
		put_section(to, last, "memory");
		put_hundredths(to, "write_time", memory,
			       choose(m, "mem_copy").from);
	}
	if (past > 0) {
		put_section(to, last, "memory");
		put_hundredths(to, "past_time", past,
			       choose(m, "mem_write_nt").from);
	}
}

/* Jumps that are more than the fastest memory of branches holds: of sizes
 * between those that fit and those that do not, the one in the middle. */
static void put_taken(const struct machine *m, const char **last, FILE *to)
{
	static const struct {
		const char *name;
		unsigned held; /* if as many are slower */
	} tries[] = { { "BR_128_min", 64 },
		      { "BR_512_min", 256 },
		      { JUMPS, 1024 } };
	double near = value_of(m, "BR_lat");
	double far = value_of(m, JUMPS);

	if (!(far > near + HALF_A_CYCLE))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
		if (!(value_of(m, tries[i].name) > (near + far) / 2))
			continue;
		put_section(to, last, "pipeline");
		put(to, "taken_near", tries[i].held,
		    choose(m, tries[i].name).from);
		put_hundredths(to, "taken_far_time", far,
			       choose(m, JUMPS).from);
		return;
	}
}

/*
 * Lines of code that are waited for at a time: as many as let jumps through
 * more code than L1I holds follow each other as fast as they do. There may be
 * more.
 */
static void put_code_misses(const struct machine *m, const char **last,
			    FILE *to)
{
	struct choice jumps = choose(m, JUMPS);
	double line = value_of(m, "line_bytes");
	double held = value_of(m, "L1I_sets") * value_of(m, "L1I_ways") * line;
	double each = line / JUMP_BYTES * jumps.value;
	double misses = ceil(value_of(m, "L2_lat") / each);

	if (!(held < JUMPS_COUNT * JUMP_BYTES) || !(misses > 1))
		return;
	put_section(to, last, "l1i");
	put(to, "misses", misses, jumps.from);
}

/* How many lines L1D and L2 wait for at a time. */
static void put_misses(const struct family *family, const char **last, FILE *to)
{
	if (!family)
		return;
	put_section(to, last, "l1d");
	put(to, "misses", family->misses, default_of(family));
	put_section(to, last, "l2");
	put(to, "misses", L2_MISSES, "assumed, not measured");
}

/* An unsure second level no larger than the first is a failed measurement. */
static bool is_failed(const struct machine *m)
{
	const struct machine_constant *stlb = machine_find(m, "STLB_entries");

	return stlb && !stlb->stable && isnan(stlb->nominal) &&
	       stlb->value <= choose(m, "DTLB_entries").value;
}

/* Pages that come from the second TLB one after another, if loads of them are
 * slower than others. */
static void put_page_rate(const struct machine *m, FILE *to)
{
	struct choice each = choose(m, "STLB_min");

	if (each.value > choose(m, "L1_min").value + SEEN)
		put_hundredths(to, "hit_time", each.value, each.from);
}

/* Of the second TLB's latency, what a load that misses L1D does not see. */
static void put_overlap(const struct machine *m, FILE *to)
{
	double overlap = round(choose(m, "STLB_lat").value -
			       choose(m, "STLB_L2_lat").value);

	if (overlap >= 1)
		put(to, "overlap", overlap, choose(m, "STLB_L2_lat").from);
}

/*
 * What a hypervisor reports of the processor may be anything. A TLB that was
 * seen to hold pages has room for these, whatever is reported.
 */
static struct choice held_entries(const struct machine *m, struct choice said)
{
	const struct machine_constant *c = machine_find(m, "STLB_entries");

	if (!c || !(c->value > TWICE * said.value))
		return said;
	return (struct choice){ c->value, "measured, not stable: more than the "
					  "machine reports" };
}

/* Of a TLB of which only the number of entries was measured: eight ways or
 * more, and a power of two of sets, as all such TLBs have. */
static void put_entries(struct choice entries, FILE *to)
{
	double sets = exp2(floor(log2(fmax(entries.value / FEW_WAYS, 1))));

	put(to, "sets", sets, entries.from);
	put(to, "ways", round(entries.value / sets),
	    "assumed: only the number of entries was measured");
}

static void put_stlb(const struct machine *m, const char **last, FILE *to)
{
	struct choice entries = choose(m, "STLB_entries");
	struct choice sets = choose(m, "STLB_sets");
	struct choice ways = choose(m, "STLB_ways");

	if (is_failed(m))
		return;
	entries = held_entries(m, entries);
	if (entries.value > TWICE * sets.value * ways.value)
		sets.value = ways.value = NAN;
	put_section(to, last, "stlb");
	if (isnan(entries.value) || entries.value == 0) {
		put(to, "sets", 0, "none was found");
		put(to, "ways", 0, "none was found");
	} else if (isnan(sets.value) || isnan(ways.value)) {
		put_entries(entries, to);
	} else {
		put(to, "sets", round(sets.value), sets.from);
		put(to, "ways", round(ways.value), ways.from);
	}
	if (!isnan(choose(m, "STLB_lat").value))
		put(to, "latency", round(choose(m, "STLB_lat").value),
		    choose(m, "STLB_lat").from);
	if (!isnan(choose(m, "TLB_data_lat").value))
		put(to, "walk_latency", round(choose(m, "TLB_data_lat").value),
		    choose(m, "TLB_data_lat").from);
	put_page_rate(m, to);
	put_overlap(m, to);
	if (m->simulated)
		return;
	put(to, "walk_reads", m->virtual_ ? 2 : 1,
	    m->virtual_ ? "a guest: its own tables and those of the host"
			: "its tables");
}

static void put_buffers(const struct family *family, const char **last,
			FILE *to)
{
	if (!family)
		return;
	put_section(to, last, "pipeline");
	put(to, "retire", family->retire, default_of(family));
	put(to, "rob", family->rob, default_of(family));
	put(to, "rs", family->rs, default_of(family));
	put(to, "lq", family->lq, default_of(family));
	put(to, "sq", family->sq, default_of(family));
}

/*
 * The blocks in which code is fetched: crossing a boundary between two costs
 * time that crossing others does not.
 */
static void put_blocks(const struct machine *m, const char **last, FILE *to)
{
	struct choice inside = choose(m, "code_min");
	struct choice across = choose(m, "code_32_min");
	unsigned bytes = 32;

	if (!(across.value > inside.value + SEEN)) {
		across = choose(m, "code_64_min");
		bytes = 64;
	}
	if (!(across.value > inside.value + SEEN))
		return;
	put_section(to, last, "pipeline");
	put(to, "fetch_block", bytes, across.from);
	put(to, "block_time", round(100 * (across.value - inside.value)),
	    across.from);
}

/* Loads and stores share ports if both in turn are no faster than that. */
static void put_memory_ports(const struct machine *m, const char **last,
			     FILE *to)
{
	struct choice each = choose(m, "load_store_min");
	double apart =
		fmax(choose(m, "L1_min").value, choose(m, "store_min").value) /
		2;

	if (!(each.value > 1.1 * apart))
		return;
	put_section(to, last, "ports");
	put(to, "memory", fmax(round(1 / each.value), 1), each.from);
}

/* Where vectors are loaded by fewer ports. */
static void put_vector_loads(const struct machine *m, const char **last,
			     FILE *to)
{
	struct choice each = choose(m, "load_vec_min");

	if (!(each.value > 1.1 * choose(m, "L1_min").value))
		return;
	put_section(to, last, "ports");
	put(to, "load_vec", fmax(round(1 / each.value), 1), each.from);
}

/* Multiplications with units of their own: with additions in turn they are
 * faster than either alone. */
static bool multiplies_apart(const struct machine *m)
{
	return choose(m, "FP_mix_min").value <
	       0.75 * fmin(choose(m, "FP_add_min").value,
			   choose(m, "FP_mul_min").value);
}

static void put_multipliers(const struct machine *m, const char **last,
			    FILE *to)
{
	struct choice each = choose(m, "FP_mul_min");

	if (!multiplies_apart(m))
		return;
	put_section(to, last, "ports");
	put(to, "fmul", fmax(round(1 / each.value), 1), each.from);
	put_section(to, last, "unit");
	fputs("fmul = fmul  # measured\nfma = fmul  # measured\n", to);
}

/* Indirect branches to changing targets, if they are slower than others. */
static void put_turns(const struct machine *m, const char **last, FILE *to)
{
	struct choice each = choose(m, "BR_ind_min");

	if (!(each.value > choose(m, "BR_lat").value + SEEN))
		return;
	put_section(to, last, "pipeline");
	put_hundredths(to, "indirect_time", each.value, each.from);
	put_section(to, last, "branch");
	put(to, "indirect_bits", TURN_BITS, "assumed, not measured");
}

/* Shifts, if fewer units execute them than additions. */
static void put_shifts(const struct machine *m, const char **last, FILE *to)
{
	struct choice each = choose(m, "int_shift_min");

	if (!(each.value > 1.1 * choose(m, "int_add_min").value))
		return;
	put_section(to, last, "ports");
	put(to, "shift", fmax(round(1 / each.value), 1), each.from);
}

/*
 * Moves that need no unit: additions and moves in turn then take half as long
 * as additions alone, or as long as instructions take that need none. The time
 * is nearer to that than to that of additions.
 */
static bool moves_are_free(const struct machine *m)
{
	double add = choose(m, "int_add_min").value;
	double free = fmax(add / 2, choose(m, "nop_min").value);

	return choose(m, "int_move_min").value < (add + free) / 2;
}

/* A value that is loaded again before a load could have come back. */
static bool stores_are_renamed(const struct machine *m)
{
	return choose(m, "store_forward_same_lat").value <
	       choose(m, "L1_lat").value;
}

/* A locked addition, over and over at one address, waits for the one before it
 * and for what that stored, unless stores are renamed. */
static void put_serial(const struct machine *m, const char **last, FILE *to)
{
	struct choice lock = choose(m, "lock_min");
	double forward = choose(m, "store_forward_lat").value;

	if (isnan(lock.value))
		return;
	if (!stores_are_renamed(m) && forward < lock.value)
		lock.value -= forward;
	put_section(to, last, "latency");
	put(to, "serial", number_for(m, AS_IS, lock.value), lock.from);
}

/* Without a stack engine a call waits until the return before it has loaded. */
static bool calls_are_fast(const struct machine *m)
{
	return choose(m, "call_min").value < choose(m, "L1_lat").value;
}

/* What timing shows as faster than its parts, or every such core has. */
static void put_switches(const struct machine *m, const struct family *family,
			 const char **last, FILE *to)
{
	const char *known = "as in all cores of the last fifteen years";

	put_section(to, last, "pipeline");
	if (!isnan(choose(m, "call_min").value))
		put(to, "call_time",
		    fmax(round(50 * choose(m, "call_min").value), 1),
		    choose(m, "call_min").from);
	put_switch(to, "rename_stores", stores_are_renamed(m), "measured");
	put_switch(to, "lea_waits", true, known);
	put_switch(to, "stack_engine", family || calls_are_fast(m),
		   family ? known : "by the time of calls");
	put_switch(to, "fuse", family != NULL,
		   family ? known : "assumed: the processor is unknown");
}

/* Where classes execute that have, or need, no unit of the base model. */
static void put_units(const struct machine *m, const char **last, FILE *to)
{
	bool vec = !isnan(choose(m, "vec_add_min").value);

	if (vec || moves_are_free(m))
		put_section(to, last, "unit");
	if (vec)
		fputs("vec = vec  # measured\ncross = vec  # measured\n", to);
	if (!moves_are_free(m))
		return;
	fputs("move = none  # measured\n", to);
	put_section(to, last, "latency");
	fputs("move = 0  # measured\n", to);
}

/*
 * Streamers of server cores run far ahead, and into the next page, or one core
 * could not read as fast as it does: measured bandwidth, by latency, is more
 * than the misses that it can wait for.
 */
static void put_prefetch(const struct machine *m, const struct family *family,
			 const char **last, FILE *to)
{
	struct choice rate = memory_rate(m);
	double lines = rate.value * choose(m, "Mem_lat").value /
		       choose(m, "line_bytes").value;

	if (!family || isnan(lines))
		return;
	put_section(to, last, "prefetch");
	put(to, "stream_train", 2, "assumed, not measured");
	put(to, "stream_window", 4, "assumed, not measured");
	put(to, "stream_degree", fmin(fmax(round(lines / 2), 2), 32),
	    "from measured bandwidth and latency");
	put_switch(to, "stream_cross", lines > family->misses,
		   "from measured bandwidth and latency");
}

static void put_memory_rate(const struct machine *m, const char **last,
			    FILE *to)
{
	struct choice rate = memory_rate(m);

	if (isnan(rate.value))
		return;
	put_section(to, last, "memory");
	put(to, "line_time", number_for(m, PER_LINE, rate.value), rate.from);
}

static void put_snoop(const struct machine *m, const char **last, FILE *to)
{
	struct choice other = choose(m, "core_to_core_lat");
	struct choice l3 = choose(m, "L3_lat");

	if (isnan(other.value) || isnan(l3.value) || other.value < l3.value)
		return;
	put_section(to, last, "memory");
	put(to, "snoop_latency", round(other.value - l3.value), other.from);
}

/* A model's text has its limits: params.h. */
static void put_head(const struct machine *m, const struct family *family,
		     FILE *to)
{
	fprintf(to, "# Written by assay machine. Values that are missing "
		    "here are those of " BASE ".\ninclude " BASE "\n");
	fprintf(to, "name = %.31s\n", m->name);
	fprintf(to, "describe = %.60s, measured%s%.20s\n",
		*m->cpu ? m->cpu : "processor unknown", family ? ", " : "",
		family ? family->name : "");
}

int machine_write_model(const void *machine, const struct report_style *style,
			FILE *to)
{
	static const char *const plain[] = { "l1i",  "l1d",   "l2",
					     "dtlb", "ports", "interval" };
	const struct machine *m = machine;
	const struct family *family = m->simulated ? NULL : family_of(m);
	const char *last = NULL;

	(void)style;
	put_head(m, family, to);
	put_rows(m, "memory", &last, to);
	put_memory_rate(m, &last, to);
	put_snoop(m, &last, to);
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		put_rows(m, plain[i], &last, to);
	put_memory_ports(m, &last, to);
	put_vector_loads(m, &last, to);
	put_shifts(m, &last, to);
	put_multipliers(m, &last, to);
	put_code_misses(m, &last, to);
	put_misses(family, &last, to);
	put_narrow(m, &last, to);
	put_written(m, &last, to);
	put_l3(m, family, &last, to);
	put_stlb(m, &last, to);
	put_rows(m, "pipeline", &last, to);
	put_buffers(family, &last, to);
	put_blocks(m, &last, to);
	put_taken(m, &last, to);
	put_turns(m, &last, to);
	put_switches(m, family, &last, to);
	put_prefetch(m, family, &last, to);
	put_rows(m, "latency", &last, to);
	put_serial(m, &last, to);
	put_units(m, &last, to);
	return ferror(to) ? PAPI_ESYS : 0;
}
