/* SPDX-License-Identifier: BSD-3-Clause */
/* What the guest reads of itself in /proc: its own file and mappings in place
 * of the engine's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Whether the guest's text at @path names the file that it runs. */
bool self_is_file(uint64_t path);

/* That file's name to the guest's memory; bytes, or minus an error. */
int64_t self_read_link(uint64_t to, uint64_t capacity);

/* If @reg is a call that opens the list of mappings: do it. */
bool self_open_maps(const uint64_t *reg, int64_t *result);
