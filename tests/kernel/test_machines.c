/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI's interface on every modelled machine, as a program uses it: exact
 * counts, every preset that is said to be available, multiplexing, overflow.
 * Each machine has a process of its own, as libpfm4 knows one machine only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <assay/assay.h>
#include <papi.h>

#include "tests/kernel/rig.h"

static const struct mk_machine *current;

#define NEED(condition, ...)                                                   \
	do {                                                                   \
		if (!(condition)) {                                            \
			printf("%s:%d: ", current->name, __LINE__);            \
			printf(__VA_ARGS__);                                   \
			printf(" (%s)\n", assay_error());                      \
			exit(1);                                               \
		}                                                              \
	} while (0)

static int new_set(void)
{
	int set = PAPI_NULL;

	NEED(PAPI_create_eventset(&set) == PAPI_OK, "no EventSet");
	return set;
}

static void free_set(int set)
{
	NEED(PAPI_cleanup_eventset(set) == PAPI_OK, "cleanup");
	NEED(PAPI_destroy_eventset(&set) == PAPI_OK, "destroy");
}

static void check_exact(void)
{
	int set = new_set();
	long long v[2];

	NEED(PAPI_add_named_event(set, "perf::CYCLES") == PAPI_OK, "cycles");
	NEED(PAPI_add_named_event(set, "perf::INSTRUCTIONS") == PAPI_OK,
	     "instructions");
	NEED(PAPI_start(set) == PAPI_OK, "start");
	for (int i = 0; i < 5; i++) {
		mk_work(2 * MS);
		NEED(PAPI_read(set, v) == PAPI_OK, "read");
	}
	NEED(PAPI_stop(set, v) == PAPI_OK, "stop");
	NEED(v[0] >= 20000000 && v[0] < 20050000, "%lld cycles", v[0]);
	NEED(v[1] >= 30000000 && v[1] < 30075000, "%lld instructions", v[1]);
	free_set(set);
}

/* Count preset @code alone. */
static long long count_alone(int code)
{
	int set = new_set();
	long long v = -1;

	NEED(PAPI_add_event(set, code) == PAPI_OK, "cannot add %x", code);
	NEED(PAPI_start(set) == PAPI_OK, "cannot start %x", code);
	mk_work(2 * MS);
	NEED(PAPI_stop(set, &v) == PAPI_OK, "cannot stop %x", code);
	free_set(set);
	return v;
}

/* Every preset that is available counts; their codes into @codes. */
static int check_presets(int *codes)
{
	int code = 0 | PAPI_PRESET_MASK, n = 0;

	if (PAPI_enum_event(&code, PAPI_ENUM_FIRST) != PAPI_OK)
		return 0;
	do {
		const char *why = NULL;

		if (assay_event_available(code, &why))
			continue;
		count_alone(code);
		codes[n++] = code;
	} while (PAPI_enum_event(&code, PAPI_ENUM_EVENTS) == PAPI_OK);
	return n;
}

/* Events that take turns are estimated well, as they happen evenly. */
static void check_multiplexing(void)
{
	static const char *const names[] = { "perf::CYCLES",
					     "perf::INSTRUCTIONS" };
	struct assay_value values[20];
	int set = new_set(), n = 0;

	NEED(PAPI_assign_eventset_component(set, 0) == PAPI_OK, "assign");
	NEED(PAPI_set_multiplex(set) == PAPI_OK, "multiplex");
	for (int i = 0; i < 2; i++, n++)
		NEED(PAPI_add_named_event(set, names[i]) == PAPI_OK, "%s",
		     names[i]);
	for (int i = 0; i < 12; i++) {
		char name[32];

		snprintf(name, sizeof(name), "r%x", 0x10ff + (i << 8));
		n += PAPI_add_named_event(set, name) == PAPI_OK;
	}
	NEED(PAPI_start(set) == PAPI_OK, "start");
	mk_work(300 * MS);
	NEED(assay_read(set, values, n) == PAPI_OK, "read");
	NEED(PAPI_stop(set, NULL) == PAPI_OK, "stop");
	NEED(values[0].value > 0.95 * 600 * MS &&
		     values[0].value < 1.05 * 600 * MS,
	     "%.0f cycles of %d events", values[0].value, n);
	NEED(values[1].value > 0.95 * 900 * MS &&
		     values[1].value < 1.05 * 900 * MS,
	     "%.0f instructions", values[1].value);
	free_set(set);
}

static int overflows;

static void on_overflow(int set, void *address, long long which, void *context)
{
	(void)set;
	(void)address;
	(void)which;
	(void)context;
	overflows++;
}

static void check_overflow(void)
{
	int set = new_set(), code;
	long long v;

	overflows = 0;
	NEED(PAPI_event_name_to_code("perf::CYCLES", &code) == PAPI_OK, "name");
	NEED(PAPI_add_event(set, code) == PAPI_OK, "add");
	NEED(PAPI_overflow(set, code, 1000000, 0, on_overflow) == PAPI_OK,
	     "overflow");
	NEED(PAPI_start(set) == PAPI_OK, "start");
	mk_work(10 * MS);
	NEED(PAPI_stop(set, &v) == PAPI_OK, "stop");
	NEED(overflows >= 19 && overflows <= 21, "%d overflows", overflows);
	free_set(set);
}

