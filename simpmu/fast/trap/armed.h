/* SPDX-License-Identifier: BSD-3-Clause */
/* Code of armed translations that tests and subtracts what is left of traps.
 * Private to the translator. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct path;

/*
 * At the entry of an armed @path, where flags are free: emit a jump that is
 * taken if the trap in @slot could fire on it; NULL: there is no such trap.
 * And, for a block, subtract what it adds.
 */
uint8_t *armed_test(struct path *path, unsigned slot);
void armed_spend(struct path *path);
/* The path is complete: fill in what it adds at most. */
void armed_finish(const struct path *path);

/* Subtract, where an armed trace is left. @live: flags must stay. */
void armed_leave(const int32_t *spent, bool live);
/* What the path has added so far, by slot. */
void armed_spent(const struct path *path, int32_t *spent);
/* ... and a taken branch. */
void armed_taken(bool live);
