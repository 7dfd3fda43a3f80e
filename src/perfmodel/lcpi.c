/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LCPI: the most, and the least, that each category of work can contribute to
 * the cycles per instruction, on a ruler from good to bad (2011 paper, after
 * PerfExpert). The measured value lies between the largest least and the sum
 * of the mosts.
 *
 * Which category is the largest follows from stalls by cause where the machine
 * counts them. Else it is said only if the bounds decide it: the most that a
 * category can cost is no measure of what it does cost.
 */

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "perfmodel/perfmodel.h"
#include "write/number.h"

static const char *const groups[] = { "lcpi", "bounds", "stall causes", NULL };

static const struct category {
	const char *name;
	const char *title;
	const char *most;      /* metrics */
	const char *least;     /* NULL: none is known */
	const char *stalls[2]; /* cycles without issue that it causes */
} categories[] = {
	{ "data",
	  "data accesses",
	  "lcpi_data",
	  "least_data",
	  { "memory_stall_cycles", "store_stall_cycles" } },
	{ "instruction",
	  "instruction accesses",
	  "lcpi_instruction",
	  NULL,
	  { "frontend_stall_cycles", NULL } },
	{ "fp",
	  "floating point",
	  "lcpi_fp",
	  "least_fp",
	  { "fp_stall_cycles", NULL } },
	{ "branch",
	  "branches",
	  "lcpi_branch",
	  "least_branch",
	  { "mispredict_stall_cycles", NULL } },
	{ "data_tlb", "data TLB", "lcpi_data_tlb", NULL, { NULL, NULL } },
	{ "instruction_tlb",
	  "instruction TLB",
	  "lcpi_instruction_tlb",
	  NULL,
	  { NULL, NULL } },
};

/* The ruler: five zones of half a cycle; the last one has no end. */
#define ZONE 0.5
static const char *const zones[] = { "good", "okay", "fair", "poor", "bad" };

#define LABEL 32 /* columns before the ruler */

static const char *zone_of(double cpi)
{
	double i = floor(cpi / ZONE);

	if (isnan(cpi))
		return NULL;
	return zones[i < 4 ? (size_t)i : 4];
}

static enum ink ink_of(double cpi)
{
	if (cpi < ZONE)
		return INK_GOOD;
	return cpi <= 4 * ZONE ? INK_FAIR : INK_POOR;
}

static double least_of(const struct modelled *m, const struct category *c)
{
	return c->least ? modelled_value(m, c->least) : NAN;
}

/* Cycles without issue that are put down to @c, as a share of all; or NaN. */
static double stalled_by(const struct modelled *m, const struct category *c)
{
	double sum = 0;

	if (!c->stalls[0])
		return NAN;
	for (size_t i = 0; i < ARRAY_SIZE(c->stalls) && c->stalls[i]; i++)
		sum += modelled_value(m, c->stalls[i]);
	return sum / modelled_count(m, "PAPI_TOT_CYC");
}

/* No category takes more than there is. */
static double upper_of(const struct modelled *m, const struct category *c)
{
	return fmin(modelled_value(m, c->most), modelled_value(m, "cpi"));
}

/* Whether @c takes more than any other, whatever they take. */
static bool is_above_others(const struct modelled *m, const struct category *c)
{
	double least = least_of(m, c);

	for (size_t i = 0; i < ARRAY_SIZE(categories); i++)
		if (&categories[i] != c &&
		    !(least > upper_of(m, &categories[i])))
			return false;
	return true;
}

static const struct category *largest_stalls(const struct modelled *m)
{
	const struct category *best = NULL;
	double most = 0;

	for (size_t i = 0; i < ARRAY_SIZE(categories); i++) {
		double share = stalled_by(m, &categories[i]);

		if (share > most) {
			most = share;
			best = &categories[i];
		}
	}
	return best;
}

/* The category that costs most; NULL if that cannot be told. */
static const struct category *dominant(const struct modelled *m)
{
	const struct category *best = largest_stalls(m);

	for (size_t i = 0; !best && i < ARRAY_SIZE(categories); i++)
		if (is_above_others(m, &categories[i]))
			best = &categories[i];
	return best;
}

