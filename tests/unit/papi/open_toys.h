/* SPDX-License-Identifier: BSD-3-Clause */
/* The library opened on components whose counts a test sets by hand. */
#pragma once

#include <assay/assay.h>
#include <papi.h>

#include "papi/library.h"
#include "tests/unit/core/toy.h"
#include "tests/unit/testing.h"

/* A test between set-up and tear-down. */
#define TOY_TEST(name)                                                         \
	cmocka_unit_test_setup_teardown(name, open_toys, close_toys)

#define ARRAY_ROWS(a) (sizeof(a) / sizeof((a)[0]))

/* cmocka's set-up: four counters, both components, nothing counted yet. */
static inline int open_toys(void **state)
{
	(void)state;
	memset(&toy, 0, sizeof(toy));
	toy.counters = 4;
	return library_open(toy_list, 2, "");
}

/* And its tear-down; whatever is still open is a leak. */
static inline int close_toys(void **state)
{
	(void)state;
	PAPI_shutdown();
	return toy.open;
}

/* The code of "toy::e@i". */
static inline int toy_code(int i)
{
	char name[24];
	int code = PAPI_NULL;

	snprintf(name, sizeof(name), "toy::e%d", i);
	assert_int_equal(PAPI_event_name_to_code(name, &code), PAPI_OK);
	return code;
}

/* An EventSet of e0 to e@n - 1. */
static inline int toy_set(int n)
{
	int set = PAPI_NULL;

	assert_int_equal(PAPI_create_eventset(&set), PAPI_OK);
	for (int i = 0; i < n; i++)
		assert_int_equal(PAPI_add_event(set, toy_code(i)), PAPI_OK);
	return set;
}
