/* SPDX-License-Identifier: BSD-3-Clause */
/* Presets, native and user events one after the other. */
#include "tests/unit/event/toy.h"

/* How many codes come, after the first, with @modifier. */
static size_t count_from(struct toys *t, int code, int modifier, int component)
{
	size_t n = 1;

	while (events_next(t->events, &code, modifier, component) == 0)
		n++;
	return n;
}

TEST(test_presets_come_in_order)
{
	int code = PAPI_PRESET_MASK | 77;
	struct toys t;

	toys_open(&t);
	assert_int_equal(events_next(t.events, &code, PAPI_ENUM_FIRST, -1), 0);
	assert_int_equal(code, PAPI_L1_DCM);
	assert_int_equal(count_from(&t, code, PAPI_ENUM_EVENTS, -1), 108);
	assert_int_equal(events_next(t.events, &code, PAPI_ENUM_EVENTS, -1), 0);
	assert_int_equal(code, PAPI_L1_ICM);
	code = PAPI_REF_CYC;
	assert_int_equal(events_next(t.events, &code, PAPI_ENUM_EVENTS, -1),
			 PAPI_ENOEVNT);
	assert_int_equal(code, PAPI_REF_CYC);
	toys_close(&t);
}

TEST(test_presets_that_were_tried)
{
	static const int want[] = { PAPI_L1_ICM, PAPI_L1_TCM, PAPI_BR_MSP,
				    PAPI_TOT_INS };
	int code = PAPI_L1_DCM;
	struct toys t;

	toys_open(&t);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_int_equal(events_next(t.events, &code,
					     PAPI_PRESET_ENUM_AVAIL, -1),
				 0);
		assert_int_equal(code, want[i]);
	}
	toys_close(&t);
}

TEST(test_presets_of_a_group)
{
	int code = PAPI_L1_DCM;
	struct toys t;

	toys_open(&t);
	while (events_next(t.events, &code, PAPI_PRESET_ENUM_TLB, -1) == 0) {
		const char *name = events_name(t.events, code);

		assert_non_null(strstr(name, "TLB"));
	}
	assert_int_equal(code, PAPI_TLB_SD);
	assert_int_equal(count_from(&t, PAPI_L1_DCM, PAPI_PRESET_ENUM_TLB, -1),
			 1 + 4);
	toys_close(&t);
}

TEST(test_natives_of_a_component)
{
	int code = PAPI_NATIVE_MASK;
	struct toys t;

	toys_open(&t);
	assert_int_equal(events_next(t.events, &code, PAPI_ENUM_FIRST, 0), 0);
	assert_int_equal(code, NATIVE_CODE(0, 0));
	assert_int_equal(count_from(&t, code, PAPI_ENUM_EVENTS, 0),
			 ARRAY_SIZE(toy_names));
	/* an event found by its name alone is not listed, nor are masks */
	code_of(&t, "r123");
	code = code_of(&t, "toy_pmu::CACHE");
	assert_int_equal(events_next(t.events, &code, PAPI_NTV_ENUM_UMASKS, 0),
			 0);
	assert_string_equal(events_name(t.events, code), "toy_pmu::CACHE:HIT");
	assert_int_equal(count_from(&t, NATIVE_CODE(0, 0), PAPI_ENUM_EVENTS, 0),
			 ARRAY_SIZE(toy_names));
	toys_close(&t);
}

TEST(test_natives_of_all_components)
{
	int code = PAPI_NATIVE_MASK;
	struct toys t;

	toys_open(&t);
	assert_int_equal(events_next(t.events, &code, PAPI_ENUM_FIRST, -1), 0);
	assert_int_equal(count_from(&t, code, PAPI_ENUM_EVENTS, -1),
			 ARRAY_SIZE(toy_names) + 2);
	toys_close(&t);
}

TEST(test_masks_of_an_event)
{
	struct toys t;
	int code;

	toys_open(&t);
	code = code_of(&t, "toy_pmu::CACHE");
	assert_int_equal(count_from(&t, code, PAPI_NTV_ENUM_UMASKS, 0), 3);
	code = code_of(&t, "perf::CYCLES");
	assert_int_equal(events_next(t.events, &code, PAPI_NTV_ENUM_UMASKS, 0),
			 PAPI_ENOEVNT);
	toys_close(&t);
}

TEST(test_user_events)
{
	int code = PAPI_UE_MASK;
	struct toys t;

	toys_open(&t);
	assert_int_equal(events_next(t.events, &code, PAPI_ENUM_FIRST, -1), 0);
	assert_string_equal(events_name(t.events, code), "PAPI_FLOPS");
	assert_int_equal(events_next(t.events, &code, PAPI_ENUM_EVENTS, -1), 0);
	assert_string_equal(events_name(t.events, code), "PAPI_IPS");
	assert_int_equal(events_next(t.events, &code, PAPI_ENUM_EVENTS, -1),
			 PAPI_ENOEVNT);
	code = PAPI_UE_MASK; /* FLOPS needs events that the toy lacks */
	assert_int_equal(
		events_next(t.events, &code, PAPI_PRESET_ENUM_AVAIL, -1), 0);
	assert_string_equal(events_name(t.events, code), "PAPI_IPS");
	toys_close(&t);
}

TEST(test_wrong_questions)
{
	static const struct {
		int line;
		int code, modifier, component, want;
	} rows[] = {
		{ __LINE__, 0, PAPI_ENUM_FIRST, -1, PAPI_EINVAL },
		{ __LINE__, PAPI_L1_DCM, -3, -1, PAPI_EINVAL },
		{ __LINE__, PAPI_L1_DCM, 99, -1, PAPI_EINVAL },
		{ __LINE__, PAPI_L1_DCM, PAPI_NTV_ENUM_UMASKS, -1,
		  PAPI_EINVAL },
		{ __LINE__, PAPI_NATIVE_MASK, 99, 0, PAPI_EINVAL },
		{ __LINE__, PAPI_NATIVE_MASK, PAPI_NTV_ENUM_GROUPS, 0,
		  PAPI_ENOEVNT },
		{ __LINE__, PAPI_NATIVE_MASK, PAPI_ENUM_EVENTS, 7,
		  PAPI_ENOCMP },
		{ __LINE__, NATIVE_CODE(1, 0), PAPI_ENUM_EVENTS, 0,
		  PAPI_ENOCMP },
		{ __LINE__, NATIVE_CODE(200, 0), PAPI_ENUM_EVENTS, -1,
		  PAPI_ENOCMP },
		{ __LINE__, PAPI_NATIVE_MASK, PAPI_ENUM_FIRST, 2,
		  PAPI_ENOEVNT },
		{ __LINE__, NATIVE_CODE(0, 4000), PAPI_ENUM_EVENTS, 0,
		  PAPI_ENOEVNT },
		{ __LINE__, NATIVE_CODE(0, 4000), PAPI_NTV_ENUM_UMASKS, 0,
		  PAPI_ENOEVNT },
	};
	struct toys t;

	toys_open(&t);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int code = rows[i].code;

		CHECK_AT(rows[i].line,
			 events_next(t.events, &code, rows[i].modifier,
				     rows[i].component) == rows[i].want);
		CHECK_AT(rows[i].line, code == rows[i].code);
	}
	toys_close(&t);
}

RUN_ALL_TESTS
