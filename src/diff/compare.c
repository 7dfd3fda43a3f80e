/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs of values, tested one by one; how they are shown is left to write.c and
 * page.c.
 */
#include "diff/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/student.h"
#include "base/array.h"
#include "base/map.h"
#include "base/strbuf.h"

int limit_parse(const char *text, struct limit *out, struct diag *diag)
{
	size_t name = strcspn(text, "<>");
	const char *number = text + name + 1;
	struct limit limit = { .text = text };
	char *end;

	if (name == 0 || !text[name])
		return diag_fail_at(
			diag, PAPI_EINVAL, name + 1,
			"a limit is written NAME<+1%% or NAME>-1%%");
	limit.above = text[name] == '>';
	limit.amount = strtod(number, &end);
	limit.percent = *end == '%';
	if (limit.percent)
		end++;
	if (end == number || *end || !isfinite(limit.amount))
		return diag_fail_at(diag, PAPI_EINVAL, (size_t)(end - text) + 1,
				    "expected a number, or one with %%");
	limit.name = strndup(text, name);
	if (!limit.name)
		return diag_fail(diag, PAPI_ENOMEM, "out of memory");
	*out = limit;
	return 0;
}

void limit_fini(struct limit *limit)
{
	free(limit->name);
}

#define NORMAL_95 1.96 /* standard errors on each side */

static double percent_of(double part, double whole)
{
	return whole == 0 ? NAN : 100 * part / fabs(whole);
}

/* Estimates that are the same in every run, but off by something. */
static void judge_estimates(struct compare_row *row, const struct run_value *a,
			    const struct run_value *b)
{
	double delta = (double)(b->value - a->value);
	double half = NORMAL_95 * hypot(a->error, b->error);

	row->low = percent_of(delta - half, (double)a->value);
	row->high = percent_of(delta + half, (double)a->value);
	row->result = delta == 0            ? COMPARE_SAME
		      : fabs(delta) <= half ? COMPARE_UNRESOLVED
					    : COMPARE_DIFFERENT;
}

/* Fill in the result of a row whose two values are there. */
static void judge_values(struct compare_row *row, const struct run_value *a,
			 const struct run_value *b)
{
	/* from a on: a double has no digits left for large counts */
	const struct sample sa = { 0, a->stddev, a->n };
	const struct sample sb = { (double)(b->value - a->value), b->stddev,
				   b->n };
	struct difference d;

	row->percent =
		percent_of((double)(b->value - a->value), (double)a->value);
	if (a->exact && b->exact && (a->error > 0 || b->error > 0)) {
		judge_estimates(row, a, b);
	} else if (a->exact && b->exact) {
		row->low = row->high = row->percent;
		row->result =
			a->value == b->value ? COMPARE_SAME : COMPARE_DIFFERENT;
	} else if (!welch_difference(&sa, &sb, &d)) {
		row->result = a->value == b->value ? COMPARE_SAME
						   : COMPARE_UNRESOLVED;
	} else {
		row->low = percent_of(d.low, (double)a->value);
		row->high = percent_of(d.high, (double)a->value);
		row->result = d.resolved     ? COMPARE_DIFFERENT
			      : d.delta == 0 ? COMPARE_SAME
					     : COMPARE_UNRESOLVED;
	}
}

bool limit_is_on(const struct limit *limit, const char *name)
{
	if (strcmp(limit->name, "time") == 0)
		return strcmp(name, "wall_s") == 0 ||
		       strcmp(name, "IncSec") == 0;
	return strcmp(limit->name, name) == 0;
}

static bool breaks(const struct compare_row *row, const struct limit *limit)
{
	double change =
		limit->percent ? row->percent : (double)(row->b - row->a);

	if (!limit_is_on(limit, row->name))
		return false;
	if (row->result == COMPARE_ONE_SIDED || row->part_a != row->part_b)
		return true; /* what should be guarded cannot be */
	if (row->result == COMPARE_SAME)
		return false;
	if (isnan(change)) /* from nothing to something */
		change = row->b > row->a ? INFINITY : -INFINITY;
	/* a single run of what varies is judged as it is: a gate must hold */
	if (row->result == COMPARE_UNRESOLVED && !isnan(row->low))
		return false;
	return limit->above ? change < limit->amount : change > limit->amount;
}

