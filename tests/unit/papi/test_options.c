/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of the library, of components and of EventSets. */
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/unit/papi/open_toys.h"

TEST_WITH(test_unknown_options_are_refused, open_toys, close_toys)
{
	PAPI_option_t option = { .multiplex = { .ns = 0 } };
	static const int none[] = { 0, 9, 10, 30, -1, INT_MAX, PAPI_PROFIL };

	for (size_t i = 0; i < ARRAY_ROWS(none); i++) {
		assert_int_equal(PAPI_set_opt(none[i], &option), PAPI_EINVAL);
		assert_int_equal(PAPI_get_opt(none[i], &option), PAPI_EINVAL);
		assert_int_equal(PAPI_get_opt(none[i], NULL), PAPI_EINVAL);
	}
	for (int i = 0; i < 31; i++)
		assert_int_equal(PAPI_set_opt(i, NULL), PAPI_EINVAL);
	assert_int_equal(PAPI_get_opt(PAPI_DOMAIN, NULL), PAPI_EINVAL);
	assert_int_equal(PAPI_get_cmp_opt(PAPI_DEFDOM, NULL, 7), PAPI_ENOCMP);
	assert_int_equal(PAPI_get_cmp_opt(PAPI_DEFDOM, NULL, -1), PAPI_ENOCMP);
}

TEST_WITH(test_what_only_can_be_asked_cannot_be_set, open_toys, close_toys)
{
	PAPI_option_t option = { .multiplex = { .ns = 0 } };
	static const int fixed[] = { PAPI_PRELOAD,    PAPI_CLOCKRATE,
				     PAPI_MAX_HWCTRS, PAPI_HWINFO,
				     PAPI_EXEINFO,    PAPI_MAX_CPUS,
				     PAPI_SHLIBINFO,  PAPI_LIB_VERSION };

	for (size_t i = 0; i < ARRAY_ROWS(fixed); i++)
		assert_int_equal(PAPI_set_opt(fixed[i], &option), PAPI_EINVAL);
}

