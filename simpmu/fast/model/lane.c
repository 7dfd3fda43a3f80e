/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lanes; see lane.h. A ring of pieces of logs has one writer, the guest's
 * thread, and each lane reads all of it. A lane whose parent is gone ends when
 * the ring is empty: the publisher still wants the counts. A lane that is gone
 * (somebody has killed it) is noticed by who waits for it, who goes on by
 * itself.
 */
#include "simpmu/fast/model/lane.h"

#include "simpmu/fast/process.h"
#include "simpmu/fast/signal/signal.h"
#include "simpmu/fast/sys.h"

#define RING         64u /* a power of 2, more than logs of a thread */
#define STACK_BYTES  65536u
#define CLONE_MEMORY 0x100u     /* CLONE_VM, and no signal at the end */
#define WAIT_ALL     0x40000000 /* __WALL */
#define WAIT_NOT     1u         /* WNOHANG */
#define FUTEX_WAIT   0
#define FUTEX_WAKE   1
#define SET_NAME     15    /* PR_SET_NAME */
#define SPINS        3000u /* of who waits, with a processor for each */
#define PATIENCE     200u  /* moments */
#define MOMENT_NS    50000000u

extern int64_t publisher_clone(uint64_t flags, uint64_t stack,
			       void (*function)(void));

struct piece {
	struct modelled *m;
	const uint64_t *from, *end;
};

static struct {
	struct piece ring[RING];
	_Alignas(64) uint32_t given; /* pieces so far */
	_Alignas(64) uint32_t done[LANES];
	_Alignas(64) uint32_t is_waited_for; /* the guest sleeps */
	uint32_t is_over;
	int32_t pid[LANES]; /* 0: none */
	int32_t parent;
	bool is_tried;
	bool is_ready;
	unsigned spins; /* before one sleeps */
	lane_fn *replay;
	uint8_t *stack[LANES];
} state;

static uint32_t load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static void futex_wait(const uint32_t *word, uint32_t value,
		       const uint64_t time[2])
{
	sys6(__NR_futex, (uint64_t)word, FUTEX_WAIT, value, (uint64_t)time, 0,
	     0);
}

static void futex_wake(const uint32_t *word)
{
	SYS(__NR_futex, word, FUTEX_WAKE, ~0u >> 1);
}

/* ---- a lane ---- */

/* Wait until there is a piece; ends if there will be none. */
static void await_piece(uint32_t next)
{
	const uint64_t second[2] = { 1, 0 };

	for (unsigned i = 0; load(&state.given) == next; i++) {
		if (i < state.spins) {
			__builtin_ia32_pause();
			continue;
		}
		if (load(&state.is_over) ||
		    SYS(__NR_getppid, 0, 0, 0) != state.parent)
			SYS(__NR_exit, 0, 0, 0);
		futex_wait(&state.given, next, second);
	}
}

static void serve(unsigned lane)
{
	SYS(__NR_close_range, 0, ~0u, 0);
	SYS(__NR_setpgid, 0, 0, 0);
	SYS(__NR_prctl, SET_NAME, "simpmu-model", 0);
	for (;;) {
		uint32_t next = state.done[lane];
		const struct piece *p = &state.ring[next % RING];

		await_piece(next);
		state.replay(lane, p->m, p->from, p->end);
		__atomic_store_n(&state.done[lane], next + 1, __ATOMIC_SEQ_CST);
		if (load(&state.is_waited_for))
			futex_wake(&state.done[lane]);
	}
}

static void serve_memory(void)
{
	serve(LANE_MEMORY);
}

static void serve_branches(void)
{
	serve(LANE_BRANCHES);
}

/* ---- beginning and end ---- */

static unsigned processors(void)
{
	uint64_t set[128];
	int64_t n = SYS(__NR_sched_getaffinity, 0, sizeof(set), set);
	unsigned count = 0;

	for (int64_t i = 0; i < n / 8; i++)
		for (uint64_t bits = set[i]; bits; bits &= bits - 1)
			count++;
	return count;
}

