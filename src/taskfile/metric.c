/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics in performance files. A file says how each is computed, so that sums
 * of many tasks give the metric of all of them and not a sum of metrics.
 */
#include <math.h>
#include <string.h>

#include <assay/metric.h>

#include "taskfile/taskfile.h"

#define INPUTS_MAX 32

/* A name in a formula: an event, or wall_s for the time of the section. */
static double input(const char *name, const struct task_datum *data, size_t n)
{
	if (strcmp(name, "wall_s") == 0)
		name = "IncSec";
	for (size_t i = 0; i < n; i++)
		if (strcmp(data[i].name, name) == 0)
			return (double)data[i].value;
	return NAN;
}

double taskfile_metric_value(const struct task_datum *datum,
			     const struct task_datum *data, size_t n)
{
	double counts[INPUTS_MAX], value = NAN;
	struct assay_metric *metric;
	size_t inputs;

	if (assay_metric_compile(datum->formula, &metric, NULL))
		return NAN;
	inputs = assay_metric_event_count(metric);
	if (inputs <= INPUTS_MAX) {
		for (size_t i = 0; i < inputs; i++)
			counts[i] =
				input(assay_metric_event(metric, i), data, n);
		value = assay_metric_eval(metric, counts);
	}
	assay_metric_free(metric);
	return value;
}

static bool passes(double threshold, double value)
{
	return signbit(threshold) ? value < -threshold : value > threshold;
}

const char *taskfile_metric_verdict(const struct task_datum *datum)
{
	if (isnan(datum->value) || (isnan(datum->sgood) && isnan(datum->sbad)))
		return "";
	if (!isnan(datum->sbad) && passes(datum->sbad, (double)datum->value))
		return "poor";
	if (!isnan(datum->sgood) && passes(datum->sgood, (double)datum->value))
		return "good";
	return "fair";
}

const char *taskfile_kind(const struct task_datum *datum)
{
	if (datum->formula[0])
		return "metric";
	if (strcmp(datum->name, "ExcSec") == 0 ||
	    strcmp(datum->name, "IncSec") == 0)
		return "time";
	return strcmp(datum->name, "Count") == 0 ? "count" : "event";
}
