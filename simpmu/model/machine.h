/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inside of a machine: what the parts of the model share and callers do
 * not see.
 */
#pragma once

#include "simpmu/model/cache.h"
#include "simpmu/model/later.h"
#include "simpmu/model/model.h"
#include "simpmu/model/sets.h"
#include "simpmu/model/side.h"

#define TALLY_NOWHERE TALLY_COUNT

/* Who asks. */
enum access {
	ACCESS_LOAD,
	ACCESS_STORE,
	ACCESS_FETCH,
	ACCESS_PREFETCH,     /* this one and those below are no demand */
	ACCESS_SOFTWARE,     /* by an instruction */
	ACCESS_SOFTWARE_OWN, /* the same, for writing */
	ACCESS_KINDS
};

/* Who answered. */
enum level {
	LEVEL_L1,
	LEVEL_L2,
	LEVEL_L3,
	LEVEL_DRAM,
	LEVEL_CORE
};

/* What a level of the hierarchy gives to the one above. */
struct reply {
	enum level level;
	uint8_t flags; /* LINE_OWNED; LINE_DIRTY if the L2 copy is newer */
};

/* One entry of the streamer: a page it follows. Entries are in a list in order
 * of use and, by page, in the chain of a bucket; number 0 ends both. */
struct stream {
	uint64_t key;  /* page + 1; 0: free */
	uint64_t last; /* line of the last access */
	uint32_t seen; /* accesses so far */
	uint16_t newer, older;
	uint16_t chain;
	bool down;
	uint64_t asked[4]; /* a bit for each line that need not be fetched */
};

#define STREAM_BUCKETS 64

struct streamer {
	unsigned page_shift;   /* from lines to pages */
	struct stream *stream; /* [0] is the head: its older is the newest */
	uint16_t bucket[STREAM_BUCKETS];
};

struct stride {
	uint64_t pc;
	uint64_t last; /* line */
	int64_t delta;
	uint32_t seen;
};

/* The memory side of a core. */
struct hierarchy {
	struct side data;
	struct side code;
	struct stride *strides;
	char apart[64]; /* what follows may be worked on by another thread */
	struct sets stlb;
	struct sets l2;
	struct streamer streamer;
	uint64_t nt_line; /* line + 1 in the write-combining buffer */
	bool missed_l2;   /* the last demand access to L2 did */
};

/* Huge pages, as ranges of page numbers. */
struct huge_range {
	uint64_t first;
	uint64_t end;
};

/* Which cores have a line. */
struct sharers {
	uint64_t key; /* line + 1; 0: free */
	uint64_t cores;
};

struct directory {
	struct sharers *entry;
	uint32_t mask;
};

struct model {
	struct params params;
	struct memory memory;
	unsigned parts;
	unsigned line_shift;
	bool kept; /* there is something to bring back */
	struct sets l3;
	struct directory directory; /* used from the second core on */
	uint64_t contended; /* times that a line was taken from another core */
	struct huge_range *huge;
	size_t huge_count;
	size_t huge_capacity;
	decode_fn *decode;
	void *decode_ctx;
	turn_fn *turn;
	void *turn_ctx;
	unsigned cores;
	struct core *core[MODEL_MAX_CORES];
};

/* ---- tlb.c ---- */

void tlb_find(struct core *core, struct side *side, uint64_t address,
	      enum access who, uint32_t *delay);

/* Translate @address for @side of @core, now. *@delay grows by the cycles that
 * this takes beyond a hit. */
static inline void tlb_translate(struct core *core, struct side *side,
				 uint64_t address, enum access who,
				 uint32_t *delay)
{
	struct filter_entry *e = filter_page(side->filter, address);

	if (filter_has_page(e, address))
		*e->stamp = core->clock;
	else
		tlb_find(core, side, address, who, delay);
}

/* The first level does not know @page: look in the second, walk if need be.
 * Returns the cycles that takes. */
uint32_t tlb_look_below(struct core *core, uint64_t page, bool huge,
			enum access who);

/* Forget all translations of @core. */
void tlb_flush(struct core *core);

/* ---- levels.c ---- */

bool levels_init(struct core *core);
void levels_flush(struct core *core);

