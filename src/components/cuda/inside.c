/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting the calling process: a range on each GPU from start to stop. A read
 * ends the range, adds it up and begins another, since CUPTI gives values only
 * of ranges that ended; work that is launched between the two is not counted.
 */
#include <math.h>

#include "base/clock.h"
#include "components/cuda/slice.h"

/* Whose turn it is on @device: the one that had it least. */
static struct turn *next_turn(const struct gpu_slice *mine, int device)
{
	struct turn *next = NULL;

	for (size_t i = 0; i < mine->n; i++) {
		struct turn *turn = &mine->turns[i];

		if (turn->device == device &&
		    (!next || turn->starts < next->starts))
			next = turn;
	}
	return next;
}

static int begin_turn(struct slice *s, struct gpu *gpu, struct turn *turn)
{
	struct gpu_device *device = &gpu->devices[turn->device];
	void *profiler, *context;
	int err;

	if (device->owner && device->owner != s)
		return slice_fail(s, PAPI_ECNFLCT,
				  "another EventSet is counting on GPU %d, "
				  "which can serve only one at a time",
				  turn->device);
	err = gpu_profiler(gpu, turn->device, &turn->range, &profiler, &context,
			   &s->diag);
	if (err)
		return err;
	err = range_begin(&turn->range, profiler, context, &s->diag);
	if (err) {
		gpu_drop_profiler(gpu, turn->device);
		return err;
	}
	device->owner = s;
	turn->running = true;
	return 0;
}

static void drop_turns(struct gpu_slice *mine, struct gpu *gpu)
{
	for (size_t i = 0; i < mine->n; i++) {
		struct turn *turn = &mine->turns[i];

		if (!turn->running)
			continue;
		gpu_drop_profiler(gpu, turn->device);
		turn->running = false;
		gpu->devices[turn->device].owner = NULL;
	}
}

static int begin_all(struct slice *s, struct gpu *gpu)
{
	struct gpu_slice *mine = s->priv;
	int err = 0;

	for (int device = 0; !err && device < gpu->n; device++) {
		struct turn *turn = next_turn(mine, device);

		if (turn)
			err = begin_turn(s, gpu, turn);
	}
	if (err)
		drop_turns(mine, gpu);
	mine->started_ns = clock_real_ns();
	return err;
}

static uint64_t whole(double value, double scale)
{
	double scaled = value * scale;

	if (!(scaled > 0)) /* also if it has no value */
		return 0;
	return scaled < 0x1p63 ? (uint64_t)llround(scaled) : UINT64_MAX >> 1;
}

static void add_values(struct gpu_slice *mine, const struct turn *turn,
		       uint64_t ns)
{
	for (size_t i = 0; i < turn->range.n; i++) {
		size_t at = turn->positions[i];
		const struct event *event = mine->events[at];
		const struct metric *metric = event->data;
		uint64_t value = whole(turn->range.values[i], metric->scale);

		if (event->kind == EVENT_RUNNING)
			mine->totals[at].value += value;
		else
			mine->totals[at].value = value;
		mine->totals[at].running_ns += ns;
	}
}

/* End every range that runs, and add what it counted. */
static int end_all(struct slice *s, struct gpu *gpu)
{
	struct gpu_slice *mine = s->priv;
	uint64_t ns = clock_real_ns() - mine->started_ns;
	int err = 0;

	for (size_t i = 0; i < mine->n; i++) {
		struct turn *turn = &mine->turns[i];
		int failed;

		if (!turn->running)
			continue;
		failed = range_end(&turn->range, &s->diag);
		turn->running = false;
		gpu->devices[turn->device].owner = NULL;
		if (failed)
			gpu_drop_profiler(gpu, turn->device);
		if (failed && !err)
			err = failed;
		if (!failed)
			add_values(mine, turn, ns);
	}
	for (size_t i = 0; i < s->n; i++)
		mine->totals[i].enabled_ns += ns;
	return err;
}

static void give(const struct slice *s, struct count *counts)
{
	const struct gpu_slice *mine = s->priv;

	for (size_t i = 0; i < s->n; i++)
		counts[i] = mine->totals[i];
}

int gpu_inside_start(struct slice *s, struct count *counts)
{
	struct gpu *gpu;
	int err = gpu_lock(s->component, &gpu, &s->diag);

	if (err)
		return err;
	err = begin_all(s, gpu);
	gpu_unlock(gpu);
	if (!err)
		give(s, counts);
	return err;
}

/* The same turns go on: they change only with a start. */
int gpu_inside_read(struct slice *s, struct count *counts)
{
	struct gpu *gpu;
	int err = gpu_lock(s->component, &gpu, &s->diag);

	if (err)
		return err;
	err = end_all(s, gpu);
	if (!err)
		err = begin_all(s, gpu);
	gpu_unlock(gpu);
	if (!err)
		give(s, counts);
	return err;
}

static void count_turns(struct gpu_slice *mine)
{
	for (size_t i = 0; i < mine->n; i++)
		mine->turns[i].starts += mine->turns[i].running;
}

int gpu_inside_stop(struct slice *s, struct count *counts)
{
	struct gpu *gpu;
	int err = gpu_lock(s->component, &gpu, &s->diag);

	if (err)
		return err;
	count_turns(s->priv);
	err = end_all(s, gpu);
	gpu_unlock(gpu);
	if (!err)
		give(s, counts);
	return err;
}
