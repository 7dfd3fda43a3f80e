/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every function of the interface with every wrong input that its header
 * tells of: the code that it tells, a sentence where there is one to give, and
 * nothing changed. Also all of them before the library is initialised.
 */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>
#include <assay/metric.h>
#include <assay/record.h>

#include "tests/unit/testing.h"

#define NO_SET  9999
#define NO_CODE (PAPI_NATIVE_MASK | 0x0fffffff)
#define NO_CMP  99

/* What calls write to, and sets in each state. */
static struct {
	long long values[8];
	int codes[8];
	int n;
	char name[PAPI_MAX_STR_LEN];
	PAPI_option_t option;
	PAPI_event_info_t info;
	void *pointer;
	void *gpu; /* a device of which there is none */
	int empty, stopped, running;
	int member, stranger; /* events: in the sets; in none */
	float f[3];
	long long ll;
} w;

static int code_of(const char *name)
{
	int code = PAPI_NULL;

	assert_int_equal(PAPI_event_name_to_code(name, &code), PAPI_OK);
	return code;
}

static int make_set(const char *name)
{
	int set = PAPI_NULL;

	assert_int_equal(PAPI_create_eventset(&set), PAPI_OK);
	if (name)
		assert_int_equal(PAPI_add_named_event(set, name), PAPI_OK);
	return set;
}

static int open_library(void **state)
{
	(void)state;
	memset(&w, 0, sizeof(w));
	if (PAPI_library_init(PAPI_VER_CURRENT) != (int)PAPI_VER_CURRENT)
		return -1;
	w.member = code_of("perf::TASK-CLOCK");
	w.stranger = code_of("perf::PAGE-FAULTS");
	PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__CUDA, &w.gpu);
	w.empty = make_set(NULL);
	w.stopped = make_set("perf::TASK-CLOCK");
	w.running = make_set("perf::TASK-CLOCK");
	return PAPI_start(w.running);
}

static int close_library(void **state)
{
	(void)state;
	PAPI_stop(w.running, w.values);
	PAPI_shutdown();
	return 0;
}

static void on_overflow(int set, void *address, long long which, void *context)
{
	(void)set;
	(void)address;
	(void)which;
	(void)context;
}

/* Check what @call answered, and that there is a sentence about it. */
static void want(const char *call, int code, int got)
{
	if (got != code)
		fail_msg("%s: %d (%s), not %d (%s)", call, got,
			 PAPI_strerror(got), code, PAPI_strerror(code));
	if (!*assay_error())
		fail_msg("%s: not a word", call);
}

static void test_nothing_works_before_the_library_does(void **state)
{
	(void)state;
#define REFUSAL(before, after, call) want(#call, PAPI_##before, call);
#include "tests/unit/papi/refusals.def"
#undef REFUSAL
}

static void test_wrong_input_is_refused(void **state)
{
	(void)state;
#define REFUSAL(before, after, call) want(#call, PAPI_##after, call);
#include "tests/unit/papi/refusals.def"
#undef REFUSAL
	want("disable", PAPI_EINVAL, PAPI_disable_component(0));
}

/* All the refusals left everything as it was. */
static void test_refusals_change_nothing(void **state)
{
	int status = 0;

	test_wrong_input_is_refused(state);
	assert_int_equal(PAPI_num_events(w.empty), 0);
	assert_int_equal(PAPI_num_events(w.stopped), 1);
	assert_int_equal(PAPI_state(w.running, &status), PAPI_OK);
	assert_int_equal(status, PAPI_RUNNING);
	assert_int_equal(PAPI_read(w.running, w.values), PAPI_OK);
	assert_int_equal(PAPI_start(w.stopped), PAPI_OK);
	assert_int_equal(PAPI_stop(w.stopped, w.values), PAPI_OK);
	assert_int_equal(PAPI_get_multiplex(w.stopped), 0);
}

/* The machine has the event; it is the set that has not. */
static void test_removing_a_stranger_names_the_set(void **state)
{
	char wanted[64];

	(void)state;
	snprintf(wanted, sizeof(wanted),
		 "perf::PAGE-FAULTS is not in EventSet %d", w.stopped);
	assert_int_equal(PAPI_remove_event(w.stopped, w.stranger),
			 PAPI_ENOEVNT);
	assert_string_equal(assay_error(), wanted);
	assert_int_equal(
		PAPI_remove_named_event(w.stopped, "perf::PAGE-FAULTS"),
		PAPI_ENOEVNT);
	assert_string_equal(assay_error(), wanted);
	assert_int_equal(PAPI_remove_event(w.stopped, NO_CODE), PAPI_ENOEVNT);
	assert_non_null(strstr(assay_error(), "has no event 0x4fffffff"));
}

/* Longer than what PAPI's callers have room for; the information has it. */
static void test_a_name_that_has_no_room(void **state)
{
	char name[300];
	int code = PAPI_NULL;

	(void)state;
	snprintf(name, sizeof(name), "software/config=0x%0200d/", 77);
	if (PAPI_event_name_to_code(name, &code) != PAPI_OK)
		skip();
	assert_int_equal(PAPI_event_code_to_name(code, w.name), PAPI_EBUF);
	assert_non_null(strstr(assay_error(), "PAPI_get_event_info()"));
	assert_int_equal(PAPI_get_event_info(code, &w.info), PAPI_OK);
	assert_string_equal(w.info.symbol, name);
}

static void test_what_returns_a_pointer_returns_none(void **state)
{
	(void)state;
	assert_null(PAPI_get_component_info(NO_CMP));
	assert_null(PAPI_get_component_info(-1));
	assert_null(PAPI_strerror(12345));
	assert_null(PAPI_strerror(-12345));
}

static void test_metrics_are_refused_with_their_place(void **state)
{
	struct assay_metric *metric = NULL;
	struct assay_diag diag = { .text = "" };

	(void)state;
	assert_int_equal(assay_metric_compile("PAPI_TOT_INS|/", &metric, &diag),
			 PAPI_EINVAL);
	assert_null(metric);
	assert_true(diag.text[0] && diag.column > 0);
	assert_int_equal(assay_metric_compile("", &metric, &diag), PAPI_EINVAL);
	assert_int_equal(assay_metric_compile(NULL, &metric, &diag),
			 PAPI_EINVAL);
	assay_metric_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_works_before_the_library_does),
		cmocka_unit_test_setup_teardown(test_wrong_input_is_refused,
						open_library, close_library),
		cmocka_unit_test_setup_teardown(test_refusals_change_nothing,
						open_library, close_library),
		cmocka_unit_test_setup_teardown(
			test_removing_a_stranger_names_the_set, open_library,
			close_library),
		cmocka_unit_test_setup_teardown(
			test_what_returns_a_pointer_returns_none, open_library,
			close_library),
		cmocka_unit_test_setup_teardown(test_a_name_that_has_no_room,
						open_library, close_library),
		cmocka_unit_test(test_metrics_are_refused_with_their_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
