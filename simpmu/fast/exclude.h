/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code that is not the program's: the text of the library that counts, calls
 * that lead into it, and linkage stubs between. Decided at translation, under
 * the engine's lock, by the same rules as in the Valgrind tool.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "simpmu/x86/decode.h"

/* Whether anything is excluded; whether @address is. */
bool exclude_any(void);
bool exclude_holds(uint64_t address);

/* The same, or a stub at @address whose slot now points there. */
bool exclude_is_led_to(uint64_t address);

/* Whether @x at @pc is a direct call or jump that leads there. */
bool exclude_is_way(uint64_t pc, const struct x86 *x);
