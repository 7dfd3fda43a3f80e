/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The values of an EventSet thread by thread. Components tell each thread's
 * counts; here those of one thread are put together, and made into values in
 * the place of the set's own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "core/eventset_inside.h"

/* A thread, and its counts in all shares, one share after the other. */
struct row {
	struct thread_counts thread;
	char name[16];
	struct count *counts;
};

struct rows {
	struct row *list;
	size_t n;
	size_t wide;  /* counts in a row */
	size_t share; /* whose counts are told now */
	size_t first; /* where they begin in a row */
	const struct eventset *set;
};

static struct row *row_of(struct rows *rows, const struct thread_counts *t)
{
	struct row row = { .thread = *t };

	for (size_t i = 0; i < rows->n; i++)
		if (rows->list[i].thread.tid == t->tid &&
		    rows->list[i].thread.pid == t->pid)
			return &rows->list[i];
	row.counts = calloc(rows->wide, sizeof(*row.counts));
	if (!row.counts ||
	    array_grow(&rows->list, rows->n, sizeof(*rows->list))) {
		free(row.counts);
		return NULL;
	}
	rows->list[rows->n] = row;
	return &rows->list[rows->n++];
}

static int take_thread(const struct thread_counts *t, void *data)
{
	struct rows *rows = data;
	const struct slice *s = rows->set->shares[rows->share].slice;
	struct row *row = row_of(rows, t);
	struct count *to;

	if (!row)
		return PAPI_ENOMEM;
	if (t->name && *t->name)
		snprintf(row->name, sizeof(row->name), "%s", t->name);
	to = row->counts + rows->first;
	for (size_t i = 0; i < s->n; i++) {
		to[i].value += t->counts[i].value;
		to[i].enabled_ns += t->counts[i].enabled_ns;
		to[i].running_ns += t->counts[i].running_ns;
		to[i].variance += t->counts[i].variance;
	}
	return 0;
}

static int collect(struct eventset *set, struct rows *rows, struct diag *diag)
{
	for (size_t i = 0; i < set->shares_n; i++) {
		struct slice *s = set->shares[i].slice;
		const struct component_ops *ops = s->component->ops;
		int err;

		rows->share = i;
		if (!ops->threads || set->shares[i].rotor)
			return diag_fail(diag, PAPI_ENOSUPP,
					 "%s cannot be counted per thread",
					 ops->name);
		err = ops->threads(s, take_thread, rows);
		if (err) {
			if (diag)
				*diag = s->diag;
			return err;
		}
		rows->first += s->n;
	}
	return 0;
}

/* Let the set's counts be those of one thread, or of all again. */
static void swap_counts(struct eventset *set, struct count *counts)
{
	for (size_t i = 0; i < set->shares_n; i++) {
		struct share *share = &set->shares[i];

		for (size_t k = 0; k < share->slice->n; k++, counts++) {
			struct count kept = share->now[k];

			share->now[k] = *counts;
			*counts = kept;
		}
	}
}

static void tell(struct eventset *set, struct row *row, struct value *values,
		 eventset_thread_visitor visit, void *data)
{
	size_t at = 0;

	/* Counts are since the opening, values are since the base. */
	for (size_t i = 0; i < set->shares_n; i++) {
		const struct share *share = &set->shares[i];

		for (size_t k = 0; k < share->slice->n; k++, at++) {
			struct count *c = &row->counts[at];

			c->value += share->base[k].value;
			c->enabled_ns += share->base[k].enabled_ns;
			c->running_ns += share->base[k].running_ns;
			c->variance += share->base[k].variance;
		}
	}
	swap_counts(set, row->counts);
	eventset_values(set, values);
	swap_counts(set, row->counts);
	row->thread.name = row->name;
	visit(&row->thread, values, data);
}

int eventset_read_threads(struct eventset *set, eventset_thread_visitor visit,
			  void *data, struct diag *diag)
{
	struct rows rows = { .set = set, .wide = 1 };
	OWNED struct value *values = calloc(set->n + 1, sizeof(*values));
	int err = values ? 0 : PAPI_ENOMEM;

	if (!err && !set->opt.slice.per_thread)
		err = diag_fail(diag, PAPI_EINVAL,
				"the EventSet does not count per thread");
	for (size_t i = 0; i < set->shares_n; i++)
		rows.wide += set->shares[i].slice->n;
	if (!err)
		err = collect(set, &rows, diag);
	for (size_t i = 0; i < rows.n; i++) {
		if (!err)
			tell(set, &rows.list[i], values, visit, data);
		free(rows.list[i].counts);
	}
	free(rows.list);
	return err;
}