static int add_row(struct comparison *c, struct compare_row row,
		   const struct limit *limits, size_t n_limits)
{
	if (array_grow(&c->rows, c->n, sizeof(row)))
		return PAPI_ENOMEM;
	for (size_t i = 0; i < n_limits && !row.limit; i++)
		if (breaks(&row, &limits[i]))
			row.limit = limits[i].text;
	if (row.limit)
		c->broken++;
	c->rows[c->n++] = row;
	return 0;
}

static struct compare_row empty_row(const struct run_value *value)
{
	return (struct compare_row){ .section = value->section,
				     .name = value->name,
				     .title = value->title,
				     .file = value->file,
				     .line = value->line,
				     .a = NAN,
				     .b = NAN,
				     .percent = NAN,
				     .low = NAN,
				     .high = NAN,
				     .better = value->better,
				     .result = COMPARE_ONE_SIDED };
}

/* Values by what they are called in every run. */
struct index {
	struct map map;
	char **keys;
	size_t n;
};

static char *key_of(const struct run_value *value)
{
	return str_format("%s\n%s",
			  value->match ? value->match : value->section,
			  value->name);
}

static int index_init(struct index *index, const struct runfile *run)
{
	*index = (struct index){ 0 };
	index->keys = calloc(run->n ? run->n : 1, sizeof(*index->keys));
	if (!index->keys)
		return PAPI_ENOMEM;
	for (; index->n < run->n; index->n++) {
		char *key = key_of(&run->values[index->n]);

		index->keys[index->n] = key;
		if (!key)
			return PAPI_ENOMEM;
		if (!map_find(&index->map, key, NULL) &&
		    map_set(&index->map, key, index->n)) {
			index->n++;
			return PAPI_ENOMEM;
		}
	}
	return 0;
}

static void index_fini(struct index *index)
{
	map_fini(&index->map);
	while (index->n > 0)
		free(index->keys[--index->n]);
	free(index->keys);
}

/* The value of @run that is called as value @i of the run of @index. */
static const struct run_value *partner(const struct runfile *run,
				       const struct index *of_run,
				       const struct index *index, size_t i)
{
	size_t k;

	if (!map_find(&of_run->map, index->keys[i], &k))
		return NULL;
	return &run->values[k];
}

/* What both runs are made of. */
struct pairing {
	const struct runfile *a;
	const struct runfile *b;
	struct index in_a;
	struct index in_b;
};

/* Of values with one name in a file the first counts. */
static bool is_again(const struct runfile *run, const struct index *index,
		     size_t i)
{
	return partner(run, index, index, i) != &run->values[i];
}

static int compare_pairs(const struct pairing *p, const struct limit *limits,
			 size_t n_limits, struct comparison *c)
{
	int err = 0;

	for (size_t i = 0; i < p->a->n && !err; i++) {
		const struct run_value *va = &p->a->values[i];
		const struct run_value *vb =
			partner(p->b, &p->in_b, &p->in_a, i);
		struct compare_row row = empty_row(va);

		if (is_again(p->a, &p->in_a, i))
			continue;
		row.a = va->value;
		row.b = vb ? vb->value : NAN;
		row.part_a = va->is_part;
		if (vb) {
			row.part_b = vb->is_part;
			row.file = vb->file;
			row.line = vb->line;
		}
		if (vb && !isnan(row.a) && !isnan(row.b))
			judge_values(&row, va, vb);
		else if (isnan(row.a) && isnan(row.b))
			continue; /* neither run measured it */
		err = add_row(c, row, limits, n_limits);
	}
	for (size_t i = 0; i < p->b->n && !err; i++) {
		const struct run_value *vb = &p->b->values[i];
		struct compare_row row = empty_row(vb);

		row.b = vb->value;
		if (!isnan(vb->value) && !is_again(p->b, &p->in_b, i) &&
		    !partner(p->a, &p->in_a, &p->in_b, i))
			err = add_row(c, row, limits, n_limits);
	}
	return err;
}

int compare_runs(const struct runfile *a, const struct runfile *b,
		 const struct limit *limits, size_t n_limits,
		 struct comparison *out)
{
	struct pairing p = { .a = a, .b = b };
	struct comparison c = { 0 };
	int err = index_init(&p.in_a, a);

	if (!err)
		err = index_init(&p.in_b, b);
	if (!err)
		err = compare_pairs(&p, limits, n_limits, &c);
	index_fini(&p.in_a);
	index_fini(&p.in_b);
	if (err) {
		comparison_fini(&c);
		return err;
	}
	*out = c;
	return 0;
}

void comparison_fini(struct comparison *c)
{
	free(c->rows);
	*c = (struct comparison){ 0 };
}
