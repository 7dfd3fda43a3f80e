/* SPDX-License-Identifier: BSD-3-Clause */
/* The perf_event component on a modelled machine. */
#pragma once

#include "components/components.h"
#include "core/slice.h"
#include "tests/kernel/calls.h"
#include "tests/kernel/kernel.h"
#include "tests/unit/host/machine.h"
#include "tests/unit/testing.h"

#define MS 1000000ULL

struct rig {
	struct machine machine;
	struct component *component;
	struct slice *slice;
	struct count counts[64];
};

/* Boot @name as a privileged user, and find what it can count. */
static inline void rig_boot(struct rig *r, const char *name)
{
	*r = (struct rig){ 0 };
	machine_open(&r->machine, mk_machine_find(name)->files);
	mk_boot(name, r->machine.root, 2);
	mk->privileged = true;
	r->component = component_new(&perf_event_component);
	assert_non_null(r->component);
	assert_int_equal(component_probe(r->component, &r->machine.fs), 0);
	assert_false(r->component->disabled);
}

static inline size_t rig_event(struct rig *r, const char *name)
{
	struct diag diag = { 0 };
	size_t i = 0;

	if (component_find_event(r->component, name, &i, &diag))
		fail_msg("%s: %s", name, diag.text);
	return i;
}

/* A closed slice of the named events, which end with NULL. */
static inline struct slice *rig_slice(struct rig *r, const char *const *names)
{
	assert_int_equal(slice_new(r->component, &r->slice), 0);
	for (; *names; names++)
		assert_int_equal(slice_append(r->slice, rig_event(r, *names)),
				 0);
	return r->slice;
}

static inline void rig_open(struct rig *r)
{
	if (slice_open(r->slice))
		fail_msg("%s", r->slice->diag.text);
}

static inline void rig_start(struct rig *r)
{
	if (slice_start(r->slice, r->counts))
		fail_msg("%s", r->slice->diag.text);
}

/* What was counted since rig_start(), into r->counts. */
static inline void rig_stop(struct rig *r)
{
	struct count before[64];

	memcpy(before, r->counts, sizeof(before));
	if (slice_stop(r->slice, r->counts))
		fail_msg("%s", r->slice->diag.text);
	for (size_t i = 0; i < r->slice->n; i++) {
		r->counts[i].value -= before[i].value;
		r->counts[i].enabled_ns -= before[i].enabled_ns;
		r->counts[i].running_ns -= before[i].running_ns;
	}
}

static inline void rig_end(struct rig *r)
{
	slice_free(r->slice);
	component_free(r->component);
	machine_close(&r->machine);
}

/* Equal but for what the calls of start and stop themselves count. */
#define ASSERT_ABOUT(got, expected)                                            \
	do {                                                                   \
		double g_ = (double)(got), e_ = (double)(expected);            \
		if (g_ < e_ || g_ > e_ * 1.01 + 20000)                         \
			fail_msg("%s = %.0f, not %.0f", #got, g_, e_);         \
	} while (0)
