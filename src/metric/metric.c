/* SPDX-License-Identifier: BSD-3-Clause */
/* The public face of formulas: assay/metric.h. */
#include <assay/metric.h>

#include <stdlib.h>
#include <string.h>

#include "metric/formula.h"
#include "metric/names.h"

struct assay_metric {
	struct name_list events;
	struct formula *formula;
};

static void tell(struct assay_diag *to, const struct diag *diag)
{
	if (!to)
		return;
	to->column = diag->column;
	memcpy(to->text, diag->text, sizeof(to->text));
}

int assay_metric_compile(const char *formula, struct assay_metric **out,
			 struct assay_diag *diag)
{
	struct diag inner = { 0 };
	struct assay_metric *metric = NULL;
	int err = diag_fail(&inner, PAPI_EINVAL, "the formula is missing");

	if (formula && out) {
		metric = calloc(1, sizeof(*metric));
		err = metric ? 0 : diag_fail(&inner, PAPI_ENOMEM, "no memory");
	}
	if (!err) {
		struct formula_names names = { name_list_push,
					       &metric->events };

		err = formula_compile(formula, &names, &metric->formula,
				      &inner);
	}
	if (err) {
		tell(diag, &inner);
		assay_metric_free(metric);
		return err;
	}
	*out = metric;
	return 0;
}

void assay_metric_free(struct assay_metric *metric)
{
	if (!metric)
		return;
	name_list_fini(&metric->events);
	formula_free(metric->formula);
	free(metric);
}

size_t assay_metric_event_count(const struct assay_metric *metric)
{
	return metric->events.n;
}

const char *assay_metric_event(const struct assay_metric *metric, size_t i)
{
	return i < metric->events.n ? metric->events.names[i] : NULL;
}

double assay_metric_eval(const struct assay_metric *metric,
			 const double *counts)
{
	return formula_eval(metric->formula, counts);
}
