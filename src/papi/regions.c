/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds a region in the tree by its parent and name, and adds up a visit when
 * it ends. Writing the result is left to others.
 */
#include "papi/regions.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"

/* What a frame keeps of each metric. */
enum {
	BEGIN,   /* value when it was begun */
	INNER,   /* spent in the regions right inside it */
	CHARGED, /* of its own, already part of a region that ended early */
	CELLS,
};

void regions_init(struct regions *r, size_t n_metrics, const bool *levels)
{
	*r = (struct regions){ .n_metrics = n_metrics, .levels = levels };
}

void regions_fini(struct regions *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->items[i].stats);
	for (size_t i = 0; i < r->n_names; i++)
		free(r->names[i].text);
	map_fini(&r->name_index);
	free(r->names);
	free(r->items);
	free(r->table);
	free(r->frames);
	free(r->cells);
	*r = (struct regions){ 0 };
}

/* Names */

static int intern(struct regions *r, const char *text, size_t *name)
{
	char *copy;

	if (map_find(&r->name_index, text, name))
		return 0;
	copy = strdup(text);
	if (!copy)
		return PAPI_ENOMEM;
	if (array_grow(&r->names, r->n_names, sizeof(*r->names)) ||
	    map_set(&r->name_index, copy, r->n_names)) {
		free(copy);
		return PAPI_ENOMEM;
	}
	*name = r->n_names++;
	r->names[*name] = (struct region_name){ .text = copy };
	return 0;
}

/* The tree, through a hash table */

static size_t hash(size_t parent, size_t name)
{
	uint64_t x = (uint64_t)parent * 0x9e3779b97f4a7c15ULL + name;

	x ^= x >> 29;
	return (size_t)(x * 0xbf58476d1ce4e5b9ULL >> 16);
}

/* Where (@parent, @name) is or would be. There is always a free place. */
static size_t *find_place(const struct regions *r, size_t parent, size_t name)
{
	size_t mask = r->table_capacity - 1;
	size_t i = hash(parent, name) & mask;

	while (r->table[i]) {
		const struct region *region = &r->items[r->table[i] - 1];

		if (region->parent == parent && region->name == name)
			break;
		i = (i + 1) & mask;
	}
	return &r->table[i];
}

static int grow_table(struct regions *r)
{
	size_t capacity = r->table_capacity ? r->table_capacity * 2 : 16;
	size_t *table;

	if (r->table_capacity > 2 * r->n)
		return 0;
	table = calloc(capacity, sizeof(*table));
	if (!table)
		return PAPI_ENOMEM;
	free(r->table);
	r->table = table;
	r->table_capacity = capacity;
	for (size_t i = 0; i < r->n; i++)
		*find_place(r, r->items[i].parent, r->items[i].name) = i + 1;
	return 0;
}

static int find_region(struct regions *r, size_t parent, size_t name,
		       size_t *out)
{
	struct region_stat *stats;
	size_t *place;

	if (grow_table(r))
		return PAPI_ENOMEM;
	place = find_place(r, parent, name);
	if (*place) {
		*out = *place - 1;
		return 0;
	}
	stats = calloc(r->n_metrics, sizeof(*stats));
	if (!stats || array_grow(&r->items, r->n, sizeof(*r->items))) {
		free(stats);
		return PAPI_ENOMEM;
	}
	for (size_t i = 0; i < r->n_metrics; i++)
		stats[i].min = stats[i].read_min = LLONG_MAX;
	r->items[r->n] = (struct region){ .name = name,
					  .parent = parent,
					  .stats = stats };
	*out = r->n;
	*place = ++r->n;
	return 0;
}

/* Frames */

static long long *cells_of(const struct regions *r, size_t frame)
{
	return &r->cells[frame * CELLS * r->n_metrics];
}

static long long *cell(const struct regions *r, size_t frame, size_t metric,
		       int which)
{
	return &cells_of(r, frame)[metric * CELLS + (size_t)which];
}

/* Room is kept when frames go: a visit allocates nothing. */
static int make_room(struct regions *r)
{
	size_t capacity = r->frames_capacity ? 2 * r->frames_capacity : 16;
	size_t *frames;
	long long *cells;

	if (r->n_frames < r->frames_capacity)
		return 0;
	frames = realloc(r->frames, capacity * sizeof(*frames));
	if (!frames)
		return PAPI_ENOMEM;
	r->frames = frames;
	cells = realloc(r->cells,
			capacity * CELLS * r->n_metrics * sizeof(*cells));
	if (!cells)
		return PAPI_ENOMEM;
	r->cells = cells;
	r->frames_capacity = capacity;
	return 0;
}

