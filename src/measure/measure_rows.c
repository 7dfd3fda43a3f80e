/* SPDX-License-Identifier: BSD-3-Clause */
/* What each thread did, at the end of a run. */

#include <math.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "measure/measure.h"
#include "measure/pmu.h"

void measure_forget_rows(struct event_list *m)
{
	while (m->n_rows > 0)
		free(m->rows[--m->n_rows].values);
	free(m->rows_reason);
	m->rows_reason = NULL;
}

/* A row without values yet. */
static struct thread_row *add_row(struct event_list *m, pid_t tid,
				  const char *name)
{
	struct thread_row row = { .tid = tid };

	snprintf(row.name, sizeof(row.name), "%s", name);
	row.values = calloc(m->n + 1, sizeof(*row.values));
	if (!row.values || array_grow(&m->rows, m->n_rows, sizeof(row))) {
		free(row.values);
		return NULL;
	}
	for (size_t i = 0; i < m->n; i++)
		row.values[i] = NAN;
	m->rows[m->n_rows] = row;
	return &m->rows[m->n_rows++];
}

/* Values of a set whose events are those of thread 0's. */
static void fill_row(const struct event_list *m, struct thread_row *row,
		     const struct assay_value *values)
{
	const struct thread_set *a = &m->threads[0];

	for (size_t i = 0; i < m->n; i++)
		for (int k = 0; k < a->n; k++)
			if (!m->events[i].machine && !m->events[i].reason &&
			    a->codes[k] == m->events[i].code)
				row->values[i] = thread_set_number(&values[k]);
}

static void take_thread(const struct assay_thread *thread,
			const struct assay_value *values, void *data)
{
	struct event_list *m = data;
	struct thread_row *row = add_row(m, thread->tid, thread->name);

	if (row)
		fill_row(m, row, values);
}

/* Each thread of a process that ran already has a set of its own. */
static void keep_attached(struct event_list *m)
{
	for (size_t i = 0; i < m->n_threads; i++) {
		const struct thread_set *a = &m->threads[i];
		struct thread_row *row = add_row(m, a->tid, a->name);

		for (size_t k = 0; row && k < m->n; k++) {
			const struct assay_value *v =
				thread_set_find(a, m->events[k].code);

			if (v && !m->events[k].machine)
				row->values[k] = thread_set_number(v);
		}
	}
}

static int by_tid(const void *a, const void *b)
{
	const struct thread_row *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

int measure_keep_rows(struct event_list *m)
{
	int err = 0;

	measure_forget_rows(m);
	if (m->is_attached && m->is_simulated) {
		m->rows_reason =
			strdup("a process that is already running on the "
			       "simulated PMU is counted as a whole");
		return m->rows_reason ? 0 : PAPI_ENOMEM;
	}
	if (m->is_attached)
		keep_attached(m);
	else if (PAPI_num_events(m->threads[0].set) > 0)
		err = assay_read_threads(m->threads[0].set, take_thread, m);
	if (m->n_rows > 0)
		qsort(m->rows, m->n_rows, sizeof(*m->rows), by_tid);
	if (!err)
		return 0;
	measure_forget_rows(m);
	m->rows_reason = strdup(session_error(err));
	return m->rows_reason ? 0 : PAPI_ENOMEM;
}
