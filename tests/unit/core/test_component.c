/* SPDX-License-Identifier: BSD-3-Clause */
/* What all components share, on a component of the test. */
#include <string.h>

#include "core/component.h"
#include "tests/unit/testing.h"

static int opened;

static int toy_probe(struct component *c, const struct fs *fs)
{
	(void)fs;
	return component_add_event(c, NULL, "works", "good") ||
	       component_add_event(c, NULL, "does not", "bad");
}

static int toy_open(struct slice *s)
{
	opened++;
	return s->events[0] == 0 ? 0 : slice_fail(s, PAPI_ENOEVNT, "no luck");
}

static int toy_count(struct slice *s, struct count *counts)
{
	(void)s;
	counts[0] = (struct count){ 0 };
	return 0;
}

static void toy_close(struct slice *s)
{
	(void)s;
}

static const struct component_ops toy = {
	.name = "toy",
	.probe = toy_probe,
	.open = toy_open,
	.close = toy_close,
	.start = toy_count,
	.read = toy_count,
	.stop = toy_count,
};

static const struct fs nothing = { .root = "" };

TEST(test_trying_is_remembered)
{
	struct component *c = component_new(&toy);
	const char *why = NULL;

	opened = 0;
	assert_int_equal(component_probe(c, &nothing), 0);
	assert_int_equal(component_try_event(c, 0, &why), 0);
	assert_int_equal(component_try_event(c, 0, &why), 0);
	assert_null(why);
	assert_int_equal(component_try_event(c, 1, &why), PAPI_ENOEVNT);
	assert_string_equal(why, "no luck");
	assert_int_equal(component_try_event(c, 1, NULL), PAPI_ENOEVNT);
	assert_int_equal(opened, 2);
	component_free(c);
}

TEST(test_names_are_found_once)
{
	struct component *c = component_new(&toy);
	struct diag diag = { 0 };
	size_t i = 9;

	assert_int_equal(component_probe(c, &nothing), 0);
	assert_int_equal(component_add_event(c, NULL, NULL, "%s", "good"), 0);
	assert_int_equal(component_event_count(c), 2);
	assert_int_equal(component_find_event(c, "bad", &i, &diag), 0);
	assert_int_equal(i, 1);
	assert_int_equal(component_find_event(c, "ugly", &i, &diag),
			 PAPI_ENOEVNT);
	assert_non_null(strstr(diag.text, "ugly"));
	component_free(c);
}

/* Cut off, two of them would be one. */
TEST(test_a_name_beyond_all_bounds_is_refused)
{
	struct component *c = component_new(&toy);
	struct diag diag = { 0 };
	char name[1025];
	size_t i = 9;

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(component_probe(c, &nothing), 0);
	assert_int_equal(component_find_event(c, name, &i, &diag),
			 PAPI_ENOEVNT);
	assert_string_equal(diag.text,
			    "toy has no event with a name of 1024 characters");
	name[1023] = '\0';
	assert_int_equal(component_add_event(c, NULL, NULL, "%s", name), 0);
	assert_int_equal(component_find_event(c, name, &i, &diag), 0);
	assert_int_equal(i, 2);
	component_free(c);
}

RUN_ALL_TESTS
