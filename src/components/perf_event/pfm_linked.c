/* SPDX-License-Identifier: BSD-3-Clause */
/* libpfm4's calls in programs that are linked with it: see pfm_calls.h. */
#include "components/perf_event/pfm_calls.h"

#define PFM_LINKED(name) .name = (name),
const struct pfm_calls pfm_linked = { PFM_CALLS(PFM_LINKED) };
