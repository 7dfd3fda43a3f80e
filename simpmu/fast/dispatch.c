/* SPDX-License-Identifier: BSD-3-Clause */
/* Between runs of translated code; see dispatch.h. */
#include "simpmu/fast/dispatch.h"

#include "simpmu/fast/block.h"
#include "simpmu/fast/call/syscall.h"
#include "simpmu/fast/hook.h"
#include "simpmu/fast/keep/keep.h"
#include "simpmu/fast/mode.h"
#include "simpmu/fast/pages.h"
#include "simpmu/fast/path.h"
#include "simpmu/fast/pause.h"
#include "simpmu/fast/process.h"
#include "simpmu/fast/request.h"
#include "simpmu/fast/signal/signal.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/fast/trap/trap.h"

#define NUMBER       0x00ffffff  /* of a block, in an exit */
#define BLOCK_NUMBER 0x003fffffu /* the same for EXIT_NEAR */

/*
 * Go on at @pc, which is no code: the processor is sent there, with all state
 * the guest's, and finds the fault by itself; signal_handle() knows it by
 * t->target. What has been translated was code when it was.
 */
static bool is_nowhere(struct thread *t, uint64_t pc)
{
	const struct block *block = block_find(thread_key(t, pc));

	if ((block && block->is_valid) || pages_is_code(pc))
		return false;
	t->pc = t->target = pc;
	return true;
}

/* ---- room for translations ---- */

static bool is_any_inside(void)
{
	for (const struct thread *t = threads; t; t = t->next)
		if (__atomic_load_n(&t->is_inside, __ATOMIC_ACQUIRE))
			return true;
	return false;
}

/*
 * All is full: forget all translations, once no thread is in the cache or has
 * chosen where to enter it. Threads that are there come out soon, for all ways
 * into translations lead here. Nobody reads counts meanwhile.
 */
static void make_room(void)
{
	hook_lock();
	engine_lock();
	if (!block_has_room()) {
		if (is_any_inside())
			block_kill_all();
		else if (machine_catch_up_locked())
			block_flush();
	}
	engine_unlock();
	hook_unlock();
	SYS(__NR_sched_yield, 0, 0, 0);
}

/* Take the engine's lock, with room for what a thread translates at once. */
static void lock_with_room(void)
{
	engine_lock();
	while (!block_has_room()) {
		engine_unlock();
		make_room();
		engine_lock();
	}
}

/* Choose where @t enters the cache. */
static void enter_at(struct thread *t, uint64_t target)
{
	t->target = target;
	__atomic_store_n(&t->is_inside, 1, __ATOMIC_RELEASE);
}

static void come_out(struct thread *t)
{
	__atomic_store_n(&t->is_inside, 0, __ATOMIC_RELEASE);
}

/* ---- where to go on ---- */

/* Where to go on after something that the engine did itself. */
static void go_on(struct thread *t)
{
	lock_with_room();
	if (!is_nowhere(t, t->pc))
		enter_at(t, (uint64_t)block_entry(
				    block_get(thread_key(t, t->pc))));
	engine_unlock();
}

/* Run one instruction, after which a trap may fire. Calls into excluded code
 * count nothing. */
static void step(struct thread *t)
{
	enum mode mode = MODE_STEP;

	lock_with_room();
	if (!is_nowhere(t, t->pc)) {
		if (apart_is_at(t->pc, true))
			mode = MODE_ARMED;
		else
			trap_begin_step(t);
		enter_at(t,
			 (uint64_t)block_entry(block_get(key_of(t->pc, mode))));
	}
	engine_unlock();
}

static void run_near(struct thread *t)
{
	if (thread_mode(t) == MODE_ARMED)
		step(t);
	else
		go_on(t);
}

void dispatch_again(struct thread *t)
{
	come_out(t);
	keep_enter(t);
	go_on(t);
	if (t->has_first_mask) {
		t->has_first_mask = false;
		signal_set_mask(t->first_mask);
	}
}

static bool is_near(uint32_t why)
{
	return (why & ~BLOCK_NUMBER) == EXIT_NEAR;
}

/* What @why names, while it still means something: t->pc. */
static void find_out(struct thread *t, uint32_t why)
{
	switch (why) {
	case EXIT_SYSCALL:
	case EXIT_INDIRECT:
	case EXIT_STEPPED:
	case EXIT_RETURN:
	case EXIT_REQUEST:
	case EXIT_REFUSED:
	case EXIT_RESUME:
		return;
	default:
		break;
	}
	if (is_near(why)) {
		t->pc = block_numbered(why & BLOCK_NUMBER)->pc;
	} else if (why & (EXIT_HOT | EXIT_KILLED | EXIT_LOG)) {
		t->pc = block_numbered(why & NUMBER)->pc;
		/* counted when entered, and will be again */
		if (why & EXIT_HOT)
			t->count[t->target]--;
	} else {
		t->pc = key_pc(exit_target(why));
	}
}

/* The block at t->pc, which there is code for. */
static struct block *next_block(struct thread *t, uint32_t why)
{
	struct block *block;

	if (why == EXIT_INDIRECT) {
		block = block_get(thread_key(t, t->pc));
		block_make_thunk(block);
		return block;
	}
	if (!(why & (EXIT_HOT | EXIT_KILLED | EXIT_LOG)))
		return exit_link(why);
	block = block_get(block_key(block_numbered(why & NUMBER)));
	if (why & EXIT_HOT)
		block_heat(block);
	return block;
}

/* Go on where translated code was left for @why, in @epoch. */
static void link(struct thread *t, uint32_t why, uint32_t epoch)
{
	const struct block *block;

	lock_with_room();
	if (!is_nowhere(t, t->pc)) {
		block = epoch == block_epoch()
				? next_block(t, why)
				: block_get(thread_key(t, t->pc));
		enter_at(t, (uint64_t)block_entry(block));
	}
	engine_unlock();
}

void dispatch(struct thread *t)
{
	uint32_t why = (uint32_t)t->exit;
	uint32_t epoch = block_epoch();
	uint64_t stepped = trap_end_step(t);

	t->stepping = t->leaving = false;
	find_out(t, why);
	come_out(t);
	switch (why) {
	case EXIT_SYSCALL:
		if (t->pending)
			syscall_rewind(t);
		else
			syscall_do(t);
		pause_look(t);
		break;
	case EXIT_STEPPED:
		break;
	case EXIT_RETURN:
		pause_return(t);
		break;
	case EXIT_REQUEST:
		request_answer(t);
		break;
	case EXIT_REFUSED:
		process_refuse(t, "its next instruction is one that the fast "
				  "engine cannot read or run");
		break;
	case EXIT_RESUME:
		t->pc = t->resume;
		break;
	default:
		if (is_near(why)) {
			run_near(t);
			return;
		}
		if (why & EXIT_LOG)
			machine_empty_log(t);
		keep_enter(t);
		link(t, why, epoch);
		return;
	}
	if (stepped)
		trap_fire(t, stepped);
	go_on(t);
}
