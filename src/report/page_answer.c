/* SPDX-License-Identifier: BSD-3-Clause */
/* Cards, lead and stack of cycles; the tables below them are write_html.c's. */
#include "report/page_answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "write/number.h"

enum {
	CARDS = 8,    /* two rows of a page that is 1,280 pixels wide */
	FEW_CARDS = 4 /* one row: filled up with what is fair, then good */
};

const char *page_metric_name(const struct report_metric *m)
{
	return *m->text ? m->text : m->name;
}

static const struct report_metric *find(const struct report *r,
					const char *name)
{
	for (size_t i = 0; i < r->n_metrics; i++)
		if (strcmp(r->metrics[i].name, name) == 0 &&
		    !isnan(r->metrics[i].number.value))
			return &r->metrics[i];
	return NULL;
}

static size_t count_verdict(const struct report *r, enum report_verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_metrics; i++)
		n += r->metrics[i].verdict == verdict;
	return n;
}

static void add_first(const struct report_metric *ipc, struct strbuf *lead)
{
	char text[NUMBER_CAPACITY];

	strbuf_add(lead, number_error(text, (double)ipc->number.value,
				      ipc->scaled ? ipc->error : NAN));
	strbuf_addf(lead, " instructions per cycle%s",
		    ipc->scaled ? " (estimated)" : "");
	if (ipc->verdict != REPORT_NO_VERDICT)
		strbuf_addf(lead, ": %s", report_verdict_name(ipc->verdict));
	strbuf_add(lead, ". ");
}

/* "4 of 13 metrics are poor: loads per TLB miss, ...". */
static void add_poor(const struct report *r, struct strbuf *lead)
{
	size_t poor = count_verdict(r, REPORT_POOR);
	size_t judged = poor + count_verdict(r, REPORT_FAIR) +
			count_verdict(r, REPORT_GOOD);

	if (judged == 0)
		return;
	if (poor == 0) {
		strbuf_addf(lead, "No metric is poor, of %zu with a verdict.",
			    judged);
		return;
	}
	strbuf_addf(lead, "%zu of %zu metrics with a verdict %s poor", poor,
		    judged, poor == 1 ? "is" : "are");
	for (size_t i = 0, n = 0; i < r->n_metrics; i++)
		if (r->metrics[i].verdict == REPORT_POOR)
			strbuf_addf(lead, "%s%s", n++ ? ", " : ": ",
				    page_metric_name(&r->metrics[i]));
	strbuf_add(lead, ".");
}

void page_put_lead(const struct report *r, struct html_report *page)
{
	const struct report_metric *ipc = find(r, "ipc");
	STRBUF(lead);

	if (ipc)
		add_first(ipc, &lead);
	add_poor(r, &lead);
	if (lead.len)
		json_string(&page->json, "lead", strbuf_text(&lead));
}

static void put_card(const struct report_metric *m, struct json *j)
{
	bool percent = strcmp(m->unit, "%") == 0;
	OWNED char *goal =
		m->goal ? str_format("want %s%s", m->goal, percent ? " %" : "")
			: NULL;

	json_row(j, NULL);
	json_string(j, "name", page_metric_name(m));
	json_number(j, "value", m->number.value);
	if (m->scaled)
		json_number(j, "error", m->error);
	json_string(j, "unit", m->unit);
	json_string(j, "verdict", report_verdict_name(m->verdict));
	json_string(j, "goal", goal);
	json_string(j, "text", m->formula);
	json_end_object(j);
}

/* The first is that of cycles; then by verdict, as long as there are few. */
void page_put_cards(const struct report *r, struct html_report *page)
{
	static const struct {
		enum report_verdict verdict;
		size_t most;
	} steps[] = { { REPORT_POOR, CARDS },
		      { REPORT_FAIR, FEW_CARDS },
		      { REPORT_GOOD, FEW_CARDS } };
	const struct report_metric *ipc = find(r, "ipc");
	size_t n = 0;

	if (!ipc && count_verdict(r, REPORT_NO_VERDICT) == r->n_metrics)
		return;
	html_report_part(page, "cards", NULL);
	json_array(&page->json, "items");
	if (ipc && ++n)
		put_card(ipc, &page->json);
	for (size_t s = 0; s < ARRAY_SIZE(steps); s++)
		for (size_t i = 0; i < r->n_metrics && n < steps[s].most; i++)
			if (&r->metrics[i] != ipc &&
			    r->metrics[i].verdict == steps[s].verdict && ++n)
				put_card(&r->metrics[i], &page->json);
	json_end_array(&page->json);
	json_end_object(&page->json);
}

/* Metrics of share/metrics/cycles.txt. */
struct cause {
	const char *metric;
	const char *name;
	unsigned ink;
};

static const struct cause work[] = {
	{ "retired_cycles", "Work that retired", 0 },
	{ "non_retired_cycles", "Work on the wrong path", 3 },
};

static const struct cause stalls[] = {
	{ "frontend_stall_cycles", "Stalled for instructions", 1 },
	{ "mispredict_stall_cycles", "Stalled after mispredictions", 5 },
	{ "memory_stall_cycles", "Stalled on loads", 2 },
	{ "store_stall_cycles", "Stalled on stores", 4 },
	{ "fp_stall_cycles", "Stalled on floating point", 6 },
};

static double cycles_of(const struct report *r, const char *metric)
{
	const struct report_metric *m = find(r, metric);

	return m ? (double)m->number.value : NAN;
}

static void put_cause(const char *name, double cycles, unsigned ink,
		      struct json *j)
{
	if (!(cycles > 0))
		return;
	json_row_of(j, NULL, "name %s, value %g, ink %u", name, cycles, ink);
}

/* Causes that add up to no more than @all exclude each other, and what they
 * leave has another cause; those that overlap cannot be stacked. */
static void put_stalls(const struct report *r, double all, struct json *j)
{
	double sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(stalls); i++)
		sum += fmax(0, cycles_of(r, stalls[i].metric)); /* not NaN */
	if (sum > 1.001 * all || sum == 0) {
		put_cause("Stalled: no work", all, 2, j);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(stalls); i++)
		put_cause(stalls[i].name, cycles_of(r, stalls[i].metric),
			  stalls[i].ink, j);
	put_cause("Stalled for other reasons", all - sum, 7, j);
}

void page_put_cycles(const struct report *r, struct html_report *page)
{
	double stalled = cycles_of(r, "stall_cycles");
	struct json *j = &page->json;

	if (isnan(stalled) || isnan(cycles_of(r, work[0].metric)))
		return;
	html_report_part(page, "stack",
			 find(r, "stall_cycles")->scaled
				 ? "Where the cycles went (estimated)"
				 : "Where the cycles went");
	json_string(j, "unit", "cycles");
	json_array(j, "items");
	for (size_t i = 0; i < ARRAY_SIZE(work); i++)
		put_cause(work[i].name, cycles_of(r, work[i].metric),
			  work[i].ink, j);
	put_stalls(r, stalled, j);
	json_end_array(j);
	json_end_object(j);
}
