/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lanes; see lane.h. A ring of pieces of logs has one writer, the guest's
 * thread, and the lanes of both models read all of it. A second ring has
 * batches of misses, from the lane of memory to that of misses. A lane whose
 * parent is gone ends when there is nothing left to do: the publisher still
 * wants the counts. A lane that is gone (somebody has killed it) is noticed by
 * the guest's thread when it waits, which goes on by itself; but if the lane
 * was replaying (it may have found no memory), the model is between two states.
 */
#include "simpmu/fast/model/lane.h"

#include "simpmu/fast/model/miss.h"
#include "simpmu/fast/process.h"
#include "simpmu/fast/signal/signal.h"
#include "simpmu/fast/sys.h"
#include "simpmu/pmu/host.h"

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
#define BATCHES      16u /* a power of 2 */
#define BATCHES_DUE  4u  /* a lane that sleeps is woken for so many */

extern void call_with_fpu(void (*function)(void *), void *context);
extern int64_t publisher_clone(uint64_t flags, uint64_t stack,
			       void (*function)(void));

struct piece {
	struct modelled *m;
	const uint64_t *from, *end;
};

static struct {
	struct piece ring[RING];
	_Alignas(64) uint32_t given;          /* pieces so far */
	_Alignas(64) uint32_t done[LANE_ALL]; /* pieces */
	_Alignas(64) uint32_t is_waited_for;  /* the guest sleeps */
	uint32_t is_busy[LANE_ALL];           /* it replays */
	uint32_t is_over;
	int32_t pid[LANE_ALL]; /* 0: none */
	int32_t parent;
	bool is_tried;
	bool is_ready;
	unsigned spins; /* before one sleeps */
	lane_fn *replay;
	uint8_t *stack[LANE_ALL];
} state;

/* Batches of misses; the memory of each is that of its place in the ring. */
static struct {
	struct batch ring[BATCHES];
	uint64_t *memory;
	_Alignas(64) uint32_t given;
	_Alignas(64) uint32_t taken;
	_Alignas(64) uint32_t is_waited_for; /* for room */
} misses;

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

/* Whether the lane of memory is gone, for one who is not its parent. */
static bool is_memory_gone(void)
{
	int32_t pid =
		__atomic_load_n(&state.pid[LANE_MEMORY], __ATOMIC_RELAXED);

	return !pid || is_error(SYS(__NR_kill, pid, 0, 0));
}

/* Whether there will be nothing more to do for one who has no work. */
static bool is_at_end(unsigned lane)
{
	static unsigned times; /* that the lane before had not come further */

	if (!load(&state.is_over) && SYS(__NR_getppid, 0, 0, 0) == state.parent)
		return false;
	return lane != LANE_MISSES ||
	       load(&state.done[LANE_MEMORY]) == load(&state.given) ||
	       is_memory_gone() || ++times == PATIENCE;
}

/* Wait until *@given is not @next any more; ends if that will not be. */
static void await_work(unsigned lane, const uint32_t *given, uint32_t next)
{
	const uint64_t second[2] = { 1, 0 };

	for (unsigned i = 0; load(given) == next; i++) {
		if (i < state.spins) {
			__builtin_ia32_pause();
			continue;
		}
		if (is_at_end(lane) && load(given) == next)
			SYS(__NR_exit, 0, 0, 0);
		futex_wait(given, next, second);
	}
}

static void set_busy(unsigned lane, bool is_busy)
{
	__atomic_store_n(&state.is_busy[lane], is_busy, __ATOMIC_SEQ_CST);
}

static void end_piece(unsigned lane)
{
	__atomic_store_n(&state.done[lane], state.done[lane] + 1,
			 __ATOMIC_SEQ_CST);
	if (load(&state.is_waited_for))
		futex_wake(&state.done[lane]);
}

/* The piece that comes next for a lane with a model. */
static void do_piece(unsigned lane)
{
	const struct piece *p = &state.ring[state.done[lane] % RING];

	set_busy(lane, true);
	state.replay(lane, p->m, p->from, p->end);
	if (lane == LANE_MEMORY)
		call_with_fpu(miss_end_piece, NULL);
	end_piece(lane);
	set_busy(lane, false);
}

static void do_batch(void)
{
	struct batch *b = &misses.ring[misses.taken % BATCHES];
	bool is_last = b->is_last;

	set_busy(LANE_MISSES, true);
	if (b->words)
		call_with_fpu(miss_catch_up, b);
	__atomic_store_n(&misses.taken, misses.taken + 1, __ATOMIC_SEQ_CST);
	if (load(&misses.is_waited_for))
		futex_wake(&misses.taken);
	if (is_last)
		end_piece(LANE_MISSES);
	set_busy(LANE_MISSES, false);
}

static void begin_lane(void)
{
	SYS(__NR_close_range, 0, ~0u, 0);
	SYS(__NR_setpgid, 0, 0, 0);
	SYS(__NR_prctl, SET_NAME, "simpmu-model", 0);
}

