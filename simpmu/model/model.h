/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The modelled machine, as its caller (the Valgrind tool, a test) sees it.
 *
 * A model is one machine: shared L3, memory, page sizes, and the cores. A core
 * is what one guest thread runs on: private L1I, L1D, L2, TLBs, predictor,
 * cycle counter, and its own tallies. The caller reports what the guest does
 * in program order, one core at a time; nothing here may be called from two
 * host threads at once.
 *
 * Freestanding: no libc, no floating point, no globals (translated code must
 * expect vector registers to be lost, as C functions may);
 * memory comes from the caller's allocator; the same calls give the same
 * tallies, always.
 *
 * For each segment, in this order:
 *
 *	model_fetch()                  PART_FETCH: once for each line it touches
 *	model_load(), model_store()    PART_DATA: each memory operand, in order
 *	model_branch()                 PART_BRANCH: if it ends in a branch
 *	model_retire()                 PART_CYCLE: once
 *
 * Calls of a part that is off are to be left out by the caller: then it costs
 * nothing. Most calls for memory and fetches can be left out even when the
 * part is on: see simpmu/model/filter.h. Branches that always go one way can
 * be left out too: see struct bias below.
 *
 * Tallies. The model adds to core->tallies[] the tallies of MODEL_TALLIES in
 * simpmu/model/tally.h, except six look-up counts that follow from how many
 * accesses there were, filtered or not. At reading time the caller stores
 * what it counted itself into a copy of the array and calls
 * model_add_lookups(), which fills in the six.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simpmu/model/filter.h"
#include "simpmu/model/memory.h"
#include "simpmu/model/params.h"
#include "simpmu/model/segment.h"
#include "simpmu/model/tally.h"

#define MODEL_MAX_CORES 64

/*
 * The bias table: conditional branches that went the same way so often that
 * the predictor no longer looks at them (nor enters them into its history).
 * Entry bias_index(pc) of a branch that is settled in direction d equals
 * bias_key(pc, d); then an outcome d is predicted right and changes nothing,
 * so inlined code may compare and skip the call to model_branch():
 *
 *	if (core->bias[bias_index(pc)] != bias_key(pc, taken))
 *		model_branch(core, ...)
 *
 * Index and both keys are constants of the translated branch. Skipping is
 * exact and optional. The table is only used if params.bias_limit is not 0;
 * otherwise no entry ever matches.
 */
#define BIAS_BITS 12
#define BIAS_SIZE (1u << BIAS_BITS)

struct model;

/* A core. The part before the line may be read and, where it says so, written
 * by inlined code (offsetof is the contract); the rest is the model's own. */
/* Lines that went to L2, from L3 or memory, and those from memory; that L1D
 * wrote back to L2, and that were written to memory. */
struct lines {
	uint16_t l3, dram;
	uint16_t back, written;
};

static inline struct lines lines_add(struct lines a, struct lines b)
{
	return (struct lines){ (uint16_t)(a.l3 + b.l3),
			       (uint16_t)(a.dram + b.dram),
			       (uint16_t)(a.back + b.back),
			       (uint16_t)(a.written + b.written) };
}

struct core {
	uint64_t clock;     /* stamp of the next access; see filter.h */
	uint64_t *branches; /* where the next record goes, of branches and of */
	uint64_t *misses;   /* what L1 and TLB missed; see later.h */
	uint64_t pc; /* the load or store under way; 0: nobody waits for it */
	struct filter data; /* loads and stores */
	struct filter code; /* fetches */
	char apart_1[64];
	uint32_t bias[BIAS_SIZE];
	uint64_t *btb; /* pc + 1 of branches whose target is known; NULL: no
			  BTB. A direct jump that finds itself at
			  btb_index() may be left out. */
	uint32_t btb_bits;
	uint32_t btb_mask;
	/* Set by model_branch(): the last branch was mispredicted. */
	bool mispredicted;
	bool btb_missed;     /* its target was not known in time */
	uint16_t wrong_path; /* instructions fetched behind the misprediction */
	char apart_2[64];
	uint64_t tallies[TALLY_COUNT + 1]; /* the last one is for what no tally
					    counts */
	/* ---- private ---- */
	char apart_3[64];
	uint64_t late_tallies[TALLY_COUNT + 1];
	struct lines moved; /* so far; the numbers begin again */
	struct lines told;  /* as far as the cycle model was told of them */
	char apart_4[64];
	uint64_t cycle_tallies[TALLY_COUNT + 1];
	char apart_5[64];
	uint64_t *in_cycles; /* tallies, or those of the cycle model */
	uint64_t *late;      /* tallies, or those of what is done later */
	unsigned later;      /* parts that are left for later */
	struct model *model;
	unsigned index;
	unsigned line_shift;
	uint64_t line_bytes;
	struct hierarchy *mem;
	struct predictor *predictor;
	struct cycles *cycles;
	struct core_kept *kept;
};

