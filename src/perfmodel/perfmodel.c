/* SPDX-License-Identifier: BSD-3-Clause */
/* What all models share: values by name, sources, documents around them. */

#include "perfmodel/perfmodel.h"

#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/memfile.h"
#include "base/strbuf.h"
#include "perfmodel/roofline.h"
#include "report/page_answer.h"
#include "write/number.h"

const struct report_metric *modelled_find(const struct modelled *m,
					  const char *name)
{
	for (size_t i = 0; i < m->report.n_metrics; i++)
		if (strcmp(m->report.metrics[i].name, name) == 0)
			return &m->report.metrics[i];
	return NULL;
}

double modelled_value(const struct modelled *m, const char *name)
{
	const struct report_metric *row = modelled_find(m, name);

	return row ? (double)row->number.value : NAN;
}

double modelled_count(const struct modelled *m, const char *event)
{
	for (size_t i = 0; i < m->report.n_events; i++)
		if (strcmp(m->report.events[i].name, event) == 0)
			return (double)m->report.events[i].number.value;
	return NAN;
}

double modelled_clock(const struct modelled *m)
{
	return constants_get(m->constants, "clock_hz");
}

/* Cycles of the thread that has most; of all where they are not told apart. */
static double busiest_cycles(const struct modelled *m)
{
	const struct report_threads *t = &m->report.threads;

	for (size_t i = 0; i < t->n_folds; i++)
		if (strcmp(t->folds[i].event, "PAPI_TOT_CYC") == 0)
			return (double)t->folds[i].values[t->folds[i].most];
	return modelled_count(m, "PAPI_TOT_CYC");
}

double modelled_seconds(const struct modelled *m)
{
	if (!m->simulated)
		return (double)m->report.time.wall_s.value;
	return busiest_cycles(m) / modelled_clock(m);
}

double modelled_cores(const struct modelled *m)
{
	const struct report_time *time = &m->report.time;
	double busy = (double)((time->user_s.value + time->system_s.value) /
			       time->wall_s.value);

	if (m->simulated)
		busy = modelled_count(m, "PAPI_TOT_CYC") / busiest_cycles(m);
	return busy > 1 ? busy : 1;
}

void modelled_put_metric(const struct modelled *m,
			 const struct report_metric *row,
			 const struct report_style *style, FILE *to)
{
	char number[NUMBER_CAPACITY];
	char text[2 * NUMBER_CAPACITY];

	(void)m;
	snprintf(text, sizeof(text), "%s %.40s",
		 isnan(row->number.value)
			 ? "-"
			 : number_short(number, (double)row->number.value),
		 row->unit);
	fprintf(to, "%20s    %s", text, *row->text ? row->text : row->name);
	if (row->reason)
		fprintf(to, "  %s%s%s", style_on(style, INK_DIM), row->reason,
			style_off(style));
	putc('\n', to);
}

/* What is missing in counts that have a value, the same in all; or NULL. */
static const char *missing_in(const struct modelled *m)
{
	for (size_t i = 0; i < m->report.n_events; i++) {
		const struct report_event *e = &m->report.events[i];

		if (e->reason && !isnan(e->number.value))
			return e->reason;
	}
	return NULL;
}

void modelled_put_source(const struct modelled *m,
			 const struct report_style *style, FILE *to)
{
	STRBUF(text);

	if (missing_in(m))
		strbuf_addf(&text, "Not in the counts: %s. ", missing_in(m));
	strbuf_addf(&text, "Constants of the machine: %s", m->constants->name);
	if (m->constants->is_guess)
		strbuf_add(&text,
			   ", which is not this one; measure this one with "
			   "'assay machine -o FILE' and use --machine FILE");
	strbuf_add(&text, ".");
	if (m->simulated)
		strbuf_addf(&text,
			    " Cycles are those of the modelled machine; its "
			    "time is cycles%s divided by %.3g GHz.",
			    m->report.threads.n > 1 ? " of the busiest thread"
						    : "",
			    modelled_clock(m) / 1e9);
	fputs(style_on(style, INK_DIM), to);
	style_wrap(style, strbuf_text(&text), 0, 0, to);
	fputs(style_off(style), to);
}

void model_put_bar(const struct report_style *style, enum ink ink, double share,
		   unsigned width, FILE *to)
{
	unsigned n;

	if (!(share > 0))
		return;
	n = (unsigned)(fmin(share, 1) * width + 0.5);
	fputs(style_on(style, ink), to);
	for (unsigned i = 0; i < n; i++)
		fputs(style->unicode ? "\u2588" : "#", to);
	fputs(style_off(style), to);
}

int model_write_text(const void *what, const struct report_style *style,
		     FILE *to)
{
	const struct modelled *m = what;
	const char *const *word = m->report.command;

	fputs(style_on(style, INK_BOLD), to);
	for (; word && *word; word++)
		fprintf(to, "%s%s", *word, word[1] ? " " : "");
	fprintf(to, "%s   %s\n", style_off(style), m->model->summary);
	m->model->text(m, style, to);
	putc('\n', to);
	modelled_put_source(m, style, to);
	return ferror(to) ? PAPI_ESYS : 0;
}

