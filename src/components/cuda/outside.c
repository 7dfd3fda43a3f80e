/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting another process, which has to count itself: CUPTI counts contexts
 * of its own process only. A library that the driver loads into it
 * (CUDA_INJECTION64_PATH; see inject.c) does so, and both sides know a file:
 * this one writes the events' names into it, one "event NAME" a line, and each
 * process that used a GPU adds at its end a line
 *
 *   counts NANOSECONDS VALUE VALUE ...
 *
 * A process that ended without one has counted nothing, and is then no zero:
 * there is no value.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "components/cuda/slice.h"

#define VARIABLE "ASSAY_CUDA_CONTROL"

static const char *control(void)
{
	const char *path = secure_getenv(VARIABLE);

	return path && *path ? path : NULL;
}

int gpu_outside_open(struct slice *s)
{
	struct gpu_slice *mine = s->priv;

	if (!control())
		return slice_fail(s, PAPI_ENOSUPP,
				  "GPU work of another process is counted by a "
				  "library loaded into it, as assay count "
				  "does; a running process cannot be counted");
	mine->outside = true;
	return gpu_plan_open(s);
}

static int write_events(struct slice *s)
{
	const struct gpu_slice *mine = s->priv;
	FILE *file = fopen(control(), "we");
	int error = file ? 0 : errno;

	for (size_t i = 0; file && i < s->n; i++)
		fprintf(file, "event %s\n", mine->events[i]->name);
	if (file && (fflush(file) || ferror(file)))
		error = errno;
	if (file)
		fclose(file);
	if (error)
		return slice_fail(s, PAPI_ESYS, "cannot write %.150s: %s",
				  control(), strerror(error));
	return 0;
}

int gpu_outside_start(struct slice *s, struct count *counts)
{
	struct gpu_slice *mine = s->priv;
	int err = write_events(s);

	if (err)
		return err;
	mine->started_ns = clock_real_ns();
	memset(counts, 0, s->n * sizeof(*counts));
	return 0;
}

/* Add one process's line. A line that was cut is not counted. */
static void add_line(const struct slice *s, const char *line,
		     struct count *counts)
{
	const struct gpu_slice *mine = s->priv;
	const char *at = line + strlen("counts ");
	char *end;
	uint64_t ns = strtoull(at, &end, 10);

	for (size_t i = 0; i < s->n && end > at; i++) {
		uint64_t value;

		at = end;
		value = strtoull(at, &end, 10);
		if (end == at)
			break;
		if (mine->events[i]->kind == EVENT_RUNNING)
			counts[i].value += value;
		else
			counts[i].value = value;
		counts[i].running_ns += ns ? ns : 1;
	}
}

int gpu_outside_read(struct slice *s, struct count *counts)
{
	const struct gpu_slice *mine = s->priv;
	uint64_t ran_ns = clock_real_ns() - mine->started_ns;
	FILE *file = fopen(control(), "re");
	OWNED char *line = NULL;
	size_t capacity = 0;
	ssize_t n;

	memset(counts, 0, s->n * sizeof(*counts));
	while (file && (n = getline(&line, &capacity, file)) > 0)
		if (strncmp(line, "counts ", strlen("counts ")) == 0 &&
		    line[n - 1] == '\n')
			add_line(s, line, counts);
	/* what was counted was counted all the time that there was a GPU */
	for (size_t i = 0; i < s->n; i++)
		counts[i].enabled_ns =
			counts[i].running_ns ? counts[i].running_ns : ran_ns;
	if (file)
		fclose(file);
	return 0;
}
