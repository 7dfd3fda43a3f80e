/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose turn it is: the lock that a guest thread holds while it runs, in place
 * of Valgrind's, which whoever gives it up usually takes again at once. Here
 * threads get it in the order in which they asked, so that turns are as short
 * as they are meant to be, and come in the same order each time. Places are
 * kept for threads that are on their way; due.c tells which these are.
 *
 * There is only one such lock in a process.
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

#include "simpmu/pmu/engine.h"
#include "simpmu/vg/host/due.h"
#include "simpmu/vg/host/turns.h"
#include "simpmu/vg/order/call.h"
#include "simpmu/vg/order/order.h"

struct sched_lock;

/* Of the core, reached through these by the linker's option --wrap. */
struct sched_lock *__wrap_vgModuleLocal_create_sched_lock(void);
void __wrap_vgModuleLocal_destroy_sched_lock(struct sched_lock *lock);
int __wrap_vgModuleLocal_get_sched_lock_owner(struct sched_lock *lock);
void __wrap_vgModuleLocal_acquire_sched_lock(struct sched_lock *lock);
void __wrap_vgModuleLocal_release_sched_lock(struct sched_lock *lock);
extern void __real_vgPlain_vg_yield(void);
void __wrap_vgPlain_vg_yield(void);

/* For those who wait: more than there are threads, so that no two of them have
 * numbers with the same place. */
#define PLACES 2048u

/* Places that are kept at a time. */
#define MOST_KEPT (PLACES - ENGINE_MAX_TID)

/* Nobody waits longer for the thread that a place is kept for: it has been lost
 * sight of. Half as long, the next time. */
#define MOST_WAIT  900000000 /* ns */
#define LEAST_WAIT 1000000

#define TIMED_OUT  110             /* ETIMEDOUT */
#define NOBODY     (UINT_MAX - 1u) /* a place was kept for */

static struct {
	UInt lock;    /* of all that follows, except what is the owner's */
	UInt next;    /* number of the next who asks */
	UInt serving; /* whose turn it is */
	Int owner;    /* 0: nobody */
	bool yields;  /* the owner will ask again at once */
	struct {
		/* The last number that was served here: who waits sleeps on it.
		   Apart, so that only the right one is woken. */
		UInt served;
		UInt keeper; /* thread that it is kept for; 0: it is here */
	} place[PLACES];
	UInt kept; /* places */
	Int wait;  /* for those, in ns */
	/* Who is woken may ask before the thread that wakes it knows. */
	UInt wakers; /* in the kernel */
	UInt early;  /* asked, and no place was kept */
	/*
	 * Who gives the lock up to take it again queues first: else another one
	 * that is woken, and takes this one's processor, would have turn after
	 * turn.
	 */
	struct {
		Int who; /* 0: no entry */
		UInt number;
	} queued[PLACES]; /* by the kernel's thread number */
} turns;

static void enter(void)
{
	while (__atomic_exchange_n(&turns.lock, 1, __ATOMIC_ACQUIRE))
		call_kernel(__NR_sched_yield, 0, 0, 0, 0);
}

static void leave(void)
{
	__atomic_store_n(&turns.lock, 0, __ATOMIC_RELEASE);
}

/* ---- the queue, under its lock ---- */

static UInt *keeper_of(UInt number)
{
	return &turns.place[number % PLACES].keeper;
}

static UInt new_number(UInt keeper)
{
	*keeper_of(turns.next) = keeper;
	turns.kept += keeper != 0;
	return turns.next++;
}

static bool is_queued(Int who)
{
	return turns.queued[(UInt)who % PLACES].who != 0;
}

static void queue(Int who, UInt number)
{
	turns.queued[(UInt)who % PLACES].who = who;
	turns.queued[(UInt)who % PLACES].number = number;
}

/* The number of who asks now, or has queued. */
static UInt number_of(Int who)
{
	UInt i = (UInt)who % PLACES;

	if (turns.queued[i].who != who)
		return new_number(0);
	turns.queued[i].who = 0;
	return turns.queued[i].number;
}

/* It is the next one's turn: wake it, if it sleeps. */
static void serve_next(void)
{
	UInt next = turns.serving + 1;
	UInt *served;

	while (next != turns.next && *keeper_of(next) == NOBODY)
		next++;
	served = &turns.place[next % PLACES].served;
	__atomic_store_n(&turns.serving, next, __ATOMIC_SEQ_CST);
	__atomic_store_n(served, next, __ATOMIC_SEQ_CST);
	if (next != turns.next && !*keeper_of(next))
		call_kernel(__NR_futex, (UWord)served,
			    VKI_FUTEX_WAKE | VKI_FUTEX_PRIVATE_FLAG, 1, 0);
}

