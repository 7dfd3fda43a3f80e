/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What need not be modelled at once.
 *
 * L1 and the first-level TLBs decide what the guest's next access finds; they
 * are the front, and are modelled when it happens. Nothing that lies below them
 * acts back on them while there is one core and L3 does not include L1, and
 * nothing ever depends on branches but the cycle model, on which nothing
 * depends. So this can be put
 * into a queue and be done later, in the same order, by model_catch_up(): by
 * the same thread a queue at a time, or by another while the guest goes on.
 * The tallies are the same, to the last one.
 *
 * There are two queues, for what has nothing to do with each other: of branches
 * and of misses. A record is a word, its kind in the low bits. A branch is the
 * address of its struct branch, which must not go away; for a kind that needs
 * it the target follows in a word of its own. A miss is a number and a flag.
 *
 * The writer stores records at core->branches and core->misses. When one of
 * them reaches a multiple of QUEUE_BYTES it calls the function of
 * model_set_turn(), which gives what is in both to whoever catches up, and sets
 * them to empty pieces of queue:
 *
 *	*core->branches++ = record;
 *	if (!((uintptr_t)core->branches % QUEUE_BYTES))
 *		turn(ctx, core);
 *
 * Two threads: between model_defer() with some parts and with none, one may
 * call the hooks of model.h for its core while another catches up with branches
 * and one of them with misses. All else (reading tallies, a second core,
 * flushing, other parts, pages of another size) only when the queues are empty
 * and the other waits.
 */
#pragma once

#include "simpmu/model/model.h"

#define QUEUE_BYTES 32768u
#define QUEUE_WORDS (QUEUE_BYTES / 8)

enum later_branch {
	LATER_COND,   /* a conditional branch, which way it went included */
	LATER_DIRECT, /* another, to the target it has */
	LATER_OTHER   /* another, to the target that follows */
};

/* Lines that a cache and pages that a TLB of the first level misses are told
 * apart by who asks, in the order of enum access. */
enum later_miss {
	LATER_LINE = 0,        /* a line that L1 misses */
	LATER_PAGE = 6,        /* a page that a TLB misses; flag: huge */
	LATER_WRITE_BACK = 12, /* a dirty line that leaves L1D */
	LATER_MODIFY,          /* the first store to a line in L1D */
	LATER_NT,              /* a line written past the caches */
	LATER_FLUSH /* a line that leaves all caches; flag: L1D had it
		       dirty */
};

#define LATER_KIND 15u /* low bits of both */

/*
 * A mark among misses has a number, and the kind of a store with its flag set.
 * Whoever catches up with marks is told by each what the accesses since the
 * last one had to wait for.
 */
#define LATER_MARK (16u | LATER_MODIFY)

struct waited {
	unsigned level, code_level; /* of loads and stores, of fetches */
	uint32_t delay, code_delay; /* of translating */
	struct lines lines;         /* that were moved */
	bool is_past;               /* one was written past the caches */
};

typedef void mark_fn(void *ctx, uint64_t number, const struct waited *waited);

static inline uint64_t later_record(unsigned kind, uint64_t number, bool flag)
{
	return number << 5 | (uint64_t)flag << 4 | kind;
}

static inline uint64_t later_branch(enum later_branch kind,
				    const struct branch *branch)
{
	return (uint64_t)(uintptr_t)branch | kind;
}

typedef void turn_fn(void *ctx, struct core *core);
void model_set_turn(struct model *model, turn_fn *turn, void *ctx);

/* Which parts can be left for later now. */
unsigned model_deferrable(const struct model *model);

/* Where queues begin: QUEUE_BYTES of memory at a multiple of them. */
struct queues {
	uint64_t *branches;
	uint64_t *misses;
};

/*
 * Leave @parts (of model_deferrable()) of what @core does for later, and write
 * records to @queues; or no part, if the queues are empty.
 */
void model_defer(struct core *core, unsigned parts, struct queues queues);

/* Do what records of so many words say. */
void model_catch_up_branches(struct core *core, const uint64_t *record,
			     size_t words);
void model_catch_up_misses(struct core *core, const uint64_t *record,
			   size_t words);

/* The same with marks; *@waited goes on from piece to piece. */
void model_catch_up_marked(struct core *core, const uint64_t *record,
			   size_t words, struct waited *waited, mark_fn *mark,
			   void *ctx);
void model_mark(struct core *core, uint64_t number);

/* The queues are empty: let core->tallies have what was done later. */
void model_merge(struct core *core);

/* A branch, as model_cond() and model_other() would be told. */
void later_cond(struct core *core, const struct branch *branch);
void later_other(struct core *core, const struct branch *branch,
		 uint64_t target);
