/* SPDX-License-Identifier: BSD-3-Clause */
/* PAPI's calls and ours: names, sets, profiles, rates, regions, recorders. */
#include <errno.h>
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <assay/assay.h>
#include <assay/record.h>

#include "tests/fault/use.h"

#define EVENTS 2

static const char *const events[EVENTS] = { "perf::TASK-CLOCK",
					    "perf::PAGE-FAULTS" };
static char definitions[4096]; /* path of a file of user events */
static char profile[4096];     /* where a profile is written */

const long use_keeps = -1;

void use_prepare(const char *folder, const char *scratch)
{
	char presets[4096];

	snprintf(definitions, sizeof(definitions), "%s/events.txt", folder);
	snprintf(presets, sizeof(presets), "%s/presets.csv", folder);
	snprintf(profile, sizeof(profile), "%s/profile", scratch);
	setenv("PAPI_CSV_EVENT_FILE", presets, 1);
	setenv("PAPI_EVENTS", "perf::TASK-CLOCK,perf::PAGE-FAULTS", 1);
	setenv("PAPI_OUTPUT_DIRECTORY", scratch, 1);
}

static unsigned long thread_id(void)
{
	return (unsigned long)pthread_self();
}

static void on_overflow(int set, void *address, long long which, void *context)
{
	(void)set;
	(void)address;
	(void)which;
	(void)context;
}

static void use_names(struct round *r)
{
	PAPI_event_info_t info;
	char name[PAPI_MAX_STR_LEN];
	const char *near[3];
	int code = PAPI_NULL;

	CALL(r, PAPI_event_name_to_code(events[0], &code));
	CALL(r, PAPI_event_code_to_name(code, name));
	CALL(r, PAPI_get_event_info(code, &info));
	CALL(r, PAPI_query_event(code));
	if (PAPI_event_name_to_code("no such event", &code) == PAPI_OK)
		note(r, PAPI_EBUG, "an event that there is not");
	assay_nearest_events("perf::PAGE-FAULT", near, 3);
	code = PAPI_NATIVE_MASK;
	for (int i = 0;
	     i < 5 &&
	     PAPI_enum_cmp_event(&code, i ? PAPI_ENUM_EVENTS : PAPI_ENUM_FIRST,
				 0) == PAPI_OK;
	     i++)
		PAPI_event_code_to_name(code, name);
}

static void use_machine(struct round *r)
{
	const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
	const PAPI_exe_info_t *program = PAPI_get_executable_info();
	const PAPI_shlib_info_t *libraries = PAPI_get_shared_lib_info();
	PAPI_dmem_info_t memory;

	note(r, hardware ? PAPI_OK : PAPI_ENOMEM, "PAPI_get_hardware_info");
	note(r, program ? PAPI_OK : PAPI_ENOMEM, "PAPI_get_executable_info");
	note(r, libraries ? PAPI_OK : PAPI_ENOMEM, "PAPI_get_shared_lib_info");
	CALL(r, PAPI_get_dmem_info(&memory));
}

static void count(struct round *r, int set)
{
	long long values[EVENTS + 1] = { 0 };

	CALL(r, PAPI_start(set));
	CALL(r, PAPI_read(set, values));
	CALL(r, PAPI_accum(set, values));
	CALL(r, PAPI_reset(set));
	CALL(r, PAPI_stop(set, values));
}

static void use_sets(struct round *r)
{
	int set = PAPI_NULL, list[8], n = 8;

	CALL(r, PAPI_create_eventset(&set));
	for (int i = 0; i < EVENTS; i++)
		CALL(r, PAPI_add_named_event(set, events[i]));
	CALL(r, PAPI_list_events(set, list, &n));
	count(r, set);
	CALL(r, PAPI_remove_named_event(set, events[1]));
	CALL(r, PAPI_add_named_event(set, events[1]));
	count(r, set);
	CALL(r, PAPI_overflow(set, list[0], 1000000, 0, on_overflow));
	count(r, set);
	CALL(r, PAPI_overflow(set, list[0], 0, 0, on_overflow));
	CALL(r, PAPI_cleanup_eventset(set));
	CALL(r, PAPI_destroy_eventset(&set));
}

static void use_multiplexing(struct round *r)
{
	int set = PAPI_NULL;

	CALL(r, PAPI_multiplex_init());
	CALL(r, PAPI_create_eventset(&set));
	CALL(r, PAPI_assign_eventset_component(set, 0));
	CALL(r, PAPI_set_multiplex(set));
	for (int i = 0; i < EVENTS; i++)
		CALL(r, PAPI_add_named_event(set, events[i]));
	count(r, set);
	CALL(r, PAPI_cleanup_eventset(set));
	CALL(r, PAPI_destroy_eventset(&set));
}

static void use_profiles(struct round *r)
{
	static unsigned short buckets[64];
	PAPI_sprofil_t region = { buckets, sizeof(buckets),
				  (vptr_t)(size_t)use_sets, 65536 };
	int set = PAPI_NULL, code = PAPI_NULL;

	CALL(r, PAPI_event_name_to_code(events[0], &code));
	CALL(r, PAPI_create_eventset(&set));
	CALL(r, PAPI_add_event(set, code));
	CALL(r, PAPI_profil(buckets, sizeof(buckets), (vptr_t)(size_t)use_sets,
			    65536, set, code, 1000000, PAPI_PROFIL_POSIX));
	count(r, set);
	CALL(r, PAPI_profil(buckets, sizeof(buckets), (vptr_t)(size_t)use_sets,
			    65536, set, code, 0, PAPI_PROFIL_POSIX));
	CALL(r, assay_profil_write(profile, &region, 1, PAPI_PROFIL_POSIX,
				   events[0], 1000000));
	CALL(r, PAPI_cleanup_eventset(set));
	CALL(r, PAPI_destroy_eventset(&set));
}

