/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events to be sampled and how often. Thresholds that nobody asked for are
 * odd numbers, prime where they are large, so that samples do not keep step
 * with a loop. They are meant to give some hundred samples a second: an event
 * that comes with most instructions has a larger one than a miss.
 */

#include <errno.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>

#include "base/array.h"
#include "console/console.h"
#include "measure/pmu.h"
#include "record/record.h"
#include "write/number.h"

#define LARGEST (1ULL << 53)

struct habit {
	const char *part; /* of the name; "" fits all */
	uint64_t simulated, native;
	uint64_t least; /* below it samples would be all that happens */
};

/* What the kernel counts: nanoseconds, and what happens seldom. */
static const struct habit clocks = { "", 1000000, 1000000, 10000 };
static const struct habit others = { "", 1, 1, 1 };

/* What a PMU counts, by its name; the first that fits. */
static const struct habit habits[] = {
	{ "MISS", 1009, 100003, 1 },  { "miss", 1009, 100003, 1 },
	{ "CM", 1009, 100003, 1 }, /* PAPI_L1_DCM and its like */
	{ "TLB", 1009, 100003, 1 },   { "WALK", 1009, 100003, 1 },
	{ "MSP", 1009, 100003, 1 },   { "MISP", 1009, 100003, 1 },
	{ "DRAM", 1009, 100003, 1 },  { "PAGE", 11, 11, 1 },
	{ "", 100003, 1000003, 100 },
};

static bool is_clock(const struct record_event *e)
{
	return !e->hardware && strcmp(e->unit, "ns") == 0;
}

static const struct habit *habit_of(const struct record_event *e)
{
	const struct habit *h = habits;

	if (!e->hardware)
		return is_clock(e) ? &clocks : &others;
	while (!strstr(e->name, h->part))
		h++;
	return h;
}

static int bad_threshold(const struct console *console, const char *text)
{
	return say_usage(
		console,
		"the threshold in '%s' is not an integer above 0; examples: "
		"PAPI_TOT_INS@100000, PAPI_TOT_INS@100k",
		text);
}

bool record_read_number(const char *text, uint64_t *out)
{
	unsigned long long value, factor = 1;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (*end == 'k' || *end == 'K')
		factor = 1000;
	else if (*end == 'M')
		factor = 1000000;
	else if (*end == 'G')
		factor = 1000000000;
	if (factor > 1)
		end++;
	if (errno || *end || value == 0 || value > LARGEST / factor)
		return false;
	*out = value * factor;
	return true;
}

static int parse_event(const struct console *console, const char *text,
		       struct record_event *event)
{
	const char *at = strrchr(text, '@');

	event->name = at ? strndup(text, (size_t)(at - text)) : strdup(text);
	if (!event->name)
		return say_no_memory(console);
	if (!*event->name)
		return say_usage(console, "an event name is missing in '%s'",
				 text);
	if (at && !record_read_number(at + 1, &event->period))
		return bad_threshold(console, text);
	return 0;
}

static bool is_there(const struct record_events *events, const char *name)
{
	for (size_t i = 0; i < events->n; i++)
		if (strcmp(events->items[i].name, name) == 0)
			return true;
	return false;
}

int record_parse_events(const struct console *console,
			const struct selection *selection,
			struct record_events *out)
{
	for (size_t i = 0; i < selection->n; i++) {
		struct record_event event = { 0 };
		int status = parse_event(console, selection->names[i], &event);

		if (!status && is_there(out, event.name))
			status = say_usage(console, "%s is given twice",
					   event.name);
		if (!status && array_grow(&out->items, out->n, sizeof(event)))
			status = say_no_memory(console);
		if (status) {
			free(event.name);
			return status;
		}
		out->items[out->n++] = event;
	}
	return 0;
}

void record_free_events(struct record_events *events)
{
	for (size_t i = 0; i < events->n; i++) {
		free(events->items[i].name);
		free(events->items[i].unit);
	}
	free(events->items);
	*events = (struct record_events){ 0 };
}

static int describe(const struct console *console, struct record_event *e,
		    enum pmu_kind pmu)
{
	struct assay_event_kind kind = { .hardware = IS_PRESET(e->code) };
	PAPI_event_info_t info;

	memset(&info, 0, sizeof(info));
	if (PAPI_get_event_info(e->code, &info) != PAPI_OK)
		memset(&info, 0, sizeof(info));
	assay_get_event_kind(e->code, &kind);
	e->hardware = kind.hardware;
	free(e->unit);
	e->unit = strdup(info.units);
	if (!e->unit)
		return say_no_memory(console);
	if (kind.scope == ASSAY_SCOPE_MACHINE)
		return say_usage(
			console,
			"%s is system-wide and cannot be attributed to code",
			e->name);
	if (pmu == PMU_SIMULATED && !kind.hardware)
		return say_usage(
			console,
			"%s is counted by the kernel, and under the "
			"simulator its samples would be the simulator's; "
			"sample it alone, without --pmu sim",
			e->name);
	return 0;
}

static int no_clock(const struct console *console, const struct record_event *e)
{
	return say_usage(
		console,
		"-F samples by time, and %s is not a clock; without -F, "
		"%s@N samples every N occurrences",
		e->name, e->name);
}

static int choose_period(const struct console *console, struct record_event *e,
			 const struct record_events *all, enum pmu_kind kind)
{
	const struct habit *habit = habit_of(e);

	if (e->period == 0 && all->hz) {
		if (!is_clock(e))
			return no_clock(console, e);
		e->period = 1000000000u / all->hz;
	} else if (e->period == 0 && all->period) {
		e->period = all->period;
	} else if (e->period == 0) {
		e->by_default = true;
		e->period = kind == PMU_SIMULATED ? habit->simulated
						  : habit->native;
	}
	if (e->period < habit->least)
		return say_usage(
			console,
			"the sampling period %llu is too small for %s; the "
			"minimum is %llu",
			(unsigned long long)e->period, e->name,
			(unsigned long long)habit->least);
	return 0;
}

int record_look_up(const struct console *console, struct record_events *events,
		   enum pmu_kind kind)
{
	int status = 0;

	for (size_t i = 0; !status && i < events->n; i++) {
		struct record_event *e = &events->items[i];
		int err = PAPI_event_name_to_code(e->name, &e->code);

		if (err == PAPI_ENOEVNT)
			return session_unknown_event(console, e->name);
		if (err)
			return say_usage(console, "cannot sample %s: %s",
					 e->name, session_error(err));
		status = describe(console, e, kind);
		if (!status)
			status = choose_period(console, e, events, kind);
	}
	return status;
}

bool record_is_software(const struct record_events *events)
{
	for (size_t i = 0; i < events->n; i++) {
		struct assay_event_kind kind = { .hardware = 1 };
		int code;

		if (PAPI_event_name_to_code(events->items[i].name, &code) ||
		    assay_get_event_kind(code, &kind) || kind.hardware)
			return false;
	}
	return true;
}

void record_tell_periods(const struct console *console,
			 const struct record_events *events)
{
	for (size_t i = 0; i < events->n; i++) {
		const struct record_event *e = &events->items[i];
		char text[NUMBER_CAPACITY];

		if (e->by_default)
			say_note(console,
				 "%s: a sample every %s%s%s; %s@N takes one "
				 "every N",
				 e->name, number_count(text, (double)e->period),
				 *e->unit ? " " : "", e->unit, e->name);
	}
}
