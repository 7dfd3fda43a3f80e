/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Our additions to PAPI's calls, and what PAPI's tell of a machine: values,
 * kinds, threads of another process, formulas, components, devices, models.
 */
#include <errno.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <assay/assay.h>
#include <assay/metric.h>

#include "tests/fault/use.h"

#define CLOCK  "perf::TASK-CLOCK"
#define FAULTS "perf::PAGE-FAULTS"
#define MANY   70 /* more than fit on PAPI_accum()'s stack */

static char model[4096]; /* path of a model's file */

const long use_keeps = -1;

void use_prepare(const char *folder, const char *scratch)
{
	(void)scratch;
	snprintf(model, sizeof(model), "%s/small.model", folder);
	unsetenv("PAPI_CSV_EVENT_FILE");
}

static void use_components(struct round *r)
{
	PAPI_option_t option = { 0 };

	for (int i = 0; i < PAPI_num_components(); i++)
		note(r, PAPI_get_component_info(i) ? PAPI_OK : PAPI_ENOMEM,
		     "PAPI_get_component_info");
	CALL(r, PAPI_get_opt(PAPI_COMPONENTINFO, &option));
	CALL(r, PAPI_get_opt(PAPI_HWINFO, &option));
	CALL(r, PAPI_get_opt(PAPI_EXEINFO, &option));
	CALL(r, PAPI_get_opt(PAPI_SHLIBINFO, &option));
	note(r, PAPI_get_opt(PAPI_CLOCKRATE, NULL) >= 0 ? PAPI_OK : PAPI_ESYS,
	     "PAPI_get_opt(PAPI_CLOCKRATE)");
	note(r, PAPI_get_opt(PAPI_DEFDOM, NULL) >= 0 ? PAPI_OK : PAPI_ESYS,
	     "PAPI_get_opt(PAPI_DEFDOM)");
}

static void use_devices(struct round *r)
{
	void *handle = NULL;
	unsigned sockets;
	const char *name;
	int modifier = PAPI_DEV_TYPE_ENUM__CPU;

	CALL(r, PAPI_enum_dev_type(modifier, &handle));
	CALL(r,
	     PAPI_get_dev_attr(handle, 0, PAPI_DEV_ATTR__CPU_CHAR_NAME, &name));
	CALL(r,
	     PAPI_get_dev_attr(handle, 0, PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT,
			       &sockets));
}

static void use_formulas(struct round *r)
{
	static const char *const formulas[] = {
		"a / (b + 2 * c) - min(a, 3)",
		"a|b|+|c|/|2|*",
	};
	double counts[] = { 1, 2, 3 };

	for (int i = 0; i < 2; i++) {
		struct assay_metric *metric = NULL;

		CALL(r, assay_metric_compile(formulas[i], &metric, NULL));
		if (metric)
			assay_metric_eval(metric, counts);
		assay_metric_free(metric);
	}
}

static void use_models(struct round *r)
{
	struct assay_model out;

	CALL(r, assay_get_model(NULL, &out));
	CALL(r, assay_get_model(model, &out));
	CALL(r, assay_simulate(model, "4+2", NULL));
}

static void on_overflow(int set, void *address, long long which, void *context)
{
	(void)set;
	(void)address;
	(void)which;
	(void)context;
}

static void use_values(struct round *r)
{
	struct assay_event_kind kind;
	struct assay_value values[2];
	struct assay_pmu pmu;
	long long counts[2], cycles;
	const char *reason;
	int set = PAPI_NULL, code = PAPI_NULL;

	CALL(r, PAPI_event_name_to_code(CLOCK, &code));
	CALL(r, assay_event_available(code, &reason));
	CALL(r, assay_get_event_kind(code, &kind));
	CALL(r, assay_list_left_out(0));
	CALL(r, assay_get_pmu(&pmu));
	CALL(r, PAPI_create_eventset(&set));
	CALL(r, PAPI_add_named_event(set, CLOCK));
	CALL(r, PAPI_add_named_event(set, FAULTS));
	CALL(r, PAPI_overflow(set, code, 1000000000, PAPI_OVERFLOW_FORCE_SW,
			      on_overflow)); /* a timer looks at the count */
	CALL(r, PAPI_start(set));
	CALL(r, assay_read(set, values, 2));
	CALL(r, PAPI_read_ts(set, counts, &cycles));
	CALL(r, PAPI_stop(set, counts));
	CALL(r,
	     PAPI_overflow(set, code, 0, PAPI_OVERFLOW_FORCE_SW, on_overflow));
	CALL(r, PAPI_cleanup_eventset(set));
	CALL(r, PAPI_destroy_eventset(&set));
}

