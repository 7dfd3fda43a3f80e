/* SPDX-License-Identifier: BSD-3-Clause */
/* What is refused, with which code, and in which words. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/vm/guest.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

static int add(const char *name)
{
	int set = PAPI_NULL;

	EXPECT(PAPI_OK, PAPI_create_eventset(&set));
	return PAPI_add_named_event(set, name);
}

#define REFUSED(name, code, word)                                              \
	do {                                                                   \
		int got_ = add(name);                                          \
		CHECK(got_ == (code), "%s gives %d: %s", name, got_,           \
		      assay_error());                                          \
		CHECK(strstr(assay_error(), word), "%s says: %s", name,        \
		      assay_error());                                          \
	} while (0)

static void become_user(const char *level)
{
	guest_write(PARANOID, level);
	CHECK(!setgid(1000) && !setuid(1000), "setuid");
}

static void a_user_counts_user_code(void)
{
	become_user("2");
	guest_init();
	EXPECT(PAPI_OK, add("instructions"));
	EXPECT(PAPI_OK, add("page-faults"));
	REFUSED("instructions:k", PAPI_EPERM, "perf_event_paranoid = 2");
	REFUSED("context-switches", PAPI_EPERM, "perf_event_paranoid");
}

static void a_user_counts_the_kernel_if_allowed(void)
{
	become_user("1");
	guest_init();
	EXPECT(PAPI_OK, add("instructions:k"));
	EXPECT(PAPI_OK, add("context-switches"));
}

static void a_user_counts_nothing_if_forbidden(void)
{
	const PAPI_component_info_t *info;

	become_user("3");
	guest_init();
	info = PAPI_get_component_info(PAPI_get_component_index("perf_event"));
	CHECK(info, "no perf_event component");
	CHECK(info->disabled, "perf_event is not disabled");
	CHECK(strstr(info->disabled_reason, "perf_event_paranoid"), "says: %s",
	      info->disabled_reason);
	CHECK(add("instructions") < 0, "instructions can be added");
}

static void events_that_the_pmu_lacks(void)
{
	guest_init();
	REFUSED("branch-misses", PAPI_ENOEVNT, "cannot count");
	REFUSED("L1-dcache-load-misses", PAPI_ENOEVNT, "cannot count");
}

static void without_a_pmu_it_says_so(void)
{
	const char *reason = NULL;
	struct assay_pmu pmu;
	int code;

	guest_init();
	REFUSED("instructions", PAPI_ENOEVNT, "no hardware PMU");
	REFUSED("r08", PAPI_ENOEVNT, "no hardware PMU");
	EXPECT(PAPI_OK, PAPI_event_name_to_code("cycles", &code));
	CHECK(assay_event_available(code, &reason) == PAPI_ENOEVNT,
	      "cycles is said to be available");
	CHECK(reason && strstr(reason, "no hardware PMU"), "says: %s",
	      reason ? reason : "nothing");
	CHECK(PAPI_query_event(PAPI_TOT_CYC) != PAPI_OK,
	      "PAPI_TOT_CYC is said to be available");
	EXPECT(PAPI_OK, assay_get_pmu(&pmu));
	CHECK(pmu.kind == ASSAY_PMU_NONE, "PMU kind %d", (int)pmu.kind);
}

static void without_a_pmu_software_events_count(void)
{
	long long v[3];
	int set;

	guest_init();
	set = guest_set((const char *[]){ "task-clock", "page-faults",
					  "context-switches", NULL });
	EXPECT(PAPI_OK, PAPI_start(set));
	guest_loop(1000000);
	for (int i = 0; i < 10; i++)
		usleep(1000);
	EXPECT(PAPI_OK, PAPI_stop(set, v));
	CHECK(v[0] >= 4000000 && v[0] < 40000000, "task-clock %lld", v[0]);
	CHECK(v[2] >= 10 && v[2] < 40, "context-switches %lld", v[2]);
}

const struct guest_test refusals_tests[] = {
	{ "a user counts user code", a_user_counts_user_code, false },
	{ "a user counts the kernel if allowed",
	  a_user_counts_the_kernel_if_allowed, false },
	{ "a user counts nothing if forbidden",
	  a_user_counts_nothing_if_forbidden, false },
	{ "events that the PMU lacks", events_that_the_pmu_lacks, false },
	{ "without a PMU it says so", without_a_pmu_it_says_so, true },
	{ "without a PMU software events count",
	  without_a_pmu_software_events_count, true },
	{ NULL, NULL, false },
};
