/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Event names of libpfm4's tables. Its initialisation looks at the whole
 * machine, so it happens with the first name that needs it.
 */
#pragma once

#include "components/perf_event/event.h"
#include "components/perf_event/state.h"

/*
 * Encode @name. PAPI_ENOEVNT if no table of this machine has it; PAPI_EATTR
 * if its masks or modifiers are wrong or missing; PAPI_ECOMBO if they do not
 * go together.
 */
int pe_pfm_encode(struct pe_state *state, const char *name,
		  struct pe_event *out, struct diag *diag);

/* Add all events of this machine's PMUs, and the masks of event @i. */
int pe_pfm_list(struct component *c);
int pe_pfm_masks(struct component *c, size_t i);

/* libpfm4's name for the PMU of this machine's cores, static; or NULL. */
const char *pe_pfm_core(struct pe_state *state, unsigned *counters);
