/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose turn it is with --repeatable=yes.
 *
 * Each thread has a place. Whoever gives up its turn chooses the next one: the
 * first place behind its own, in a ring, whose thread has something to do. A
 * thread that waits for another (futex) or for a time does so here and not in
 * the kernel, so that it goes on at the same point in every run. Time is that
 * of the blocks run; while all threads wait, it is the next deadline's.
 *
 * A thread that sleeps in a system call for what comes from outside (a pipe, a
 * child) leaves the ring meanwhile. When it comes back depends on the system:
 * counts are then said to depend on threads.
 *
 * Calls that wait are in wait.c; turns without this are in host/turns.c.
 */
#include "simpmu/vg/order/order.h"

#include <pub_tool_libcproc.h>
#include <pub_tool_threadstate.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

#include "simpmu/vg/host/due.h"
#include "simpmu/vg/order/call.h"
#include "simpmu/vg/state.h"
#include "simpmu/wire.h"

/* A block has some 16 instructions: as long as they take on a processor of a
 * few GHz. */
#define BLOCK_NS 4

/* How often those who wait look at what may change from outside. Shorter waits
 * of all threads take no real time. */
#define LOOK_NS   5000000

#define TIMED_OUT 110 /* ETIMEDOUT */

enum place_state {
	PLACE_FREE,
	PLACE_READY,
	PLACE_WAITS,
	PLACE_OUT,  /* in the kernel */
	PLACE_ENDS, /* until the kernel knows it no longer */
};

struct place {
	UInt granted; /* its turn has come: what it sleeps on */
	enum place_state state;
	Int who; /* as the kernel knows it; 0: it has not come yet */
	bool may_sleep;
	bool woken, looks; /* by another thread; it is to look for signals */
	uint64_t since;    /* number of the wait: longest first */
	struct order_wait wait;
};

static struct {
	bool is_on;
	UInt lock;    /* of all that follows */
	UInt running; /* place of who has the turn; 0: nobody */
	bool keeps;   /* it is in a call that does not sleep */
	UInt ending;  /* places of threads that are about to end */
	UInt last;    /* highest place in use */
	uint64_t now, blocks, waits;
	uint64_t idle; /* real time up to which nobody had the turn */
	struct place place[ENGINE_MAX_TID];
} order;

/* Of the core. */
extern Bool vgPlain_is_exiting(ThreadId tid);
extern SysRes vgPlain_do_sys_sigprocmask(ThreadId tid, Int how,
					 vki_sigset_t *set, vki_sigset_t *old);
typedef UInt thread_status;
#define IN_SYSCALL 3u /* VgTs_WaitSys */
extern void __real_vgPlain_release_BigLock(ThreadId tid, thread_status status,
					   const HChar *who);
extern void __real_vgPlain_acquire_BigLock(ThreadId tid, const HChar *who);
void __wrap_vgPlain_release_BigLock(ThreadId tid, thread_status status,
				    const HChar *who);
void __wrap_vgPlain_acquire_BigLock(ThreadId tid, const HChar *who);

void order_switch_on(void)
{
	order.is_on = true;
}

bool order_is_on(void)
{
	return order.is_on;
}

uint64_t order_now(void)
{
	return order.now;
}

void order_pass(uint64_t blocks)
{
	if (blocks > order.blocks)
		order.now += (blocks - order.blocks) * BLOCK_NS;
	order.blocks = blocks;
}

/* ---- the state of the ring, under its lock ---- */

static void enter(void)
{
	while (__atomic_exchange_n(&order.lock, 1, __ATOMIC_ACQUIRE))
		call_kernel(__NR_sched_yield, 0, 0, 0, 0);
}

static void leave(void)
{
	__atomic_store_n(&order.lock, 0, __ATOMIC_RELEASE);
}

static void set_place(UInt i, enum place_state state)
{
	struct place *p = &order.place[i];

	order.ending += state == PLACE_ENDS;
	order.ending -= p->state == PLACE_ENDS;
	p->state = state;
	if (i > order.last)
		order.last = i;
}

static bool has_changed(const struct place *p)
{
	return p->state == PLACE_WAITS && p->wait.word &&
	       *p->wait.word != p->wait.value;
}

static void wake_changed(void)
{
	for (UInt i = 1; i <= order.last; i++)
		order.place[i].woken |= has_changed(&order.place[i]);
}

/* What the kernel does at the end of a thread happens before anybody goes on:
 * it changes a word that others wait for. The first thread stays known to it
 * until the last has ended. */
