/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traps while a block is translated; see engine.h for what they are. */
#pragma once

#include "simpmu/vg/plan.h"

/* Whether any trap watches something that @draft changes. */
bool trap_is_touched(const struct draft *draft);

/* By how much @draft brings each trap nearer. */
void trap_weigh(const struct draft *draft, int64_t amount[ENGINE_TRAPS]);

/* Whether the block at @address needs steps, because a trap is near. */
bool trap_is_precise(Addr address);

/* Emit what is due at the start of a block, and of each of its segments. */
void trap_emit_block(IRSB *sb, const VexGuestLayout *layout,
		     const struct plan *plan, Addr address, UInt length);
void trap_emit_segment(IRSB *sb, const VexGuestLayout *layout,
		       const struct draft *draft);

/* Emit a step; @guard is the exit's condition, or NULL. */
void trap_emit_step(IRSB *sb, const VexGuestLayout *layout,
		    const struct plan_step *step, IRExpr *guard);

/* A test whether a trap has fired in this instruction. */
IRExpr *trap_emit_fired(IRSB *sb, const VexGuestLayout *layout);

/* Leave the block for @next if @fired. */
void trap_emit_stop(IRSB *sb, const VexGuestLayout *layout, IRExpr *fired,
		    const struct plan_insn *next);

/* Some trap watches signals that only the model knows. */
extern bool trap_watches_model;

/* Such signals of the running thread may have grown, at @address. */
void trap_check_model(void *guest, Addr address);

/* The guest handles faults: its registers must be exact where one happens. */
void trap_expect_faults(void);
