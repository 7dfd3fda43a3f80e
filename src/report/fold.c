/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A value for each thread folded to least, mean and most, with those named
 * that are outliers: a hundred columns tell a reader less.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/doubles.h"
#include "base/err.h"
#include "report/report.h"

/*
 * A value is an outlier if it is further from the median than 3.5 standard
 * deviations, estimated by the median distance (1.4826 makes that equal for a
 * normal distribution), and than a tenth of the median: threads that are all
 * but equal have no outliers.
 */
#define APART_SIGMAS 3.5
#define SIGMA_OF_MAD 1.4826
#define APART_SHARE  0.1
#define APART_LEAST  4 /* fewer threads have no usual value */

static int find_outliers(struct report_fold *f, size_t n)
{
	OWNED double *work = calloc(n + 1, sizeof(*work));
	double middle, limit;

	if (!work)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < n; i++)
		work[i] = (double)f->values[i];
	middle = doubles_median(work, n);
	for (size_t i = 0; i < n; i++)
		work[i] = fabs((double)f->values[i] - middle);
	limit = fmax(APART_SIGMAS * SIGMA_OF_MAD * doubles_median(work, n),
		     APART_SHARE * fabs(middle));
	for (size_t i = 0; n >= APART_LEAST && i < n; i++) {
		f->is_outlier[i] = fabs((double)f->values[i] - middle) > limit;
		f->n_outliers += f->is_outlier[i];
	}
	return 0;
}

static void find_range(struct report_fold *f, size_t n)
{
	long double sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += f->values[i];
		if (f->values[i] < f->values[f->least])
			f->least = i;
		if (f->values[i] > f->values[f->most])
			f->most = i;
	}
	f->mean = (double)(sum / (long double)n);
}

int report_add_thread(struct report *r, const struct report_thread *thread)
{
	struct report_threads *t = &r->threads;
	return array_add(t->list, t->n, *thread);
}

int report_add_fold(struct report *r, const struct report_event *event,
		    const long double *values)
{
	struct report_threads *t = &r->threads;
	struct report_fold f = {
		.event = event->name,
		.unit = event->unit,
		.values = calloc(t->n + 1, sizeof(*f.values)),
		.is_outlier = calloc(t->n + 1, sizeof(*f.is_outlier)),
	};
	int err = f.values && f.is_outlier ? 0 : PAPI_ENOMEM;

	if (!err && t->n > 0) {
		memcpy(f.values, values, t->n * sizeof(*values));
		find_range(&f, t->n);
		err = find_outliers(&f, t->n);
	}
	if (!err)
		err = array_grow(&t->folds, t->n_folds, sizeof(f));
	if (err) {
		free(f.values);
		free(f.is_outlier);
		return err;
	}
	t->folds[t->n_folds++] = f;
	return 0;
}

void report_threads_fini(struct report_threads *t)
{
	for (size_t i = 0; i < t->n_folds; i++) {
		free(t->folds[i].values);
		free(t->folds[i].is_outlier);
	}
	free(t->folds);
	free(t->list);
	memset(t, 0, sizeof(*t));
}
