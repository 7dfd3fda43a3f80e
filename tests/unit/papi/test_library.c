/* SPDX-License-Identifier: BSD-3-Clause */
/* Before, at and after PAPI_library_init(); errors and who hears of them. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <assay/assay.h>

#include "papi/table.h"
#include "tests/unit/papi/open_toys.h"

/* Every call that needs the library, made without it. */
TEST(test_everything_needs_init)
{
	PAPI_event_info_t info;
	PAPI_option_t option = { .multiplex = { .ns = 0 } };
	PAPI_sprofil_t region = { .pr_scale = 65536 };
	struct assay_value value;
	struct assay_pmu pmu;
	const char *text;
	char name[PAPI_MAX_STR_LEN];
	long long values[4];
	long long cyc;
	int set = PAPI_NULL, number = 4, codes[4] = { 0 };
	void *pointer;

#define NEEDS_INIT(call) CHECK_AT(__LINE__, (call) == PAPI_ENOINIT)
	NEEDS_INIT(PAPI_create_eventset(&set));
	set = 0;
	NEEDS_INIT(PAPI_destroy_eventset(&set));
	NEEDS_INIT(PAPI_cleanup_eventset(0));
	NEEDS_INIT(PAPI_assign_eventset_component(0, 0));
	NEEDS_INIT(PAPI_get_eventset_component(0));
	NEEDS_INIT(PAPI_num_events(0));
	NEEDS_INIT(PAPI_list_events(0, codes, &number));
	NEEDS_INIT(PAPI_state(0, &number));
	NEEDS_INIT(PAPI_add_event(0, PAPI_TOT_CYC));
	NEEDS_INIT(PAPI_add_events(0, codes, 1));
	NEEDS_INIT(PAPI_add_named_event(0, "toy::e0"));
	NEEDS_INIT(PAPI_remove_event(0, PAPI_TOT_CYC));
	NEEDS_INIT(PAPI_remove_events(0, codes, 1));
	NEEDS_INIT(PAPI_remove_named_event(0, "toy::e0"));
	NEEDS_INIT(PAPI_start(0));
	NEEDS_INIT(PAPI_stop(0, values));
	NEEDS_INIT(PAPI_read(0, values));
	NEEDS_INIT(PAPI_read_ts(0, values, &cyc));
	NEEDS_INIT(PAPI_accum(0, values));
	NEEDS_INIT(PAPI_reset(0));
	NEEDS_INIT(PAPI_write(0, values));
	NEEDS_INIT(PAPI_query_event(PAPI_TOT_CYC));
	NEEDS_INIT(PAPI_query_named_event("toy::e0"));
	NEEDS_INIT(PAPI_get_event_info(PAPI_TOT_CYC, &info));
	NEEDS_INIT(PAPI_event_code_to_name(PAPI_TOT_CYC, name));
	NEEDS_INIT(PAPI_event_name_to_code("toy::e0", &number));
	NEEDS_INIT(PAPI_enum_event(&number, PAPI_ENUM_FIRST));
	NEEDS_INIT(PAPI_enum_cmp_event(&number, PAPI_ENUM_FIRST, 0));
	NEEDS_INIT(PAPI_get_event_component(PAPI_TOT_CYC));
	NEEDS_INIT(PAPI_num_cmp_hwctrs(0));
	NEEDS_INIT(PAPI_num_hwctrs());
	NEEDS_INIT(PAPI_set_opt(PAPI_DOMAIN, &option));
	NEEDS_INIT(PAPI_get_opt(PAPI_DOMAIN, &option));
	NEEDS_INIT(PAPI_get_cmp_opt(PAPI_DOMAIN, &option, 0));
	NEEDS_INIT(PAPI_set_domain(PAPI_DOM_ALL));
	NEEDS_INIT(PAPI_set_cmp_domain(PAPI_DOM_ALL, 0));
	NEEDS_INIT(PAPI_set_granularity(PAPI_GRN_THR));
	NEEDS_INIT(PAPI_set_cmp_granularity(PAPI_GRN_THR, 0));
	NEEDS_INIT(PAPI_attach(0, 1));
	NEEDS_INIT(PAPI_detach(0));
	NEEDS_INIT(PAPI_multiplex_init());
	NEEDS_INIT(PAPI_set_multiplex(0));
	NEEDS_INIT(PAPI_get_multiplex(0));
	NEEDS_INIT(PAPI_overflow(0, 0, 0, 0, NULL));
	NEEDS_INIT(PAPI_get_overflow_event_index(0, 1, codes, &number));
	NEEDS_INIT(PAPI_profil(values, 8, NULL, 65536, 0, 0, 1, 0));
	NEEDS_INIT(PAPI_sprofil(&region, 1, 0, 0, 1, 0));
	NEEDS_INIT(PAPI_thread_init(NULL));
	NEEDS_INIT((int)PAPI_thread_id());
	NEEDS_INIT(PAPI_register_thread());
	NEEDS_INIT(PAPI_unregister_thread());
	NEEDS_INIT(PAPI_list_threads(NULL, &number));
	NEEDS_INIT(PAPI_get_thr_specific(PAPI_USR1_TLS, &pointer));
	NEEDS_INIT(PAPI_set_thr_specific(PAPI_USR1_TLS, NULL));
	NEEDS_INIT(assay_read(0, &value, 1));
	NEEDS_INIT(assay_event_available(PAPI_TOT_CYC, NULL));
	NEEDS_INIT(assay_list_left_out(0));
	assert_null(assay_left_out(0));
	NEEDS_INIT(assay_nearest_events("cycles", &text, 1));
	NEEDS_INIT(assay_set_start_on_exec(0));
	NEEDS_INIT(assay_get_pmu(&pmu));
	assert_string_not_equal(assay_error(), "");
}

