/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a pair of calls costs, from pairs of empty sections one inside the
 * other: hpm_measure_cost() of hpm.h makes them in the user's own code.
 */
#pragma once

#include "hpm/state.h"

/* Take in the pairs of @kind that @t has just left. */
void calibrate(struct hpm_state *state, struct hpm_thread *t,
	       enum section_kind kind);