static bool start(void)
{
	static void (*const functions[LANES])(void) = { serve_memory,
							serve_branches };
	uint64_t mask;

	state.is_over = 0;
	state.parent = (int32_t)SYS(__NR_getpid, 0, 0, 0);
	mask = signal_block_all();
	for (unsigned i = 0; i < LANES; i++) {
		int64_t pid;

		if (!state.stack[i])
			state.stack[i] = sys_memory(STACK_BYTES);
		pid = publisher_clone(
			CLONE_MEMORY,
			(uint64_t)(state.stack[i] + STACK_BYTES - 64),
			functions[i]);
		state.pid[i] = is_error(pid) ? 0 : (int32_t)pid;
	}
	signal_set_mask(mask);
	state.is_ready = state.pid[LANE_MEMORY] && state.pid[LANE_BRANCHES];
	if (!state.is_ready)
		lane_stop();
	return state.is_ready;
}

bool lane_is_ready(lane_fn *replay)
{
	if (state.is_ready || state.is_tried)
		return state.is_ready;
	state.is_tried = true;
	state.replay = replay;
	/* who spins on a processor that another needs makes it wait */
	state.spins = processors() > LANES ? SPINS : 0;
	return processors() > 1 && !process.is_confined && start();
}

void lane_stop(void)
{
	state.is_tried = state.is_ready = false;
	__atomic_store_n(&state.is_over, 1, __ATOMIC_SEQ_CST);
	futex_wake(&state.given);
	for (unsigned i = 0; i < LANES; i++) {
		while (state.pid[i] &&
		       sys6(__NR_wait4, (uint64_t)state.pid[i], 0, WAIT_ALL, 0,
			    0, 0) == -4) /* EINTR */
			;
		state.pid[i] = 0;
	}
}

void lane_forget(void)
{
	state.is_tried = state.is_ready = false;
	state.pid[LANE_MEMORY] = state.pid[LANE_BRANCHES] = 0;
}

/* ---- the guest's side ---- */

/* Do what a lane that is gone has left. */
static void take_over(unsigned lane)
{
	while (state.done[lane] != state.given) {
		const struct piece *p = &state.ring[state.done[lane] % RING];

		state.replay(lane, p->m, p->from, p->end);
		state.done[lane]++;
	}
}

/* Whether the lane has ended; only its parent can tell. */
static bool is_gone(unsigned lane)
{
	if (sys6(__NR_wait4, (uint64_t)state.pid[lane], 0, WAIT_ALL | WAIT_NOT,
		 0, 0, 0) != state.pid[lane])
		return false;
	state.pid[lane] = 0;
	state.is_ready = false;
	return true;
}

static bool has_done(unsigned lane, uint32_t number)
{
	return (int32_t)(load(&state.done[lane]) - number) >= 0;
}

/* The publisher waits, and the guest may be gone with its lanes. */
static bool is_elsewhere(void)
{
	return SYS(__NR_getpid, 0, 0, 0) != state.parent;
}

/* False: it does not come to it, and the caller cannot take over. */
static bool wait_for(unsigned lane, uint32_t number)
{
	const uint64_t moment[2] = { 0, MOMENT_NS };

	for (unsigned i = 0; !has_done(lane, number); i++) {
		uint32_t done;

		if (i < state.spins) {
			__builtin_ia32_pause();
			continue;
		}
		if (is_gone(lane)) {
			take_over(lane);
			break;
		}
		if (i > state.spins + PATIENCE && is_elsewhere())
			return false;
		__atomic_store_n(&state.is_waited_for, 1, __ATOMIC_SEQ_CST);
		done = load(&state.done[lane]);
		if ((int32_t)(done - number) < 0)
			futex_wait(&state.done[lane], done, moment);
		__atomic_store_n(&state.is_waited_for, 0, __ATOMIC_SEQ_CST);
	}
	return true;
}

void lane_wait(uint32_t number)
{
	for (unsigned i = 0; i < LANES; i++)
		wait_for(i, number);
}

uint32_t lane_give(struct modelled *m, const uint64_t *from,
		   const uint64_t *end)
{
	uint32_t n = state.given;

	if (n >= RING)
		lane_wait(n + 1 - RING);
	state.ring[n % RING] = (struct piece){ m, from, end };
	__atomic_store_n(&state.given, n + 1, __ATOMIC_SEQ_CST);
	futex_wake(&state.given);
	return n + 1;
}

bool lane_finish(void)
{
	return wait_for(LANE_MEMORY, state.given) &&
	       wait_for(LANE_BRANCHES, state.given);
}
