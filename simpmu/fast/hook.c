/* SPDX-License-Identifier: BSD-3-Clause */
/* The PMU layer, called; see hook.h. */
#include "simpmu/fast/hook.h"

#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/pmu/engine.h"

/* Ticks of the time-stamp counter between safe points: some milliseconds. A
 * safe point that costs much is called less often. */
#define SHORTEST_WAIT 10000000u
#define COST_SHARE    40u

struct call {
	enum {
		PROCESS_START,
		PROCESS_EXIT,
		THREAD_START,
		THREAD_EXIT,
		FORK_CHILD,
		EXEC,
		EXEC_FAILED,
		LEAVE,
		VARIES,
		REQUEST,
		SAFE_POINT,
	} what;
	struct thread *t;
	int status;
	unsigned why;
	const uint64_t *args;
	uint64_t *answer;
	bool is_known;
};

static struct {
	volatile int lock; /* of the PMU layer */
	uint64_t last, wait;
	unsigned varies; /* told already */
} state;

extern void call_with_fpu(void (*function)(void *), void *context);

static void lock(void)
{
	while (__atomic_exchange_n(&state.lock, 1, __ATOMIC_ACQUIRE))
		SYS(__NR_sched_yield, 0, 0, 0);
}

static void unlock(void)
{
	__atomic_store_n(&state.lock, 0, __ATOMIC_RELEASE);
}

static void run(void *context)
{
	struct call *c = context;
	unsigned number = c->t ? c->t->number : 0;

	switch (c->what) {
	case PROCESS_START:
		pmu_hooks.process_start();
		break;
	case PROCESS_EXIT:
		pmu_hooks.process_exit(c->status);
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
		c->is_known = pmu_hooks.request(number, c->args, c->answer);
		break;
	case SAFE_POINT:
		pmu_hooks.safe_point(number);
		break;
	}
}

static void call(struct call *c)
{
	lock();
	call_with_fpu(run, c);
	unlock();
}

void hook_process_start(void)
{
	call(&(struct call){ .what = PROCESS_START });
}

void hook_process_exit(int status)
{
	call(&(struct call){ .what = PROCESS_EXIT, .status = status });
}

void hook_thread_start(struct thread *t)
{
	call(&(struct call){ .what = THREAD_START, .t = t });
}

void hook_thread_exit(struct thread *t)
{
	call(&(struct call){ .what = THREAD_EXIT, .t = t });
}

/* The lock may have been another thread's, which does not exist here. */
void hook_fork_child(struct thread *t)
{
	state.lock = 0;
	call(&(struct call){ .what = FORK_CHILD, .t = t });
}

void hook_exec(struct thread *t)
{
	call(&(struct call){ .what = EXEC, .t = t });
}

void hook_exec_failed(struct thread *t)
{
	call(&(struct call){ .what = EXEC_FAILED, .t = t });
}

void hook_leave(struct thread *t, unsigned why)
{
	call(&(struct call){ .what = LEAVE, .t = t, .why = why });
}

void hook_varies(unsigned what)
{
	if (!(what & ~state.varies))
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

void hook_safe_point(struct thread *t)
{
	uint64_t now = sys_ticks(), cost;

	if (now - state.last < state.wait ||
	    __atomic_exchange_n(&state.lock, 1, __ATOMIC_ACQUIRE))
		return;
	call_with_fpu(run, &(struct call){ .what = SAFE_POINT, .t = t });
	cost = sys_ticks() - now;
	state.last = now + cost;
	state.wait = cost * COST_SHARE > SHORTEST_WAIT ? cost * COST_SHARE
						       : SHORTEST_WAIT;
	unlock();
}
