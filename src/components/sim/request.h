/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests to the simulator that this process may be running under. */
#pragma once

#include <stdint.h>

#include "simpmu/wire.h"

/*
 * The simulator's answer to request @code; 0 where there is no simulator.
 * Costs a few instructions, has no side effect natively and is safe in a
 * signal handler.
 */
int sim_request(enum wire_request code, uint64_t first, uint64_t second);
