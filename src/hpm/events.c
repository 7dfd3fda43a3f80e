/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes names from the environment, a file or the defaults, and tries each one
 * with those before it; one that fails keeps its reason. Named sets are left to
 * sets.c.
 */
#include "hpm/events.h"

#include <errno.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>

#include "base/array.h"
#include "hpm/file.h"
#include "hpm/sets.h"

#define SETTLING_READS 130

/* What is tried when nobody asked for anything, most telling first. */
static const char *const usual[] = {
	"PAPI_TOT_CYC",
	"PAPI_TOT_INS",
	"PAPI_LD_INS",
	"PAPI_SR_INS",
	"PAPI_FP_OPS",
	"PAPI_L1_DCM",
	"PAPI_L2_DCM",
	"PAPI_BR_MSP",
	"PAPI_BR_CN",
	"perf::PAGE-FAULTS",
	"perf::CONTEXT-SWITCHES",
};

/* Sets and metrics may have events in common: each is kept once. */
static bool is_kept(const struct hpm_events *events, const char *name,
		    size_t length)
{
	for (size_t i = 0; i < events->n; i++)
		if (strncmp(events->list[i].name, name, length) == 0 &&
		    !events->list[i].name[length])
			return true;
	return false;
}

static void keep(struct hpm_events *events, const char *name, size_t length)
{
	struct hpm_event event = { 0 };

	if (is_kept(events, name, length))
		return;
	event.name = strndup(name, length);
	if (!event.name ||
	    array_grow(&events->list, events->n, sizeof(*events->list))) {
		free(event.name);
		return;
	}
	events->list[events->n++] = event;
}

static void keep_input(void *context, const char *name)
{
	keep(context, name, strlen(name));
}

/* An event, or those of a named set or a metric. */
static void keep_word(struct hpm_events *events, const char *word,
		      size_t length)
{
	if (!sets_expand(word, length, events->simulated, keep_input, events))
		keep(events, word, length);
}

/* Names with commas, blanks or newlines between; '#' begins a comment. */
static void keep_names(struct hpm_events *events, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, ", \t\r\n#");

		if (length > 0)
			keep_word(events, text, length);
		text += length;
		if (*text == '#')
			text += strcspn(text, "\n");
		else
			text += strspn(text, ", \t\r\n");
	}
}

static void keep_file(struct hpm_events *events, const char *path)
{
	FILE *file = fopen(path, "re");
	OWNED char *line = NULL;
	size_t capacity = 0;

	if (!file) {
		state_fail("cannot read %s: %s", path, strerror(errno));
		file_complain(state_error());
		return;
	}
	while (getline(&line, &capacity, file) > 0)
		keep_names(events, line);
	fclose(file);
}

static void read_environment(struct hpm_events *events)
{
	const char *names = secure_getenv("HPM_EVENTS");
	const char *file = secure_getenv("HPM_EVENT_FILE");

	if (!names && !file)
		names = secure_getenv("PAPI_EVENTS");
	if (names)
		keep_names(events, names);
	else if (file)
		keep_file(events, file);
	events->chosen = names || file;
	events->multiplex = secure_getenv("HPM_MULTIPLEX") != NULL;
}

/* An empty EventSet with our options; PAPI_NULL if it cannot be had. */
static int new_set(const struct hpm_events *events, bool inherit)
{
	PAPI_option_t option = { 0 };
	int set = PAPI_NULL;

	if (PAPI_create_eventset(&set) != PAPI_OK)
		return PAPI_NULL;
	PAPI_assign_eventset_component(set, 0);
	/* the process's set and a thread's count the same events */
	assay_set_shared(set);
	if (inherit) {
		option.inherit.eventset = set;
		option.inherit.inherit = PAPI_INHERIT_ALL;
		PAPI_set_opt(PAPI_INHERIT, &option);
	}
	if (events->multiplex)
		PAPI_set_multiplex(set);
	return set;
}