/*
 * Make a machine of @params (which params_check() accepted; copied) with the
 * @parts that will be used (enum model_part; PART_CYCLE implies the others).
 * No core yet. Returns NULL if there is no memory.
 */
struct model *model_new(const struct params *params, unsigned parts,
			const struct model_alloc *alloc);

/*
 * Use these parts from now on. State of a part that was off is as old as when
 * it was switched off. False, and no change, if there is no memory.
 */
bool model_set_parts(struct model *model, unsigned parts);

/* Give everything back, cores included. NULL is allowed. */
void model_free(struct model *model);

/* Who decodes code that was never executed, for wrong paths. Without it
 * mispredictions are counted but no wrong path is walked. */
void model_set_decoder(struct model *model, decode_fn *decode, void *ctx);

/*
 * A new core, cold, with zero tallies; NULL if there is no memory or there are
 * MODEL_MAX_CORES already. A thread that ends leaves its core to a later one:
 * caches stay as they are, as in a machine. A thread that migrates simply uses
 * another core from then on.
 */
struct core *model_add_core(struct model *model);

/* Spread the filters of a core that has not been used yet; see filter.h. */
void model_spread(struct core *core);

/* Number of cores, and one of them. */
unsigned model_core_count(const struct model *model);
struct core *model_core(struct model *model, unsigned index);

/* Empty all caches, TLBs, predictors and cycle state; tallies stay. */
void model_flush(struct model *model);

/*
 * Keep what caches, TLBs, predictors and cycles are like, and let them be like
 * that again; tallies and the sizes of pages stay. False if there is no memory;
 * or nothing was kept, or there are more cores or parts since.
 */
bool model_keep(struct model *model);
bool model_bring_back(struct model *model);

/*
 * Pages of [start, end) are 2 MB pages (@huge) or 4 KB pages from now on; the
 * default is 4 KB. Only whole 2 MB pages inside the range become huge. False
 * if there is no memory for one more range.
 */
bool model_set_huge(struct model *model, uint64_t start, uint64_t end,
		    bool huge);

/* ---- fetch ---- */

/* Whether @e is about the page of @ea. */
static inline bool filter_has_page(const struct filter_entry *e, uint64_t ea)
{
	return !((ea ^ e->tag) >> PAGE_SHIFT);
}

static inline void filter_stamp(struct core *core, struct filter_entry *line,
				struct filter_entry *page)
{
	*line->stamp = *page->stamp = core->clock;
	core->clock += CLOCK_STEP;
}

void model_fetch_slow(struct core *core, uint64_t line_address);

/* Fetch of the line that contains @pc. Fetching the line just fetched again
 * may be reported or not: it makes no difference but to L1I_ACCESS. */
static inline void model_fetch(struct core *core, uint64_t pc)
{
	uint64_t address = pc & ~(core->line_bytes - 1);
	struct filter_entry *line =
		filter_line(&core->code, core->line_shift, pc);
	struct filter_entry *page = filter_page(&core->code, pc);

	if (line->tag == (address | FILTER_CLEAN) && filter_has_page(page, pc))
		filter_stamp(core, line, page);
	else
		model_fetch_slow(core, address);
}

/* ---- data ---- */

void model_load_slow(struct core *core, uint64_t pc, uint64_t ea, size_t size);
void model_store_slow(struct core *core, uint64_t pc, uint64_t ea, size_t size);

/* The same if the line of @ea is in the filter, at @line, and its page not. */
void model_load_page(struct core *core, uint64_t pc, uint64_t ea,
		     struct filter_entry *line);
void model_store_page(struct core *core, uint64_t pc, uint64_t ea,
		      struct filter_entry *line);

/* The same if the line is in the filter and the page may be or not. With cycles
 * only where they are left for later, by the instruction at core->pc. */
void model_touch_page(struct core *core, uint64_t ea, bool store);

static inline void model_touch(struct core *core, uint64_t pc, uint64_t ea,
			       bool store)
{
	struct filter_entry *line =
		filter_line(&core->data, core->line_shift, ea);
	struct filter_entry *page = filter_page(&core->data, ea);

	core->pc = pc;
	if (!filter_has_page(page, ea))
		model_touch_page(core, ea, store);
	filter_stamp(core, line, page);
}

