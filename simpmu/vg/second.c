/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring of pieces of queue, written by guest code and by the model's front,
 * and the thread that catches up with them.
 *
 * Valgrind does not know of the thread: it is made by the system call, has all
 * signals blocked and calls nothing of Valgrind's. The guest could see it as a
 * task more in /proc. It is only made if the program runs for a while and a
 * second processor looks idle; without it every full piece is worked off where
 * it became full. What is counted is the same.
 *
 * Whoever has to wait spins for a little and then sleeps.
 */
#include <pub_tool_aspacemgr.h>
#include <pub_tool_basics.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_options.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

#include "simpmu/vg/fresh.h"
#include "simpmu/vg/second.h"

#define PIECES 32
/* Waking a thread costs guest code as much as writing many a record. */
#define WORTH_WAKING 8
#define STACK_BYTES  (64u << 10)
#define SPIN_TICKS   100000 /* of the host's clock: some 30 microseconds */

/* Pieces worked off alone before a thread is thought of, some milliseconds;
 * twice as many each time that no processor is idle. */
#define PATIENCE 8u
#define REFUSALS 2 /* that make it longer */

enum wish {
	WISH_AUTO,
	WISH_YES,
	WISH_ALONE,
	WISH_NO
};

static struct {
	enum wish wish;
	struct core *core;
	uint64_t *branches, *misses; /* as many pieces of each queue */
	char *stack;
	bool running;   /* there is a thread */
	bool refused;   /* the system would not make one */
	bool merged;    /* the core's signals have all that was done */
	uint32_t alone; /* pieces worked off without the thread */
	uint32_t refusals;
	uint32_t branch_words[PIECES], miss_words[PIECES];
	char apart_1[64];
	uint32_t given; /* pieces ready; the thread sleeps on it */
	uint32_t reader_sleeps;
	char apart_2[64];
	uint32_t done; /* pieces worked off; guest code's thread sleeps on it */
	uint32_t writer_sleeps;
	char apart_3[64];
	uint32_t misses_done;  /* the same of misses; there, who does them */
	uint32_t misses_taken; /* is the only one */
	char apart_4[64];
} ring;

bool second_option(const HChar *arg)
{
	if VG_XACT_CLO (arg, "--second-core=auto", ring.wish, WISH_AUTO)
		return true;
	if VG_XACT_CLO (arg, "--second-core=yes", ring.wish, WISH_YES)
		return true;
	if VG_XACT_CLO (arg, "--second-core=alone", ring.wish, WISH_ALONE)
		return true;
	if VG_XACT_CLO (arg, "--second-core=no", ring.wish, WISH_NO)
		return true;
	return false;
}

unsigned second_parts(void)
{
	return ring.core ? ring.core->later : 0;
}

struct core *second_core(void)
{
	return ring.core;
}

/* ---- system calls, as both threads make them ---- */

static long system_call(long number, const long args[5])
{
	register long r10 __asm__("r10") = args[3];
	register long r8 __asm__("r8") = args[4];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(args[0]), "S"(args[1]),
			   "d"(args[2]), "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return result;
}

#define CALL(number, ...) system_call(number, (const long[5]){ __VA_ARGS__ })

static void wake(uint32_t *word)
{
	CALL(__NR_futex, (long)word, VKI_FUTEX_WAKE | VKI_FUTEX_PRIVATE_FLAG,
	     1);
}

/* Wait until *@word is not @value any more. */
static void wait_while(uint32_t *word, uint32_t value, uint32_t *sleeps)
{
	uint64_t start = __builtin_ia32_rdtsc();

	while (__builtin_ia32_rdtsc() - start < SPIN_TICKS) {
		if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value)
			return;
		__builtin_ia32_pause();
	}
	__atomic_store_n(sleeps, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(word, __ATOMIC_SEQ_CST) == value)
		CALL(__NR_futex, (long)word,
		     VKI_FUTEX_WAIT | VKI_FUTEX_PRIVATE_FLAG, value);
	__atomic_store_n(sleeps, 0, __ATOMIC_RELAXED);
}

/* One piece more; a sleeper is woken if @enough. */
static void advance(uint32_t *word, const uint32_t *sleeps, bool enough)
{
	__atomic_store_n(word, *word + 1, __ATOMIC_SEQ_CST);
	if (enough && __atomic_load_n(sleeps, __ATOMIC_SEQ_CST))
		wake(word);
}

/* ---- the second thread ---- */

