/* SPDX-License-Identifier: BSD-3-Clause */
/* Between runs of translated code; see dispatch.h. */
#include "simpmu/fast/dispatch.h"

#include "simpmu/fast/block.h"
#include "simpmu/fast/call/syscall.h"
#include "simpmu/fast/hook.h"
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
	if (block_find(thread_key(t, pc)) || pages_is_code(pc))
		return false;
	t->pc = t->target = pc;
	return true;
}

/* Where to go on after something that the engine did itself. */
static void go_on(struct thread *t)
{
	engine_lock();
	if (!is_nowhere(t, t->pc))
		t->target =
			(uint64_t)block_entry(block_get(thread_key(t, t->pc)));
	engine_unlock();
}

/* Run one instruction, after which a trap may fire. Calls into excluded code
 * count nothing. */
static void step(struct thread *t)
{
	enum mode mode = MODE_STEP;

	engine_lock();
	if (!is_nowhere(t, t->pc)) {
		if (apart_is_at(t->pc, true))
			mode = MODE_ARMED;
		else
			trap_begin_step(t);
		t->target =
			(uint64_t)block_entry(block_get(key_of(t->pc, mode)));
	}
	engine_unlock();
}

static void run_near(struct thread *t, uint32_t why)
{
	t->pc = block_numbered(why & BLOCK_NUMBER)->pc;
	if (thread_mode(t) == MODE_ARMED)
		step(t);
	else
		go_on(t);
}

void dispatch_again(struct thread *t)
{
	go_on(t);
	if (t->has_first_mask) {
		t->has_first_mask = false;
		signal_set_mask(t->first_mask);
	}
}

/* NULL: no code there; the thread takes the fault. */
static struct block *next_block(struct thread *t, uint32_t why)
{
	struct block *block;

	if (why == EXIT_INDIRECT) {
		if (is_nowhere(t, t->pc))
			return NULL;
		block = block_get(thread_key(t, t->pc));
		block_make_thunk(block);
	} else if (why & EXIT_HOT) {
		block = block_numbered(why & NUMBER);
		t->pc = block->pc;
		/* counted when entered, and will be again */
		t->count[t->target]--;
		block = block_get(block_key(block));
		block_heat(block);
	} else if (why & (EXIT_KILLED | EXIT_LOG)) {
		block = block_numbered(why & NUMBER);
		t->pc = block->pc;
		block = block_get(block_key(block));
	} else {
		if (is_nowhere(t, key_pc(exit_target(why))))
			return NULL;
		block = exit_link(why);
		t->pc = block->pc;
	}
	return block;
}

void dispatch(struct thread *t)
{
	uint32_t why = (uint32_t)t->exit;
	const struct block *block;
	uint64_t stepped = trap_end_step(t);

	t->stepping = t->leaving = false;
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
				  "engine cannot run");
		break;
	case EXIT_RESUME:
		t->pc = t->resume;
		break;
	default:
		if ((why & ~BLOCK_NUMBER) == EXIT_NEAR) {
			run_near(t, why);
			return;
		}
		if (why & EXIT_LOG)
			machine_empty_log(t);
		engine_lock();
		block = next_block(t, why);
		if (block)
			t->target = (uint64_t)block_entry(block);
		engine_unlock();
		return;
	}
	if (stepped)
		trap_fire(t, stepped);
	go_on(t);
}
