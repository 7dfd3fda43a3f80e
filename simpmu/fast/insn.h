/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions of the guest, decoded once and remembered for a while, and
 * whether flags matter at an address. Under the engine's lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "simpmu/x86/decode.h"

/* The instruction at @pc; NULL if there is none. Stays until the next call. */
const struct x86 *insn_at(uint64_t pc);

/* The same, for signal handlers: decodes into *@out, remembers nothing. */
bool insn_read(uint64_t pc, struct x86 *out);

/* Whether a flag may be read at @pc or later before it is written. */
bool insn_flags_live(uint64_t pc);

/* Code of the page at @page may have changed; of all from @first to before
 * @last. */
void insn_forget_page(uint64_t page);
void insn_forget_pages(uint64_t first, uint64_t last);

/* loop, jrcxz and their like: branches without a long form */
static inline bool insn_is_loop(const struct x86 *x)
{
	return !x->map && x->opcode >= 0xe0 && x->opcode <= 0xe3;
}