static struct queues piece(uint32_t number)
{
	size_t at = (size_t)(number % PIECES) * QUEUE_WORDS;

	return (struct queues){ ring.branches + at, ring.misses + at };
}

static bool has_cycles(void)
{
	return ring.core->later & PART_CYCLE;
}

/* What the second thread does of a piece: branches, or cycles, which need what
 * is found for misses. */
static void do_own(uint32_t number)
{
	const uint64_t *record = piece(number).branches;
	uint32_t words = ring.branch_words[number % PIECES];

	if (has_cycles())
		model_catch_up_stretches(ring.core, record, words);
	else
		model_catch_up_branches(ring.core, record, words);
}

/* What either thread does: misses, with cycles branches as well. */
static void do_misses(uint32_t number)
{
	struct queues queues = piece(number);

	if (has_cycles())
		model_answer_stretches(ring.core, queues.branches,
				       ring.branch_words[number % PIECES]);
	else
		model_catch_up_misses(ring.core, queues.misses,
				      ring.miss_words[number % PIECES]);
}

/*
 * Misses have nothing to do with branches, and cycles act back on neither:
 * guest code's thread does them when it would have to wait. False if none
 * before piece @end is left, or if the other thread is at it.
 */
static bool help(uint32_t end)
{
	bool left;

	if (__atomic_exchange_n(&ring.misses_taken, 1, __ATOMIC_ACQUIRE))
		return false;
	/* the other thread may have got beyond by now */
	left = (int32_t)(end - ring.misses_done) > 0;
	if (left) {
		do_misses(ring.misses_done);
		__atomic_store_n(&ring.misses_done, ring.misses_done + 1,
				 __ATOMIC_RELEASE);
	}
	__atomic_store_n(&ring.misses_taken, 0, __ATOMIC_RELEASE);
	return left;
}

/* Whether the misses of piece @number are done. */
static bool are_misses_done(uint32_t number)
{
	uint32_t done = __atomic_load_n(&ring.misses_done, __ATOMIC_ACQUIRE);

	return (int32_t)(done - number) > 0;
}

__attribute__((used, noreturn)) static void run_thread(void)
{
	for (;;) {
		uint32_t next = ring.done;

		wait_while(&ring.given, next, &ring.reader_sleeps);
		if (!has_cycles())
			do_own(next);
		while (!are_misses_done(next))
			if (!help(next + 1))
				__builtin_ia32_pause();
		if (has_cycles())
			do_own(next);
		advance(&ring.done, &ring.writer_sleeps, true);
	}
}

/* Like fork(), on a stack of its own, never to return there. */
static long make_thread(char *top)
{
	long flags = VKI_CLONE_VM | VKI_CLONE_FS | VKI_CLONE_FILES |
		     VKI_CLONE_SIGHAND | VKI_CLONE_THREAD | VKI_CLONE_SYSVSEM;
	long result = __NR_clone;

	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "call %P[run]\n\t"
			 "1:"
			 : "+a"(result)
			 : "D"(flags), "S"(top), "d"(0L), [run] "i"(run_thread)
			 : "rcx", "r8", "r10", "r11", "memory");
	return result;
}

static void begin_thread(void)
{
	const uint64_t all = ~UINT64_C(0);
	uint64_t before;

	if (!ring.stack)
		ring.stack = fresh_pages(STACK_BYTES);
	if (!ring.stack)
		return;
	CALL(__NR_rt_sigprocmask, VKI_SIG_BLOCK, (long)&all, (long)&before,
	     sizeof(all));
	ring.running = true;
	if (make_thread(ring.stack + STACK_BYTES) < 0) {
		ring.running = false;
		ring.refused = true;
	}
	CALL(__NR_rt_sigprocmask, VKI_SIG_SETMASK, (long)&before, 0,
	     sizeof(before));
}

/* ---- is it worth while ---- */

static unsigned processors(void)
{
	uint64_t mask[16];
	long bytes = CALL(__NR_sched_getaffinity, 0, sizeof(mask), (long)mask);
	unsigned count = 0;

	for (long i = 0; i < bytes / 8; i++)
		count += (unsigned)__builtin_popcountll(mask[i]);
	return count;
}

/* Of all tasks, the number that run or could run, this one included: the
 * number before the slash. */
