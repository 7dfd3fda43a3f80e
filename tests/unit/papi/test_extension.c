/* SPDX-License-Identifier: BSD-3-Clause */
/* Values with their quality, reasons, sentences: what assay.h adds. */
#include <math.h>

#include "tests/unit/papi/open_toys.h"

TEST_WITH(test_value_counted_all_the_time, open_toys, close_toys)
{
	int set = toy_set(2);
	struct assay_value values[2];

	assert_int_equal(PAPI_start(set), PAPI_OK);
	toy_count(0, 40, 1000, 1000);
	toy_count(1, 2, 1000, 1000);
	assert_int_equal(assay_read(set, values, 2), PAPI_OK);
	assert_true(values[0].value == 40 && values[1].value == 2);
	assert_int_equal(values[0].quality, ASSAY_COUNTED);
	assert_true(values[0].error == 0);
	assert_int_equal(values[0].enabled_ns, 1000);
	assert_int_equal(values[0].running_ns, 1000);
	assert_string_equal(values[0].source, "toy");
	assert_string_equal(values[0].unit, "");
	assert_null(values[0].reason);
	assert_false(values[0].clamped);
}

TEST_WITH(test_value_scaled_says_so, open_toys, close_toys)
{
	int set = toy_set(1);
	struct assay_value value;

	assert_int_equal(PAPI_start(set), PAPI_OK);
	toy_count(0, 40, 1000, 250);
	toy.counts[0].variance += 9;
	assert_int_equal(PAPI_stop(set, NULL), PAPI_OK);
	assert_int_equal(assay_read(set, &value, 1), PAPI_OK);
	assert_int_equal(value.quality, ASSAY_SCALED);
	assert_true(value.value == 160 && value.error == 3);
	assert_int_equal(value.running_ns, 250);
}

TEST_WITH(test_value_never_counted_has_a_reason, open_toys, close_toys)
{
	int set = toy_set(1);
	struct assay_value value;

	assert_int_equal(PAPI_start(set), PAPI_OK);
	toy_count(0, 0, 1000, 0);
	assert_int_equal(assay_read(set, &value, 1), PAPI_OK);
	assert_int_equal(value.quality, ASSAY_NO_VALUE);
	assert_true(isnan(value.value));
	assert_non_null(value.reason);
}

TEST_WITH(test_read_wants_room, open_toys, close_toys)
{
	int set = toy_set(2);
	struct assay_value values[2];

	assert_int_equal(assay_read(set, NULL, 2), PAPI_EINVAL);
	assert_int_equal(assay_read(set, values, 1), PAPI_EINVAL);
	assert_int_equal(assay_read(set, values, -1), PAPI_EINVAL);
	assert_int_equal(assay_read(set + 1, values, 2), PAPI_ENOEVST);
}

TEST_WITH(test_available_is_tried_and_says_why_not, open_toys, close_toys)
{
	const char *why = NULL;
	int code = toy_code(3);

	toy.fail_start = PAPI_EPERM;
	assert_int_equal(assay_event_available(code, &why), PAPI_EPERM);
	assert_string_equal(why, "told to fail");
	assert_string_equal(assay_error(), "told to fail");
	assert_int_equal(PAPI_query_event(code), PAPI_EPERM);
	toy.fail_start = 0;
	assert_int_equal(PAPI_query_event(code), PAPI_EPERM); /* remembered */
	assert_int_equal(assay_event_available(toy_code(4), NULL), PAPI_OK);
	assert_int_equal(PAPI_query_named_event("toy::e5"), PAPI_OK);
	assert_int_equal(assay_event_available(PAPI_NATIVE_MASK | 0xffff, &why),
			 PAPI_ENOEVNT);
	assert_non_null(why);
}

TEST_WITH(test_error_names_what_was_wrong, open_toys, close_toys)
{
	int set = toy_set(0);

	assert_int_equal(PAPI_add_named_event(set, "toy::e77"), PAPI_ENOEVNT);
	assert_non_null(strstr(assay_error(), "e77"));
	assert_int_equal(PAPI_remove_event(12345, 1), PAPI_ENOEVST);
	assert_non_null(strstr(assay_error(), "12345"));
}

TEST_WITH(test_nearest_names_are_found, open_toys, close_toys)
{
	const char *names[3];
	int n;

	n = assay_nearest_events("toy::levle", names, 3);
	assert_true(n >= 1);
	assert_string_equal(names[0], "toy::level");
	assert_int_equal(assay_nearest_events(NULL, names, 3), PAPI_EINVAL);
	assert_int_equal(assay_nearest_events("x", NULL, 3), PAPI_EINVAL);
	assert_int_equal(assay_nearest_events("x", names, 0), PAPI_EINVAL);
}

TEST_WITH(test_start_on_exec_reaches_the_slice, open_toys, close_toys)
{
	int set = toy_set(1);

	assert_int_equal(PAPI_attach(set, 1), PAPI_OK);
	assert_int_equal(assay_set_start_on_exec(set), PAPI_OK);
	assert_true(toy.last->opt.on_exec);
	assert_int_equal(PAPI_detach(set), PAPI_OK);
	assert_false(toy.last->opt.on_exec);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	assert_int_equal(assay_set_start_on_exec(set), PAPI_EISRUN);
	assert_int_equal(assay_set_start_on_exec(-1), PAPI_ENOEVST);
}

TEST_WITH(test_no_pmu_comes_with_a_reason, open_toys, close_toys)
{
	struct assay_pmu pmu;

	assert_int_equal(assay_get_pmu(NULL), PAPI_EINVAL);
	assert_int_equal(assay_get_pmu(&pmu), PAPI_OK);
	assert_int_equal(pmu.kind, ASSAY_PMU_NONE);
	assert_string_equal(pmu.name, "");
	assert_int_equal(pmu.counters, 0);
	assert_non_null(pmu.reason);
}

TEST_WITH(test_kind_of_event, open_toys, close_toys)
{
	struct assay_event_kind kind = { ASSAY_SCOPE_PROCESS, 0, 0 };
	int code;

	assert_int_equal(PAPI_event_name_to_code("toy::e0", &code), PAPI_OK);
	assert_int_equal(assay_get_event_kind(code, NULL), PAPI_EINVAL);
	assert_int_equal(assay_get_event_kind(code, &kind), PAPI_OK);
	assert_int_equal(kind.scope, ASSAY_SCOPE_THREAD);
	assert_true(kind.hardware);
	assert_int_equal(assay_get_event_kind(-5, &kind), PAPI_ENOEVNT);
}

RUN_ALL_TESTS
