/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program on the simulated PMU is refused, with code and sentence. */
#include <papi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <assay/assay.h>
#include <assay/record.h>

#define MANY 65 /* one more than a set may have */

static int wrong;

static void want(const char *what, int got, int code, const char *words)
{
	if (got == code && strstr(assay_error(), words))
		return;
	printf("%s: %d, %s\n", what, got, assay_error());
	wrong = 1;
}

static int attach_to_cpu(void)
{
	PAPI_option_t option = { 0 };
	int set = PAPI_NULL, err;

	PAPI_create_eventset(&set);
	PAPI_add_named_event(set, "PAPI_TOT_INS");
	option.cpu.eventset = set;
	err = PAPI_set_opt(PAPI_CPU_ATTACH, &option);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	return err;
}

/* Multiplexed, so that the number of counters is no limit. */
static int add_many(void)
{
	int set = PAPI_NULL, code = PAPI_NATIVE_MASK, n = 0, err = PAPI_OK;
	int cidx = PAPI_get_component_index("sim"), how = PAPI_ENUM_FIRST;

	PAPI_multiplex_init();
	PAPI_create_eventset(&set);
	PAPI_assign_eventset_component(set, cidx);
	PAPI_set_multiplex(set);
	while (n < MANY && !err &&
	       PAPI_enum_cmp_event(&code, how, cidx) == PAPI_OK) {
		how = PAPI_ENUM_EVENTS;
		err = PAPI_add_event(set, code);
		n += !err;
	}
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	return n == MANY - 1 ? err : PAPI_EBUG;
}

static void on_thread(const struct assay_thread *thread,
		      const struct assay_value *values, void *data)
{
	(void)thread;
	(void)values;
	(void)data;
}

static int tell_threads(void)
{
	PAPI_option_t option = { 0 };
	int set = PAPI_NULL, err;

	PAPI_create_eventset(&set);
	PAPI_add_named_event(set, "PAPI_TOT_INS");
	option.inherit.eventset = set;
	option.inherit.inherit = PAPI_INHERIT_ALL;
	PAPI_set_opt(PAPI_INHERIT, &option);
	err = assay_set_per_thread(set);
	if (!err)
		err = assay_read_threads(set, on_thread, NULL);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	return err;
}

static int record_another(void)
{
	struct assay_record_event event = { .period = 1000 };
	struct assay_recording what = { .events = &event, .n = 1 };
	struct assay_recorder *recorder;

	what.pid = getpid();
	PAPI_event_name_to_code("PAPI_TOT_INS", &event.code);
	return assay_recorder_open(&what, &recorder);
}

int main(void)
{
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	want("a CPU", attach_to_cpu(), PAPI_ECMP, "cannot count a CPU");
	want("many events", add_many(), PAPI_ECOUNT, "at most 64 events");
	want("threads", tell_threads(), PAPI_ENOSUPP, "count it from outside");
	want("a recorder", record_another(), PAPI_ENOSUPP,
	     "cannot record another");
	return wrong;
}
