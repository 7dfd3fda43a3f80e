/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cycle accounting (2011 paper, equation 1): cycles are those for work that
 * retired, for work on the wrong path, and without work; what is left is shown,
 * where the machine counts each by an event of its own.
 */

#include <math.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "perfmodel/perfmodel.h"
#include "report/page_answer.h"
#include "write/number.h"

static const char *const groups[] = { "cycle accounting", "stall causes",
				      NULL };

/* Parts of all cycles, and where stalls come from (these may overlap). */
static const struct part {
	const char *name;
	const char *metric;
	const char *title;
	enum ink ink;
} parts[] = {
	{ "retired", "retired_cycles", "work that retired", INK_GOOD },
	{ "non_retired", "non_retired_cycles", "work on the wrong path", INK_FAIR },
	{ "stalls", "stall_cycles", "no work", INK_POOR },
}, reasons[] = {
	{ "frontend", "frontend_stall_cycles", "waiting for instructions",
	  INK_DIM },
	{ "mispredict", "mispredict_stall_cycles", "mispredicted branches",
	  INK_DIM },
	{ "memory", "memory_stall_cycles", "loads under way", INK_DIM },
	{ "store", "store_stall_cycles", "stores under way", INK_DIM },
	{ "fp", "fp_stall_cycles", "waiting for floating point", INK_DIM },
	{ "data_tlb", "dtlb_stall_cycles", "data TLB, by its penalties",
	  INK_DIM },
};

/* What the three do not explain; NaN where that cannot be told. */
static double residual_of(const struct modelled *m)
{
	double residual = modelled_value(m, "residual");

	/* rounding alone is none */
	return fabs(residual) < 1e-9 ? 0 : residual;
}

/* Cycles by their own event, if there is one; else the three are all. */
static double total_of(const struct modelled *m)
{
	double residual = residual_of(m);
	double sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		sum += modelled_value(m, parts[i].metric);
	return isnan(residual) ? sum : sum / (1 - residual);
}

static void put_part(const struct modelled *m, const struct part *part,
		     double total, const struct report_style *style, FILE *to)
{
	double cycles = modelled_value(m, part->metric);
	unsigned width = style->width > 110  ? 60
			 : style->width > 72 ? style->width - 54
					     : 16;
	char text[NUMBER_CAPACITY];

	if (isnan(cycles))
		return;
	fprintf(to, "%16s  %5.1f %%  %-27s", number_count(text, cycles),
		100 * cycles / total, part->title);
	model_put_bar(style, part->ink, cycles / total, width, to);
	putc('\n', to);
}

static void put_residual(double residual, double total, FILE *to)
{
	char number[NUMBER_CAPACITY];

	if (isnan(residual))
		fputs("no separate event counts issuing cycles here, so it is "
		      "not known whether all cycles are accounted for\n",
		      to);
	else
		fprintf(to, "%16s  %5.1f %%  not accounted for\n",
			number_count(number, residual * total), 100 * residual);
}

static void text(const struct modelled *m, const struct report_style *style,
		 FILE *to)
{
	double total = total_of(m);
	double residual = residual_of(m);
	char number[NUMBER_CAPACITY];

	if (isnan(total)) {
		const struct report_metric *row =
			modelled_find(m, "retired_cycles");

		fprintf(to, "no value: %s\n",
			row && row->reason ? row->reason
					   : "the events were not counted");
		return;
	}
	fprintf(to, "\n%16s           cycles in total\n",
		number_count(number, total));
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		put_part(m, &parts[i], total, style, to);
	put_residual(residual, total, to);
	fprintf(to, "\nof the cycles without work, while (these overlap)\n");
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		put_part(m, &reasons[i], total, style, to);
	fprintf(to, "\n%.2f instructions per issuing cycle\n",
		modelled_value(m, "issue_rate"));
}

static void put_json(const struct modelled *m, const struct part *list,
		     size_t n, double total, struct json *j)
{
	for (size_t i = 0; i < n; i++) {
		double cycles = modelled_value(m, list[i].metric);

		json_row_of(j, NULL, "name %s, cycles %g, share %g",
			    list[i].name, cycles, cycles / total);
	}
}

static void json(const struct modelled *m, struct json *j)
{
	double total = total_of(m);

	json_number(j, "cycles", total);
	json_table(j, "parts");
	put_json(m, parts, ARRAY_SIZE(parts), total, j);
	json_end_array(j);
	json_number(j, "residual", residual_of(m));
	json_number(j, "issue_rate", modelled_value(m, "issue_rate"));
	json_array(j, "stalls");
	put_json(m, reasons, ARRAY_SIZE(reasons), total, j);
	json_end_array(j);
}

/* How many cycles did useful work, and what most of the others waited for. */
static void lead(const struct modelled *m, struct strbuf *to)
{
	double total = total_of(m), most = 0;
	const char *what = NULL;

	if (isnan(total))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		double cycles = modelled_value(m, reasons[i].metric);

		if (cycles > most) {
			most = cycles;
			what = reasons[i].title;
		}
	}
	strbuf_addf(to,
		    "%.3g %% of the cycles did work that retired, %.3g %% "
		    "did no work.",
		    100 * modelled_value(m, parts[0].metric) / total,
		    100 * modelled_value(m, parts[2].metric) / total);
	if (what)
		strbuf_addf(to,
			    " The main cause of cycles without work: %s "
			    "(%.3g %%).",
			    what, 100 * most / total);
}

static void page(const struct modelled *m, struct html_report *page)
{
	page_put_cycles(&m->report, page);
}

const struct model model_cycles = {
	.name = "cycles",
	.summary = "where the cycles went",
	.groups = groups,
	.text = text,
	.json = json,
	.lead = lead,
	.page = page,
};
