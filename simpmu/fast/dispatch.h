/* SPDX-License-Identifier: BSD-3-Clause */
/* Between runs of translated code: called from entry.S. */
#pragma once

struct thread;

/* @t has left the cache for t->exit: do that, and find where to enter it. */
void dispatch(struct thread *t);
/* Find where to enter the cache for t->pc. */
void dispatch_again(struct thread *t);
