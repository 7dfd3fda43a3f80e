/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PMU layer, called: one thread at a time, with the guest's floating-point
 * registers kept. Not to be called with the engine's lock held.
 */
#ifndef SIMPMU_FAST_HOOK_H
#define SIMPMU_FAST_HOOK_H

#include <stdbool.h>
#include <stdint.h>

struct thread;

void hook_process_start(void);
void hook_process_exit(int status);
void hook_thread_start(struct thread *t);
void hook_thread_exit(struct thread *t);
void hook_fork_child(struct thread *t);
void hook_exec(struct thread *t);
void hook_exec_failed(struct thread *t);
/* Instead of hook_exec(): it will not be simulated; why: enum wire_aside. */
void hook_leave(struct thread *t, unsigned why);
/* What was done may differ from run to run: enum wire_varies. Cheap. */
void hook_varies(unsigned what);
bool hook_request(struct thread *t, const uint64_t *args, uint64_t *answer);

/* Publish now and then; cheap to call. */
void hook_safe_point(struct thread *t);

#endif /* SIMPMU_FAST_HOOK_H */
