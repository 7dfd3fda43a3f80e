/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which blocks run often. Most of a program's code runs a few times; for it,
 * looking everything up by inlined code costs more to translate than it ever
 * saves. So blocks begin by calling the model for everything, and are
 * translated anew with inlined look-ups once they have run often enough.
 */
#pragma once

#include "simpmu/vg/state.h"

/*
 * By then the calls have cost about what the translation will: some 20 ns
 * more than inlined code each, against some 120 microseconds.
 */
#define TIER_RUNS 6000

bool tier_is_hot(Addr block);

/* The block has run TIER_RUNS times. */
void tier_heat(Addr block);

/* No guest code is running: let hot blocks be translated anew. */
void tier_stop(void);
