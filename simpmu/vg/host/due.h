/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that were created or woken and are on their way; see due.c. */
#pragma once

#include <pub_tool_basics.h>

void due_reset(void);

void due_create(ThreadId tid); /* it is about to be made */
void due_end(ThreadId tid);    /* it ends, or was not made after all */

void due_before_syscall(ThreadId tid, UInt number, const UWord *args);
void due_after_syscall(UInt number, const UWord *args, SysRes result);

/* @tid, which calls, is about to ask for a turn: it begins, or comes from a
 * system call. */
void due_arrive(ThreadId tid);
