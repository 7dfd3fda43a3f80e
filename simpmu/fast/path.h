/* SPDX-License-Identifier: BSD-3-Clause */
/* A translation while it is being made. Private to the translator. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "simpmu/fast/mode.h"
#include "simpmu/model/tally.h"
#include "simpmu/x86/decode.h"

#define PATH_SIDES  256
#define PATH_FAR    64
#define PATH_CALLS  32

#define PATH_ALWAYS 65536 /* a share of runs: all of them */

/* A way out of the middle of a trace. */
struct path_side {
	uint8_t *jump; /* displacement that leads there */
	uint64_t target;
	uint64_t at; /* of an indirect branch that went elsewhere; else 0 */
	struct x86 insn;
	uint32_t counter;            /* 0: none */
	int32_t spent[THREAD_TRAPS]; /* of traps, by then */
	uint32_t record;             /* exit of the log; 0: none */
	unsigned held;               /* register that the log has there */
	bool is_live;
};

struct path {
	struct block *block;
	bool is_trace;
	enum mode mode; /* as the block has */
	bool is_silent; /* it counts and logs nothing */
	uint8_t *start;
	uint64_t pc;       /* the next instruction */
	uint64_t end;      /* of the last one that was read */
	bool is_fleeting;  /* fleeting.h */
	uint64_t page;     /* that is known to be code, by number */
	uint64_t block_pc; /* where the basic block at hand begins */
	unsigned insns, branches;
	uint32_t reach; /* share of its runs that come so far */
	int32_t amount[TALLY_ARCH_COUNT]; /* of all so far */
	struct path_side sides[PATH_SIDES];
	unsigned n_sides;
	/* return addresses that do not fit an immediate */
	struct {
		uint8_t *displacement;
		uint64_t value;
	} far[PATH_FAR];
	unsigned n_far;
	uint64_t calls[PATH_CALLS]; /* return addresses of calls followed */
	unsigned n_calls;
	/* immediates of what tests and subtracts for traps; NULL: none */
	uint8_t *test[THREAD_TRAPS], *spend[THREAD_TRAPS];
};

/* The key of a block that the path goes on with at @pc; leave for it. */
uint64_t path_key(const struct path *path, uint64_t pc);
void path_exit(const struct path *path, uint64_t pc);
/* Add what @insn means to the path's amounts. */
void path_account(struct path *path, const struct x86 *insn);
/* A counter for the path so far. */
uint32_t path_counter(const struct path *path);

/* Keep flags in rax, which is spilled; bring them back. */
void path_save_flags(void);
void path_restore_flags(void);
/* What stands at the entry of a block, and of a trace (enter.c). */
void enter_block(struct path *path);
void enter_trace(struct path *path);
/* Make a trace after so many runs of a block, 0: never. For tests. */
void enter_hot_after(uint64_t runs);

/* Copy one instruction that is no branch (copy.c). */
void path_copy(struct path *path, const struct x86 *insn);

/*
 * Where excluded code begins (apart.c): whether a path that counts ends before
 * @pc, where a basic block starts or not; translate what is there instead.
 */
bool apart_is_at(uint64_t pc, bool is_start);
void apart_emit(struct path *path);
/* Before an indirect branch of a paused path is emitted: leave the cache by it
 * instead if it may end the pause. */
void apart_emit_branch(uint64_t pc, const struct x86 *insn);

/* Whether the conditional branch at hand, to @target, is mostly taken: what the
 * path's block has counted (branch.c). */
bool path_likely_taken(struct path *path, uint64_t target);
/* Where the indirect branch at hand is expected to go; 0: not known. */
uint64_t path_expected(struct path *path, const struct x86 *insn);
/* Push the address behind a call. */
void path_push(struct path *path, uint64_t address);
/* Load where the indirect branch @insn at @pc goes into rcx; the stack is as
 * a return leaves it. */
void path_target(uint64_t pc, const struct x86 *insn);
/* Where the indirect branch @insn at @pc goes: looked up and jumped to, and
 * logged with the exit @record, if it is not 0. @is_spilled: rcx is, and has
 * changed. */
void path_jump_indirect(struct path *path, uint64_t pc, const struct x86 *insn,
			uint32_t record, bool is_spilled);
/*
 * Go on if it goes to @expected, else jump away: returns the displacement. rcx
 * is spilled on that way only.
 */
uint8_t *path_expect(uint64_t pc, const struct x86 *insn, uint64_t expected);
