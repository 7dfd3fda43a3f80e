/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PMU layer, called: one thread at a time, with the guest's floating-point
 * registers kept. Not to be called with the engine's lock held.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct thread;

void hook_process_start(void);
void hook_process_exit(int status);
/* @t will be made by another thread, which calls this. */
void hook_thread_create(struct thread *t);
void hook_thread_start(struct thread *t);
void hook_thread_exit(struct thread *t);
void hook_fork_child(struct thread *t);
void hook_fork_parent(struct thread *t);
void hook_exec(struct thread *t);
void hook_exec_failed(struct thread *t);
/* Instead of hook_exec(): another engine runs the program from its start. */
void hook_abandon(struct thread *t);
/* Instead of hook_exec(): it will not be simulated; why: enum wire_aside. */
void hook_leave(struct thread *t, unsigned why);
/* What was done may differ from run to run: enum wire_varies. Cheap. */
void hook_varies(unsigned what);
bool hook_request(struct thread *t, const uint64_t *args, uint64_t *answer);

/* The traps @slots, as bits, fire for the instruction at @address. */
void hook_trap(struct thread *t, unsigned slots, uint64_t address);
/* Who is in the PMU layer, for what that calls; NULL: the publisher. */
struct thread *hook_caller(void);

/*
 * For the publisher: a word that changes when counts are asked for, and the
 * process's place (NULL: nobody can ask); publish if it did; all threads are
 * gone and could say nothing. Both do without if the lock is not to be had.
 */
const uint32_t *hook_attention(uint32_t *place);
void hook_publish(void);
void hook_process_gone(void);

/* No other thread or process is in the PMU layer in between: for a fork. */
void hook_lock(void);
void hook_unlock(void);

/* Publish now and then; cheap to call. */
void hook_safe_point(struct thread *t);

/*
 * After a call that may have slept: whoever asked for something meanwhile did
 * not wait for an answer, so it is done before the program goes on.
 */
void hook_wake(struct thread *t);