/* A load of @size bytes (1 to 64; longer ones must be cut) at @ea by the
 * instruction at @pc. */
static inline void model_load(struct core *core, uint64_t pc, uint64_t ea,
			      size_t size)
{
	struct filter_entry *line =
		filter_line(&core->data, core->line_shift, ea);
	struct filter_entry *page = filter_page(&core->data, ea);
	uint64_t difference = ea - line->tag + (size - 1);

	if ((difference & ~FILTER_TOP) >= core->line_bytes)
		model_load_slow(core, pc, ea, size);
	else if (filter_has_page(page, ea))
		filter_stamp(core, line, page);
	else
		model_load_page(core, pc, ea, line);
}

/* The same for a store. A locked or plain read-modify-write is a load and then
 * a store. */
static inline void model_store(struct core *core, uint64_t pc, uint64_t ea,
			       size_t size)
{
	struct filter_entry *line =
		filter_line(&core->data, core->line_shift, ea);
	struct filter_entry *page = filter_page(&core->data, ea);

	if (ea - line->tag + (size - 1) >= core->line_bytes)
		model_store_slow(core, pc, ea, size);
	else if (filter_has_page(page, ea))
		filter_stamp(core, line, page);
	else
		model_store_page(core, pc, ea, line);
}

/* Where a prefetch instruction wants its line. */
enum prefetch_to {
	PREFETCH_TO_L1,
	PREFETCH_TO_L2,
	PREFETCH_TO_WRITE /* in L1, and no other core's */
};

/* A software prefetch of the line of @ea. Not filtered. */
void model_prefetch(struct core *core, uint64_t ea, enum prefetch_to to);

/* A non-temporal store: goes to memory past the caches. Not filtered, and not
 * to be reported with model_store() too. */
void model_store_nt(struct core *core, uint64_t ea, size_t size);

/* The line of @ea leaves all caches (clflush). */
void model_clflush(struct core *core, uint64_t ea);

/* ---- branches ---- */

/* Any branch that retires. @target: where a taken branch goes; @next: the
 * address after it. For BRANCH_COND @taken tells which of them was followed;
 * others are always taken. */
struct branch {
	_Alignas(16) uint64_t pc; /* so that an address has bits to spare */
	uint64_t target;
	uint64_t next;
	enum branch_kind kind;
	bool taken;
};

/* When it returns, core->mispredicted tells how it went. A branch that was
 * left out was predicted right. */
void model_branch(struct core *core, const struct branch *branch);

/* The same for one that is known to be conditional, and for one that is not
 * and goes to @target, whatever @branch says. */
void model_cond(struct core *core, const struct branch *branch);
void model_other(struct core *core, const struct branch *branch,
		 uint64_t target);

static inline uint32_t bias_index(uint64_t pc)
{
	return (uint32_t)(pc ^ pc >> BIAS_BITS) & (BIAS_SIZE - 1);
}

/* Settled entries are odd-shaped on purpose: 0 is no key. */
static inline uint32_t bias_key(uint64_t pc, bool taken)
{
	return (uint32_t)(pc >> 3) << 10 | (uint32_t)taken << 9 | 0x1ff;
}

/* Direct jumps (not calls: they go on the return stack) may be left out if
 * core->btb is NULL or core->btb[btb_index(core, pc)] is pc + 1. */
static inline size_t btb_index(const struct core *core, uint64_t pc)
{
	return (size_t)(pc ^ pc >> core->btb_bits) & core->btb_mask;
}

/* ---- cycles ---- */

/*
 * The segment retires. @addrs holds the addresses of its memory operands in
 * program order (loads before stores within an instruction), for store-to-load
 * forwarding; NULL if the caller does not keep them. What the segment's
 * accesses, fetches and its branch cost was noted by the calls above.
 */
void model_retire(struct core *core, const struct segment *segment,
		  const uint64_t *addrs);

/* The segment's code is gone: give back what the model kept about it. */
void model_forget(struct model *model, struct segment *segment);

/* The thread enters the kernel or is switched out: the pipeline drains. */
void model_drain(struct core *core);

/* ---- reading ---- */

/*
 * Fill in L1D_LOAD, L1D_STORE, DTLB_LOAD, DTLB_STORE, L1I_ACCESS and
 * ITLB_ACCESS of @tallies, a copy of core->tallies where the caller has put
 * the number of loads, ordinary stores and lines fetched that happened on this
 * core while the parts were on, skipped ones included.
 */
void model_add_lookups(uint64_t *tallies, const struct core *core,
		       uint64_t loads, uint64_t stores, uint64_t fetches);
