/* SPDX-License-Identifier: BSD-3-Clause */
/* Names to codes and back; plans, on components of the test. */
#include "tests/unit/event/toy.h"

TEST(test_names_are_found_in_order)
{
	struct toys t;

	toys_open(&t);
	assert_int_equal(code_of(&t, "PAPI_L1_DCM"), PAPI_L1_DCM);
	assert_int_equal(code_of(&t, "PAPI_TOT_INS"), PAPI_TOT_INS);
	assert_int_equal(code_of(&t, "perf::CYCLES"), NATIVE_CODE(0, 0));
	assert_int_equal(code_of(&t, "toy::perf::CYCLES"), NATIVE_CODE(0, 0));
	assert_int_equal(code_of(&t, "toy:::perf::CYCLES"), NATIVE_CODE(0, 0));
	assert_int_equal(code_of(&t, "side::in:bytes"), NATIVE_CODE(1, 0));
	assert_int_equal(code_of(&t, "in:bytes"), NATIVE_CODE(1, 0));
	assert_int_equal(code_of(&t, "side:::power"), NATIVE_CODE(1, 1));
	toys_close(&t);
}

TEST(test_names_of_2000_are_known)
{
	const struct recipe *plan;
	struct toys t;

	toys_open(&t);
	assert_int_equal(code_of(&t, "PAPI_STL_CYC"), PAPI_STL_ICY);
	assert_int_equal(
		events_plan(t.events, code_of(&t, "PAPI_IPS"), &plan, NULL), 0);
	assert_int_equal(plan->n, 2);
	assert_string_equal(plan->unit, "1/s");
	assert_null(plan->weights);
	code_of(&t, "PAPI_FLOPS");
	toys_close(&t);
}

TEST(test_wrong_names_have_codes_and_sentences)
{
	static const struct {
		int line;
		const char *name;
		int want;
	} rows[] = {
		{ __LINE__, "", PAPI_EINVAL },
		{ __LINE__, "PAPI_NOTHING", PAPI_ENOEVNT },
		{ __LINE__, "papi_tot_ins", PAPI_ENOEVNT },
		{ __LINE__, "nothing", PAPI_ENOEVNT },
		{ __LINE__, "side::nothing", PAPI_ENOEVNT },
		{ __LINE__, "toy::", PAPI_ENOEVNT },
		{ __LINE__, "::", PAPI_ENOEVNT },
		{ __LINE__, "off::x", PAPI_ECMP_DISABLED },
		{ __LINE__, "rxyz", PAPI_EINVAL },
		{ __LINE__, "r12g", PAPI_EINVAL },
	};
	struct toys t;

	toys_open(&t);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct diag diag = { 0 };
		int code = 77;

		CHECK_AT(rows[i].line,
			 events_find(t.events, rows[i].name, &code, &diag) ==
				 rows[i].want);
		CHECK_AT(rows[i].line, code == 77);
		CHECK_AT(rows[i].line, diag.text[0] != '\0');
	}
	toys_close(&t);
}

TEST(test_codes_have_names)
{
	struct toys t;

	toys_open(&t);
	assert_string_equal(events_name(t.events, PAPI_BR_INS), "PAPI_BR_INS");
	assert_string_equal(events_name(t.events, code_of(&t, "perf::CYCLES")),
			    "perf::CYCLES");
	assert_string_equal(events_name(t.events, code_of(&t, "in:bytes")),
			    "side::in:bytes");
	assert_string_equal(events_name(t.events, code_of(&t, "PAPI_IPS")),
			    "PAPI_IPS");
	assert_string_equal(events_name(t.events, code_of(&t, "rabc")), "rabc");
	assert_null(events_name(t.events, 0));
	assert_null(events_name(t.events, PAPI_PRESET_MASK | 108));
	assert_null(events_name(t.events, PAPI_PRESET_MASK | 0x3fffffff));
	assert_null(events_name(t.events, PAPI_UE_MASK | 1000));
	assert_null(events_name(t.events, NATIVE_CODE(3, 0)));
	assert_null(events_name(t.events, NATIVE_CODE(0, 999)));
	toys_close(&t);
}