/* Number of @line for L2 and L3 if pages are scattered. */
uint64_t levels_scattered(const struct model *model, uint64_t line);

static inline uint64_t levels_physical(const struct model *model, uint64_t line)
{
	return model->params.page_map == PAGE_IDENTITY
		       ? line
		       : levels_scattered(model, line);
}

/* Where L2 and L3 would have @line. */
static inline struct place levels_in_l2(const struct core *core, uint64_t line)
{
	return sets_place(&core->mem->l2, levels_physical(core->model, line));
}

static inline struct place levels_in_l3(const struct model *model,
					uint64_t line)
{
	return sets_place(&model->l3, levels_physical(model, line));
}

/* The line with @tag in set number @set of an L2 or L3. */
uint64_t levels_line(const struct model *model, const struct sets *sets,
		     uint32_t set, uint32_t tag);

/* Get @line for L1, from L2 or below. */
struct reply levels_fetch(struct core *core, uint64_t line, enum access who);

/* L1 misses @line, as it seems: let the host fetch the set of L2 in time and,
 * if misses of L2 are usual at present, that of L3. */
static inline void levels_expect(const struct core *core, uint64_t line)
{
	const struct model *model = core->model;
	struct place place = levels_in_l2(core, line);

	sets_expect(&core->mem->l2, &place);
	if (!core->mem->missed_l2 || model->params.l3_kind == L3_NONE)
		return;
	place = levels_in_l3(model, line);
	sets_expect(&model->l3, &place);
}

/* Bring @line into L2 for a prefetcher, if it is not there. */
void levels_prefetch(struct core *core, uint64_t line);

/* L1D or another core gives up a dirty line. */
/* An entry of a page table is read; which level had it. */
enum level levels_read_table(struct core *core, uint64_t address);
void levels_write_back(struct core *core, uint64_t line);
void levels_write_l3(struct core *core, uint64_t line);

/* Put the line that L1 misses into it; the victim leaves. */
uint32_t levels_fill_l1(struct core *core, struct side *side, uint64_t line,
			uint8_t flags);

/* Take @line out of all private caches of @core, or of its L1. Returns the
 * flags it had. */
uint8_t levels_drop(struct core *core, uint64_t line);
uint8_t levels_drop_l1(struct core *core, uint64_t line);

/* The only core stores to @line in L1D for the first time; its copy in L2, if
 * there is one, may be older than memory is not. */
void levels_modify(struct core *core, uint64_t line);

/* A line that L1 has lost is written past the caches, or flushed; @dirty: L1
 * had a newer copy. */
void levels_write_past(struct core *core, uint64_t line);
void levels_flush_line(struct core *core, uint64_t line, bool dirty);

/* ---- coherence.c ---- */

/* Make the directory anew, for the cores there are now. */
bool coherence_rebuild(struct model *model);

/* All caches were emptied. */
void coherence_flush(struct model *model);

/* Other cores that have @line; 0 while there is one core. */
uint64_t coherence_others(const struct core *core, uint64_t line);

/* @core asks for @line. *@supplied tells whether another core has it. Returns
 * LINE_OWNED if no other core has it afterwards. */
uint8_t coherence_request(struct core *core, uint64_t line, bool exclusive,
			  bool *supplied);

/* @core wants to write a line that it may share. Returns LEVEL_CORE if other
 * cores had to drop it. */
enum level coherence_upgrade(struct core *core, uint64_t line);

/* The same, but it will not write yet. */
void coherence_own(struct core *core, uint64_t line);

/* Take @line away from all other cores. */
void coherence_invalidate(struct core *core, uint64_t line);

/* @core may just have lost its last copy of @line. */
void coherence_left(struct core *core, uint64_t line);

/* ---- prefetch.c ---- */

bool prefetch_init(struct core *core);
void prefetch_flush(struct core *core);

/* A demand access reached L2 and was answered from there or from below. */
void prefetch_l2(struct core *core, uint64_t line, bool hit);

/* A load missed L1D, or was the first to use a line prefetched into it. */
void prefetch_l1(struct core *core, uint64_t pc, uint64_t line);

/* ---- access.c ---- */

/* Bring @line into L1D for a prefetcher. */
void access_prefetch_l1(struct core *core, uint64_t line);
