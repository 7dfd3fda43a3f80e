/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With --repeatable=yes: threads take turns in an order that follows from the
 * program alone, and time passes with the blocks that they run.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <pub_tool_basics.h>

#define ORDER_FOREVER UINT64_MAX

/* What a thread waits for; see wait.c. */
struct order_wait {
	const volatile UInt *word; /* a futex; NULL: none */
	UInt value;                /* as long as it has this one, */
	UInt bits;                 /* until one of these is woken */
	uint64_t deadline;         /* or until then */
};

enum order_end {
	ORDER_WOKEN,
	ORDER_TIMEOUT,
	ORDER_INTERRUPTED
};

void order_switch_on(void);
bool order_is_on(void);

uint64_t order_now(void);         /* nanoseconds since the program began */
void order_pass(uint64_t blocks); /* so many were run so far, by all threads */

/* A thread @tid is about to be made; it is about to end. */
void order_begin(ThreadId tid);
void order_end(ThreadId tid);

/* For the lock of turns.c. */
void order_reset(void);
void order_acquire(void);
void order_release(void);
Int order_owner(void);

/* The call that @tid makes next may sleep in the kernel until something outside
 * its threads happens; otherwise it keeps its turn meanwhile. */
void order_may_sleep(ThreadId tid, bool may);

/* @tid, which has the turn, waits. Others have turns meanwhile. */
enum order_end order_wait(ThreadId tid, const struct order_wait *wait);

/* Up to @count threads that wait for @word go on, longest first. Returns how
 * many. */
UInt order_wake(const volatile UInt *word, UInt count, UInt bits);

/* Signals were sent: who waits is to look for them. */
void order_signal(void);
