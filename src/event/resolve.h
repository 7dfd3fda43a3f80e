/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From names to plans: what to count, and what to make of it.
 *
 * A name is a native event ("perf::cycles", "sim::L1D_MISS",
 * "cpu/event=0x3c/", "r003c"), a preset ("PAPI_TOT_INS") or a user-defined
 * event. Each gets a code of PAPI's form and, when it is first needed, a plan.
 * Plans never change and live until events_close().
 */
#pragma once

#include <papi.h>

#include "core/eventset.h"
#include "core/registry.h"

struct events; /* the names of this process */

/* The machine that hardware events are modelled on; NULL: this one. */
const struct component_machine *events_machine(const struct events *e);

/*
 * Files named by PAPI_CSV_EVENT_FILE and PAPI_USER_EVENTS_FILE are loaded,
 * except in a program with more rights than its user. A file that is refused
 * is no error here: events_environment_diag() tells of it.
 */
int events_open(struct registry *r, struct events **out);
void events_close(struct events *e);

/* What was wrong with a file that the environment names; NULL: nothing. */
const struct diag *events_environment_diag(const struct events *e);

/* Native codes hold the component and the event's index in it. */
#define NATIVE_CODE(component, event)                                          \
	((int)(PAPI_NATIVE_MASK | (unsigned)(component) << 22 |                \
	       (unsigned)(event)))
#define NATIVE_COMPONENT(code) (((unsigned)(code) >> 22) & 0xff)
#define NATIVE_EVENT(code)     ((unsigned)(code)&0x3fffff)

/*
 * The code of event @name. PAPI_ENOEVNT if no component, preset or user event
 * has it; PAPI_EINVAL if it is malformed; @diag says what and where.
 */
int events_find(struct events *e, const char *name, int *code,
		struct diag *diag);

/*
 * The plan of @code, borrowed. PAPI_ENOEVNT: unknown, or a preset that this
 * machine's PMU does not have; PAPI_ENOTPRESET: not a preset's code.
 */
int events_plan(struct events *e, int code, const struct recipe **out,
		struct diag *diag);

/* Whether each event in the plan works here; *@why as component_try_event() */
int events_available(struct events *e, int code, const char **why);

/* Name as a user would write it, borrowed; NULL if @code is unknown. */
const char *events_name(struct events *e, int code);

/* Everything PAPI_get_event_info() tells. */
int events_info(struct events *e, int code, PAPI_event_info_t *info);

/* PAPI_enum_event() and PAPI_enum_cmp_event(): *@code becomes the next. */
int events_next(struct events *e, int *code, int modifier, int component);

/* Up to @n names like @name, best first; borrowed. Returns how many. */
int events_nearest(struct events *e, const char *name, const char **names,
		   int n);

/* Load definitions from a file of user events; @diag names file and line. */
int events_load_file(struct events *e, const char *path, struct diag *diag);
