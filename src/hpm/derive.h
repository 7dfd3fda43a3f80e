/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics of a section: the formulas of share/metrics/hpm.txt, the derived
 * metrics of the HPM Toolkit. Which ones the counted events allow is found at
 * the beginning; then evaluating allocates nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "hpm/events.h"

struct assay_metric;

/* A line of the file. */
struct metric_row {
	const char *name;
	const char *text;
	const char *unit;
	const char *formula;
	double good; /* NaN: none; negative: below its size is meant */
	double bad;
	bool simulated;       /* on the simulated PMU, instead of the other */
	const char *category; /* the named set of events that it is in */
};

extern const struct metric_row metric_rows[]; /* ends with no name */

/* Whether @row is the line for the simulated PMU, or for others. */
bool derive_is_for(const struct metric_row *row, bool simulated);

#define METRIC_INPUTS 8

/* A metric that can be computed. */
struct hpm_metric {
	const struct metric_row *row;
	struct assay_metric *compiled;
	size_t inputs[METRIC_INPUTS]; /* quantities, or INPUT_CLOCK */
	size_t n;
};

#define INPUT_CLOCK ((size_t)-1)

struct hpm_metrics {
	struct hpm_metric *list;
	size_t n;
	double clock_hz; /* NaN: not known */
};

/*
 * The metrics that @events allow. On the simulated PMU (@simulated) none that
 * have to do with time.
 */
void derive_choose(struct hpm_metrics *metrics, const struct hpm_events *events,
		   bool simulated);
void derive_fini(struct hpm_metrics *metrics);

/* Its value from @quantities: seconds, and the counted events in order. */
double derive_value(const struct hpm_metrics *metrics,
		    const struct hpm_metric *metric, const double *quantities);

/* "good", "fair" or "poor"; NULL if there is nothing to go by. */
const char *derive_verdict(const struct metric_row *row, double value);
