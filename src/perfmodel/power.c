/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Power by the two models of the 2011 paper. Their watts are those of the
 * machines they were fitted for; another machine needs its own fit.
 */

#include <string.h>

#include "perfmodel/perfmodel.h"

static const char *const groups[] = { "power", NULL };

static bool is_power(const struct report_metric *row)
{
	return strcmp(row->unit, "W") == 0;
}

static void text(const struct modelled *m, const struct report_style *style,
		 FILE *to)
{
	putc('\n', to);
	if (m->report.n_metrics == 0)
		fputs("no published model has this PMU's events\n", to);
	for (int watts = 1; watts >= 0; watts--)
		for (size_t i = 0; i < m->report.n_metrics; i++)
			if (is_power(&m->report.metrics[i]) == watts)
				modelled_put_metric(m, &m->report.metrics[i],
						    style, to);
	putc('\n', to);
	style_wrap(
		style,
		"These are the watts of the systems for which the models were "
		"fitted (a Core i7, a POWER7 p750 with the same work on all 32 "
		"cores). For another system, sample counters together with a "
		"power meter and fit: assay model power --fit FILE.",
		0, 0, to);
}

static void json(const struct modelled *m, struct json *j)
{
	json_table(j, "values");
	for (size_t i = 0; i < m->report.n_metrics; i++) {
		const struct report_metric *row = &m->report.metrics[i];

		json_row_of(j, NULL, "name %s, value %Lg, unit %s, reason %s",
			    row->name, row->number.value, row->unit,
			    row->reason);
	}
	json_end_array(j);
}

const struct model model_power = {
	.name = "power",
	.summary = "power from published regressions",
	.groups = groups,
	.text = text,
	.json = json,
};
