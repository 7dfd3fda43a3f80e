/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sim component inside a simulator, which the test plays: one of another
 * version, and one that refuses, with a sentence and without.
 */
#include <stdio.h>
#include <string.h>

#include "components/components.h"
#include "components/sim/request.h"
#include "core/slice.h"
#include "tests/unit/testing.h"

#define OLD_VERSION 1
#define SET         7 /* the number it gives to a set */

static const struct fs here = { .root = "" };

/* What the simulator is like. */
static struct {
	uint32_t version;
	int opens;       /* what it answers to WIRE_OPEN */
	const char *why; /* and says */
	int starts, reads, stops;
	int closed; /* sets */
} simulator;

static int hello(struct wire_hello *h)
{
	if (h->version != simulator.version)
		return WIRE_EINVAL;
	h->events = 1;
	h->programmable = 4;
	snprintf(h->model, sizeof(h->model), "toy");
	return (int)WIRE_MAGIC;
}

static int describe(uint64_t i, struct wire_event *event)
{
	if (i > 0)
		return WIRE_EINVAL;
	*event = (struct wire_event){ .name = "THING", .counters = 15 };
	return 0;
}

/* In the place of the one that speaks to Valgrind. */
int sim_request(enum wire_request code, uint64_t first, uint64_t second)
{
	struct wire_open *open = (void *)(uintptr_t)first;

	switch (code) {
	case WIRE_HELLO:
		return hello((void *)(uintptr_t)first);
	case WIRE_DESCRIBE:
		return describe(first, (void *)(uintptr_t)second);
	case WIRE_OPEN:
		snprintf(open->why, sizeof(open->why), "%s", simulator.why);
		return simulator.opens;
	case WIRE_START:
		return simulator.starts;
	case WIRE_READ:
		return simulator.reads;
	case WIRE_STOP:
		return simulator.stops;
	case WIRE_CLOSE:
		assert_int_equal(first, SET);
		simulator.closed++;
		return 0;
	default:
		return 0;
	}
}

static int setup(void **state)
{
	(void)state;
	memset(&simulator, 0, sizeof(simulator));
	simulator.version = WIRE_VERSION;
	simulator.opens = SET;
	simulator.why = "";
	return 0;
}

static struct slice *slice_of(struct component *c)
{
	struct slice *s;
	size_t i;

	assert_int_equal(component_probe(c, &here), 0);
	assert_false(c->disabled);
	assert_int_equal(component_find_event(c, "THING", &i, NULL), 0);
	assert_int_equal(slice_new(c, &s), 0);
	assert_int_equal(slice_append(s, i), 0);
	return s;
}

TEST_WITH(test_another_version_is_told, setup, NULL)
{
	struct component *c = component_new(&sim_component);

	simulator.version = OLD_VERSION;
	assert_int_equal(component_probe(c, &here), 0);
	assert_true(c->disabled);
	assert_string_equal(c->reason, "the simulator's version differs "
				       "from the library's");
	component_free(c);
}

TEST_WITH(test_what_it_refuses_to_open, setup, NULL)
{
	static const struct {
		int line, opens;
		const char *why;
		int code;
		const char *text;
	} rows[] = {
		{ __LINE__, WIRE_ECNFLCT, "there are 4 counters", PAPI_ECNFLCT,
		  "there are 4 counters" },
		{ __LINE__, WIRE_ENOMEM, "", PAPI_ENOMEM,
		  "the simulator refused" },
		{ __LINE__, 0, "", PAPI_ESYS, "the simulator refused" },
	};
	struct component *c = component_new(&sim_component);
	struct slice *s = slice_of(c);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		simulator.opens = rows[i].opens;
		simulator.why = rows[i].why;
		CHECK_AT(rows[i].line, slice_open(s) == rows[i].code);
		CHECK_AT(rows[i].line, strcmp(s->diag.text, rows[i].text) == 0);
	}
	assert_int_equal(simulator.closed, 0);
	simulator.opens = SET;
	assert_int_equal(slice_open(s), 0);
	slice_free(s);
	assert_int_equal(simulator.closed, 1);
	component_free(c);
}

TEST_WITH(test_what_it_refuses_to_do, setup, NULL)
{
	struct component *c = component_new(&sim_component);
	struct slice *s = slice_of(c);
	struct count counts[1];

	assert_int_equal(slice_open(s), 0);
	simulator.starts = WIRE_ECNFLCT;
	assert_int_equal(slice_start(s, counts), PAPI_ECNFLCT);
	assert_non_null(strstr(s->diag.text, "another EventSet"));
	simulator.starts = WIRE_ENOEVST;
	assert_int_equal(slice_start(s, counts), PAPI_ENOEVST);
	assert_string_equal(s->diag.text, "the simulator refused");
	simulator.starts = 0;
	assert_int_equal(slice_start(s, counts), 0);
	simulator.reads = WIRE_ENOTRUN;
	assert_int_equal(slice_read(s, counts), PAPI_ENOTRUN);
	simulator.reads = 0;
	assert_int_equal(slice_read(s, counts), 0);
	assert_int_equal(slice_stop(s, counts), 0);
	slice_free(s);
	component_free(c);
}

RUN_ALL_TESTS