static void await_ends(void)
{
	if (!order.ending)
		return;
	for (UInt i = 1; order.ending && i <= order.last; i++) {
		struct place *p = &order.place[i];

		if (p->state != PLACE_ENDS)
			continue;
		while (p->who && p->who != VG_(getpid)() &&
		       !call_kernel(__NR_tgkill, (UWord)VG_(getpid)(),
				    (UWord)p->who, 0, 0))
			call_kernel(__NR_sched_yield, 0, 0, 0, 0);
		*p = (struct place){ .state = PLACE_ENDS };
		set_place(i, PLACE_FREE);
	}
	wake_changed();
}

static bool can_go(UInt i)
{
	const struct place *p = &order.place[i];

	if (p->state != PLACE_WAITS)
		return p->state == PLACE_READY;
	return p->woken || p->looks || p->wait.deadline <= order.now ||
	       vgPlain_is_exiting(i);
}

/* The place whose turn is next after @from; 0: all wait. */
static UInt find_next(UInt from)
{
	for (UInt k = 1; k <= order.last; k++) {
		UInt i = (from + k - 1) % order.last + 1;

		if (can_go(i))
			return i;
	}
	return 0;
}

static uint64_t earliest_deadline(void)
{
	uint64_t first = ORDER_FOREVER;

	for (UInt i = 1; i <= order.last; i++)
		if (order.place[i].state == PLACE_WAITS &&
		    order.place[i].wait.deadline < first)
			first = order.place[i].wait.deadline;
	return first;
}

