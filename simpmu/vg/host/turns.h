/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose turn it is; see turns.c. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include <pub_tool_basics.h>

/* Whether the thread that runs, when it gives up its turn, wants another one at
 * once. */
void turns_yield(bool yields);

/* ---- places kept for threads that have not asked yet ---- */

#define TURNS_WOKEN UINT_MAX /* in place of a thread's number: any of those */

/* Keep the next place for @tid. */
void turns_expect(UInt tid);

/* The calling thread is about to wake others; it has woken @woken of them, for
 * which the next places are kept. */
void turns_begin_wake(void);
void turns_end_wake(UInt woken);

/* The calling thread is @tid, or TURNS_WOKEN: it takes the place kept for it,
 * if there is one. */
void turns_claim(UInt tid);

/* @tid will not come. */
void turns_cancel(UInt tid);
