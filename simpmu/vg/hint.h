/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Marks in a block that tell addresses which VEX itself does not need. */
#pragma once

#include <stdbool.h>

#include <pub_tool_basics.h>
#include <pub_tool_tooliface.h>

#include "simpmu/x86/decode.h"

/* Whether the call is a mark; its one argument is the address. */
bool hint_is(const IRDirty *call);

/* The same for any statement. Marks are not to be copied. */
static inline bool hint_is_statement(const IRStmt *st)
{
	return st->tag == Ist_Dirty && hint_is(st->Ist.Dirty.details);
}

bool hint_is_prefetch(const struct x86 *insn);
