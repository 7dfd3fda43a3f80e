/* SPDX-License-Identifier: BSD-3-Clause */
/* The PMU layer, called; see hook.h. */
#include "simpmu/fast/hook.h"
#include "simpmu/fast/process.h"

#include "simpmu/fast/count.h"
#include "simpmu/fast/publish.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/fast/trap/trap.h"
#include "simpmu/pmu/engine.h"

/* Ticks of the time-stamp counter between safe points: some milliseconds. A
 * safe point that costs much is called less often. */
#define SHORTEST_WAIT 10000000u
#define COST_SHARE    40u

struct call {
	enum {
		PROCESS_START,
		PROCESS_EXIT,
		THREAD_CREATE,
		THREAD_START,
		THREAD_EXIT,
		FORK_CHILD,
		FORK_PARENT,
		EXEC,
		EXEC_FAILED,
		ABANDON,
		LEAVE,
		VARIES,
		REQUEST,
		SAFE_POINT,
		TRAPS,
	} what;
	struct thread *t;
	int status;
	unsigned why;
	const uint64_t *args;
	uint64_t *answer;
	uint64_t address;
	bool is_known;
};

static struct {
	volatile int lock;     /* of the PMU layer */
	struct thread *caller; /* who has it; NULL: the publisher */
	uint64_t last, wait;
	unsigned met;    /* what varies */
	unsigned varies; /* told already */
} state;

extern void call_with_fpu(void (*function)(void *), void *context);

void hook_lock(void)
{
	while (__atomic_exchange_n(&state.lock, 1, __ATOMIC_ACQUIRE))
		SYS(__NR_sched_yield, 0, 0, 0);
}

void hook_unlock(void)
{
	__atomic_store_n(&state.lock, 0, __ATOMIC_RELEASE);
}

static void run_call(void *context)
{
	struct call *c = context;
	unsigned number = c->t ? c->t->number : 0;

	state.caller = c->t;
	switch (c->what) {
	case PROCESS_START:
		pmu_hooks.process_start();
		break;
	case PROCESS_EXIT:
		pmu_hooks.process_exit(c->status);
		break;
	case THREAD_CREATE:
		pmu_hooks.thread_create(number, c->t->parent);
		break;
	case THREAD_START:
		pmu_hooks.thread_start(number, c->t->parent);
		break;
	case THREAD_EXIT:
		pmu_hooks.thread_exit(number);
		break;
	case FORK_CHILD:
		pmu_hooks.fork_child(number);
		break;
	case FORK_PARENT:
		pmu_hooks.fork_parent();
		break;
	case EXEC:
		if (c->t->is_vfork)
			pmu_hooks.spawn(number);
		else
			pmu_hooks.exec(number);
		break;
	case EXEC_FAILED:
		if (c->t->is_vfork)
			pmu_hooks.spawn_failed();
		break;
	case ABANDON:
		pmu_hooks.abandon(number);
		break;
	case LEAVE:
		if (c->t->is_vfork)
			pmu_hooks.spawn_aside(c->why);
		else
			pmu_hooks.leave(c->why);
		break;
	case VARIES:
		pmu_hooks.varies(c->why);
		break;
	case REQUEST:
		count_gather(c->t);
		c->is_known = pmu_hooks.request(number, c->args, c->answer);
		break;
	case SAFE_POINT:
		if (c->t)
			count_gather(c->t);
		pmu_hooks.safe_point(number);
		break;
	case TRAPS:
		count_gather(c->t);
		for (unsigned slot = 0; slot < ENGINE_TRAPS; slot++)
			if (c->why >> slot & 1)
				trap_call(c->t, slot, c->address);
		pmu_hooks.safe_point(number);
		break;
	}
}

static void call(struct call *c)
{
	hook_lock();
	call_with_fpu(run_call, c);
	hook_unlock();
}

/* The process's last, or last before an exec: nothing publishes after it. */
static void call_last(struct call *c)
{
	hook_lock();
	if (!c->t || !c->t->is_vfork)
		publish_stop();
	call_with_fpu(run_call, c);
	hook_unlock();
}

