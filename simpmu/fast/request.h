/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Client requests: the sequence by which the library in the guest speaks to
 * the simulator, the same as under Valgrind.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define REQUEST_BYTES 19

struct thread;

/* Whether the sequence stands at @pc, which was decoded. */
bool request_is_at(uint64_t pc);

/* Answer the request that @t has made. */
void request_answer(struct thread *t);
