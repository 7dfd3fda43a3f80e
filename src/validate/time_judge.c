/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How far simulated cycles are from real ones, and which part of the model is
 * to blame: of a kernel the part that it was written for; of a program the
 * part that its cycles go into and whose kernels are off.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/doubles.h"
#include "validate/time.h"

/* Whether the row has an error, and is of @kind and @part (NULL: any). */
static bool is_of(const struct time_row *row, const char *kind,
		  const char *part)
{
	return !isnan(row->error) && strcmp(row->kind, kind) == 0 &&
	       (!part || strcmp(row->part, part) == 0);
}

/* The median of the errors' sizes; NaN: there are none. */
static double median_error(const struct time_table *table, const char *kind,
			   const char *part)
{
	double *sizes = calloc(table->n ? table->n : 1, sizeof(*sizes));
	double median = NAN;
	size_t n = 0;

	for (size_t i = 0; sizes && i < table->n; i++)
		if (is_of(&table->rows[i], kind, part))
			sizes[n++] = fabs(table->rows[i].error);
	if (n > 0)
		median = doubles_median(sizes, n);
	free(sizes);
	return median;
}

/* Share of the row's cycles that wait for @w; past the last: that issue. */
static double share_of(const struct time_row *row, size_t w)
{
	double rest = 1;

	if (w < WAIT_COUNT)
		return row->wait[w] / row->cycles;
	for (size_t i = 0; i < WAIT_COUNT; i++)
		rest -= row->wait[i] / row->cycles;
	return fmax(rest, 0);
}

static const char *name_of(size_t w)
{
	return w < WAIT_COUNT ? time_waits[w] : "issue";
}

/* The part that explains most of the error, by what kernels say of it. */
static void blame_part(const struct time_table *table, struct time_row *row)
{
	double most = 0;
	size_t worst = 0;

	for (size_t w = 0; w <= WAIT_COUNT; w++) {
		double error = median_error(table, "kernel", name_of(w));
		double weight = share_of(row, w) * (isnan(error) ? 0 : error);

		if (weight > most) {
			most = weight;
			worst = w;
		}
	}
	if (most >= fabs(row->error) / 4)
		snprintf(row->blame, sizeof(row->blame), "%s", name_of(worst));
	else
		snprintf(row->blame, sizeof(row->blame), "not seen in kernels");
}

void time_judge(struct time_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		struct time_row *row = &table->rows[i];

		row->error = row->cycles / row->real - 1;
	}
	for (size_t i = 0; i < table->n; i++) {
		struct time_row *row = &table->rows[i];

		if (isnan(row->error) || fabs(row->error) <= row->spread)
			continue;
		if (strcmp(row->part, "any") != 0)
			snprintf(row->blame, sizeof(row->blame), "%s",
				 row->part);
		else
			blame_part(table, row);
	}
}

struct time_sum time_sum_of(const struct time_table *table, const char *kind)
{
	struct time_sum sum = { .median = median_error(table, kind, NULL) };

	for (size_t i = 0; i < table->n; i++) {
		const struct time_row *row = &table->rows[i];

		if (!is_of(row, kind, NULL))
			continue;
		sum.n++;
		sum.noisy += row->spread > TIME_NOISY;
		if (fabs(row->error) >= sum.worst) {
			sum.worst = fabs(row->error);
			memcpy(sum.worst_name, row->name, sizeof(row->name));
		}
	}
	return sum;
}

const struct time_row *time_find(const struct time_table *table,
				 const char *name)
{
	for (size_t i = 0; i < table->n; i++)
		if (strcmp(table->rows[i].name, name) == 0)
			return &table->rows[i];
	return NULL;
}

struct time_pairs time_pairs_of(const struct time_table *table)
{
	struct time_pairs pairs = { 0 };

	for (size_t i = 0; i < table->n; i++) {
		const struct time_row *fast = &table->rows[i];
		const struct time_row *slow =
			*fast->slower ? time_find(table, fast->slower) : NULL;

		if (!slow || isnan(fast->error) || isnan(slow->error))
			continue;
		pairs.n++;
		if (slow->real < TIME_FASTER * fast->real &&
		    fast->real < TIME_FASTER * slow->real)
			continue;
		pairs.judged++;
		pairs.right += (slow->real > fast->real) ==
			       (slow->cycles > fast->cycles);
	}
	return pairs;
}