static unsigned runnable(void)
{
	HChar text[128], *at;
	SysRes file = VG_(open)("/proc/loadavg", VKI_O_RDONLY, 0);
	Int n;

	if (sr_isError(file))
		return 1;
	n = VG_(read)((Int)sr_Res(file), text, sizeof(text) - 1);
	VG_(close)((Int)sr_Res(file));
	text[n > 0 ? n : 0] = '\0';
	at = VG_(strchr)(text, '/');
	if (!at)
		return 1;
	while (at > text && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return (unsigned)VG_(strtoull10)(at, NULL);
}

static bool is_worth_while(void)
{
	unsigned count;

	if (ring.wish != WISH_AUTO)
		return ring.wish == WISH_YES;
	if (ring.alone < PATIENCE << ring.refusals)
		return false;
	ring.alone = 0;
	count = processors();
	if (count > 1 && runnable() < count)
		return true;
	ring.refusals += ring.refusals < REFUSALS;
	return false;
}

void second_consider(void)
{
	if (!ring.running && !ring.refused && second_parts() &&
	    is_worth_while())
		begin_thread();
}

/* ---- writing ---- */

static void write_to(struct core *core, struct queues queues)
{
	core->branches = queues.branches;
	core->misses = queues.misses;
}

static uint32_t pieces_left(void)
{
	return ring.given - __atomic_load_n(&ring.done, __ATOMIC_ACQUIRE);
}

/* Wait, or help, until there are fewer than @most pieces left. */
static void wait_for(uint32_t most)
{
	uint32_t left;

	while ((left = pieces_left()) >= most)
		if (!help(ring.given))
			wait_while(&ring.done, ring.given - left,
				   &ring.writer_sleeps);
}

/* What is in the present pieces is ready; have empty ones. @here: work it off
 * at once, which is right if the thread, if any, has nothing left to do. */
static void give(struct core *core, bool here)
{
	struct queues queues = piece(ring.given);
	uint32_t i = ring.given % PIECES;

	ring.branch_words[i] = (uint32_t)(core->branches - queues.branches);
	ring.miss_words[i] = (uint32_t)(core->misses - queues.misses);
	ring.merged = false;
	if (here) {
		do_misses(ring.given);
		do_own(ring.given);
	} else {
		advance(&ring.given, &ring.reader_sleeps,
			pieces_left() + 1 >= WORTH_WAKING);
		wait_for(PIECES);
	}
	write_to(core, piece(ring.given));
}

static uint64_t *new_pieces(size_t count)
{
	Addr memory = (Addr)fresh_pages((count + 1) * QUEUE_BYTES);

	tl_assert2(memory, "no memory for queues");
	return (uint64_t *)((memory + QUEUE_BYTES - 1) &
			    ~(Addr)(QUEUE_BYTES - 1));
}

/* The queue of a core that nobody looks at. */
static struct {
	struct core *core;
	uint64_t *queue;
} ignored;

void second_ignore(struct core *core)
{
	ignored.core = core;
	ignored.queue = new_pieces(1);
	core->branches = ignored.queue;
}

void second_turn(void)
{
	if (ignored.core->branches >
	    ignored.queue + QUEUE_WORDS - STRETCH_SPARE / sizeof(uint64_t)) {
		ignored.core->branches = ignored.queue;
		return;
	}
	ring.alone += !ring.running;
	give(ring.core, !ring.running);
}

static void turn(void *ctx, struct core *core)
{
	(void)ctx;
	(void)core;
	second_turn();
}

static bool is_empty(void)
{
	struct queues queues = piece(ring.given);

	return ring.core->branches == queues.branches &&
	       ring.core->misses == queues.misses;
}

/* To wake the thread for a few records costs more than to do them. */
void second_drain(void)
{
	if (!second_parts())
		return;
	if (!is_empty())
		give(ring.core, !pieces_left());
	if (ring.running &&
	    __atomic_load_n(&ring.reader_sleeps, __ATOMIC_SEQ_CST))
		wake(&ring.given);
	wait_for(1);
	if (!ring.merged)
		model_merge(ring.core);
	ring.merged = true;
}

void second_defer(struct core *core, unsigned parts)
{
	if (ring.wish == WISH_NO)
		parts = 0;
	second_drain();
	if (!ring.branches) {
		ring.branches = new_pieces(PIECES);
		ring.misses = new_pieces(PIECES);
	}
	if (ring.core && ring.core != core)
		model_defer(ring.core, 0, (struct queues){ 0 });
	ring.core = core;
	if (!core)
		return;
	model_set_turn(core->model, turn, NULL);
	model_defer(core, parts, piece(ring.given));
}

void second_fork(void)
{
	ring.running = ring.refused = false;
	ring.alone = 0;
	ring.done = ring.misses_done = ring.given;
}
