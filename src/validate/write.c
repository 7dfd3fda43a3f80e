/* SPDX-License-Identifier: BSD-3-Clause */
/* A validation as JSON and CSV. */

#include <math.h>
#include <papi.h>
#include <string.h>

#include "validate/validate.h"
#include "write/json.h"
#include "write/number.h"

/* JSON. */

static void put_json_row(struct json *j, const struct validation *v,
			 const struct validate_event *event, double asked,
			 enum experiment_pattern pattern,
			 const struct validate_row *row)
{
	const char *reason = event->cause ? event->cause : event->reason;

	json_row(j, NULL);
	json_string(j, "event", event->name);
	json_string(j, "checked_as", event->check->event);
	json_string(j, "kernel", event->check->kernel);
	json_string(j, "pattern", validate_patterns[pattern]);
	json_number(j, "granularity", asked);
	json_unsigned(j, "repeats", v->repeats);
	json_number(j, "predicted", row->predicted);
	json_number(j, "mean", row->mean);
	json_number(j, "stddev", row->stddev);
	json_number(j, "variance", row->variance);
	json_number(j, "min", isfinite(row->min) ? row->min : NAN);
	json_number(j, "max", isfinite(row->max) ? row->max : NAN);
	json_number(j, "error_pct", row->error_pct);
	json_number(j, "overhead", row->overhead);
	json_number(j, "corrected_error_pct", row->corrected_pct);
	json_string(j, "verdict", validate_verdicts[row->verdict]);
	json_string(j, "determinism", validate_classes[event->class]);
	json_string(j, "reason", row->verdict == VERDICT_PASS ? NULL : reason);
	json_end_object(j);
}

int validate_write_json(const void *what, const struct report_style *style,
			FILE *to)
{
	const struct validation *v = what;
	struct json j;

	(void)style;
	json_init(&j, to);
	json_object(&j, NULL);
	json_unsigned(&j, "assay", 1);
	json_string(&j, "platform", v->platform);
	json_string(&j, "where", v->where);
	json_unsigned(&j, "repeats", v->repeats);
	json_bool(&j, "deterministic", v->proven);
	json_array(&j, "rows");
	for (size_t e = 0; e < v->n; e++) {
		const struct validate_event *event = &v->events[e];

		for (size_t i = 0; i < VALIDATE_SIZES; i++)
			if (validate_is_asked(&event->rows[i]))
				put_json_row(&j, v, event, validate_size(i),
					     PATTERN_START_STOP,
					     &event->rows[i]);
		for (int p = PATTERN_START_READ; p < PATTERN_COUNT; p++)
			if (validate_has_patterns(v))
				put_json_row(&j, v, event, 1000,
					     (enum experiment_pattern)p,
					     &event->patterns[p]);
	}
	json_end_array(&j);
	json_end_object(&j);
	return json_finish(&j);
}

/* CSV; what there is none of is an empty field. */

static void put_csv_number(double value, FILE *to)
{
	char text[NUMBER_ROOM];

	fprintf(to, ",%s", isfinite(value) ? number_exact(text, value) : "");
}

int validate_write_csv(const void *what, const struct report_style *style,
		       FILE *to)
{
	const struct validation *v = what;

	(void)style;
	fputs("event,kernel,granularity,repeats,predicted,mean,stddev,variance,"
	      "min,max,error_pct,overhead,corrected_error_pct,verdict,"
	      "determinism\r\n",
	      to);
	for (size_t e = 0; e < v->n; e++)
		for (size_t i = 0; i < VALIDATE_SIZES; i++) {
			const struct validate_event *event = &v->events[e];
			const struct validate_row *r = &event->rows[i];

			if (!validate_is_asked(r))
				continue;
			fprintf(to, "%s,%s,%.0f,%u", event->name,
				event->check->kernel, validate_size(i),
				v->repeats);
			put_csv_number(r->predicted, to);
			put_csv_number(r->mean, to);
			put_csv_number(r->stddev, to);
			put_csv_number(r->variance, to);
			put_csv_number(r->min, to);
			put_csv_number(r->max, to);
			put_csv_number(r->error_pct, to);
			put_csv_number(r->overhead, to);
			put_csv_number(r->corrected_pct, to);
			fprintf(to, ",%s,%s\r\n", validate_verdicts[r->verdict],
				validate_classes[event->class]);
		}
	return ferror(to) ? PAPI_ESYS : 0;
}
