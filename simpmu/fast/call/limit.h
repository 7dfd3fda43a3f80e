/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The limits on a process's addresses (RLIMIT_AS) and data (RLIMIT_DATA). What
 * the engine has reserved is not the guest's: a limit that the guest sets is
 * raised by that much.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What the guest has set, for the engine of a program that it executes: NULL if
 * nothing, else an option, which that engine is given. */
const char *limit_pass(void);
bool limit_option(const char *arg);

/* Do the guest's call if it concerns one of them; false: it does not. */
bool limit_call(const uint64_t *reg, int64_t *result);