/* All events of other components that one set takes. */
static int add_others(int set)
{
	static const char *const kinds[] = { "io", "stealtime", "net" };
	int n = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int cidx = PAPI_get_component_index(kinds[i]);
		int code = PAPI_NATIVE_MASK, how = PAPI_ENUM_FIRST;

		while (cidx >= 0 && n < MANY &&
		       PAPI_enum_cmp_event(&code, how, cidx) == PAPI_OK) {
			how = PAPI_ENUM_EVENTS;
			n += PAPI_add_event(set, code) == PAPI_OK;
		}
	}
	return n;
}

static void use_others(struct round *r)
{
	long long counts[MANY] = { 0 };
	int set = PAPI_NULL;

	CALL(r, PAPI_create_eventset(&set));
	if (add_others(set) > 0) {
		CALL(r, PAPI_start(set));
		CALL(r, PAPI_accum(set, counts));
		CALL(r, PAPI_stop(set, counts));
	}
	CALL(r, PAPI_cleanup_eventset(set));
	CALL(r, PAPI_destroy_eventset(&set));
}

/* First, so that the thread is not known yet. */
static void use_own_memory(struct round *r)
{
	void *mine = NULL;

	CALL(r, PAPI_unregister_thread());
	CALL(r, PAPI_get_thr_specific(PAPI_USR1_TLS, &mine));
	CALL(r, PAPI_unregister_thread());
	CALL(r, PAPI_set_thr_specific(PAPI_USR1_TLS, NULL));
}

static void on_thread(const struct assay_thread *thread,
		      const struct assay_value *values, void *data)
{
	(void)thread;
	(void)values;
	++*(int *)data;
}

static int let_inherit(int set)
{
	PAPI_option_t option = { 0 };

	option.inherit.eventset = set;
	option.inherit.inherit = PAPI_INHERIT_ALL;
	return PAPI_set_opt(PAPI_INHERIT, &option);
}

static void use_threads_of_another(struct round *r)
{
	int set = PAPI_NULL, go = -1, threads = 0;
	pid_t pid = make_waiting(&go);
	long long counts[2];

	note(r, pid < 0 ? PAPI_ESYS : PAPI_OK, "fork");
	if (pid < 0)
		return;
	CALL(r, PAPI_create_eventset(&set));
	CALL(r, PAPI_assign_eventset_component(set, 0));
	CALL(r, PAPI_attach(set, (unsigned long)pid));
	CALL(r, let_inherit(set));
	CALL(r, assay_set_start_on_exec(set));
	CALL(r, assay_set_per_thread(set));
	CALL(r, PAPI_add_named_event(set, CLOCK));
	CALL(r, PAPI_add_named_event(set, FAULTS));
	CALL(r, PAPI_start(set));
	close(go); /* it goes on */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	CALL(r, PAPI_stop(set, counts));
	CALL(r, assay_read_threads(set, on_thread, &threads));
	CALL(r, PAPI_cleanup_eventset(set));
	CALL(r, PAPI_destroy_eventset(&set));
}

void use_library(struct round *r)
{
	int version = PAPI_library_init(PAPI_VER_CURRENT);

	note(r, version == (int)PAPI_VER_CURRENT ? PAPI_OK : PAPI_EINVAL,
	     "PAPI_library_init");
	use_own_memory(r);
	use_devices(r);
	use_components(r);
	use_formulas(r);
	use_models(r);
	use_values(r);
	use_others(r);
	use_threads_of_another(r);
	PAPI_shutdown();
}