TEST(test_pmus_are_told_before_init)
{
	for (int i = 0; i < PAPI_num_components(); i++) {
		const char *name = PAPI_get_component_info(i)->name;

		assert_int_equal(assay_is_pmu(i),
				 strcmp(name, "perf_event") == 0 ||
					 strcmp(name, "sim") == 0);
	}
	assert_int_equal(assay_is_pmu(-1), PAPI_ENOCMP);
	assert_int_equal(assay_is_pmu(PAPI_num_components()), PAPI_ENOCMP);
}

TEST(test_init_is_told_by_level)
{
	assert_int_equal(PAPI_is_initialized(), PAPI_NOT_INITED);
	assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
	assert_int_equal(PAPI_is_initialized(), PAPI_LOW_LEVEL_INITED);
	assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
	PAPI_shutdown();
	assert_int_equal(PAPI_is_initialized(), PAPI_NOT_INITED);
	PAPI_shutdown();
}

TEST(test_other_version_is_refused)
{
	assert_int_equal(PAPI_library_init(PAPI_VERSION_NUMBER(6, 0, 0, 0)),
			 PAPI_EINVAL);
	assert_int_equal(PAPI_library_init(0), PAPI_EINVAL);
	assert_non_null(strstr(assay_error(), "7.0"));
	assert_int_equal(PAPI_is_initialized(), PAPI_NOT_INITED);
}

TEST(test_shutdown_ends_running_sets)
{
	int set, fresh = PAPI_NULL;

	assert_int_equal(open_toys(NULL), 0);
	set = toy_set(2);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	PAPI_shutdown();
	assert_int_equal(toy.open, 0);
	assert_int_equal(PAPI_stop(set, NULL), PAPI_ENOINIT);

	assert_int_equal(open_toys(NULL), 0);
	assert_int_equal(PAPI_stop(set, NULL), PAPI_ENOEVST);
	assert_int_equal(PAPI_create_eventset(&fresh), PAPI_OK);
	assert_int_equal(close_toys(NULL), 0);
}

TEST(test_every_code_has_its_text)
{
	for (int code = 0; code > -PAPI_NUM_ERRORS; code--) {
		const char *text = PAPI_strerror(code);

		assert_non_null(text);
		assert_true(strlen(text) > 4 &&
			    strlen(text) < PAPI_MAX_STR_LEN);
	}
	assert_null(PAPI_strerror(1));
	assert_null(PAPI_strerror(-PAPI_NUM_ERRORS));
	assert_null(PAPI_strerror(INT_MIN));
}

