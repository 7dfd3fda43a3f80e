/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * speedscope's file format: a table of frames, then a profile for each event
 * with its stacks, outermost frame first, and how much each weighs.
 */

#include <stdlib.h>
#include <string.h>

#include "profile/inside.h"
#include "write/json.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

static void put_frames(struct json *j, const struct profile *p)
{
	json_object(j, "shared");
	json_array(j, "frames");
	for (size_t i = 0; i < p->n_functions; i++) {
		const struct profile_function *f = &p->functions[i];

		json_row(j, NULL);
		json_string(j, "name", f->name);
		json_string(j, "file",
			    f->file == PROFILE_NONE ? p->objects[f->object].path
						    : p->files[f->file].path);
		if (f->line > 0)
			json_unsigned(j, "line", (uint64_t)f->line);
		json_end_object(j);
	}
	json_end_array(j);
	json_end_object(j);
}

static int put_stacks(struct json *j, const struct profile *p, size_t event)
{
	json_array(j, "samples");
	for (size_t i = 0; i < p->n_samples; i++) {
		struct profile_frame **frames;
		size_t n;

		if (!p->samples[i].counts[event])
			continue;
		frames = profile_walk(p, p->samples[i].stack, &n);
		if (!frames)
			return PAPI_ENOMEM;
		json_list(j, NULL);
		for (size_t k = 0; k < n; k++)
			json_unsigned(j, NULL, frames[k]->function);
		json_end_array(j);
		free(frames);
	}
	json_end_array(j);
	return 0;
}

static void put_weights(struct json *j, const struct profile *p, size_t event)
{
	json_list(j, "weights");
	for (size_t i = 0; i < p->n_samples; i++)
		if (p->samples[i].counts[event])
			json_unsigned(j, NULL,
				      profile_weight(p, &p->samples[i], event));
	json_end_array(j);
}

static int put_profile(struct json *j, const struct profile *p, size_t event)
{
	const struct profile_event *e = &p->events[event];
	const char *unit = profile_unit(e);
	int err;

	json_object(j, NULL);
	json_string(j, "type", "sampled");
	json_string(j, "name", e->name);
	json_string(j, "unit", *unit ? unit : "none");
	json_unsigned(j, "startValue", 0);
	json_unsigned(j, "endValue", e->samples * e->period);
	err = put_stacks(j, p, event);
	put_weights(j, p, event);
	json_end_object(j);
	return err;
}

int profile_write_speedscope(const void *profile,
			     const struct report_style *style, FILE *to)
{
	const struct profile *p = profile;
	struct json j;
	int err = 0;

	(void)style;
	json_init(&j, to);
	json_object(&j, NULL);
	json_string(&j, "$schema", SCHEMA);
	json_string(&j, "exporter", "assay");
	json_string(&j, "name", p->words > 0 ? p->command[0] : "profile");
	json_unsigned(&j, "activeProfileIndex", 0);
	put_frames(&j, p);
	json_array(&j, "profiles");
	for (size_t e = 0; !err && e < p->n_events; e++)
		err = put_profile(&j, p, e);
	json_end_array(&j);
	json_end_object(&j);
	return err ? err : json_finish(&j);
}
