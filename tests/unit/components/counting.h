/* SPDX-License-Identifier: BSD-3-Clause */
/* A component on a made-up machine, and a slice of some of its events. */
#pragma once

#include "components/components.h"
#include "core/slice.h"
#include "tests/unit/host/machine.h"

struct counting {
	struct machine machine;
	struct component *component;
	struct slice *slice;
	struct count counts[16];
};

/* Probe @ops where file @path holds @text. */
static inline void counting_probe(struct counting *c,
				  const struct component_ops *ops,
				  const char *path, const char *text)
{
	*c = (struct counting){ 0 };
	machine_init(&c->machine);
	machine_put(&c->machine, path, text);
	c->component = component_new(ops);
	assert_non_null(c->component);
	assert_int_equal(component_probe(c->component, &c->machine.fs), 0);
}

/* Make a slice of the named events, which end with NULL. */
static inline void counting_make(struct counting *c, const char *const *names)
{
	assert_int_equal(slice_new(c->component, &c->slice), 0);
	for (; *names; names++) {
		size_t i;

		assert_int_equal(
			component_find_event(c->component, *names, &i, NULL),
			0);
		assert_int_equal(slice_append(c->slice, i), 0);
	}
}

/* Make one, and open it. */
static inline void counting_open(struct counting *c, const char *const *names)
{
	counting_make(c, names);
	assert_int_equal(slice_open(c->slice), 0);
}

static inline void counting_close(struct counting *c)
{
	slice_free(c->slice);
	component_free(c->component);
	machine_close(&c->machine);
}
