/* SPDX-License-Identifier: BSD-3-Clause */
/* What a validation holds, for the formats that programs read. */

#include <math.h>
#include <papi.h>
#include <string.h>

#include "validate/validate.h"
#include "write/json.h"

static void put_json_row(struct json *j, const struct validation *v,
			 const struct validate_event *event, double asked,
			 enum experiment_pattern pattern,
			 const struct validate_row *row)
{
	const char *reason = event->cause ? event->cause : event->reason;

	json_row(j, NULL);
	json_string(j, "event", event->name);
	json_string(j, "kernel", event->check->kernel);
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
	json_string(j, "checked_as", event->check->event);
	json_string(j, "pattern", validate_patterns[pattern]);
	json_string(j, "reason", row->verdict == VERDICT_PASS ? NULL : reason);
	json_unsigned(j, "kernels", event->kernels);
	json_unsigned(j, "kernels_off", event->kernels_off);
	json_string(j, "finding", event->finding);
	json_end_object(j);
}

int validate_describe(const void *what, struct json *j)
{
	const struct validation *v = what;

	json_string(j, "platform", v->platform);
	json_string(j, "where", v->where);
	json_unsigned(j, "repeats", v->repeats);
	json_bool(j, "deterministic", v->proven);
	json_table(j, "rows");
	for (size_t e = 0; e < v->n; e++) {
		const struct validate_event *event = &v->events[e];

		for (size_t i = 0; i < VALIDATE_SIZES; i++)
			if (validate_is_asked(&event->rows[i]))
				put_json_row(j, v, event, validate_size(i),
					     PATTERN_START_STOP,
					     &event->rows[i]);
		for (int p = PATTERN_START_READ; p < PATTERN_COUNT; p++)
			if (validate_has_patterns(v))
				put_json_row(j, v, event, 1000,
					     (enum experiment_pattern)p,
					     &event->patterns[p]);
	}
	json_end_array(j);
	return 0;
}