static void serve(unsigned lane)
{
	begin_lane();
	for (;;) {
		await_work(lane, &state.given, state.done[lane]);
		do_piece(lane);
	}
}

static void serve_misses(void)
{
	begin_lane();
	for (;;) {
		await_work(LANE_MISSES, &misses.given, misses.taken);
		do_batch();
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

/* Batches begin at multiples of their size. */
static uint64_t *lane_memory(void)
{
	uint64_t memory =
		(uint64_t)sys_memory((size_t)(BATCHES + 1) * MISS_BYTES);

	return (uint64_t *)((memory + MISS_BYTES - 1) &
			    ~(uint64_t)(MISS_BYTES - 1));
}

static bool start(void)
{
	static void (*const functions[LANE_ALL])(
		void) = { serve_memory, serve_branches, serve_misses };
	uint64_t mask;

	state.is_over = 0;
	state.parent = (int32_t)SYS(__NR_getpid, 0, 0, 0);
	mask = signal_block_all();
	if (!misses.memory)
		misses.memory = lane_memory();
	for (unsigned i = 0; i < LANE_ALL; i++) {
		int64_t pid;

		set_busy(i, false);
		if (!state.stack[i])
			state.stack[i] = sys_memory(STACK_BYTES);
		pid = publisher_clone(
			CLONE_MEMORY,
			(uint64_t)(state.stack[i] + STACK_BYTES - 64),
			functions[i]);
		state.pid[i] = is_error(pid) ? 0 : (int32_t)pid;
	}
	signal_set_mask(mask);
	state.is_ready = state.pid[LANE_MEMORY] && state.pid[LANE_BRANCHES] &&
			 state.pid[LANE_MISSES];
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
	futex_wake(&misses.given);
	for (unsigned i = 0; i < LANE_ALL; i++) {
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
	for (unsigned i = 0; i < LANE_ALL; i++)
		state.pid[i] = 0;
}

/* ---- the guest's side ---- */

/* Do what there is to do for a lane that is gone. */
static void take_over(unsigned lane)
{
	if (lane == LANE_MISSES)
		while (load(&misses.given) != misses.taken)
			do_batch();
	else
		while (state.done[lane] != state.given)
			do_piece(lane);
}

/* Whether the lane has ended; only its parent can tell. */
static bool is_gone(unsigned lane)
{
	if (!state.pid[lane])
		return true;
	if (sys6(__NR_wait4, (uint64_t)state.pid[lane], 0, WAIT_ALL | WAIT_NOT,
		 0, 0, 0) != state.pid[lane])
		return false;
	state.pid[lane] = 0;
	state.is_ready = false;
	if (load(&state.is_busy[lane]))
		host_give_up(125,
			     "a process of the model ended while it "
			     "replayed: killed, or out of memory%s",
			     "");
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

/* The lane of misses first: that of memory may wait for it. */
static void take_over_lost(void)
{
	for (unsigned i = LANE_ALL; i-- > 0;)
		if (!is_elsewhere() && is_gone(i))
			take_over(i);
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
		take_over_lost();
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

bool lane_wait(uint32_t number)
{
	for (unsigned i = 0; i < LANE_ALL; i++)
		if (!wait_for(i, number))
			return false;
	return true;
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
	return lane_wait(state.given);
}

/* ---- misses ---- */

uint64_t *lane_first_batch(void)
{
	return misses.memory +
	       misses.given % BATCHES * (MISS_BYTES / sizeof(uint64_t));
}

/* One batch is being written: there is room for all others. */
static bool has_room(void)
{
	return misses.given - load(&misses.taken) < BATCHES;
}

/* Who waits may be the guest's thread, in the place of a lane that is gone. */
static void await_room(void)
{
	const uint64_t moment[2] = { 0, MOMENT_NS };

	while (!has_room()) {
		uint32_t taken;

		if (!is_elsewhere() && is_gone(LANE_MISSES)) {
			take_over(LANE_MISSES);
			return;
		}
		__atomic_store_n(&misses.is_waited_for, 1, __ATOMIC_SEQ_CST);
		taken = load(&misses.taken);
		if (misses.given - taken >= BATCHES)
			futex_wait(&misses.taken, taken, moment);
		__atomic_store_n(&misses.is_waited_for, 0, __ATOMIC_SEQ_CST);
	}
}

uint64_t *lane_give_misses(const struct batch *batch)
{
	misses.ring[misses.given % BATCHES] = *batch;
	__atomic_store_n(&misses.given, misses.given + 1, __ATOMIC_SEQ_CST);
	/* nobody waits for these but at the end of a piece */
	if (batch->is_last || misses.given - load(&misses.taken) >= BATCHES_DUE)
		futex_wake(&misses.given);
	await_room();
	return lane_first_batch();
}
