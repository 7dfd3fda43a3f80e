/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that shows the model what a block does. */
#pragma once

#include "simpmu/vg/plan.h"

struct observer;

/* Begin with a block; NULL if no part of the model is on. */
struct observer *observe_begin(IRSB *out, const IRSB *in,
			       const VexGuestLayout *layout,
			       const struct plan *plan);

/*
 * The block is left here if @fired holds: what waits is shown then, and waits
 * on if it does not. So what is shown together does not depend on traps.
 */
void observe_stop(struct observer *observer, IRExpr *fired);

/* All statements before @statement of the block have been copied. */
void observe_reach(struct observer *observer, Int statement);

/* Call @function of ours; @guard: only if it is true, or NULL. */
void observe_call(struct observer *observer, const HChar *name, void *function,
		  IRExpr **args, IRExpr *guard);