/* Keep @number no longer for a thread that is not there. */
static void close_place(UInt number)
{
	*keeper_of(number) = NOBODY;
	turns.kept--;
	if (number == turns.serving)
		serve_next();
}

static bool find_kept(UInt keeper, UInt *number)
{
	if (!turns.kept)
		return false;
	for (*number = turns.serving; *number != turns.next; ++*number)
		if (*keeper_of(*number) == keeper)
			return true;
	return false;
}

/* ---- places that are kept ---- */

static void keep_place(UInt tid)
{
	if (turns.kept < MOST_KEPT)
		new_number(tid);
}

void turns_expect(UInt tid)
{
	enter();
	keep_place(tid);
	leave();
}

void turns_begin_wake(void)
{
	enter();
	turns.wakers++;
	leave();
}

void turns_end_wake(UInt woken)
{
	enter();
	for (; woken; woken--)
		if (turns.early)
			turns.early--;
		else
			keep_place(TURNS_WOKEN);
	if (!--turns.wakers)
		turns.early = 0;
	leave();
}

/* Of the calling thread. A namesake may have queued: then it has to ask. */
static void take_place(UInt number)
{
	Int who = VG_(gettid)();

	if (is_queued(who)) {
		close_place(number);
		return;
	}
	*keeper_of(number) = 0;
	turns.kept--;
	queue(who, number);
}

void turns_claim(UInt tid)
{
	UInt number;

	enter();
	if (find_kept(tid, &number))
		take_place(number);
	else if (tid == TURNS_WOKEN && turns.wakers)
		turns.early++;
	leave();
}

void turns_cancel(UInt tid)
{
	UInt number;

	enter();
	if (find_kept(tid, &number))
		close_place(number);
	leave();
}

/* It has been @serving's turn for long. */
static void pass_over(UInt serving)
{
	UInt keeper;

	enter();
	keeper = *keeper_of(serving);
	if (turns.serving == serving && keeper && keeper != NOBODY) {
		close_place(serving);
		if (turns.wait / 2 >= LEAST_WAIT)
			turns.wait /= 2;
	}
	leave();
}

/* ---- the lock ---- */

void turns_yield(bool yields)
{
	turns.yields = yields;
}

/* Who has created a thread lets it run first. It also yields its processor, and
 * could be without one for long. */
void __wrap_vgPlain_vg_yield(void)
{
	turns_yield(true);
	__real_vgPlain_vg_yield();
}

/* Also in the child of a fork, where nobody else is left. */
struct sched_lock *__wrap_vgModuleLocal_create_sched_lock(void)
{
	order_reset();
	due_reset();
	turns.lock = turns.next = turns.serving = turns.kept = 0;
	turns.wakers = turns.early = 0;
	turns.wait = MOST_WAIT;
	turns.owner = 0;
	turns.yields = false;
	for (UInt i = 0; i < PLACES; i++) {
		turns.place[i].served = turns.place[i].keeper = 0;
		turns.queued[i].who = 0;
	}
	return (struct sched_lock *)&turns;
}

void __wrap_vgModuleLocal_destroy_sched_lock(struct sched_lock *lock)
{
	(void)lock;
}

int __wrap_vgModuleLocal_get_sched_lock_owner(struct sched_lock *lock)
{
	(void)lock;
	return order_is_on() ? order_owner() : turns.owner;
}

static void sleep_until_served(UInt mine)
{
	const struct vki_timespec wait = { 0, turns.wait };
	UInt *served = &turns.place[mine % PLACES].served;

	for (;;) {
		UInt seen = __atomic_load_n(served, __ATOMIC_SEQ_CST);
		UInt serving =
			__atomic_load_n(&turns.serving, __ATOMIC_SEQ_CST);

		if (serving == mine)
			return;
		if (call_kernel(__NR_futex, (UWord)served,
				VKI_FUTEX_WAIT | VKI_FUTEX_PRIVATE_FLAG, seen,
				(UWord)&wait) == -TIMED_OUT)
			pass_over(serving);
	}
}

void __wrap_vgModuleLocal_acquire_sched_lock(struct sched_lock *lock)
{
	Int who = VG_(gettid)();
	UInt mine;

	(void)lock;
	if (order_is_on()) {
		order_acquire();
		return;
	}
	enter();
	mine = number_of(who);
	leave();
	sleep_until_served(mine);
	turns.owner = who;
}

void __wrap_vgModuleLocal_release_sched_lock(struct sched_lock *lock)
{
	(void)lock;
	if (order_is_on()) {
		order_release();
		return;
	}
	enter();
	if (turns.yields && !is_queued(turns.owner))
		queue(turns.owner, new_number(0));
	turns.yields = false;
	turns.owner = 0;
	serve_next();
	leave();
}
