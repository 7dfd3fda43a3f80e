/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose turn it is: the lock that a guest thread holds while it runs, in place
 * of Valgrind's, which whoever gives it up usually takes again at once. Here
 * threads get it in the order in which they asked, so that turns are as short
 * as they are meant to be, and come in the same order each time.
 *
 * There is only one such lock in a process.
 */
#include <pub_tool_basics.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

#include "simpmu/vg/contention.h"

struct sched_lock;

/* Of the core, reached through these by the linker's option --wrap. */
struct sched_lock *__wrap_vgModuleLocal_create_sched_lock(void);
void __wrap_vgModuleLocal_destroy_sched_lock(struct sched_lock *lock);
int __wrap_vgModuleLocal_get_sched_lock_owner(struct sched_lock *lock);
void __wrap_vgModuleLocal_acquire_sched_lock(struct sched_lock *lock);
void __wrap_vgModuleLocal_release_sched_lock(struct sched_lock *lock);

#define PLACES 2048u /* for those who wait; more than there are threads */

static struct {
	UInt next;    /* number of the next who asks */
	UInt serving; /* whose turn it is */
	Int owner;    /* 0: nobody */
	/* The last number that was served at each place: who waits sleeps on
	   it. Apart, so that only the right one is woken. */
	UInt served[PLACES];
	/*
	 * Who gives the lock up to take it again queues first: else another one
	 * that is woken, and takes this one's processor, would have turn after
	 * turn.
	 */
	bool yields; /* the owner will */
	struct {
		Int who; /* 0: no entry */
		UInt number;
	} queued[PLACES]; /* by the kernel's thread number */
} turns;

void turns_yield(void)
{
	turns.yields = true;
}

static void queue(Int who)
{
	UInt i = (UInt)who % PLACES;

	if (turns.queued[i].who)
		return; /* a namesake: this one has to ask later */
	turns.queued[i].number =
		__atomic_fetch_add(&turns.next, 1, __ATOMIC_SEQ_CST);
	turns.queued[i].who = who;
}

/* The number of who asks now, or has queued. */
static UInt number_of(Int who)
{
	UInt i = (UInt)who % PLACES;

	if (turns.queued[i].who != who)
		return __atomic_fetch_add(&turns.next, 1, __ATOMIC_SEQ_CST);
	turns.queued[i].who = 0;
	return turns.queued[i].number;
}

static long futex(UInt *word, long operation, UInt value)
{
	register long timeout __asm__("r10") = 0;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"((long)__NR_futex), "D"(word), "S"(operation),
			   "d"((long)value), "r"(timeout)
			 : "rcx", "r11", "memory");
	return result;
}

/* Also in the child of a fork, where nobody else is left. */
struct sched_lock *__wrap_vgModuleLocal_create_sched_lock(void)
{
	turns.next = turns.serving = 0;
	turns.owner = 0;
	turns.yields = false;
	for (UInt i = 0; i < PLACES; i++) {
		turns.served[i] = 0;
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
	return turns.owner;
}

void __wrap_vgModuleLocal_acquire_sched_lock(struct sched_lock *lock)
{
	Int who = VG_(gettid)();
	UInt mine = number_of(who);
	UInt *place = &turns.served[mine % PLACES];

	(void)lock;
	for (;;) {
		UInt seen = __atomic_load_n(place, __ATOMIC_SEQ_CST);

		if (__atomic_load_n(&turns.serving, __ATOMIC_SEQ_CST) == mine)
			break;
		futex(place, VKI_FUTEX_WAIT | VKI_FUTEX_PRIVATE_FLAG, seen);
	}
	turns.owner = who;
}

void __wrap_vgModuleLocal_release_sched_lock(struct sched_lock *lock)
{
	UInt next = turns.serving + 1;
	UInt *place = &turns.served[next % PLACES];

	(void)lock;
	if (turns.yields)
		queue(turns.owner);
	turns.yields = false;
	turns.owner = 0;
	__atomic_store_n(&turns.serving, next, __ATOMIC_SEQ_CST);
	__atomic_store_n(place, next, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&turns.next, __ATOMIC_SEQ_CST) != next)
		futex(place, VKI_FUTEX_WAKE | VKI_FUTEX_PRIVATE_FLAG, 1);
}