TEST(test_plans_have_the_right_arithmetic)
{
	const struct recipe *plan;
	struct toys t;

	toys_open(&t);
	assert_int_equal(events_plan(t.events, PAPI_TOT_CYC, &plan, NULL), 0);
	assert_int_equal(plan->n, 1);
	assert_null(plan->weights);
	assert_null(plan->eval);
	assert_true(plan->is_count);
	assert_int_equal(plan->code, PAPI_TOT_CYC);

	assert_int_equal(events_plan(t.events, PAPI_L1_ICH, &plan, NULL), 0);
	assert_int_equal(plan->n, 2);
	assert_int_equal(plan->weights[0], 1);
	assert_int_equal(plan->weights[1], -1);

	assert_int_equal(
		events_plan(t.events, code_of(&t, "power"), &plan, NULL), 0);
	assert_string_equal(plan->unit, "W");
	toys_close(&t);
}

/* The table for icx names events that the toy has not; perf's it has. */
TEST(test_generic_presets_stand_in)
{
	const struct recipe *plan;
	PAPI_event_info_t info;
	struct toys t;

	toy_pmu = "icx";
	toys_open(&t);
	assert_int_equal(events_plan(t.events, PAPI_TOT_CYC, &plan, NULL), 0);
	assert_int_equal(plan->natives[0].event, 0);
	assert_int_equal(events_plan(t.events, PAPI_BR_CN, &plan, NULL),
			 PAPI_ENOEVNT);
	assert_int_equal(events_info(t.events, PAPI_BR_MSP, &info), 0);
	assert_string_equal(info.name[0], "perf::BRANCH-MISSES");
	toys_close(&t);
	toy_pmu = "toy-one";
}

TEST(test_unknown_codes_have_no_plan)
{
	static const struct {
		int line;
		int code;
		int want;
	} rows[] = {
		{ __LINE__, 0, PAPI_ENOEVNT },
		{ __LINE__, 12, PAPI_ENOEVNT },
		{ __LINE__, PAPI_CA_SNP, PAPI_ENOEVNT },
		{ __LINE__, PAPI_TLB_IM, PAPI_ENOEVNT },
		{ __LINE__, PAPI_PRESET_MASK | 108, PAPI_ENOTPRESET },
		{ __LINE__, PAPI_PRESET_MASK | 0x3fffff, PAPI_ENOTPRESET },
		{ __LINE__, PAPI_UE_MASK | 500, PAPI_ENOEVNT },
		{ __LINE__, NATIVE_CODE(200, 1), PAPI_ENOEVNT },
		{ __LINE__, NATIVE_CODE(0, 0x3fffff), PAPI_ENOEVNT },
	};
	struct toys t;

	toys_open(&t);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct recipe *plan = NULL;
		struct diag diag = { 0 };
		const char *why = NULL;

		CHECK_AT(rows[i].line,
			 events_plan(t.events, rows[i].code, &plan, &diag) ==
				 rows[i].want);
		CHECK_AT(rows[i].line, plan == NULL && diag.text[0]);
		/* and the same a second time */
		CHECK_AT(rows[i].line, events_available(t.events, rows[i].code,
							&why) == rows[i].want);
		CHECK_AT(rows[i].line, why != NULL);
	}
	toys_close(&t);
}

TEST(test_available_means_tried)
{
	const char *why = NULL;
	struct toys t;

	toys_open(&t);
	assert_int_equal(events_available(t.events, PAPI_TOT_CYC, &why), 0);
	assert_int_equal(events_available(t.events, PAPI_L1_DCA, &why),
			 PAPI_ENOEVNT);
	assert_string_equal(why, "the toy counts no stores");
	toys_close(&t);
}

TEST(test_available_means_tried_as_a_whole)
{
	const char *why = NULL;
	struct toys t;

	toys_open(&t);
	toy_most = 1;
	/* each of its two events can be counted, but not both at once */
	assert_int_equal(events_available(t.events, PAPI_L1_ICA, &why), 0);
	assert_int_equal(events_available(t.events, PAPI_L1_ICH, &why),
			 PAPI_ECNFLCT);
	assert_string_equal(why, "the toy has 1 counters");
	/* a failure may pass, a success is remembered */
	toy_most = 2;
	assert_int_equal(events_available(t.events, PAPI_L1_ICH, &why), 0);
	toy_most = 1;
	assert_int_equal(events_available(t.events, PAPI_L1_ICH, &why), 0);
	toy_most = 100;
	toys_close(&t);
}

