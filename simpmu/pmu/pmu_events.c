/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of the PMU: the rows of events.def, as sums of signals. */
#include "simpmu/pmu/host.h"
#include "simpmu/pmu/pmu.h"

enum {
	LINE = 0x10000 /* stands for the line size of the model */
};

#define ANY               WIRE_ANY
#define LOW               WIRE_LOW
#define ONLY(n)           WIRE_ONLY(n)
#define FIX(n)            WIRE_FIX(n)
#define EITHER(n)         WIRE_EITHER(n)
#define T(weight, signal) { weight, TALLY_##signal },

static const struct row {
	const char *name;
	uint32_t counters;
	const char *text;
	struct {
		int32_t weight;
		uint32_t signal;
	} terms[EVENT_TERMS];
} rows[] = {
#define EVENT(name, counters, text, ...)                                       \
	{ name, counters, text, { __VA_ARGS__ } },
#include "simpmu/events.def"
#undef EVENT
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static struct {
	struct pmu_event *events;
	uint32_t n;
} list;

static struct pmu_event event_of_row(const struct row *row, uint32_t line_bytes)
{
	struct pmu_event event = { .text = row->text,
				   .counters = row->counters };

	for (size_t i = 0; row->name[i] && i + 1 < sizeof(event.name); i++)
		event.name[i] = row->name[i];
	while (event.n < EVENT_TERMS && row->terms[event.n].weight) {
		int32_t weight = row->terms[event.n].weight;

		event.terms[event.n].weight =
			weight == LINE ? (int32_t)line_bytes : weight;
		event.terms[event.n].signal = row->terms[event.n].signal;
		event.n++;
	}
	return event;
}

void events_init(uint32_t line_bytes, uint64_t seed, const char *key)
{
	struct pmu_event *plain = host_new(ROWS * sizeof(*plain));
	struct pmu_event *blind;

	host_free(list.events);
	for (size_t i = 0; i < ROWS; i++)
		plain[i] = event_of_row(&rows[i], line_bytes);
	list.events = plain;
	list.n = ROWS;
	if (!seed)
		return;
	list.n = blind_make(plain, ROWS, seed, key, &blind);
	list.events = blind;
	host_free(plain);
}

uint32_t events_count(void)
{
	return list.n;
}

const struct pmu_event *events_get(uint32_t i)
{
	return i < list.n ? &list.events[i] : NULL;
}

static const uint8_t part_of_signal[TALLY_COUNT] = {
#define X(name, part, text) [TALLY_##name] = PART_##part,
	MODEL_TALLIES(X)
#undef X
};

uint32_t event_parts(const struct pmu_event *event)
{
	uint32_t parts = 0;

	for (uint32_t i = 0; i < event->n; i++) {
		parts |= part_of_signal[event->terms[i].signal];
		if (event->terms[i].signal == TALLY_PAGE_TOUCH)
			parts |= ENGINE_PAGES;
	}
	if (parts & PART_CYCLE)
		parts |= PART_BRANCH | PART_FETCH | PART_DATA;
	return parts;
}

uint64_t event_growth(const struct pmu_event *event, const uint64_t *before,
		      const uint64_t *now)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < event->n; i++) {
		uint32_t s = event->terms[i].signal;

		sum += (uint64_t)event->terms[i].weight * (now[s] - before[s]);
	}
	return sum;
}

uint64_t event_shown(const struct pmu_event *event, uint64_t value)
{
	const struct pmu_flaw *flaw = &event->flaw;

	if (flaw->under)
		value = value * flaw->over / flaw->under;
	if (value < flaw->least)
		value = 0;
	return flaw->most && value > flaw->most ? flaw->most : value;
}

/* What the errors of signals have to do with each other is not known: at worst
 * they add up. */
double event_variance(const struct pmu_event *event, const double *of)
{
	double sum = 0;

	for (uint32_t i = 0; i < event->n; i++)
		sum += (double)event->terms[i].weight *
		       (double)event->terms[i].weight *
		       of[event->terms[i].signal];
	return event->n * sum;
}