/* L1: a value that is estimated unasked is not given as if it were counted. */
static void check_never_silent(void)
{
	struct assay_value value;
	int set = new_set();
	long long v;

	if (mk->pmus[0].kind.driver != MK_AMD) {
		free_set(set);
		return; /* others have fixed counters, or are pinned */
	}
	NEED(PAPI_add_named_event(set, "perf::CYCLES") == PAPI_OK, "cycles");
	NEED(PAPI_start(set) == PAPI_OK, "start");
	mk_work(20 * MS);
	NEED(PAPI_read(set, &v) == PAPI_OK, "read");
	mk->stolen = 6;
	mk_work(20 * MS);
	mk->stolen = 0;
	mk_work(10 * MS);
	NEED(PAPI_read(set, &v) == PAPI_ECNFLCT, "silent: %lld", v);
	NEED(strstr(assay_error(), "estimates"), "what is said");
	NEED(assay_read(set, &value, 1) == PAPI_OK, "read");
	NEED(value.quality == ASSAY_SCALED, "quality %d", value.quality);
	NEED(PAPI_reset(set) == PAPI_OK, "reset");
	mk_work(10 * MS);
	NEED(PAPI_stop(set, &v) == PAPI_OK, "after a reset it counts");
	free_set(set);
}

/* Nobody counts any more: nothing is left for context switches to save. */
static void check_nothing_left(void)
{
	int set = new_set();
	long long v;

	NEED(PAPI_add_named_event(set, "perf::CYCLES") == PAPI_OK, "cycles");
	NEED(mk_enabled_events() == 0, "enabled by an add");
	for (int i = 0; i < 5; i++) {
		NEED(PAPI_start(set) == PAPI_OK, "start");
		NEED(mk_enabled_events() > 0, "not enabled by a start");
		mk_work(MS);
		NEED(PAPI_stop(set, &v) == PAPI_OK, "stop");
		NEED(v >= 2000000 && v < 2010000, "%lld", v);
		NEED(mk_enabled_events() == 0, "enabled after a stop");
		mk_work(20 * MS);
	}
	for (int i = 0; i < 100; i++) { /* however often */
		NEED(PAPI_start(set) == PAPI_OK, "start");
		mk_work(MS / 10);
		NEED(PAPI_stop(set, &v) == PAPI_OK, "stop");
		NEED(v >= 200000 && v < 210000, "%lld", v);
		NEED(mk_enabled_events() == 0, "enabled after a stop");
	}
	NEED(PAPI_start(set) == PAPI_OK, "start");
	NEED(PAPI_stop(set, &v) == PAPI_OK, "stop");
	NEED(v < 10000, "%lld", v);
	free_set(set);
}

/* Events of the kernel cost switches, too, however often they are started. */
static void check_no_software_left(void)
{
	int set = new_set();
	long long v;

	NEED(PAPI_add_named_event(set, "perf::TASK-CLOCK") == PAPI_OK, "clock");
	NEED(mk_enabled_software() == 0, "enabled by an add");
	for (int i = 0; i < 100; i++) {
		NEED(PAPI_start(set) == PAPI_OK, "start");
		NEED(mk_enabled_software() > 0, "not enabled by a start");
		mk_work(MS / 10);
		NEED(PAPI_stop(set, &v) == PAPI_OK, "stop");
		NEED(v >= 100000 && v < 110000, "%lld", v);
		NEED(mk_enabled_software() == 0, "enabled after a stop");
	}
	free_set(set);
}

/* Nor do those stay on that write records for inherited ones: twins.h. */
static void check_no_twins_left(void)
{
	PAPI_option_t option = { 0 };
	int set = new_set();
	long long v;

	NEED(PAPI_assign_eventset_component(set, 0) == PAPI_OK, "assign");
	option.inherit.eventset = set;
	option.inherit.inherit = PAPI_INHERIT_ALL;
	NEED(PAPI_set_opt(PAPI_INHERIT, &option) == PAPI_OK, "inherit");
	NEED(PAPI_add_named_event(set, "perf::PAGE-FAULTS") == PAPI_OK, "add");
	NEED(PAPI_start(set) == PAPI_OK, "start");
	for (int i = 0; i < 200; i++)
		NEED(PAPI_read(set, &v) == PAPI_OK, "read");
	NEED(mk_enabled_software() > 1, "no twins for so many reads");
	NEED(PAPI_stop(set, &v) == PAPI_OK, "stop");
	NEED(mk_enabled_software() == 0, "enabled after a stop");
	free_set(set);
}

static int run_machine(const struct mk_machine *m)
{
	struct machine files;
	int codes[256], n;

	current = m;
	if (m->pfm)
		setenv("LIBPFM_FORCE_PMU", m->pfm, 1);
	machine_open(&files, m->files);
	mk_boot(m->name, files.root, 2);
	mk->privileged = true;
	mk_files_init(files.root);
	NEED(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT, "init");
	NEED(PAPI_multiplex_init() == PAPI_OK, "multiplex_init");
	check_exact();
	n = check_presets(codes);
	check_multiplexing();
	check_overflow();
	check_never_silent();
	check_nothing_left();
	check_no_software_left();
	check_no_twins_left();
	PAPI_shutdown();
	machine_close(&files);
	printf("%s: %d presets\n", m->name, n);
	fflush(stdout);
	return n > 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	int failed = 0;

	for (size_t i = 0; i < mk_n_machines; i++) {
		int status = 1;
		pid_t pid;

		if (argc > 1 && strcmp(argv[1], mk_machines[i].name) != 0)
			continue;
		fflush(stdout);
		pid = fork();
		if (pid == 0)
			exit(run_machine(&mk_machines[i]));
		waitpid(pid, &status, 0);
		if (status) {
			printf("%s: status %x\n", mk_machines[i].name, status);
			failed++;
		}
	}
	return failed > 0;
}
