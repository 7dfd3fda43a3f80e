/* SPDX-License-Identifier: BSD-3-Clause */
/* A component that is there and has no events. */
#include <string.h>

#include "components/components.h"
#include "core/slice.h"
#include "tests/unit/testing.h"

static const struct fs here = { .root = "" };

TEST(test_there_is_nothing_to_count)
{
	struct component *c = component_new(&sysdetect_component);
	struct slice *s;

	assert_int_equal(component_probe(c, &here), 0);
	assert_false(c->disabled);
	assert_int_equal(component_event_count(c), 0);
	assert_int_equal(slice_new(c, &s), 0);
	assert_int_equal(slice_open(s), PAPI_ENOEVNT);
	assert_string_equal(s->diag.text, "sysdetect has no events");
	slice_free(s);
	component_free(c);
}

RUN_ALL_TESTS