TEST_WITH(test_numbers_need_no_structure, open_toys, close_toys)
{
	assert_int_equal(PAPI_get_opt(PAPI_LIB_VERSION, NULL), PAPI_VERSION);
	assert_int_equal(PAPI_get_opt(PAPI_MAX_CPUS, NULL),
			 (int)sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(PAPI_get_opt(PAPI_DEFDOM, NULL), PAPI_DOM_USER);
	assert_int_equal(PAPI_get_opt(PAPI_DEFGRN, NULL), PAPI_GRN_THR);
	assert_int_equal(PAPI_get_cmp_opt(PAPI_MAX_MPX_CTRS, NULL, 1),
			 TOY_EVENTS + 1);
}

TEST_WITH(test_preload_names_the_loaders_variables, open_toys, close_toys)
{
	PAPI_option_t option;

	assert_int_equal(PAPI_get_opt(PAPI_PRELOAD, &option), PAPI_OK);
	assert_string_equal(option.preload.lib_preload_env, "LD_PRELOAD");
	assert_string_equal(option.preload.lib_dir_env, "LD_LIBRARY_PATH");
	assert_int_equal(option.preload.lib_dir_sep, ':');
}

static unsigned domain_of(int set)
{
	PAPI_option_t option = { .domain = { .eventset = set } };

	assert_int_equal(PAPI_get_opt(PAPI_DOMAIN, &option), PAPI_OK);
	return (unsigned)option.domain.domain;
}

TEST_WITH(test_default_domain_is_for_sets_to_come, open_toys, close_toys)
{
	static const int wrong[] = { 0, 16, -1, INT_MIN };
	int before = toy_set(0), after;

	for (size_t i = 0; i < ARRAY_ROWS(wrong); i++)
		assert_int_equal(PAPI_set_domain(wrong[i]), PAPI_EINVAL);
	assert_int_equal(PAPI_set_cmp_domain(PAPI_DOM_ALL, 5), PAPI_ENOCMP);
	assert_int_equal(PAPI_set_domain(PAPI_DOM_ALL), PAPI_OK);
	after = toy_set(1);
	assert_int_equal(domain_of(before), PAPI_DOM_USER);
	assert_int_equal(domain_of(after), PAPI_DOM_ALL);
	assert_int_equal(toy.last->opt.domain, PAPI_DOM_ALL);
	assert_int_equal(PAPI_get_opt(PAPI_DEFDOM, NULL), PAPI_DOM_ALL);
	assert_int_equal(PAPI_get_component_info(0)->default_domain,
			 PAPI_DOM_ALL);
}

TEST_WITH(test_defaults_of_the_assigned_component_hold, open_toys, close_toys)
{
	PAPI_option_t option = { .defdomain = { .def_cidx = 1,
						.domain = PAPI_DOM_KERNEL } };
	int set = toy_set(0);

	assert_int_equal(PAPI_set_opt(PAPI_DEFDOM, &option), PAPI_OK);
	assert_int_equal(PAPI_assign_eventset_component(set, 1), PAPI_OK);
	assert_int_equal(domain_of(set), PAPI_DOM_KERNEL);
}

TEST_WITH(test_domain_of_a_set_reaches_its_slice, open_toys, close_toys)
{
	int set = toy_set(1);
	PAPI_option_t option = { .domain = { .eventset = set,
					     .domain = PAPI_DOM_KERNEL } };

	assert_int_equal(PAPI_set_opt(PAPI_DOMAIN, &option), PAPI_OK);
	assert_int_equal(toy.last->opt.domain, PAPI_DOM_KERNEL);
	option.domain.domain = 0;
	assert_int_equal(PAPI_set_opt(PAPI_DOMAIN, &option), PAPI_EINVAL);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	option.domain.domain = PAPI_DOM_USER;
	assert_int_equal(PAPI_set_opt(PAPI_DOMAIN, &option), PAPI_EISRUN);
	assert_int_equal(domain_of(set), PAPI_DOM_KERNEL);
}

TEST_WITH(test_granularity_must_be_one_it_has, open_toys, close_toys)
{
	int set = toy_set(1);
	PAPI_option_t option = {
		.granularity = { .eventset = set, .granularity = PAPI_GRN_PROC }
	};

	assert_int_equal(PAPI_set_granularity(PAPI_GRN_THR), PAPI_OK);
	assert_int_equal(PAPI_set_granularity(PAPI_GRN_PROC), PAPI_EINVAL);
	assert_int_equal(PAPI_set_granularity(0), PAPI_EINVAL);
	assert_int_equal(PAPI_set_cmp_granularity(PAPI_GRN_THR, 8),
			 PAPI_ENOCMP);
	assert_int_equal(PAPI_set_opt(PAPI_GRANUL, &option), PAPI_EINVAL);
	option.granularity.granularity = PAPI_GRN_THR;
	assert_int_equal(PAPI_set_opt(PAPI_GRANUL, &option), PAPI_OK);
	assert_int_equal(PAPI_get_opt(PAPI_GRANUL, &option), PAPI_OK);
	assert_int_equal(option.granularity.granularity, PAPI_GRN_THR);
}

TEST_WITH(test_attach_and_detach, open_toys, close_toys)
{
	int set = toy_set(1), bits;
	PAPI_option_t option = { .attach = { .eventset = set } };

	assert_int_equal(PAPI_detach(set), PAPI_EINVAL);
	assert_int_equal(PAPI_attach(set, 0), PAPI_EINVAL);
	assert_int_equal(PAPI_attach(set, ~0UL), PAPI_EINVAL);
	assert_int_equal(PAPI_get_opt(PAPI_ATTACH, &option), 0);
	assert_int_equal(PAPI_attach(set, 1), PAPI_OK);
	assert_int_equal(PAPI_get_opt(PAPI_ATTACH, &option), 1);
	assert_int_equal(PAPI_get_opt(PAPI_DETACH, &option), 0);
	assert_int_equal(option.attach.tid, 1);
	assert_int_equal(toy.last->opt.target, TARGET_TASK);
	assert_int_equal(toy.last->opt.tid, 1);
	assert_int_equal(PAPI_state(set, &bits), PAPI_OK);
	assert_int_equal(bits, PAPI_STOPPED | PAPI_ATTACHED);
	assert_int_equal(PAPI_set_opt(PAPI_DETACH, &option), PAPI_OK);
	assert_int_equal(toy.last->opt.target, TARGET_SELF);
	option.attach.tid = 1;
	assert_int_equal(PAPI_set_opt(PAPI_ATTACH, &option), PAPI_OK);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	assert_int_equal(PAPI_attach(set, 1), PAPI_EISRUN);
	assert_int_equal(PAPI_detach(set), PAPI_EISRUN);
}

TEST_WITH(test_cpu_and_inherit_reach_the_slice, open_toys, close_toys)
{
	int set = toy_set(1), bits;
	PAPI_option_t cpu = { .cpu = { .eventset = set, .cpu_num = 1 } };
	PAPI_option_t inherit = { .inherit = { .eventset = set,
					       .inherit = PAPI_INHERIT_ALL } };

	assert_int_equal(PAPI_get_opt(PAPI_CPU_ATTACH, &cpu), 0);
	cpu.cpu.cpu_num = 1;
	assert_int_equal(PAPI_set_opt(PAPI_CPU_ATTACH, &cpu), PAPI_OK);
	assert_int_equal(toy.last->opt.target, TARGET_CPU);
	assert_int_equal(toy.last->opt.cpu, 1);
	assert_int_equal(PAPI_get_opt(PAPI_CPU_ATTACH, &cpu), 1);
	assert_int_equal(PAPI_state(set, &bits), PAPI_OK);
	assert_int_equal(bits, PAPI_STOPPED | PAPI_CPU_ATTACHED);
	cpu.cpu.cpu_num = UINT_MAX;
	assert_int_equal(PAPI_set_opt(PAPI_CPU_ATTACH, &cpu), PAPI_EINVAL);

	assert_int_equal(PAPI_set_opt(PAPI_INHERIT, &inherit), PAPI_OK);
	assert_true(toy.last->opt.inherit);
	inherit.inherit.inherit = PAPI_INHERIT_NONE;
	assert_int_equal(PAPI_get_opt(PAPI_INHERIT, &inherit), PAPI_OK);
	assert_int_equal(inherit.inherit.inherit, PAPI_INHERIT_ALL);
}

TEST_WITH(test_multiplexing_takes_more_events, open_toys, close_toys)
{
	int set = toy_set(4);
	PAPI_option_t option = { .multiplex = { .eventset = set,
						.ns = 5000000 } };

	assert_int_equal(PAPI_multiplex_init(), PAPI_OK);
	assert_int_equal(PAPI_get_multiplex(set), 0);
	assert_int_equal(PAPI_add_event(set, toy_code(4)), PAPI_ECNFLCT);
	assert_int_equal(PAPI_set_opt(PAPI_MULTIPLEX, &option), PAPI_OK);
	assert_int_equal(PAPI_get_multiplex(set), 1);
	assert_int_equal(PAPI_add_event(set, toy_code(4)), PAPI_OK);
	assert_int_equal(toy.last->opt.multiplex_ns, 5000000);
	option.multiplex.ns = 0;
	assert_int_equal(PAPI_get_opt(PAPI_MULTIPLEX, &option), 1);
	assert_int_equal(option.multiplex.ns, 5000000);
	option.multiplex.flags = 8;
	assert_int_equal(PAPI_set_opt(PAPI_MULTIPLEX, &option), PAPI_EINVAL);
	option.multiplex.flags = 0;
	option.multiplex.ns = -1;
	assert_int_equal(PAPI_set_opt(PAPI_MULTIPLEX, &option), PAPI_EINVAL);
}

TEST_WITH(test_default_interval_is_for_sets_to_come, open_toys, close_toys)
{
	PAPI_option_t option = { .multiplex = { .ns = 7000000 } };
	int set;

	assert_int_equal(PAPI_set_opt(PAPI_DEF_MPX_NS, &option), PAPI_OK);
	option.multiplex.ns = -5;
	assert_int_equal(PAPI_set_opt(PAPI_DEF_MPX_NS, &option), PAPI_EINVAL);
	assert_int_equal(PAPI_get_opt(PAPI_DEF_MPX_NS, &option), PAPI_OK);
	assert_int_equal(option.multiplex.ns, 7000000);
	set = toy_set(1);
	assert_int_equal(PAPI_set_multiplex(set), PAPI_OK);
	assert_int_equal(toy.last->opt.multiplex_ns, 7000000);
}

TEST_WITH(test_pace_of_software_overflow_can_be_set, open_toys, close_toys)
{
	PAPI_option_t option;

	assert_int_equal(PAPI_get_opt(PAPI_DEF_ITIMER, &option), PAPI_OK);
	assert_int_equal(option.itimer.ns, 10000000);
	option.itimer.ns = 5000000;
	assert_int_equal(PAPI_set_opt(PAPI_DEF_ITIMER, &option), PAPI_OK);
	assert_int_equal(PAPI_get_opt(PAPI_DEF_ITIMER_NS, &option), PAPI_OK);
	assert_int_equal(option.itimer.ns, 5000000);
	assert_int_equal(
		eventset_options(handle_set(library_handle(toy_set(1))))
			->check_ns,
		5000000);
	option.itimer.ns = 0;
	assert_int_equal(PAPI_set_opt(PAPI_DEF_ITIMER_NS, &option),
			 PAPI_EINVAL);
	/* all three timers, with their signals; no time keeps the interval */
	for (int num = ITIMER_REAL; num <= ITIMER_PROF; num++) {
		static const int signals[] = { SIGALRM, SIGVTALRM, SIGPROF };

		option.itimer = (PAPI_itimer_option_t){
			.itimer_num = num,
			.itimer_sig = signals[num],
		};
		assert_int_equal(PAPI_set_opt(PAPI_DEF_ITIMER, &option),
				 PAPI_OK);
		assert_int_equal(PAPI_get_opt(PAPI_DEF_ITIMER, &option),
				 PAPI_OK);
		assert_int_equal(option.itimer.itimer_num, num);
		assert_int_equal(option.itimer.itimer_sig, signals[num]);
		assert_int_equal(option.itimer.ns, 5000000);
		option.itimer.itimer_sig = SIGUSR1;
		assert_int_equal(PAPI_set_opt(PAPI_DEF_ITIMER, &option),
				 PAPI_EINVAL);
	}
}

TEST_WITH(test_cleanup_begins_with_the_defaults_again, open_toys, close_toys)
{
	int set = toy_set(1);

	assert_int_equal(PAPI_set_domain(PAPI_DOM_ALL), PAPI_OK);
	assert_int_equal(PAPI_cleanup_eventset(set), PAPI_OK);
	assert_int_equal(domain_of(set), PAPI_DOM_ALL);
	assert_int_equal(PAPI_assign_eventset_component(set, 0), PAPI_OK);
}

TEST_WITH(test_what_cannot_be_done_is_said, open_toys, close_toys)
{
	PAPI_option_t option = { .addr = { .eventset = toy_set(1) } };

	assert_int_equal(PAPI_set_opt(PAPI_DATA_ADDRESS, &option), PAPI_ECMP);
	assert_int_equal(PAPI_set_opt(PAPI_INSTR_ADDRESS, &option), PAPI_ECMP);
}

RUN_ALL_TESTS