static void use_definitions(struct round *r)
{
	PAPI_option_t option = { 0 };
	int set = PAPI_NULL;

	option.events_file = definitions;
	CALL(r, PAPI_set_opt(PAPI_USER_EVENTS_FILE, &option));
	CALL(r, PAPI_create_eventset(&set));
	CALL(r, PAPI_add_named_event(set, "faults_per_time"));
	count(r, set);
	CALL(r, PAPI_cleanup_eventset(set));
	CALL(r, PAPI_destroy_eventset(&set));
}

static void *in_thread(void *argument)
{
	struct round *r = argument;

	CALL(r, PAPI_register_thread());
	use_sets(r);
	CALL(r, PAPI_unregister_thread());
	return NULL;
}

static void use_threads(struct round *r)
{
	pthread_t thread;
	int err;

	CALL(r, PAPI_thread_init(thread_id));
	err = pthread_create(&thread, NULL, in_thread, r);
	note(r, err ? PAPI_ESYS : PAPI_OK, "pthread_create");
	if (!err)
		pthread_join(thread, NULL);
}

/* A PMU may lack floating-point events. */
static int or_none(int code)
{
	return code == PAPI_ENOEVNT ? PAPI_OK : code;
}

static void use_rates(struct round *r)
{
	int presets[] = { PAPI_TOT_INS, PAPI_TOT_CYC };
	long long a, b, c, values[2];
	float real, cpu, rate;

	for (int i = 0; i < 2; i++)
		CALL(r, PAPI_ipc(&real, &cpu, &a, &rate));
	CALL(r, PAPI_rate_stop());
	for (int i = 0; i < 2; i++)
		CALL(r, PAPI_epc(0, &real, &cpu, &a, &b, &c, &rate));
	CALL(r, PAPI_rate_stop());
	CALL(r, or_none(PAPI_flops_rate(PAPI_FP_OPS, &real, &cpu, &a, &rate)));
	CALL(r, or_none(PAPI_rate_stop()));
	CALL(r, or_none(PAPI_flips_rate(PAPI_FP_INS, &real, &cpu, &a, &rate)));
	CALL(r, or_none(PAPI_rate_stop()));
	CALL(r, PAPI_start_counters(presets, 2));
	CALL(r, PAPI_read_counters(values, 2));
	CALL(r, PAPI_accum_counters(values, 2));
	CALL(r, PAPI_stop_counters(values, 2));
}

static void use_region(struct round *r, const char *name, const char *inner)
{
	int err = PAPI_hl_region_begin(name);

	note(r, err, "PAPI_hl_region_begin");
	if (err) /* an inner one alone would be another region, for good */
		return;
	if (inner)
		use_region(r, inner, NULL);
	CALL(r, PAPI_hl_read(name));
	err = PAPI_hl_region_end(name);
	note(r, err, "PAPI_hl_region_end");
	if (err) /* then it is open still */
		PAPI_hl_region_end(name);
}

static void use_regions(struct round *r)
{
	use_region(r, "outer", "inner");
	CALL(r, PAPI_hl_stop());
}

static int count_record(void *context, const struct assay_record *record)
{
	(void)record;
	++*(unsigned long *)context;
	return 0;
}

static void use_recorder(struct round *r)
{
	struct assay_record_event event = { .period = 100000 };
	struct assay_recording what = { .events = &event, .n = 1, .stacks = 1 };
	struct assay_recorder *recorder = NULL;
	unsigned long records = 0;
	uint64_t value = 0;
	int go = -1;

	CALL(r, PAPI_event_name_to_code(events[0], &event.code));
	what.pid = make_waiting(&go);
	note(r, what.pid < 0 ? PAPI_ESYS : PAPI_OK, "fork");
	if (what.pid < 0)
		return;
	CALL(r, assay_recorder_open(&what, &recorder));
	close(go); /* it goes on */
	if (recorder)
		CALL(r, assay_recorder_take(recorder, count_record, &records));
	while (waitpid(what.pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (!recorder)
		return;
	CALL(r, assay_recorder_take(recorder, count_record, &records));
	CALL(r, assay_recorder_values(recorder, &value));
	note(r, records > 0 && value > 0 ? PAPI_OK : PAPI_EBUG,
	     "records of a program");
	assay_recorder_close(recorder);
}

void use_library(struct round *r)
{
	int version = PAPI_library_init(PAPI_VER_CURRENT);

	note(r, version == (int)PAPI_VER_CURRENT ? PAPI_OK : PAPI_EINVAL,
	     "PAPI_library_init");
	use_names(r);
	use_machine(r);
	use_sets(r);
	use_multiplexing(r);
	use_profiles(r);
	use_definitions(r);
	use_threads(r);
	use_rates(r);
	use_regions(r);
	use_recorder(r);
	PAPI_shutdown();
}