/* Zen 5 is not in every libpfm4, so its table gives names to encodings. */
TEST(test_tables_name_encodings)
{
	const struct recipe *plan = NULL;
	PAPI_event_info_t info;
	struct toys t;
	int code;

	toy_pmu = "amd64_fam1ah_zen5";
	toys_open(&t);
	assert_int_equal(events_plan(t.events, PAPI_BR_NTK, &plan, NULL), 0);
	assert_int_equal(plan->n, 2);
	assert_int_equal(events_info(t.events, PAPI_BR_NTK, &info), 0);
	assert_string_equal(info.name[0], "ex_ret_brn");
	assert_string_equal(info.name[1], "ex_ret_brn_tkn");
	/* the name is good for a user, too, and is the same event */
	code = code_of(&t, "ex_ret_brn");
	assert_int_equal(code, (int)info.code[0]);
	assert_string_equal(events_name(t.events, code), "ex_ret_brn");
	assert_int_equal(code, code_of(&t, "rc2"));
	toys_close(&t);

	toy_pmu = "toy-one"; /* and only there */
	toys_open(&t);
	assert_int_equal(events_find(t.events, "ex_ret_brn", &code, NULL),
			 PAPI_ENOEVNT);
	toys_close(&t);
}

TEST(test_info_tells_what_a_preset_is_made_of)
{
	PAPI_event_info_t info;
	struct toys t;

	toys_open(&t);
	assert_int_equal(events_info(t.events, PAPI_L1_ICH, &info), 0);
	assert_string_equal(info.symbol, "PAPI_L1_ICH");
	assert_string_equal(info.derived, "DERIVED_SUB");
	assert_string_equal(info.postfix, "N0|N1|-|");
	assert_int_equal(info.count, 2);
	assert_string_equal(info.name[1], "perf::L1-ICACHE-LOAD-MISSES");
	assert_true(info.event_type & PAPI_PRESET_BIT_L1);

	assert_int_equal(events_info(t.events, PAPI_L1_DCA, &info), 0);
	assert_int_equal(info.count, 0);
	assert_string_equal(info.note, "the toy counts no stores");

	assert_int_equal(events_info(t.events, PAPI_CA_SNP, &info), 0);
	assert_int_equal(info.count, 0);
	assert_true(info.long_descr[0]);

	assert_int_equal(events_info(t.events, code_of(&t, "power"), &info), 0);
	assert_string_equal(info.symbol, "side::power");
	assert_string_equal(info.units, "W");
	assert_int_equal(info.component_index, 1);
	assert_int_equal(info.value_type, PAPI_VALUETYPE_ABSOLUTE);

	assert_int_equal(events_info(t.events, 5, &info), PAPI_ENOEVNT);
	assert_int_equal(events_info(t.events, PAPI_PRESET_MASK | 120, &info),
			 PAPI_ENOTPRESET);
	toys_close(&t);
}

TEST(test_nearest_names)
{
	static const struct {
		int line;
		const char *name;
		const char *want;
	} rows[] = {
		{ __LINE__, "PAPI_TOT_CY", "PAPI_TOT_CYC" },
		{ __LINE__, "papi_tot_ins", "PAPI_TOT_INS" },
		{ __LINE__, "TOT_INS", "PAPI_TOT_INS" },
		{ __LINE__, "PAPI_L1_DMC", "PAPI_L1_DCM" },
		{ __LINE__, "brnch-misses", "perf::BRANCH-MISSES" },
		{ __LINE__, "perf::L1_DCACHE_LOAD_MISES",
		  "perf::L1-DCACHE-LOAD-MISSES" },
		{ __LINE__, "side::in:byte", "side::in:bytes" },
	};
	const char *names[3];
	struct toys t;

	toys_open(&t);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int n = events_nearest(t.events, rows[i].name, names, 3);

		CHECK_AT(rows[i].line, n > 0);
		CHECK_AT(rows[i].line, strcmp(names[0], rows[i].want) == 0);
	}
	assert_int_equal(events_nearest(t.events, "zzzzqqqqzzzzqqqq", names, 3),
			 0);
	assert_int_equal(events_nearest(t.events, "cycles", names, 0), 0);
	toys_close(&t);
}

RUN_ALL_TESTS
