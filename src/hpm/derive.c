/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses the metrics whose events are counted, evaluates them for a section
 * and judges the value. Formulas are left to src/metric.
 */
#include "hpm/derive.h"

#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include <assay/metric.h>

#include "base/array.h"

/* The quantity that @name stands for in a formula; 0 or false: none. */
static bool find_input(const struct hpm_events *events, bool simulated,
		       const char *name, size_t *out)
{
	size_t q = 0;

	*out = 0;
	if (strcmp(name, "wall_s") == 0)
		return !simulated;
	*out = INPUT_CLOCK;
	if (strcmp(name, "#") == 0)
		return !simulated;
	for (size_t i = 0; i < events->n; i++) {
		if (events->list[i].reason)
			continue;
		q++;
		if (strcmp(events->list[i].name, name) == 0) {
			*out = q;
			return true;
		}
	}
	return false;
}

static bool find_inputs(const struct hpm_events *events, bool simulated,
			struct hpm_metric *metric)
{
	metric->n = assay_metric_event_count(metric->compiled);
	if (metric->n > METRIC_INPUTS)
		return false;
	for (size_t i = 0; i < metric->n; i++)
		if (!find_input(events, simulated,
				assay_metric_event(metric->compiled, i),
				&metric->inputs[i]))
			return false;
	return true;
}

/* Whether another line is meant where events are simulated. */
static bool is_replaced(const struct metric_row *row)
{
	for (const struct metric_row *other = metric_rows; other->name; other++)
		if (other->simulated && !row->simulated &&
		    strcmp(other->name, row->name) == 0)
			return true;
	return false;
}

bool derive_is_for(const struct metric_row *row, bool simulated)
{
	return simulated ? !is_replaced(row) : !row->simulated;
}

static void choose(struct hpm_metrics *metrics, const struct hpm_events *events,
		   bool simulated, const struct metric_row *row)
{
	struct hpm_metric metric = { .row = row };

	if (!derive_is_for(row, simulated))
		return;
	if (assay_metric_compile(row->formula, &metric.compiled, NULL))
		return;
	if (!find_inputs(events, simulated, &metric) ||
	    array_grow(&metrics->list, metrics->n, sizeof(metric))) {
		assay_metric_free(metric.compiled);
		return;
	}
	metrics->list[metrics->n++] = metric;
}

void derive_choose(struct hpm_metrics *metrics, const struct hpm_events *events,
		   bool simulated)
{
	const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();

	*metrics = (struct hpm_metrics){ .clock_hz = NAN };
	if (hardware && hardware->cpu_max_mhz > 0)
		metrics->clock_hz = hardware->cpu_max_mhz * 1e6;
	for (const struct metric_row *row = metric_rows; row->name; row++)
		choose(metrics, events, simulated, row);
}

void derive_fini(struct hpm_metrics *metrics)
{
	while (metrics->n > 0)
		assay_metric_free(metrics->list[--metrics->n].compiled);
	free(metrics->list);
	*metrics = (struct hpm_metrics){ 0 };
}

double derive_value(const struct hpm_metrics *metrics,
		    const struct hpm_metric *metric, const double *quantities)
{
	double counts[METRIC_INPUTS];

	for (size_t i = 0; i < metric->n; i++)
		counts[i] = metric->inputs[i] == INPUT_CLOCK
				    ? metrics->clock_hz
				    : quantities[metric->inputs[i]];
	return assay_metric_eval(metric->compiled, counts);
}

static bool passes(double threshold, double value)
{
	return signbit(threshold) ? value < -threshold : value > threshold;
}

const char *derive_verdict(const struct metric_row *row, double value)
{
	if (isnan(value) || (isnan(row->good) && isnan(row->bad)))
		return NULL;
	if (!isnan(row->bad) && passes(row->bad, value))
		return "poor";
	return !isnan(row->good) && passes(row->good, value) ? "good" : "fair";
}
