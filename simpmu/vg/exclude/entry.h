/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting from main() on, whatever came before it. */
#pragma once

#include "simpmu/vg/state.h"

/* --from=exec|main */
bool entry_option(const HChar *arg);

/* The first thread of a program is about to run. */
void entry_begin(unsigned tid);

/* Emit what is due at the start of a block at @address. */
void entry_emit(IRSB *sb, Addr address);
