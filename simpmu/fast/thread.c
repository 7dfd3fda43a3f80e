/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads: made, listed, ended. What the kernel is told is in process.c. */
#include "simpmu/fast/thread.h"

#include <asm/prctl.h>

#include "simpmu/fast/count.h"
#include "simpmu/fast/publish.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/trap/trap.h"
#include "simpmu/pmu/engine.h"

#define MADVISE_DONT_NEED 4

struct thread *threads;

static struct {
	struct thread *by_number[ENGINE_MAX_TID];
	struct thread *ended; /* the kernel may still run on their stacks */
	volatile int lock;
} state;

void engine_lock(void)
{
	for (unsigned spins = 0;
	     __atomic_exchange_n(&state.lock, 1, __ATOMIC_ACQUIRE); spins++)
		if (spins <= 100)
			__builtin_ia32_pause();
		else if (publish_is_alone())
			return; /* whoever has it is gone */
		else
			SYS(__NR_sched_yield, 0, 0, 0);
}

void engine_unlock(void)
{
	__atomic_store_n(&state.lock, 0, __ATOMIC_RELEASE);
}

struct thread *thread_numbered(unsigned number)
{
	return number < ENGINE_MAX_TID ? state.by_number[number] : NULL;
}

/* The struct of a thread that is gone by now, zeroed; NULL if there is none. */
static struct thread *take_ended(void)
{
	int64_t pid = SYS(__NR_getpid, 0, 0, 0);

	for (struct thread **at = &state.ended; *at; at = &(*at)->next) {
		struct thread *t = *at;
		uint64_t handler_stack = t->handler_stack;
		uint64_t *log = t->modelled.logs[0];

		if (SYS(__NR_tgkill, pid, t->kernel_tid, 0) != -3) /* ESRCH */
			continue;
		*at = t->next;
		SYS(__NR_madvise, t, sizeof(*t), MADVISE_DONT_NEED);
		t->handler_stack = handler_stack;
		t->modelled.logs[0] = log;
		return t;
	}
	return NULL;
}

struct thread *thread_new(void)
{
	struct thread *t = NULL;
	unsigned number = 1;

	engine_lock();
	while (number < ENGINE_MAX_TID && state.by_number[number])
		number++;
	if (number < ENGINE_MAX_TID) {
		t = take_ended();
		if (!t)
			t = sys_memory(sizeof(*t));
		state.by_number[number] = t;
	}
	engine_unlock();
	if (!t)
		return NULL;
	t->self = t;
	t->number = number;
	trap_init_thread(t);
	t->stack_top = (uint64_t)(t->stack + ENGINE_STACK - 64);
	return t;
}

void thread_add(struct thread *t)
{
	machine_add_thread(t);
	engine_lock();
	count_add_thread(t);
	t->next = threads;
	threads = t;
	engine_unlock();
}

void thread_adopt(struct thread *t)
{
	struct {
		uint64_t start;
		int32_t flags;
		uint64_t bytes;
	} stack;

	SYS(__NR_arch_prctl, ARCH_SET_GS, t, 0);
	if (!t->handler_stack)
		t->handler_stack = (uint64_t)sys_memory(HANDLER_STACK);
	stack.start = t->handler_stack;
	stack.flags = 0;
	stack.bytes = HANDLER_STACK;
	SYS(__NR_sigaltstack, &stack, 0, 0);
	t->kernel_tid = (int32_t)SYS(__NR_gettid, 0, 0, 0);
}

static void unlist(struct thread *t)
{
	struct thread **at = &threads;

	while (*at && *at != t)
		at = &(*at)->next;
	if (*at)
		*at = t->next;
	state.by_number[t->number] = NULL;
}

void thread_end(struct thread *t)
{
	engine_lock();
	count_keep_ended(t);
	machine_end_thread(t);
	unlist(t);
	t->next = state.ended;
	state.ended = t;
	engine_unlock();
}

void thread_forget_others(struct thread *t)
{
	while (threads) {
		struct thread *other = threads;

		threads = other->next;
		if (other == t)
			continue;
		count_keep_ended(other);
		machine_end_thread(other);
		state.by_number[other->number] = NULL;
		SYS(__NR_munmap, other, sizeof(*other), 0);
	}
	threads = t;
	t->next = NULL;
	t->kernel_tid = (int32_t)SYS(__NR_gettid, 0, 0, 0);
}
