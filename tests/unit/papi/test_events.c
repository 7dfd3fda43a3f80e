/* SPDX-License-Identifier: BSD-3-Clause */
/* Events and components through PAPI's calls. */
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/papi/open_toys.h"

TEST_WITH(test_name_and_code_agree, open_toys, close_toys)
{
	char name[PAPI_MAX_STR_LEN];
	int code = 0;

	assert_int_equal(PAPI_event_name_to_code("PAPI_TOT_CYC", &code),
			 PAPI_OK);
	assert_int_equal(code, PAPI_TOT_CYC);
	assert_int_equal(PAPI_event_code_to_name(PAPI_TOT_CYC, name), PAPI_OK);
	assert_string_equal(name, "PAPI_TOT_CYC");
	assert_int_equal(PAPI_event_code_to_name(toy_code(2), name), PAPI_OK);
	assert_string_equal(name, "toy::e2");
}

TEST_WITH(test_unknown_names_and_codes_are_refused, open_toys, close_toys)
{
	static const char *const names[] = { "",        "PAPI_NONE", "toy::",
					     "::e0",    "toy::e0:",  "nix::e0",
					     "toy::e0 " };
	char name[PAPI_MAX_STR_LEN];
	int code = 4711;

	for (size_t i = 0; i < ARRAY_ROWS(names); i++) {
		assert_true(PAPI_event_name_to_code(names[i], &code) < 0);
		assert_int_equal(code, 4711);
	}
	assert_int_equal(PAPI_event_name_to_code("nix::e0", &code),
			 PAPI_ENOEVNT);
	assert_int_equal(PAPI_event_name_to_code(NULL, &code), PAPI_EINVAL);
	assert_int_equal(PAPI_event_name_to_code("toy::e0", NULL), PAPI_EINVAL);
	assert_int_equal(PAPI_event_code_to_name(toy_code(0), NULL),
			 PAPI_EINVAL);
	assert_int_equal(PAPI_event_code_to_name(PAPI_PRESET_MASK | 127, name),
			 PAPI_ENOTPRESET);
	assert_int_equal(PAPI_event_code_to_name(PAPI_NATIVE_MASK | 9999, name),
			 PAPI_ENOEVNT);
	assert_int_equal(PAPI_event_code_to_name(7, name), PAPI_ENOEVNT);
}

TEST_WITH(test_info_tells_name_and_code, open_toys, close_toys)
{
	PAPI_event_info_t info;

	assert_int_equal(PAPI_get_event_info(toy_code(1), &info), PAPI_OK);
	assert_string_equal(info.symbol, "toy::e1");
	assert_int_equal((int)info.event_code, toy_code(1));
	assert_int_equal(info.component_index, 0);
	assert_int_equal(PAPI_get_event_info(toy_code(1), NULL), PAPI_EINVAL);
	assert_true(PAPI_get_event_info(PAPI_PRESET_MASK | 127, &info) < 0);
	assert_int_equal(PAPI_get_event_info(PAPI_TOT_CYC, &info), PAPI_OK);
	assert_int_equal(info.count, 0); /* no toy counts cycles */
}

TEST_WITH(test_all_presets_are_enumerated, open_toys, close_toys)
{
	int code = PAPI_PRESET_MASK, n = 0;

	assert_int_equal(PAPI_enum_event(NULL, PAPI_ENUM_FIRST), PAPI_EINVAL);
	assert_int_equal(PAPI_enum_event(&code, PAPI_ENUM_FIRST), PAPI_OK);
	do {
		assert_int_equal(code, PAPI_PRESET_MASK | n);
		n++;
	} while (PAPI_enum_event(&code, PAPI_ENUM_EVENTS) == PAPI_OK);
	assert_int_equal(n, PAPI_END_idx);
}

TEST_WITH(test_events_of_a_component_are_enumerated, open_toys, close_toys)
{
	int code = PAPI_NATIVE_MASK, n = 0;

	assert_int_equal(PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, 9),
			 PAPI_ENOCMP);
	assert_int_equal(PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, 1),
			 PAPI_OK);
	do {
		assert_int_equal(PAPI_get_event_component(code), 1);
		n++;
	} while (PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, 1) == PAPI_OK);
	assert_int_equal(n, TOY_EVENTS + 1);
}

TEST_WITH(test_component_of_an_event, open_toys, close_toys)
{
	int code;

	assert_int_equal(PAPI_get_event_component(toy_code(0)), 0);
	assert_int_equal(PAPI_event_name_to_code("plain::e0", &code), PAPI_OK);
	assert_int_equal(PAPI_COMPONENT_INDEX(code), 1);
	assert_true(PAPI_get_event_component(7) < 0);
	assert_true(PAPI_get_event_component(PAPI_NATIVE_MASK | 0x3fc00000) <
		    0);
}

TEST_WITH(test_components_are_described, open_toys, close_toys)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(0);

	assert_non_null(info);
	assert_ptr_equal(PAPI_get_component_info(0), info);
	assert_string_equal(info->name, "toy");
	assert_int_equal(info->CmpIdx, 0);
	assert_int_equal(info->num_native_events, TOY_EVENTS + 1);
	assert_true(info->kernel_multiplex && info->hardware_intr);
	assert_false(info->attach || info->disabled);
	assert_true(info->cpu);
	assert_null(PAPI_get_component_info(2));
	assert_null(PAPI_get_component_info(-1));
	assert_int_equal(PAPI_num_components(), 2);
	assert_int_equal(PAPI_get_component_index("plain"), 1);
	assert_int_equal(PAPI_get_component_index("nope"), PAPI_ENOCMP);
	assert_int_equal(PAPI_get_component_index(NULL), PAPI_EINVAL);
	assert_int_equal(PAPI_num_cmp_hwctrs(5), PAPI_ENOCMP);
	assert_int_equal(PAPI_num_hwctrs(), PAPI_num_cmp_hwctrs(0));
}

/* A file of user events is really read, unlike in PAPI. */
TEST_WITH(test_user_events_are_loaded, open_toys, close_toys)
{
	static const char text[] = "EVENT,MY_SUM,DERIVED_ADD,toy::e0,toy::e1\n";
	char path[] = "/tmp/assay-events-XXXXXX";
	int fd = mkstemp(path), set = toy_set(0);
	PAPI_option_t option = { .events_file = path };
	long long value;

	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	assert_int_equal(PAPI_set_opt(PAPI_USER_EVENTS_FILE, &option), PAPI_OK);
	unlink(path);
	assert_int_equal(PAPI_add_named_event(set, "MY_SUM"), PAPI_OK);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	toy_count(0, 30, 1, 1);
	toy_count(1, 12, 1, 1);
	assert_int_equal(PAPI_stop(set, &value), PAPI_OK);
	assert_int_equal(value, 42);

	assert_true(PAPI_set_opt(PAPI_USER_EVENTS_FILE, &option) < 0);
	assert_non_null(strstr(assay_error(), path));
	option.events_file = NULL;
	assert_int_equal(PAPI_set_opt(PAPI_USER_EVENTS_FILE, &option),
			 PAPI_EINVAL);
}

RUN_ALL_TESTS
