/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/student.h"
#include "base/array.h"

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

static double percent_of(double part, double whole)
{
	return whole == 0 ? NAN : 100 * part / fabs(whole);
}

/* Fill in the result of a row whose two values are there. */
static void judge(struct compare_row *row, const struct run_value *a,
		  const struct run_value *b)
{
	const struct sample sa = { a->value, a->stddev, a->n };
	const struct sample sb = { b->value, b->stddev, b->n };
	struct difference d;

	row->percent = percent_of(b->value - a->value, a->value);
	if (a->exact && b->exact) {
		row->low = row->high = row->percent;
		row->result =
			a->value == b->value ? COMPARE_SAME : COMPARE_DIFFERENT;
	} else if (!welch_difference(&sa, &sb, &d)) {
		row->result = a->value == b->value ? COMPARE_SAME
						   : COMPARE_UNRESOLVED;
	} else {
		row->low = percent_of(d.low, a->value);
		row->high = percent_of(d.high, a->value);
		row->result = d.resolved     ? COMPARE_DIFFERENT
			      : d.delta == 0 ? COMPARE_SAME
					     : COMPARE_UNRESOLVED;
	}
}

static bool breaks(const struct compare_row *row, const struct limit *limit)
{
	double change = limit->percent ? row->percent : row->b - row->a;

	if (strcmp(limit->name, row->name) != 0)
		return false;
	if (row->result == COMPARE_ONE_SIDED)
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
				     .a = NAN,
				     .b = NAN,
				     .percent = NAN,
				     .low = NAN,
				     .high = NAN,
				     .result = COMPARE_ONE_SIDED };
}

int compare_runs(const struct runfile *a, const struct runfile *b,
		 const struct limit *limits, size_t n_limits,
		 struct comparison *out)
{
	struct comparison c = { 0 };
	int err = 0;

	for (size_t i = 0; i < a->n && !err; i++) {
		const struct run_value *va = &a->values[i];
		const struct run_value *vb =
			runfile_find(b, va->section, va->name);
		struct compare_row row = empty_row(va);

		row.a = va->value;
		row.b = vb ? vb->value : NAN;
		if (vb && !isnan(row.a) && !isnan(row.b))
			judge(&row, va, vb);
		else if (isnan(row.a) && isnan(row.b))
			continue; /* neither run measured it */
		err = add_row(&c, row, limits, n_limits);
	}
	for (size_t i = 0; i < b->n && !err; i++) {
		const struct run_value *vb = &b->values[i];
		struct compare_row row = empty_row(vb);

		row.b = vb->value;
		if (!isnan(vb->value) &&
		    !runfile_find(a, vb->section, vb->name))
			err = add_row(&c, row, limits, n_limits);
	}
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