void hook_process_start(void)
{
	call(&(struct call){ .what = PROCESS_START });
	publish_start();
}

void hook_process_exit(int status)
{
	call_last(&(struct call){ .what = PROCESS_EXIT, .status = status });
}

void hook_thread_create(struct thread *t)
{
	call(&(struct call){ .what = THREAD_CREATE, .t = t });
}

void hook_thread_start(struct thread *t)
{
	call(&(struct call){ .what = THREAD_START, .t = t });
}

void hook_thread_exit(struct thread *t)
{
	call(&(struct call){ .what = THREAD_EXIT, .t = t });
}

/* The lock is the parent's. */
void hook_fork_child(struct thread *t)
{
	publish_forget();
	state.lock = 0;
	call(&(struct call){ .what = FORK_CHILD, .t = t });
	publish_start();
}

void hook_fork_parent(struct thread *t)
{
	call(&(struct call){ .what = FORK_PARENT, .t = t });
}

void hook_exec(struct thread *t)
{
	call_last(&(struct call){ .what = EXEC, .t = t });
}

void hook_exec_failed(struct thread *t)
{
	call(&(struct call){ .what = EXEC_FAILED, .t = t });
	if (!t->is_vfork)
		publish_start();
}

void hook_abandon(struct thread *t)
{
	call_last(&(struct call){ .what = ABANDON, .t = t });
}

void hook_leave(struct thread *t, unsigned why)
{
	call_last(&(struct call){ .what = LEAVE, .t = t, .why = why });
}

void hook_varies(unsigned what)
{
	state.met |= what;
	/* if the other engine runs the program it tells by itself */
	if (process.fallback && !process.had_effect)
		return;
	what = state.met & ~state.varies;
	if (!what)
		return;
	state.varies |= what;
	call(&(struct call){ .what = VARIES, .why = what });
}

bool hook_request(struct thread *t, const uint64_t *args, uint64_t *answer)
{
	struct call c = {
		.what = REQUEST, .t = t, .args = args, .answer = answer
	};

	call(&c);
	return c.is_known;
}

struct thread *hook_caller(void)
{
	return state.caller;
}

void hook_trap(struct thread *t, unsigned slots, uint64_t address)
{
	call(&(struct call){
		.what = TRAPS, .t = t, .why = slots, .address = address });
}

static bool is_wanted(void)
{
	return pmu_hooks.is_wanted && pmu_hooks.is_wanted();
}

void hook_safe_point(struct thread *t)
{
	uint64_t now = sys_ticks(), cost;

	if ((now - state.last < state.wait && !is_wanted() &&
	     !publish_is_coming()) ||
	    __atomic_exchange_n(&state.lock, 1, __ATOMIC_ACQUIRE))
		return;
	call_with_fpu(run_call, &(struct call){ .what = SAFE_POINT, .t = t });
	cost = sys_ticks() - now;
	state.last = now + cost;
	state.wait = cost * COST_SHARE > SHORTEST_WAIT ? cost * COST_SHARE
						       : SHORTEST_WAIT;
	hook_unlock();
}

void hook_wake(struct thread *t)
{
	if (!is_wanted() && !state.lock)
		return;
	hook_lock(); /* the publisher may be at it */
	if (is_wanted())
		call_with_fpu(run_call,
			      &(struct call){ .what = SAFE_POINT, .t = t });
	hook_unlock();
}

/* ---- the publisher ---- */

const uint32_t *hook_attention(uint32_t *place)
{
	return pmu_hooks.attention(place);
}

/* Whoever has the lock may be stopped, or gone. */
static bool call_patiently(struct call *c)
{
	for (unsigned i = 0;
	     __atomic_exchange_n(&state.lock, 1, __ATOMIC_ACQUIRE); i++)
		if (!publish_wait(i))
			return false;
	call_with_fpu(run_call, c);
	hook_unlock();
	return true;
}

void hook_publish(void)
{
	call_patiently(&(struct call){ .what = SAFE_POINT });
}

/* A thread that was killed in the PMU layer has left it half done: then what
 * was published last must do. */
void hook_process_gone(void)
{
	call_patiently(&(struct call){ .what = PROCESS_EXIT });
}
