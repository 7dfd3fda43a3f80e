/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks at system calls as they pass: what may differ from run to run, what
 * has an effect outside, and the engine's own file. */
#ifndef SIMPMU_FAST_WATCH_H
#define SIMPMU_FAST_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Before the call with these registers. */
void watch_call(const uint64_t *reg);

/* A call that would close the engine's file: done without; true if it was. */
bool watch_file(const uint64_t *reg, int64_t *result);

#endif /* SIMPMU_FAST_WATCH_H */
