/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How evenly threads and ranks are loaded. The numbers of a section come row
 * by row, one for each thread of each task; a file that was merged before has
 * only the summary that `assay merge` left.
 */

#include <math.h>
#include <stdlib.h>

#include "outline/outline.h"

double outline_imbalance(const struct outline_spread *spread)
{
	return spread->n > 1 && spread->mean > 0
		       ? 100 * ((double)spread->max / spread->mean - 1)
		       : NAN;
}

/* One more of them; the mean is a sum until finish(). */
static void add(struct outline_spread *s, long double value, long task,
		long thread)
{
	if (isnan(value))
		return;
	if (s->n == 0 || value < s->min) {
		s->min = value;
		s->min_task = task;
		s->min_thread = thread;
	}
	if (s->n == 0 || value > s->max) {
		s->max = value;
		s->max_task = task;
		s->max_thread = thread;
	}
	s->mean += (double)value;
	s->n++;
}

static void finish(struct outline_spread *s)
{
	if (s->n < 2)
		*s = (struct outline_spread){ 0 };
	else
		s->mean /= (double)s->n;
}

static long double value_of(const struct view_row *row, size_t column)
{
	return column < row->n ? row->values[column] : NAN;
}

static int by_task(const void *a, const void *b)
{
	const struct view_row *const *p = a, *const *q = b;

	if ((*p)->task != (*q)->task)
		return (*p)->task < (*q)->task ? -1 : 1;
	return ((*p)->thread > (*q)->thread) - ((*p)->thread < (*q)->thread);
}

/* @rows are sorted by task: their sums are those of ranks. */
static void spread_rows(struct outline_node *node,
			const struct view_row *const *rows, size_t n,
			size_t column)
{
	bool has_threads = false;

	for (size_t i = 0; i < n;) {
		long task = rows[i]->task;
		size_t first = i;
		long double sum = 0;

		for (; i < n && rows[i]->task == task; i++) {
			long double value = value_of(rows[i], column);

			add(&node->threads, value, task, rows[i]->thread);
			sum += isnan(value) ? 0 : value;
		}
		has_threads |= i - first > 1;
		add(&node->ranks, sum, task, -1);
	}
	if (!has_threads)
		node->threads = (struct outline_spread){ 0 };
	finish(&node->ranks);
	finish(&node->threads);
}

/* What `assay merge` left of many tasks. */
static void spread_merged(struct outline_node *node,
			  const struct task_datum *datum)
{
	if (!datum || !(datum->task_n > 1))
		return;
	node->ranks = (struct outline_spread){
		.n = (size_t)datum->task_n,
		.min = datum->task_min,
		.mean = datum->task_mean,
		.max = datum->task_max,
		.min_task = datum->min_task,
		.max_task = datum->max_task,
		.min_thread = -1,
		.max_thread = -1,
	};
}

int outline_measure_spreads(struct outline *o)
{
	size_t column;
	bool found = map_find(&o->run->column_index, o->by, &column);

	for (size_t i = 0; found && i < o->n; i++) {
		struct outline_node *node = &o->nodes[i];
		const struct view_row **rows;

		if (node->rows->n < 2) {
			spread_merged(node, outline_find(node, o->by));
			continue;
		}
		rows = calloc(node->rows->n, sizeof(*rows));
		if (!rows)
			return PAPI_ENOMEM;
		for (size_t k = 0; k < node->rows->n; k++)
			rows[k] = &node->rows->rows[k];
		qsort(rows, node->rows->n, sizeof(*rows), by_task);
		spread_rows(node, rows, node->rows->n, column);
		free(rows);
	}
	return 0;
}
