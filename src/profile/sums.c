/* SPDX-License-Identifier: BSD-3-Clause */
/* Adding samples up by function and by line. */

#include "profile/inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* What samples are added up by: the row of a frame. */
typedef int (*row_fn)(struct profile_sums *sums, struct pairs *known,
		      const struct profile_frame *frame, size_t n_events,
		      size_t *row);

static int add_row(struct profile_sums *sums, const struct profile_sum *like,
		   size_t n_events, size_t *row)
{
	struct profile_sum sum = *like;

	sum.own = calloc(n_events, sizeof(*sum.own));
	sum.total = calloc(n_events, sizeof(*sum.total));
	if (!sum.own || !sum.total ||
	    array_grow(&sums->rows, sums->n, sizeof(sum))) {
		free(sum.own);
		free(sum.total);
		return PAPI_ENOMEM;
	}
	*row = sums->n;
	sums->rows[sums->n++] = sum;
	return 0;
}

static int function_row(struct profile_sums *sums, struct pairs *known,
			const struct profile_frame *frame, size_t n_events,
			size_t *row)
{
	const struct profile_sum like = { .function = frame->function,
					  .file = PROFILE_NONE,
					  .location = PROFILE_NONE };
	int err;

	if (pairs_find(known, frame->function, 0, row))
		return 0;
	err = add_row(sums, &like, n_events, row);
	return err ? err : pairs_set(known, frame->function, 0, *row);
}

static int line_row(struct profile_sums *sums, struct pairs *known,
		    const struct profile_frame *frame, size_t n_events,
		    size_t *row)
{
	const struct profile_sum like = { .function = PROFILE_NONE,
					  .file = frame->file,
					  .line = frame->line,
					  .location = PROFILE_NONE };
	int err;

	*row = PROFILE_NONE;
	if (frame->file == PROFILE_NONE || frame->line == 0 ||
	    pairs_find(known, frame->file, (uint64_t)frame->line, row))
		return 0;
	err = add_row(sums, &like, n_events, row);
	return err ? err
		   : pairs_set(known, frame->file, (uint64_t)frame->line, *row);
}

struct adding {
	const struct profile *p;
	struct profile_sums sums;
	struct pairs known;
	row_fn row;
	size_t *seen;    /* by row: the last sample that counted there */
	size_t capacity; /* of seen */
};

static int note_seen(struct adding *a, size_t row, size_t sample, bool *is_new)
{
	if (row >= a->capacity) {
		size_t capacity = row * 2 + 64;
		size_t *seen = realloc(a->seen, capacity * sizeof(*seen));

		if (!seen)
			return PAPI_ENOMEM;
		for (size_t i = a->capacity; i < capacity; i++)
			seen[i] = PROFILE_NONE;
		a->seen = seen;
		a->capacity = capacity;
	}
	*is_new = a->seen[row] != sample;
	a->seen[row] = sample;
	return 0;
}

/* One frame of sample @i; @first: the sampled place itself. */
static int add_frame(struct adding *a, size_t i,
		     const struct profile_frame *frame, bool first)
{
	const uint64_t *counts = a->p->samples[i].counts;
	bool is_new = false;
	size_t row;
	int err = a->row(&a->sums, &a->known, frame, a->p->n_events, &row);

	if (err || row == PROFILE_NONE)
		return err;
	err = note_seen(a, row, i, &is_new);
	for (size_t e = 0; !err && e < a->p->n_events; e++) {
		if (first)
			a->sums.rows[row].own[e] += counts[e];
		if (is_new)
			a->sums.rows[row].total[e] += counts[e];
	}
	return err;
}

static int add_sample(struct adding *a, size_t i)
{
	size_t stack = a->p->samples[i].stack;
	bool first = true;
	int err = 0;

	while (!err && stack != PROFILE_NONE) {
		const struct profile_stack *s = &a->p->stacks[stack];
		const struct profile_location *l =
			&a->p->locations[s->location];

		for (size_t k = 0; !err && k < l->n; k++) {
			err = add_frame(a, i, &l->frames[k], first);
			first = false;
		}
		stack = s->caller;
	}
	return err;
}

static int by_first_event(const void *a, const void *b)
{
	const struct profile_sum *x = a, *y = b;

	if (x->own[0] != y->own[0])
		return x->own[0] < y->own[0] ? 1 : -1;
	if (x->total[0] != y->total[0])
		return x->total[0] < y->total[0] ? 1 : -1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->location < y->location ? -1 : x->location > y->location;
}

static int sum_by(const struct profile *p, row_fn row, struct profile_sums *out)
{
	struct adding a = { .p = p, .row = row };
	int err = 0;

	for (size_t i = 0; !err && i < p->n_samples; i++)
		err = add_sample(&a, i);
	pairs_fini(&a.known);
	free(a.seen);
	if (err) {
		profile_sums_fini(&a.sums);
		return err;
	}
	if (a.sums.n > 0)
		qsort(a.sums.rows, a.sums.n, sizeof(*a.sums.rows),
		      by_first_event);
	*out = a.sums;
	return 0;
}

int profile_sum_functions(const struct profile *p, struct profile_sums *out)
{
	return sum_by(p, function_row, out);
}

int profile_sum_lines(const struct profile *p, struct profile_sums *out)
{
	return sum_by(p, line_row, out);
}

static int add_instruction(struct profile_sums *sums, struct pairs *known,
			   const struct profile *p,
			   const struct profile_sample *sample)
{
	const struct profile_sum like = {
		.function = PROFILE_NONE,
		.file = PROFILE_NONE,
		.location = p->stacks[sample->stack].location,
	};
	size_t row;
	int err = 0;

	if (!pairs_find(known, like.location, 0, &row)) {
		err = add_row(sums, &like, p->n_events, &row);
		if (!err)
			err = pairs_set(known, like.location, 0, row);
	}
	for (size_t e = 0; !err && e < p->n_events; e++)
		sums->rows[row].own[e] += sample->counts[e];
	return err;
}

int profile_sum_instructions(const struct profile *p, struct profile_sums *out)
{
	struct profile_sums sums = { 0 };
	struct pairs known = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < p->n_samples; i++)
		err = add_instruction(&sums, &known, p, &p->samples[i]);
	pairs_fini(&known);
	if (err) {
		profile_sums_fini(&sums);
		return err;
	}
	if (sums.n > 0)
		qsort(sums.rows, sums.n, sizeof(*sums.rows), by_first_event);
	*out = sums;
	return 0;
}

void profile_sums_fini(struct profile_sums *sums)
{
	for (size_t i = 0; i < sums->n; i++) {
		free(sums->rows[i].own);
		free(sums->rows[i].total);
	}
	free(sums->rows);
	*sums = (struct profile_sums){ 0 };
}

bool profile_has_stacks(const struct profile *p)
{
	for (size_t i = 0; i < p->n_stacks; i++)
		if (p->stacks[i].caller != PROFILE_NONE)
			return true;
	return false;
}
