/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The publisher: a small process in the guest's memory that publishes its
 * counts when somebody outside asks for them, also while the guest runs in a
 * loop without system calls, and once more when the guest was killed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Start one for this process, if it publishes at all. */
void publish_start(void);

/* End it. Its lock must not be waited for: call with the PMU layer's held. */
void publish_stop(void);

/* It was made, and nobody is answered by it yet. */
bool publish_is_coming(void);

/* In the child of a fork: the parent's is not this process's. */
void publish_forget(void);

/* Whom process @pid works for: the one it serves if it is the publisher. */
int32_t publish_for(int32_t pid);
/* Whether the caller is the publisher and its process is gone, with the locks
 * that its threads had. */
bool publish_is_alone(void);
/* Wait a moment, the @turn-th, for a lock whose owner may be stopped or gone;
 * false: no longer, after a second and more, or soon if all owners are gone. */
bool publish_wait(unsigned turn);
