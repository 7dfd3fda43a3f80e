/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which events are counted together. A chip counts some sets in one pass; for
 * others the same work would have to be done again. Such a set is refused,
 * unless it is multiplexed: then its events take turns, one turn each time
 * that the set is started, and are scaled like all multiplexed counts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "components/cuda/slice.h"

static const struct metric *metric_at(const struct gpu_slice *mine,
				      size_t position)
{
	return mine->events[position]->data;
}

static void turn_fini(struct turn *turn)
{
	range_fini(&turn->range);
	free(turn->positions);
}

/* A range over the metrics at @n @positions of the slice. */
static int make_range(struct slice *s, const struct gpu *gpu, int device,
		      const size_t *positions, size_t n, struct range *range)
{
	const struct gpu_slice *mine = s->priv;
	OWNED const char **names = calloc(n, sizeof(*names));

	if (!names)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < n; i++)
		names[i] = metric_at(mine, positions[i])->name;
	return range_init(range, &gpu->calls, gpu->devices[device].chip, names,
			  n, &s->diag);
}

/* Whether @position can join @turn; then it has. */
static int join(struct slice *s, const struct gpu *gpu, struct turn *turn,
		size_t position, bool *joined)
{
	size_t n = turn->range.n;
	size_t *grown = realloc(turn->positions, (n + 1) * sizeof(*grown));
	struct range range;
	int err;

	if (!grown)
		return PAPI_ENOMEM;
	turn->positions = grown;
	grown[n] = position;
	err = make_range(s, gpu, turn->device, grown, n + 1, &range);
	if (err)
		return err;
	*joined = range.passes <= 1;
	if (*joined) {
		range_fini(&turn->range);
		turn->range = range;
	} else {
		range_fini(&range);
	}
	return 0;
}

static int add_turn(struct slice *s, const struct gpu *gpu, int device,
		    const size_t *positions, size_t n)
{
	struct gpu_slice *mine = s->priv;
	struct turn turn = { .device = device };
	int err;

	if (array_grow(&mine->turns, mine->n, sizeof(*mine->turns)))
		return PAPI_ENOMEM;
	turn.positions = calloc(n, sizeof(*turn.positions));
	if (!turn.positions)
		return PAPI_ENOMEM;
	memcpy(turn.positions, positions, n * sizeof(*positions));
	err = make_range(s, gpu, device, positions, n, &turn.range);
	if (err) {
		free(turn.positions);
		return err;
	}
	mine->turns[mine->n++] = turn;
	return 0;
}

static int refuse_alone(struct slice *s, const struct turn *turn)
{
	return slice_fail(
		s, PAPI_ENOSUPP,
		"%s alone needs %zu passes over the same work, because it is "
		"computed from several counters; count those",
		turn->range.names[0], turn->range.passes);
}

/* One after the other into the first turn of @device that has room. */
static int take_turns(struct slice *s, const struct gpu *gpu, int device,
		      const size_t *positions, size_t n)
{
	struct gpu_slice *mine = s->priv;
	size_t first = mine->n;
	int err = 0;

	for (size_t i = 0; !err && i < n; i++) {
		bool joined = false;

		for (size_t k = first; !err && !joined && k < mine->n; k++)
			err = join(s, gpu, &mine->turns[k], positions[i],
				   &joined);
		if (err || joined)
			continue;
		err = add_turn(s, gpu, device, &positions[i], 1);
		if (!err && mine->turns[mine->n - 1].range.passes > 1)
			err = refuse_alone(s, &mine->turns[mine->n - 1]);
	}
	return err;
}

