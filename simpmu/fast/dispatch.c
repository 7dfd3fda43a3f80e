/* SPDX-License-Identifier: BSD-3-Clause */
/* Between runs of translated code; see dispatch.h. */
#include "simpmu/fast/dispatch.h"

#include "simpmu/fast/block.h"
#include "simpmu/fast/hook.h"
#include "simpmu/fast/process.h"
#include "simpmu/fast/request.h"
#include "simpmu/fast/signal.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/syscall.h"
#include "simpmu/fast/thread.h"

#define NUMBER 0x00ffffff /* of a block, in an exit */

/* Where to go on after something that the engine did itself. */
static void go_on(struct thread *t)
{
	engine_lock();
	t->target = (uint64_t)block_entry(block_get(t->pc));
	engine_unlock();
}

void dispatch_again(struct thread *t)
{
	go_on(t);
	if (t->has_first_mask) {
		t->has_first_mask = false;
		signal_set_mask(t->first_mask);
	}
}

static struct block *next_block(struct thread *t, uint32_t why)
{
	struct block *block;

	if (why == EXIT_INDIRECT) {
		block = block_get(t->pc);
		block_make_thunk(block);
	} else if (why & EXIT_HOT) {
		block = block_numbered(why & NUMBER);
		t->pc = block->pc;
		/* counted when entered, and will be again */
		t->count[t->target]--;
		block = block_get(t->pc);
		block_heat(block);
	} else if (why & EXIT_KILLED) {
		t->pc = block_numbered(why & NUMBER)->pc;
		block = block_get(t->pc);
	} else {
		block = exit_link(why);
		t->pc = block->pc;
	}
	return block;
}

void dispatch(struct thread *t)
{
	uint32_t why = (uint32_t)t->exit;

	t->stepping = t->leaving = false;
	switch (why) {
	case EXIT_SYSCALL:
		if (t->pending)
			syscall_rewind(t);
		else
			syscall_do(t);
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
		engine_lock();
		t->target = (uint64_t)block_entry(next_block(t, why));
		engine_unlock();
		return;
	}
	go_on(t);
}