static void drop_set(int set)
{
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

/* Instead of a sentence that out of memory for. */
static char no_memory[] = "out of memory";

static void free_event(struct hpm_event *event)
{
	free(event->name);
	if (event->reason != no_memory)
		free(event->reason);
}

static char *copy_or_no_memory(const char *sentence)
{
	char *copy = strdup(sentence);

	return copy ? copy : no_memory;
}

static const char not_the_programs[] =
	"on the simulated PMU it would count the simulator, too";

/* What the kernel counts of this process while a simulator runs it. */
static bool is_the_simulators(int code)
{
	struct assay_event_kind kind;

	return assay_get_event_kind(code, &kind) == PAPI_OK && !kind.hardware &&
	       kind.scope != ASSAY_SCOPE_MACHINE;
}

/* Try each event together with the ones before it. */
static void try_all(struct hpm_events *events, bool simulated)
{
	int set = new_set(events, false);

	for (size_t i = 0; i < events->n; i++) {
		struct hpm_event *event = &events->list[i];
		int err = PAPI_event_name_to_code(event->name, &event->code);

		if (!err && simulated && is_the_simulators(event->code)) {
			event->reason = copy_or_no_memory(not_the_programs);
			continue;
		}
		if (!err)
			err = PAPI_add_event(set, event->code);
		if (err)
			event->reason = copy_or_no_memory(assay_error());
		else
			events->counted++;
	}
	drop_set(set);
}

/* Default events that cannot be counted are dropped silently. */
static void forget_failures(struct hpm_events *events)
{
	size_t kept = 0;

	for (size_t i = 0; i < events->n; i++) {
		if (events->list[i].reason) {
			free_event(&events->list[i]);
		} else {
			events->list[kept++] = events->list[i];
		}
	}
	events->n = kept;
}

int events_choose(struct hpm_events *events)
{
	struct assay_pmu pmu = { 0 };

	*events = (struct hpm_events){ 0 };
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return PAPI_ESYS;
	assay_get_pmu(&pmu);
	events->simulated = pmu.kind == ASSAY_PMU_SIMULATED;
	read_environment(events);
	if (!events->chosen)
		for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
			keep(events, usual[i], strlen(usual[i]));
	try_all(events, events->simulated);
	if (!events->chosen)
		forget_failures(events);
	return 0;
}

void events_fini(struct hpm_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		free_event(&events->list[i]);
	free(events->list);
	*events = (struct hpm_events){ 0 };
}

/*
 * The library finds the cheapest way to read a set while it is read. A section
 * is to cost the same from the first on, so that what it costs can be measured.
 */
static int read_often(int set, size_t n)
{
	long long *values = calloc(n, sizeof(*values));
	int err = PAPI_OK;

	for (int i = 0; values && !err && i < SETTLING_READS; i++)
		err = PAPI_read(set, values);
	free(values);
	return err;
}

static int add_counted(const struct hpm_events *events, int set)
{
	int err = PAPI_OK;

	for (size_t i = 0; !err && i < events->n; i++)
		if (!events->list[i].reason)
			err = PAPI_add_event(set, events->list[i].code);
	return err;
}

int events_start(const struct hpm_events *events, bool inherit, char *why,
		 size_t size)
{
	int set;

	why[0] = 0;
	if (events->counted == 0)
		return PAPI_NULL;
	set = new_set(events, inherit);
	if (set == PAPI_NULL || add_counted(events, set) || PAPI_start(set)) {
		snprintf(why, size, "%s", assay_error());
		drop_set(set);
		return PAPI_NULL;
	}
	if (read_often(set, events->counted) && !inherit) {
		snprintf(why, size, "%s", assay_error());
		events_stop(set); /* before it takes turns with another */
		return PAPI_NULL;
	}
	return set;
}

void events_stop(int set)
{
	if (set == PAPI_NULL)
		return;
	PAPI_stop(set, NULL);
	drop_set(set);
}
