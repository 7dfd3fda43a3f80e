/* SPDX-License-Identifier: BSD-3-Clause */
/* Every component, for the table in papi/ and for tests. */
#pragma once

#include "core/component.h"

/*
 * Have the sim component count children under simulators of @model, through
 * the file @control. See assay_simulate().
 */
int sim_set_target(const char *model, const char *counters, const char *control,
		   struct diag *diag);

/* See assay_simulate_process(). */
int sim_set_process(int pid, struct diag *diag);

/* See assay_shipped_model(). */
const char *sim_shipped_model(unsigned i);

/* See assay_get_model(). */
struct assay_model;
int sim_describe_model(const char *model, struct assay_model *out,
		       struct diag *diag);

/* See assay_exclude_code(). */
void sim_exclude_code(const void *address);

/* What became of simulated children; PAPI_ENOSUPP if there can be none. */
struct assay_simulation;
int sim_take_census(struct assay_simulation *out);

/* See assay_make_cold(). */
void sim_make_cold(void);

/* See assay_keep_state(). */
int sim_keep_state(void);
int sim_restore_state(void);

/*
 * The components, in the order of PAPI's numbers. To add one: write it, and
 * give it a row here. The first is the one that PAPI_num_hwctrs() and other
 * calls without a component mean.
 */
#define COMPONENTS(X)                                                          \
	X(perf_event)                                                          \
	X(sim)                                                                 \
	X(net)                                                                 \
	X(io)                                                                  \
	X(stealtime)                                                           \
	X(sysdetect)                                                           \
	X(cuda)                                                                \
	X(nvml)

#define COMPONENT_DECLARED(name)                                               \
	extern const struct component_ops name##_component;
COMPONENTS(COMPONENT_DECLARED)
