/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the engine's own files share: segments, threads, and the one instance
 * of both. Valgrind calls tools back without a context, so this state is the
 * only file-scope state there is.
 */
#pragma once

#include <pub_tool_basics.h>
#include <pub_tool_tooliface.h>

#include "simpmu/pmu/engine.h"

/* ---- counts beyond the signals ---- */

/*
 * Counted like architectural signals, but not for the PMU: what the model's
 * inlined filters let pass, and (for the option --audit) how VEX's view of
 * the program differs from the architecture.
 */
/* clang-format off */
#define EXTRA_COUNTS(X)                                                        \
	X(SEEN_LOADS)   /* loads that the model saw or was spared */           \
	X(SEEN_STORES)                                                         \
	X(SEEN_FETCHES)                                                        \
	X(VEX_LOADS)    /* loads as VEX makes them */                          \
	X(VEX_STORES)                                                          \
	X(VEX_EXITS)    /* conditional exits as VEX makes them */              \
	X(LOCK_LOADS)   /* of VEX_LOADS: more than the instruction has */      \
	X(STATE_LOADS)                                                         \
	X(SPLIT_LOADS)                                                         \
	X(BITS_LOADS)                                                          \
	X(OTHER_LOADS)                                                         \
	X(STATE_STORES)                                                        \
	X(SPLIT_STORES)                                                        \
	X(BITS_STORES)                                                         \
	X(OTHER_STORES)                                                        \
	X(DEAD_LOADS)   /* loads of instructions that VEX leaves out */        \
	X(CALL_LOADS)   /* loads that VEX makes in a helper */                 \
	X(CALL_STORES)                                                         \
	X(REP_FOUND)    /* rep strings that ended before their count did */    \
	X(REP_EXITS)    /* of VEX_EXITS: no conditional branches */            \
	X(LOCK_EXITS)                                                          \
	X(FAULT_EXITS)                                                         \
	X(OTHER_EXITS)                                                         \
	X(FOLDED)       /* conditional branches without an exit */
/* clang-format on */

enum extra {
#define X(name) EXTRA_##name,
	EXTRA_COUNTS(X)
#undef X
	EXTRA_COUNT
};

/* Totals are the signals, then the extra counts. */
#define TOTAL_COUNT (TALLY_COUNT + EXTRA_COUNT)

/* Drafts are the architectural signals, then the extra counts. */
#define DRAFT_COUNT    (TALLY_ARCH_COUNT + EXTRA_COUNT)
#define DRAFT_EXTRA(x) (TALLY_ARCH_COUNT + EXTRA_##x)

/* ---- segments ---- */

/*
 * A segment is a run of guest code between two places where control can
 * leave. Entering it means running all of it, so one counter per segment and
 * thread tells every architectural signal: each is the sum, over the
 * segments, of counter times a constant.
 */
#define SEGMENT_MAX (1u << 21)

/* One term of that sum: @amount of total @total for each entry. */
struct effect {
	uint32_t total;
	int32_t amount;
};

/* A segment while its block is being analysed. */
struct draft {
	int32_t amount[DRAFT_COUNT];
	int32_t head[DRAFT_COUNT]; /* of these, the rest of the first
				      instruction if it begins inside that */
	Addr address;              /* of its first instruction */
	Addr last;                 /* and of its last one */
	bool inside;               /* it begins in the middle of the first */
	bool touches;              /* ... and the first accesses memory here */
};

/* What is known of a segment later, when an instruction in it has faulted. */
struct segment_place {
	uint32_t segment;
	Addr start, last;
	bool inside, touches;
};

/* segment.c */
uint32_t segment_intern(Addr block, const struct draft *drafts, unsigned n);
uint32_t segment_count(void);
bool segment_is_full(void);
void segment_reset(void); /* all counters are summed, no code will use them */
const struct effect *segment_effects(uint32_t segment, unsigned *n);
const struct effect *segment_head(uint32_t segment, unsigned *n);
bool segment_next(uint32_t block, struct segment_place *place);

/* ---- threads ---- */

/*
 * Memory of a thread that guest code reaches through a shadow register. The
 * shadow register holds only its address: mutable values may not live in
 * shadow registers, because the end of a signal handler restores them.
 */
struct frame {
	int64_t left[ENGINE_TRAPS]; /* until the trap fires */
	uint64_t fired; /* guest code must stop at the next instruction */
	uint64_t spare[7];
	uint64_t entered[SEGMENT_MAX]; /* by segment */
};

enum shadow {
	SHADOW_FRAME = 0, /* byte offsets into the shadow registers */
	SHADOW_CORE = 8,
	SHADOW_BLOCK = 16, /* the first segment of the block that runs */
	SHADOW_SINK = 32,  /* what nobody reads */
};

struct thread {
	bool live;
	bool paused;      /* excluded text has been called: count nothing */
	Addr pause_stack; /* where its return address is */
	unsigned parent;
	int kernel_tid;
	struct frame *frame;
	uint64_t *summed; /* by segment; what is in totals already */
	bool is_running;  /* guest code */
	bool is_summed;   /* it has not run since all of it is in totals */
	uint64_t totals[TOTAL_COUNT];
};

struct engine {
	unsigned parts;
	unsigned running; /* tid */
	bool audit;
	struct thread threads[ENGINE_MAX_TID];
	uint64_t ended[TOTAL_COUNT]; /* of threads that are gone */
};

extern struct engine engine;

/* thread.c */
void thread_register(void);
void thread_sum(unsigned tid);
void thread_forget_segments(void);
struct thread *thread_get(unsigned tid);
void thread_process_totals(uint64_t out[TOTAL_COUNT]);

/* translate.c */
void engine_retranslate(void);
void translate_stop(void);
void translate_now(void);      /* no guest code is running */
bool translate_discards(void); /* it is the engine that does */
void translate_begin_request(void);
void translate_end_request(void);

/* ---- the rest, by file ---- */

/* instrument.c */
IRSB *instrument_block(VgCallbackClosure *closure, IRSB *in,
		       const VexGuestLayout *layout,
		       const VexGuestExtents *extents, const VexArchInfo *host,
		       IRType guest_word, IRType host_word);

/* exclude.c */
bool exclude_any(void);
bool exclude_holds(Addr address);
bool exclude_is_led_to(Addr address);

/* trap.c */
void trap_disarm_frame(struct frame *frame);

/* fault.c */
void fault_meet(unsigned tid); /* translated code of @tid has faulted */
void fault_emit_block(IRSB *sb, const VexGuestLayout *layout, uint32_t first);
void fault_emit_use(IRSB *sb, const VexGuestLayout *layout, IRExpr *value);
void fault_emit_load(IRSB *sb, const VexGuestLayout *layout, IRExpr *address,
		     unsigned size);

/* host/failure.c */
bool failure_option(const HChar *arg);
void failure_emit(IRSB *sb); /* as an option for tests asks for */

/* unknown.c: instructions that VEX does not know, and the end by one */
void unknown_note(Addr at);
void unknown_finish(void);

/* dump.c: the options --signals, --audit and --parts */
bool dump_option(const HChar *arg);
void dump_start(void);
void dump_fork(void);
void dump_write(void);