/* All latencies, one after another; NaN if one of them has no value. */
static double sum_of_mosts(const struct modelled *m)
{
	double sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(categories); i++)
		sum += modelled_value(m, categories[i].most);
	return sum;
}

/* The category with the largest bound, as in the paper's figure 2; NULL if one
 * has no value, which may be the largest. */
static const struct category *largest_bound(const struct modelled *m)
{
	const struct category *best = NULL;

	if (isnan(sum_of_mosts(m)))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(categories); i++)
		if (!best || modelled_value(m, categories[i].most) >
				     modelled_value(m, best->most))
			best = &categories[i];
	return best;
}

static unsigned zone_columns(const struct report_style *style)
{
	unsigned width = style->width > 100 ? 100 : style->width;

	return width > LABEL + 45 ? (width - LABEL) / 5 : 9;
}

static void put_ruler(const struct report_style *style, FILE *to)
{
	unsigned columns = zone_columns(style);

	fprintf(to, "%*s", LABEL, "");
	for (size_t i = 0; i < ARRAY_SIZE(zones); i++) {
		fprintf(to, "%s%s%s", style_on(style, INK_DIM), zones[i],
			style_off(style));
		for (size_t k = strlen(zones[i]); k < columns; k++)
			putc('.', to);
	}
	putc('\n', to);
}

/* "name  0.25  ###>>>>": what it is at least, and at most. */
static void put_line(const struct report_style *style, const char *title,
		     double least, double most, FILE *to)
{
	unsigned columns = 5 * zone_columns(style);
	double scale = columns / (5 * ZONE);
	unsigned high = (unsigned)(fmin(most * scale, columns) + 0.5);
	unsigned low =
		isnan(least) ? 0 : (unsigned)(fmin(least * scale, high) + 0.5);
	char text[NUMBER_CAPACITY];

	if (isnan(most)) {
		fprintf(to, "%-22s %7s  no value\n", title, "-");
		return;
	}
	fprintf(to, "%-22s %7s  ", title, number_short(text, most));
	fputs(style_on(style, ink_of(most)), to);
	for (unsigned i = 0; i < high; i++)
		putc(i < low ? '#' : '>', to);
	fprintf(to, "%s%s\n", most * scale > columns ? "+" : "",
		style_off(style));
}

static void put_largest(const struct modelled *m,
			const struct report_style *style, FILE *to)
{
	const struct category *worst = dominant(m);
	double share = worst ? stalled_by(m, worst) : NAN;

	if (!worst) {
		fputs("largest: these bounds do not decide\n", to);
		return;
	}
	fprintf(to, "largest: %s%s%s", style_on(style, INK_BOLD), worst->title,
		style_off(style));
	if (!isnan(share))
		fprintf(to, ", %.1f %% of the cycles stalled by them",
			100 * share);
	putc('\n', to);
}

static void put_bounds(const struct modelled *m,
		       const struct report_style *style, FILE *to)
{
	double cpi = modelled_value(m, "cpi"), sum = sum_of_mosts(m);
	double least = modelled_value(m, "least_cpi");
	STRBUF(line);

	strbuf_addf(&line,
		    "measured %.3f cycles per instruction; bounds: ", cpi);
	if (isnan(least))
		strbuf_addf(&line, "none for issue and units, ");
	else
		strbuf_addf(&line, "%.3f for issue and units, ", least);
	if (isnan(sum))
		strbuf_addf(&line, "none for latencies, some of which have no "
				   "value");
	else
		strbuf_addf(&line,
			    "%.3f if no latencies overlap (%.1f times as much)",
			    sum, sum / cpi);
	style_wrap(style, strbuf_text(&line), 0, 0, to);
}

