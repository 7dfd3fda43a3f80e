/* SPDX-License-Identifier: BSD-3-Clause */
/* What the guest has mapped, from the kernel's list. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The mapping at @address, if it can be executed. Takes some time. */
bool space_find_code(uint64_t address, uint64_t *start, uint64_t *end);

/* The kernel's list as it would be without the engine, for sys_free_file();
 * NULL if there is none to be read. */
char *space_list(size_t *bytes);