/* The events of one device: in one turn, or as many as may be taken. */
static int plan_device(struct slice *s, const struct gpu *gpu, int device,
		       const size_t *positions, size_t n)
{
	struct gpu_slice *mine = s->priv;
	struct turn *turn;
	int err = add_turn(s, gpu, device, positions, n);

	if (err)
		return err;
	turn = &mine->turns[mine->n - 1];
	if (turn->range.passes <= 1)
		return 0;
	if (n == 1)
		return refuse_alone(s, turn);
	if (!s->opt.multiplex || mine->outside)
		return slice_fail(s, PAPI_ECNFLCT,
				  "these %zu events need %zu passes over the "
				  "same work: count them in several runs "
				  "(assay count --no-multiplex), or multiplex "
				  "the set and start it once for each pass",
				  n, turn->range.passes);
	turn_fini(turn);
	mine->n--;
	return take_turns(s, gpu, device, positions, n);
}

/* Device by device. @devices[i] is that of the slice's event i. */
static int plan_all(struct slice *s, const struct gpu *gpu, const int *devices)
{
	OWNED size_t *positions = calloc(s->n ? s->n : 1, sizeof(*positions));
	int err = positions ? 0 : PAPI_ENOMEM;

	for (int d = 0; !err && d < gpu->n; d++) {
		size_t n = 0;

		for (size_t i = 0; i < s->n; i++)
			if (devices[i] == d)
				positions[n++] = i;
		if (n > 0)
			err = plan_device(s, gpu, d, positions, n);
	}
	return err;
}

static int plan_locked(struct slice *s, struct gpu *gpu)
{
	const struct gpu_slice *mine = s->priv;
	OWNED int *devices = calloc(s->n ? s->n : 1, sizeof(*devices));
	int current = gpu_current_device(gpu);

	if (!devices)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < s->n; i++) {
		int device = metric_at(mine, i)->device;

		devices[i] = device < 0 ? current : device;
	}
	return plan_all(s, gpu, devices);
}

int gpu_plan_open(struct slice *s)
{
	struct gpu_slice *mine = s->priv;
	struct gpu *gpu;
	int err = 0;

	mine->events = calloc(s->n ? s->n : 1, sizeof(*mine->events));
	mine->totals = calloc(s->n ? s->n : 1, sizeof(*mine->totals));
	if (!mine->events || !mine->totals)
		err = PAPI_ENOMEM;
	/* before the GPUs are locked: this takes the component's lock */
	for (size_t i = 0; !err && i < s->n; i++)
		mine->events[i] = component_event(s->component, s->events[i]);
	if (!err)
		err = gpu_lock(s->component, &gpu, &s->diag);
	if (!err) {
		err = plan_locked(s, gpu);
		gpu_unlock(gpu);
	}
	if (err)
		gpu_plan_close(s);
	return err;
}

void gpu_plan_close(struct slice *s)
{
	struct gpu_slice *mine = s->priv;
	struct gpu *gpu = s->component->priv;

	pthread_mutex_lock(&gpu->lock);
	while (mine->n > 0) {
		struct turn *turn = &mine->turns[--mine->n];
		struct gpu_device *device = &gpu->devices[turn->device];

		if (device->owner == s)
			device->owner = NULL;
		if (device->ready == &turn->range)
			gpu_drop_profiler(gpu, turn->device);
		turn_fini(turn);
	}
	pthread_mutex_unlock(&gpu->lock);
	free(mine->turns);
	free(mine->events);
	free(mine->totals);
	memset(mine, 0, sizeof(*mine));
}

int gpu_plan_attempt(struct component *c, size_t i, struct diag *diag)
{
	struct event *event = component_event(c, i);
	const struct metric *metric = event->data;
	const char *name = metric->name;
	struct range range;
	struct gpu *gpu;
	int err = gpu_lock(c, &gpu, diag);

	if (err)
		return err;
	err = range_init(
		&range, &gpu->calls,
		gpu->devices[metric->device < 0 ? 0 : metric->device].chip,
		&name, 1, diag);
	if (!err) {
		if (range.passes > 1)
			err = diag_fail(diag, PAPI_ENOSUPP,
					"it needs %zu passes over the same "
					"work, because it is computed from "
					"several counters; count those",
					range.passes);
		range_fini(&range);
	}
	gpu_unlock(gpu);
	return err;
}