/* What PAPI_perror(@msg) prints, into @text. */
static void catch_perror(const char *msg, char *text, size_t room)
{
	FILE *file = tmpfile();
	int copy = dup(STDERR_FILENO);
	size_t n;

	assert_non_null(file);
	dup2(fileno(file), STDERR_FILENO);
	PAPI_perror(msg);
	fflush(stderr);
	dup2(copy, STDERR_FILENO);
	close(copy);
	rewind(file);
	n = fread(text, 1, room - 1, file);
	text[n] = '\0';
	fclose(file);
}

TEST(test_perror_says_why_this_thread_failed)
{
	char text[600];

	assert_int_equal(open_toys(NULL), 0);
	assert_int_equal(PAPI_start(77), PAPI_ENOEVST);
	catch_perror("start", text, sizeof(text));
	assert_string_equal(text, "start: 77 is not an EventSet\n");
	catch_perror(NULL, text, sizeof(text));
	assert_string_equal(text, "77 is not an EventSet\n");
	catch_perror("", text, sizeof(text));
	assert_string_equal(text, "77 is not an EventSet\n");
	close_toys(NULL);
}

static int heard, heard_times;

static int listen(int code)
{
	heard = code;
	heard_times++;
	return code;
}

TEST(test_debug_handler_hears_of_errors)
{
	PAPI_option_t option = { .debug = { PAPI_VERB_ECONT, listen } };

	assert_int_equal(PAPI_set_opt(PAPI_DEBUG, &option), PAPI_OK);
	assert_int_equal(PAPI_num_events(5), PAPI_ENOINIT);
	assert_int_equal(heard, PAPI_ENOINIT);

	assert_int_equal(open_toys(NULL), 0);
	assert_int_equal(PAPI_num_events(5), PAPI_ENOEVST);
	assert_int_equal(heard, PAPI_ENOEVST);
	option.debug.handler = NULL;
	assert_int_equal(PAPI_get_opt(PAPI_DEBUG, &option), PAPI_OK);
	assert_ptr_equal(option.debug.handler, listen);
	assert_int_equal(option.debug.level, PAPI_VERB_ECONT);

	assert_int_equal(PAPI_set_debug(PAPI_QUIET), PAPI_OK);
	heard_times = 0;
	assert_int_equal(PAPI_num_events(5), PAPI_ENOEVST);
	assert_int_equal(heard_times, 0);
	assert_int_equal(PAPI_set_debug(PAPI_VERB_ESTOP), PAPI_OK);
	assert_int_equal(PAPI_num_events(5), PAPI_ENOEVST);
	assert_int_equal(heard_times, 1);

	assert_int_equal(PAPI_set_debug(3), PAPI_EINVAL);
	assert_int_equal(PAPI_set_debug(-1), PAPI_EINVAL);
	option.debug.level = 9;
	assert_int_equal(PAPI_set_opt(PAPI_DEBUG, &option), PAPI_EINVAL);
	PAPI_set_debug(PAPI_QUIET);
	close_toys(NULL);
}

TEST(test_component_is_disabled_before_init_only)
{
	const PAPI_component_info_t *info;
	int net = PAPI_get_component_index("net");

	assert_true(net >= 0);
	assert_int_equal(PAPI_num_components(), (int)component_table_n);
	info = PAPI_get_component_info(net);
	assert_non_null(info);
	assert_string_equal(info->name, "net");
	assert_int_equal(info->initialized, 0);
	assert_null(PAPI_get_component_info(-1));
	assert_null(PAPI_get_component_info(99));
	assert_int_equal(PAPI_disable_component_by_name("net"), PAPI_OK);
	assert_int_equal(PAPI_disable_component_by_name("none such"),
			 PAPI_ENOCMP);
	assert_int_equal(PAPI_disable_component_by_name(NULL), PAPI_EINVAL);
	assert_int_equal(PAPI_disable_component(-1), PAPI_ENOCMP);
	assert_int_equal(PAPI_disable_component(99), PAPI_ENOCMP);

	assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
	info = PAPI_get_component_info(net);
	assert_non_null(info);
	assert_int_equal(info->initialized, 1);
	assert_int_equal(info->disabled, PAPI_ECMP_DISABLED);
	assert_string_equal(info->disabled_reason, "disabled by the program");
	assert_int_equal(PAPI_disable_component(net), PAPI_EINVAL);
	PAPI_shutdown();

	assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
	assert_string_not_equal(PAPI_get_component_info(net)->disabled_reason,
				"disabled by the program");
	PAPI_shutdown();
}

RUN_ALL_TESTS
