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

extern const struct component_ops perf_event_component;
extern const struct component_ops sim_component;
extern const struct component_ops net_component;
extern const struct component_ops io_component;
extern const struct component_ops stealtime_component;
extern const struct component_ops sysdetect_component;
extern const struct component_ops cuda_component;
extern const struct component_ops nvml_component;