static uint64_t real_time(void)
{
	struct vki_timespec t = { 0, 0 };

	call_kernel(__NR_clock_gettime, VKI_CLOCK_MONOTONIC, (UWord)&t, 0, 0);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool somebody_is_out(void)
{
	for (UInt i = 1; i <= order.last; i++)
		if (order.place[i].state == PLACE_OUT)
			return true;
	return false;
}

static void grant(UInt i)
{
	order.running = i;
	__atomic_store_n(&order.place[i].granted, 1, __ATOMIC_SEQ_CST);
	call_kernel(__NR_futex, (UWord)&order.place[i].granted,
		    VKI_FUTEX_WAKE | VKI_FUTEX_PRIVATE_FLAG, 1, 0);
}

/* Who waits may have to look at what a thread leaves that ends now. */
static UInt find_heir(UInt from)
{
	for (UInt i = 1; i <= order.last; i++)
		if (order.place[i].state == PLACE_WAITS) {
			order.place[i].looks = true;
			return find_next(from);
		}
	return 0;
}

/* Nobody has the turn: give it to the next after @from, if there is one. */
static void pass_on(UInt from)
{
	UInt next = find_next(from);

	if (!next && order.ending)
		next = find_heir(from);
	if (!next && !somebody_is_out() &&
	    earliest_deadline() < order.now + LOOK_NS) {
		order.now = earliest_deadline();
		next = find_next(from);
	}
	order.running = 0;
	if (next)
		grant(next);
	else
		order.idle = real_time();
}

/* All wait, place @i too: for a time, or for something outside, which may have
 * come. */
static void look_outside(UInt i)
{
	uint64_t passed = real_time() - order.idle;

	if (order.running || order.place[i].state != PLACE_WAITS)
		return;
	if (!somebody_is_out() && earliest_deadline() < order.now + passed)
		order.now = earliest_deadline();
	else
		order.now += passed;
	wake_changed();
	order.place[i].looks = true;
	pass_on(i);
}

/* ---- the lock ---- */

/* The place of the thread that calls. */
static UInt find_own(void)
{
	Int who = VG_(gettid)();
	ThreadId tid = VG_(get_running_tid)();

	for (UInt i = 1; i <= order.last; i++)
		if (order.place[i].who == who)
			return i;
	/* the first, or the only one after fork */
	if (tid == VG_INVALID_THREADID)
		tid = 1;
	order.place[tid].who = who;
	set_place(tid, PLACE_READY);
	return tid;
}

static void sleep_until_granted(UInt i)
{
	struct place *p = &order.place[i];
	struct vki_timespec wait = { 0, LOOK_NS };

	while (!__atomic_load_n(&p->granted, __ATOMIC_SEQ_CST)) {
		Word result =
			call_kernel(__NR_futex, (UWord)&p->granted,
				    VKI_FUTEX_WAIT | VKI_FUTEX_PRIVATE_FLAG, 0,
				    (UWord)&wait);

		if (result != -TIMED_OUT)
			continue;
		enter();
		look_outside(i);
		leave();
	}
}

void order_reset(void)
{
	for (UInt i = 0; i <= order.last; i++)
		order.place[i] = (struct place){ 0 };
	order.lock = order.running = order.last = order.ending = 0;
	order.keeps = false;
}

void order_acquire(void)
{
	UInt i;

	enter();
	i = find_own();
	if (order.running == i && order.keeps) {
		order.keeps = false;
		leave();
		return;
	}
	if (order.place[i].state == PLACE_OUT)
		set_place(i, PLACE_READY);
	if (!order.running && order.place[i].state == PLACE_READY)
		grant(i);
	leave();
	sleep_until_granted(i);
	order.place[i].granted = 0;
	enter();
	await_ends();
	leave();
}

void order_release(void)
{
	if (order.keeps)
		return;
	enter();
	pass_on(order.running);
	leave();
}

Int order_owner(void)
{
	return order.running ? order.place[order.running].who : 0;
}

static bool is_alone(ThreadId tid)
{
	for (UInt i = 1; i <= order.last; i++)
		if (i != tid && order.place[i].state != PLACE_FREE)
			return false;
	return true;
}

/* @tid goes into the kernel. */
static void go_out(ThreadId tid)
{
	if (!order.place[tid].may_sleep) {
		order.keeps = true;
		return;
	}
	set_place(tid, PLACE_OUT);
	if (pmu_hooks.varies && !is_alone(tid))
		pmu_hooks.varies(WIRE_VARIES_THREADS);
}

void __wrap_vgPlain_release_BigLock(ThreadId tid, thread_status status,
				    const HChar *who)
{
	if (order.is_on && status == IN_SYSCALL &&
	    order.place[tid].state == PLACE_READY)
		go_out(tid);
	__real_vgPlain_release_BigLock(tid, status, who);
}

/* Of a new thread this is the first that is heard. */
void __wrap_vgPlain_acquire_BigLock(ThreadId tid, const HChar *who)
{
	if (order.is_on)
		order.place[tid].who = VG_(gettid)();
	else
		due_arrive(tid);
	__real_vgPlain_acquire_BigLock(tid, who);
}

/* ---- threads ---- */

void order_begin(ThreadId tid)
{
	enter();
	order.place[tid] = (struct place){ 0 };
	set_place(tid, PLACE_READY);
	leave();
}

void order_end(ThreadId tid)
{
	enter();
	set_place(tid, PLACE_ENDS);
	leave();
}

void order_may_sleep(ThreadId tid, bool may)
{
	order.place[tid].may_sleep = may;
}

/* ---- waiting ---- */

/* Signals of @tid that are not blocked; it asks for itself. */
static bool has_signals(ThreadId tid)
{
	vki_sigset_t pending, blocked;

	if (call_kernel(__NR_rt_sigpending, (UWord)&pending, sizeof(pending), 0,
			0) ||
	    sr_isError(vgPlain_do_sys_sigprocmask(tid, VKI_SIG_SETMASK, NULL,
						  &blocked)))
		return false;
	return (pending.sig[0] & ~blocked.sig[0]) != 0;
}

static void give_turn(ThreadId tid)
{
	__real_vgPlain_release_BigLock(tid, IN_SYSCALL, "order_wait");
	__real_vgPlain_acquire_BigLock(tid, "order_wait");
}

enum order_end order_wait(ThreadId tid, const struct order_wait *wait)
{
	struct place *p = &order.place[tid];
	enum order_end end = ORDER_WOKEN;
	bool looks;

	p->wait = *wait;
	p->woken = false;
	p->looks = has_signals(tid);
	p->since = order.waits++;
	for (;;) {
		enter();
		set_place(tid, PLACE_WAITS);
		leave();
		give_turn(tid);
		looks = p->looks;
		p->looks = false;
		if (vgPlain_is_exiting(tid) || (looks && has_signals(tid)))
			end = ORDER_INTERRUPTED;
		else if (!p->woken && p->wait.deadline <= order.now)
			end = ORDER_TIMEOUT;
		else if (!p->woken)
			continue;
		break;
	}
	enter();
	set_place(tid, PLACE_READY);
	leave();
	return end;
}

static struct place *find_longest(const volatile UInt *word, UInt bits)
{
	struct place *first = NULL;

	for (UInt i = 1; i <= order.last; i++) {
		struct place *p = &order.place[i];

		if (p->state == PLACE_WAITS && !p->woken &&
		    p->wait.word == word && p->wait.bits & bits &&
		    (!first || p->since < first->since))
			first = p;
	}
	return first;
}

UInt order_wake(const volatile UInt *word, UInt count, UInt bits)
{
	struct place *p;
	UInt n = 0;

	for (; n < count && (p = find_longest(word, bits)); n++)
		p->woken = true;
	return n;
}

void order_signal(void)
{
	for (UInt i = 1; i <= order.last; i++)
		order.place[i].looks = true;
}
