/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting for children: the engine has some of its own (the publisher, those
 * that replay for the model), made without a signal at their end, so that
 * wait() does not find them. __WALL and __WCLONE would.
 */
#pragma once

#include <stdint.h>

/* The guest makes a process or thread with clone(). */
void wait_know_clone(uint64_t flags);
/* Change a call's registers so that it finds the guest's children only. */
void wait_leave_ours(uint64_t *reg);
/* What the guest gets of the call that it made with registers @asked. */
int64_t wait_result(const uint64_t *asked, int64_t result);
