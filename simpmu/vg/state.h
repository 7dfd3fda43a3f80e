/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the engine's own files share: segments, threads, and the one instance
 * of both. Valgrind calls tools back without a context, so this state is the
 * only file-scope state there is.
 */
#ifndef SIMPMU_VG_STATE_H
#define SIMPMU_VG_STATE_H

#include <pub_tool_basics.h>
#include <pub_tool_tooliface.h>

#include "simpmu/vg/engine.h"

/*
 * A segment is a run of guest code between two places where control can
 * leave. Entering it means running all of it, so one counter per segment and
 * thread tells every architectural signal: each is the sum, over the
 * segments, of counter times a constant.
 */
#define SEGMENT_MAX (1u << 21)

/* One term of that sum: @amount of @signal each time a segment is entered. */
struct effect {
	uint16_t signal;
	int16_t amount;
};

struct span {
	uint32_t effects; /* index of the first */
	uint32_t count;
};

/* A segment while its block is being analysed. */
struct draft {
	int32_t amount[SIG_ARCH_COUNT];
};

struct thread {
	bool live;
	bool placed; /* its shadow registers are set */
	unsigned parent;
	uint64_t *entered; /* by segment; written by guest code */
	uint64_t *summed;  /* by segment; what is in totals already */
	uint64_t totals[SIG_COUNT];
};

struct engine {
	unsigned parts;
	unsigned running; /* tid whose shadow registers were set last */
	struct thread threads[ENGINE_MAX_TID];
	uint64_t ended[SIG_COUNT]; /* of threads that are gone */
};

extern struct engine engine;

/* segment.c */
uint32_t segment_intern(Addr block, const struct draft *drafts, unsigned n);
uint32_t segment_count(void);
const struct effect *segment_effects(uint32_t segment, unsigned *n);

/* instrument.c */
IRSB *instrument_block(VgCallbackClosure *closure, IRSB *in,
		       const VexGuestLayout *layout,
		       const VexGuestExtents *extents, const VexArchInfo *host,
		       IRType guest_word, IRType host_word);

/* thread.c */
void thread_register(void);
void thread_sum(struct thread *thread);
struct thread *thread_get(unsigned tid);

/* dump.c: the option --signals */
bool dump_option(const HChar *arg);
void dump_fork(void);
void dump_write(void);

/*
 * Shadow registers, as byte offsets: Valgrind keeps a shadow copy of each
 * thread's guest registers that tools may use as they like. Only constants
 * of a thread may live there, because the end of a signal handler restores
 * what was there when it began.
 */
enum shadow {
	SHADOW_ENTERED = 0, /* thread->entered */
};

#endif /* SIMPMU_VG_STATE_H */