static void put_summary(const struct modelled *m,
			const struct report_style *style, FILE *to)
{
	double cpi = modelled_value(m, "cpi");

	fprintf(to,
		"\n%s#%s lower bound: nothing waits; %s>%s upper bound: "
		"everything waits\n",
		style_on(style, INK_BOLD), style_off(style),
		style_on(style, INK_BOLD), style_off(style));
	if (!isnan(cpi) && cpi > 0)
		put_bounds(m, style, to);
	put_largest(m, style, to);
}

static void text(const struct modelled *m, const struct report_style *style,
		 FILE *to)
{
	putc('\n', to);
	put_ruler(style, to);
	put_line(style, "measured", modelled_value(m, "least_cpi"),
		 modelled_value(m, "cpi"), to);
	putc('\n', to);
	for (size_t i = 0; i < ARRAY_SIZE(categories); i++)
		put_line(style, categories[i].title,
			 least_of(m, &categories[i]),
			 modelled_value(m, categories[i].most), to);
	put_summary(m, style, to);
}

static void json(const struct modelled *m, struct json *j)
{
	const struct category *worst = dominant(m);
	const struct category *bound = largest_bound(m);

	json_number(j, "cpi", modelled_value(m, "cpi"));
	json_number(j, "cpi_min", modelled_value(m, "least_cpi"));
	json_number(j, "cpi_max", sum_of_mosts(m));
	/* the same under the names that they had first */
	json_number(j, "cpi_least", modelled_value(m, "least_cpi"));
	json_number(j, "cpi_most", sum_of_mosts(m));
	json_string(j, "dominant", worst ? worst->name : NULL);
	json_string(j, "largest_bound", bound ? bound->name : NULL);
	json_table(j, "categories");
	for (size_t i = 0; i < ARRAY_SIZE(categories); i++) {
		const struct category *c = &categories[i];
		const struct report_metric *row = modelled_find(m, c->most);
		double most = modelled_value(m, c->most);

		json_row(j, NULL);
		json_string(j, "name", c->name);
		json_number(j, "max", most);
		json_number(j, "min", least_of(m, c));
		json_number(j, "most", most);
		json_number(j, "least", least_of(m, c));
		json_number(j, "stalled", stalled_by(m, c));
		json_string(j, "zone", zone_of(most));
		json_string(j, "reason", row ? row->reason : NULL);
		json_end_object(j);
	}
	json_end_array(j);
	json_number(j, "instruction_as_printed",
		    modelled_value(m, "lcpi_instruction_2011"));
}

static const char *verdict_on(double cpi)
{
	if (isnan(cpi))
		return NULL;
	if (cpi < ZONE)
		return "good";
	return cpi <= 4 * ZONE ? "fair" : "poor";
}

/* The cost that bounds most, and what the program took in all. */
static void lead(const struct modelled *m, struct strbuf *to)
{
	const struct category *worst = largest_bound(m);
	double all = modelled_value(m, "cpi");
	double most = worst ? modelled_value(m, worst->most) : 0;

	if (!isnan(all))
		strbuf_addf(to,
			    "The program took %.3g cycles per instruction. ",
			    all);
	if (most > 0)
		strbuf_addf(to,
			    "The highest upper bound is that of %s, %.3g "
			    "cycles per instruction (%s). Costs overlap, so "
			    "the bounds may add up to more than the total.",
			    worst->title, most, verdict_on(most));
}

static void page(const struct modelled *m, struct html_report *page)
{
	struct json *j = &page->json;

	html_report_part(page, "bars", "Cycles per instruction, upper bounds");
	json_string(j, "unit", "cycles");
	json_array(j, "items");
	for (size_t i = 0; i < ARRAY_SIZE(categories); i++) {
		double most = modelled_value(m, categories[i].most);

		json_row_of(j, NULL, "name %s, value %g, verdict %s",
			    categories[i].title, most, verdict_on(most));
	}
	json_row_of(j, NULL, "name %s, value %g", "measured, in total",
		    modelled_value(m, "cpi"));
	json_end_array(j);
	json_end_object(j);
}

const struct model model_lcpi = {
	.name = "lcpi",
	.summary = "what the cycles per instruction may be spent on",
	.groups = groups,
	.text = text,
	.json = json,
	.lead = lead,
	.page = page,
};
