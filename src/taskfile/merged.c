/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One number of a section, put together from many tasks and threads: sums,
 * means and spreads, and what becomes of them where a part is missing. Which
 * numbers belong together is merge.c's.
 */
#include "taskfile/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_END 0x1p63L /* counts are of 64 bits with a sign */

bool merged_init(struct merged_datum *all, const struct task_datum *from)
{
	struct task_datum *datum = &all->datum;

	*datum = (struct task_datum){
		.name = strdup(from->name),
		.title = from->title ? strdup(from->title) : NULL,
		.raw = NAN,
		.correction = NAN,
		.uncertainty = NAN,
		.exclusive = NAN,
		.min = NAN,
		.max = NAN,
		.min_task = -1,
		.max_task = -1,
		.formula = "",
		.unit = "",
		.verdict = "",
		.sbad = from->sbad,
		.sgood = from->sgood,
		.dbad = from->dbad,
		.dgood = from->dgood,
	};
	if (from->formula[0]) {
		datum->formula = strdup(from->formula);
		datum->unit = strdup(from->unit);
	}
	if (datum->name && datum->formula && datum->unit &&
	    !datum->title == !from->title)
		return true;
	free((char *)datum->name);
	free((char *)datum->title);
	if (from->formula[0]) {
		free((char *)datum->formula);
		free((char *)datum->unit);
	}
	return false;
}

void merged_free(struct merged_datum *all)
{
	struct task_datum *datum = &all->datum;

	free((char *)datum->name);
	free((char *)datum->reason);
	free((char *)datum->title);
	if (datum->formula[0]) {
		free((char *)datum->formula);
		free((char *)datum->unit);
	}
}

/* NaN is nothing, so it leaves a sum as it is. */
static long double plus(long double sum, long double more)
{
	if (isnan(more))
		return sum;
	return isnan(sum) ? more : sum + more;
}

/*
 * Mean and spread of one activation over all tasks: groups of different sizes
 * put together, by Chan's formula.
 */
static void pool(struct merged_datum *all, const struct task_datum *from,
		 double count)
{
	struct task_datum *sum = &all->datum;
	double n = all->activations + count;
	double step = from->mean - sum->mean;
	double m2 = sum->stddev * sum->stddev * fmax(all->activations - 1, 0);

	if (isnan(from->mean) || !(count > 0))
		return;
	if (all->activations == 0) {
		sum->mean = from->mean;
		sum->stddev = from->stddev;
	} else {
		m2 += from->stddev * from->stddev * fmax(count - 1, 0) +
		      step * step * all->activations * count / n;
		sum->mean += step * count / n;
		sum->stddev = n > 1 ? sqrt(m2 / (n - 1)) : 0;
	}
	all->activations = n;
}

/* A single task's value as a group of one. */
static struct task_datum alone(long double value, long task)
{
	return (struct task_datum){
		.task_n = 1,
		.task_mean = (double)value,
		.task_min = value,
		.task_max = value,
		.min_task = task,
		.max_task = task,
	};
}

/* Add a group of tasks to how a number varies between them. */
static void spread(struct task_datum *all, const struct task_datum *group)
{
	double n = all->task_n + group->task_n;
	double step = group->task_mean - all->task_mean;
	double m2 =
		all->task_stddev * all->task_stddev * fmax(all->task_n - 1, 0) +
		group->task_stddev * group->task_stddev *
			fmax(group->task_n - 1, 0) +
		step * step * all->task_n * group->task_n / n;

	if (all->task_n == 0 || group->task_min < all->task_min) {
		all->task_min = group->task_min;
		all->min_task = group->min_task;
	}
	if (all->task_n == 0 || group->task_max > all->task_max) {
		all->task_max = group->task_max;
		all->max_task = group->max_task;
	}
	all->task_mean += step * group->task_n / n;
	all->task_stddev = n > 1 ? sqrt(m2 / (n - 1)) : 0;
	all->task_n = n;
}

static void add_datum(struct merged_datum *all, const struct task_datum *from,
		      double count, long task)
{
	struct task_datum *sum = &all->datum;

	sum->value = plus(sum->value, from->value);
	sum->raw = plus(sum->raw, from->raw);
	sum->correction = plus(sum->correction, from->correction);
	sum->uncertainty = plus(sum->uncertainty, from->uncertainty);
	sum->exclusive = plus(sum->exclusive, from->exclusive);
	sum->min = fminl(sum->min, from->min); /* these pass over NaN */
	sum->max = fmaxl(sum->max, from->max);
	sum->shown = from->shown;
	pool(all, from, count);
	if (from->task_n > 0) {
		spread(sum, from);
	} else if (!isnan(from->value)) {
		struct task_datum one = alone(from->value, task);

		spread(sum, &one);
	}
}

/* A sum without one of its parts would be too small: it is none. */
static bool add_reason(struct merged_datum *all, const struct task_datum *from)
{
	if (!from->reason || !from->reason[0])
		return true;
	if (isnan(from->value))
		all->no_value = true;
	else
		all->no_exclusive = true;
	if (!all->datum.reason)
		all->datum.reason = strdup(from->reason);
	return all->datum.reason;
}

/*
 * Sums of whole numbers beyond 64 bits have lost digits: they are none. Seconds
 * never come near.
 */
static bool drop_too_large(struct merged_datum *all)
{
	const struct task_datum *sum = &all->datum;

	if (!(fabsl(sum->value) >= COUNT_END) &&
	    !(fabsl(sum->exclusive) >= COUNT_END))
		return true;
	all->no_value = true;
	if (!all->datum.reason)
		all->datum.reason = strdup("the sum does not fit in 64 bits");
	return all->datum.reason;
}

bool merged_add(struct merged_datum *all, const struct task_datum *from,
		double count, long task)
{
	if (!add_reason(all, from))
		return false;
	add_datum(all, from, count, task);
	return from->formula[0] || drop_too_large(all);
}

struct task_datum merged_result(const struct merged_datum *all)
{
	struct task_datum datum = all->datum;

	if (all->activations == 0)
		datum.mean = datum.stddev = NAN;
	if (all->no_value || all->no_exclusive)
		datum.exclusive = NAN;
	if (!all->no_value)
		return datum;
	datum.value = datum.raw = datum.correction = datum.uncertainty = NAN;
	datum.mean = datum.stddev = NAN;
	datum.min = datum.max = datum.task_min = datum.task_max = NAN;
	datum.task_n = datum.task_mean = datum.task_stddev = NAN;
	datum.min_task = datum.max_task = -1;
	return datum;
}