int regions_begin(struct regions *r, const char *text, const long long *now)
{
	size_t parent = r->n_frames ? r->frames[r->n_frames - 1] : REGION_NONE;
	size_t name, region;
	int err = intern(r, text, &name);

	if (!err)
		err = make_room(r);
	if (!err && r->names[name].depth > 0)
		region = r->names[name].open;
	else if (!err)
		err = find_region(r, parent, name, &region);
	if (err)
		return err;

	for (size_t m = 0; m < r->n_metrics; m++) {
		*cell(r, r->n_frames, m, BEGIN) = now[m];
		*cell(r, r->n_frames, m, INNER) = 0;
		*cell(r, r->n_frames, m, CHARGED) = 0;
	}
	r->frames[r->n_frames++] = region;
	r->items[region].active++;
	r->names[name].open = region;
	r->names[name].depth++;
	return 0;
}

/* The innermost frame of @text, or REGION_NONE. */
static size_t find_frame(const struct regions *r, const char *text)
{
	size_t name;

	if (!map_find(&r->name_index, text, &name) || !r->names[name].depth)
		return REGION_NONE;
	for (size_t k = r->n_frames; k > 0; k--)
		if (r->frames[k - 1] == r->names[name].open)
			return k - 1;
	return REGION_NONE;
}

/*
 * What a frame has of a metric until @now. Scaled counts may go back a little;
 * then it is nothing.
 */
static long long spent(const struct regions *r, size_t frame, size_t metric,
		       long long now)
{
	long long begin = *cell(r, frame, metric, BEGIN);

	if (r->levels[metric])
		return now;
	return now > begin ? now - begin : 0;
}

int regions_read(struct regions *r, const char *text, const long long *now)
{
	size_t k = find_frame(r, text);
	struct region *region;

	if (k == REGION_NONE)
		return PAPI_EINVAL;
	region = &r->items[r->frames[k]];
	region->reads++;
	for (size_t m = 0; m < r->n_metrics; m++) {
		struct region_stat *stat = &region->stats[m];
		long long value = spent(r, k, m, now[m]);

		if (value < stat->read_min)
			stat->read_min = value;
		if (value > stat->read_max)
			stat->read_max = value;
	}
	return 0;
}

/*
 * Frame k+1 was begun inside frame k, which ends now, and goes on: what it
 * had until now is inner to k, and must not be inner to the one around k a
 * second time when it ends itself.
 */
static void charge_inner(struct regions *r, size_t k, size_t m, long long now)
{
	long long *charged = cell(r, k + 1, m, CHARGED);
	long long part = spent(r, k + 1, m, now) - *charged;

	*cell(r, k, m, INNER) += part;
	*charged += part;
}

static void close_metric(struct regions *r, size_t k, size_t m, long long now)
{
	struct region *region = &r->items[r->frames[k]];
	struct region_stat *stat = &region->stats[m];
	long long value = spent(r, k, m, now);
	long long own;

	if (value < stat->min)
		stat->min = value;
	if (value > stat->max)
		stat->max = value;
	if (region->active == 1)
		stat->sum += value;
	if (r->levels[m])
		return;
	if (k + 1 < r->n_frames)
		charge_inner(r, k, m, now);
	own = value - *cell(r, k, m, INNER);
	stat->exclusive += own > 0 ? own : 0;
	if (k > 0)
		*cell(r, k - 1, m, INNER) += value - *cell(r, k, m, CHARGED);
}

static void remove_frame(struct regions *r, size_t k)
{
	size_t stride = CELLS * r->n_metrics;
	size_t after = r->n_frames - k - 1;

	memmove(&r->frames[k], &r->frames[k + 1], after * sizeof(*r->frames));
	memmove(cells_of(r, k), cells_of(r, k + 1),
		after * stride * sizeof(*r->cells));
	r->n_frames--;
}

int regions_end(struct regions *r, const char *text, const long long *now)
{
	size_t k = find_frame(r, text);
	struct region *region;

	if (k == REGION_NONE) {
		r->bad_ends++;
		return PAPI_EINVAL;
	}
	region = &r->items[r->frames[k]];
	for (size_t m = 0; m < r->n_metrics; m++)
		close_metric(r, k, m, now[m]);
	region->visits++;
	region->outermost += region->active == 1;
	region->overlaps += k + 1 < r->n_frames;
	region->active--;
	r->names[region->name].depth--;
	remove_frame(r, k);
	return 0;
}

size_t regions_depth(const struct regions *r)
{
	return r->n_frames;
}
