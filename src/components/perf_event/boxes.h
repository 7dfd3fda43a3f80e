/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uncore PMUs that are several of a kind: "uncore_imc_0" to "uncore_imc_7" are
 * the memory channels of a package, and only all of them are its memory.
 */
#pragma once

#include "components/perf_event/state.h"

/* The first PMU called @name, of @length, and a number; NULL: there is none. */
const struct pe_pmu *pe_boxes_first(const struct pe_pmus *pmus,
				    const char *name, size_t length);

/* How much of @pmu's name all of its kind have; 0: it is the only one. */
size_t pe_boxes_common(const struct pe_pmus *pmus, const struct pe_pmu *pmu);

/*
 * Have @e, encoded by @terms for @first, count in all PMUs of its kind that
 * encode it in the same way.
 */
int pe_boxes_add(struct component *c, const struct pe_pmu *first,
		 const char *terms, struct pe_event *e);