static void put_events(const struct modelled *m, struct json *j)
{
	json_array(j, "events");
	for (size_t i = 0; i < m->report.n_events; i++) {
		const struct report_event *e = &m->report.events[i];

		json_row_of(
			j, NULL,
			"name %s, value %Lg, quality %s, stderr %g, reason %s",
			e->name, e->number.value,
			report_quality_name(e->quality), e->error, e->reason);
	}
	json_end_array(j);
}

static void put_machine(const struct modelled *m, struct json *j)
{
	const struct defs *defs = m->constants->defs;

	json_object(j, "machine");
	json_string(j, "name", m->constants->name);
	json_bool(j, "guess", m->constants->is_guess);
	json_object(j, "constants");
	for (size_t i = 0; i < defs->n_constants; i++)
		json_number(j, defs->constants[i].name,
			    defs->constants[i].value);
	json_end_object(j);
	json_end_object(j);
}

int model_describe(const void *what, struct json *j)
{
	const struct modelled *m = what;

	json_string(j, "model", m->model->name);
	json_list(j, "command");
	for (const char *const *w = m->report.command; w && *w; w++)
		json_string(j, NULL, *w);
	json_end_array(j);
	json_number(j, "exit", m->report.exit);
	json_row_of(j, "pmu", "kind %s, model %s", m->report.pmu.kind,
		    m->report.pmu.model ? report_model_name(m->report.pmu.model)
					: NULL);
	json_row_of(j, "time", "seconds %g, cores %g, native %d",
		    modelled_seconds(m), modelled_cores(m), !m->simulated);
	m->model->json(m, j);
	put_machine(m, j);
	put_events(m, j);
	return 0;
}

int model_write_svg(const void *what, const struct report_style *style,
		    FILE *to)
{
	const struct modelled *m = what;

	(void)style;
	m->model->svg(m, to);
	return ferror(to) ? PAPI_ESYS : 0;
}

static void page_metrics(const struct modelled *m, struct html_report *page)
{
	struct json *j = &page->json;

	html_report_part(page, "table", "Metrics");
	json_string(j, "more", "names and formulas");
	html_report_columns(page, "Metric", "text", "Value", "number", "Unit",
			    "text", "Verdict", "verdict", "Remark", "text",
			    NULL);
	html_report_more(page, "Name", "code");
	html_report_more(page, "Formula", "code");
	html_report_rows(page);
	for (size_t i = 0; i < m->report.n_metrics; i++) {
		const struct report_metric *row = &m->report.metrics[i];

		json_cells(j, "%s %g %s %s %s %s %s", page_metric_name(row),
			   (double)row->number.value, row->unit,
			   report_verdict_name(row->verdict),
			   row->reason ? row->reason : "", row->name,
			   row->formula);
	}
	html_report_end(page);
}

/* What the text says, as it stands on a terminal. */
static int page_text(const struct modelled *m, struct html_report *page)
{
	static const struct report_style plain = { .width = 96 };
	struct memfile memory;
	int err = memfile_open(&memory);

	if (err)
		return err;
	model_write_text(m, &plain, memory.to);
	err = memfile_close(&memory);
	html_report_part(page, "terminal", "As in the terminal");
	json_string(&page->json, "text", memory.text);
	json_end_object(&page->json);
	free(memory.text);
	return err;
}

static void page_lead(const struct modelled *m, struct html_report *page)
{
	STRBUF(lead);

	if (m->model->lead)
		m->model->lead(m, &lead);
	if (lead.len)
		html_report_lead(page, &lead);
}

static void page_facts(const struct modelled *m, struct html_report *page)
{
	STRBUF(command);

	for (const char *const *w = m->report.command; w && *w; w++)
		strbuf_addf(&command, "%s%s", command.len ? " " : "", *w);
	json_array(&page->json, "facts");
	html_report_fact(page, "Program", strbuf_text(&command));
	html_report_fact(page, "Machine constants", m->constants->name);
	html_report_fact(page, "Cycles",
			 m->simulated ? "simulated" : "measured");
	json_end_array(&page->json);
}

int model_write_html(const void *what, const struct report_style *style,
		     FILE *to)
{
	const struct modelled *m = what;
	struct html_report page;
	OWNED char *program = roofline_program(m);
	OWNED char *title =
		str_format("%s: %s", program ? program : "", m->model->name);
	int err = html_report_open(&page, title ? title : m->model->name,
				   m->model->summary);
	int failed;

	(void)style;
	if (err)
		return err;
	page_lead(m, &page);
	page_facts(m, &page);
	json_array(&page.json, "parts");
	if (m->model->page)
		m->model->page(m, &page);
	page_metrics(m, &page);
	failed = page_text(m, &page);
	json_end_array(&page.json);
	err = html_report_close(&page, to);
	return failed ? failed : err;
}
