/* SPDX-License-Identifier: BSD-3-Clause */
/* Putting a report together. */

#include "report/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"

const char *report_model_name(const char *model)
{
	if (!model)
		return "";
	return strncmp(model, "sim-", 4) == 0 ? model + 4 : model;
}

int report_add_event(struct report *r, const struct report_event *event)
{
	return array_add(r->events, r->n_events, *event);
}

int report_add_metric(struct report *r, const struct report_metric *metric)
{
	return array_add(r->metrics, r->n_metrics, *metric);
}

int report_add_note(struct report *r, const char *text)
{
	return array_add(r->notes, r->n_notes, text);
}

const char *report_text(struct report *r, const char *format, ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	return texts_take(&r->texts, n < 0 ? NULL : text);
}

void report_fini(struct report *r)
{
	texts_fini(&r->texts);
	free(r->events);
	free(r->metrics);
	free(r->notes);
	report_threads_fini(&r->threads);
	*r = (struct report){ 0 };
}

struct report_number report_number_of(const long double *values, size_t n)
{
	struct report_number out = { NAN, NAN, NAN, NAN };
	long double mean = 0, squares = 0;
	size_t seen = 0;

	for (size_t i = 0; i < n; i++) {
		long double delta;

		if (isnan(values[i]))
			continue;
		/* Welford: no cancellation, however large the counts are. */
		seen++;
		delta = values[i] - mean;
		mean += delta / (long double)seen;
		squares += delta * (values[i] - mean);
		out.min = fminl(out.min, values[i]);
		out.max = fmaxl(out.max, values[i]);
	}
	if (seen > 0)
		out.value = mean;
	if (seen > 1)
		out.stddev = sqrt((double)squares / (double)(seen - 1));
	else
		out.min = out.max = NAN;
	return out;
}

const char *report_quality_name(enum report_quality quality)
{
	static const char *const names[] = {
		[REPORT_COUNTED] = "counted",
		[REPORT_SCALED] = "scaled",
		[REPORT_NONE] = "none",
	};

	return names[quality];
}

const char *report_verdict_name(enum report_verdict verdict)
{
	static const char *const names[] = {
		[REPORT_GOOD] = "good",
		[REPORT_FAIR] = "fair",
		[REPORT_POOR] = "poor",
	};

	return names[verdict];
}
