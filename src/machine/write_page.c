/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine as a page: its constants, and every curve that was measured. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "machine/format.h"
#include "machine/titles.h"
#include "write/html.h"
#include "write/number.h"

static void put_facts(const struct machine *m, struct html_report *page)
{
	char text[NUMBER_CAPACITY];

	json_array(&page->json, "facts");
	html_report_fact(page, "Processor", m->cpu);
	if (m->kernel && *m->kernel)
		html_report_fact(page, "Kernel", m->kernel);
	html_report_fact(page, "CPUs", number_count(text, m->cpus));
	html_report_fact(page, "Measured in", number_seconds(text, m->seconds));
	json_end_array(&page->json);
}

/* The unit that a value is shown in, and by what it is divided for that. */
struct scale {
	const char *unit;
	double by;
};

static struct scale scale_of(const struct machine_constant *c)
{
	if (strcmp(c->unit, "Hz") == 0)
		return (struct scale){ "GHz", 1e9 };
	if (strcmp(c->unit, "bytes") != 0 || !(c->value >= 1024))
		return (struct scale){ c->unit, 1 };
	return c->value >= 0x1p20 ? (struct scale){ "MiB", 0x1p20 }
				  : (struct scale){ "KiB", 1024 };
}

static void put_constant(const struct machine_constant *c, struct json *j)
{
	struct scale scale = scale_of(c);
	OWNED char *title = machine_title(c->name);

	json_cells(j, "%s %g %s %g %g %s %s %s %s %s", title ? title : c->name,
		   c->value / scale.by, scale.unit, c->nominal / scale.by,
		   100 * c->spread, c->stable ? "yes" : "no",
		   c->reason ? c->reason
		   : c->note ? c->note
			     : "",
		   machine_group_title(machine_group_of(c->name)), c->name,
		   c->method);
}

static void put_constants(const struct machine *m, struct html_report *page)
{
	struct json *j = &page->json;

	html_report_part(page, "table", "Constants");
	json_string(j, "more", "names in formulas, how it was measured");
	html_report_columns(page, "Constant", "text", "Value", "number", "Unit",
			    "text", "Nominal", "number", "Spread", "percent",
			    "Reliable", "verdict", "Remark", "text", NULL);
	html_report_more(page, "Group", "text");
	html_report_more(page, "Name", "code");
	html_report_more(page, "Method", "text");
	html_report_rows(page);
	for (size_t g = 0; g < machine_n_groups(); g++)
		for (size_t i = 0; i < m->n_constants; i++)
			if (machine_group_of(m->constants[i].name) == g)
				put_constant(&m->constants[i], j);
	html_report_end(page);
}

/* The edges that curves were measured for. */
static const struct edge {
	const char *curve;
	const char *constant;
	const char *label;
} edges[] = {
	{ "latency", "L1D_bytes", "L1" },
	{ "latency", "L2_bytes", "L2" },
	{ "latency", "L3_bytes", "L3" },
	{ "L1D", "L1D_bytes", "size" },
	{ "L1D_set", "L1D_ways", "ways" },
	{ "L1I", "L1I_bytes", "size" },
	{ "L1I_set", "L1I_ways", "ways" },
	{ "L2", "L2_ways", "ways" },
	{ "L3", "L3_bytes", "size" },
	{ "DTLB", "DTLB_entries", "entries" },
	{ "STLB", "STLB_entries", "entries" },
	{ "line", "line_bytes", "line" },
	{ "page", "page_bytes", "page" },
};

/* Edges that were found and lie within the curve. */
static void put_marks(const struct machine *m, const struct machine_sweep *s,
		      struct json *j)
{
	json_array(j, "marks");
	for (size_t i = 0; i < ARRAY_SIZE(edges); i++) {
		double x = machine_get(m, edges[i].constant);

		if (strcmp(edges[i].curve, s->name) != 0 ||
		    !(x >= s->points[0].x && x <= s->points[s->n - 1].x))
			continue;
		json_row(j, NULL);
		json_number(j, "x", x);
		json_string(j, "label", edges[i].label);
		json_end_object(j);
	}
	json_end_array(j);
}

static void put_series(const struct machine_sweep *s, const char *name,
		       double (*get)(const struct machine_point *),
		       struct json *j)
{
	json_row(j, NULL);
	json_string(j, "name", name);
	json_string(j, "style", strcmp(name, s->name) == 0 ? "line" : "thin");
	json_list(j, "x");
	for (size_t i = 0; i < s->n; i++)
		json_number(j, NULL, s->points[i].x);
	json_end_array(j);
	json_list(j, "y");
	for (size_t i = 0; i < s->n; i++)
		json_number(j, NULL, get(&s->points[i]));
	json_end_array(j);
	json_end_object(j);
}

static double get_y(const struct machine_point *p)
{
	return p->y;
}

static double get_low(const struct machine_point *p)
{
	return p->low;
}

static double get_high(const struct machine_point *p)
{
	return p->high;
}

static bool has_spread(const struct machine_sweep *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->points[i].high > s->points[i].low)
			return true;
	return false;
}

static void put_sweep(const struct machine *m, const struct machine_sweep *s,
		      struct html_report *page)
{
	bool bytes = strcmp(s->x_label, "bytes") == 0;
	struct json *j = &page->json;
	OWNED char *title = NULL;

	if (s->n == 0)
		return;
	title = str_format("%s: %s by %s", machine_part_title(s->name),
			   s->y_label, bytes ? "footprint" : s->x_label);
	html_report_part(page, "fold", NULL);
	json_string(j, "summary", title ? title : s->name);
	json_array(j, "parts");
	html_report_part(page, "chart", NULL);
	json_row(j, "x");
	json_string(j, "label", s->x_label);
	json_bool(j, "log", bytes);
	json_end_object(j);
	json_row(j, "y");
	json_string(j, "label", s->y_label);
	json_end_object(j);
	put_marks(m, s, j);
	json_array(j, "series");
	put_series(s, s->name, get_y, j);
	if (has_spread(s)) {
		put_series(s, "at least", get_low, j);
		put_series(s, "at most", get_high, j);
	}
	html_report_end(page);
	html_report_end(page);
}

static void add_size(struct strbuf *lead, const struct machine *m,
		     const char *constant, const char *name)
{
	double size = machine_get(m, constant);

	if (isnan(size))
		return;
	strbuf_addf(lead, "%s%s %.4g %s", lead->len ? ", " : "", name,
		    size >= 0x1p20 ? size / 0x1p20 : size / 1024,
		    size >= 0x1p20 ? "MiB" : "KiB");
}

/* "L1 48 KiB, L2 1.25 MiB; memory latency 220 cycles. ..." */
static void put_lead(const struct machine *m, struct html_report *page)
{
	double latency = machine_get(m, "Mem_lat");
	struct strbuf lead = { 0 };
	size_t doubtful = 0;

	for (size_t i = 0; i < m->n_constants; i++)
		doubtful += !m->constants[i].stable;
	add_size(&lead, m, "L1D_bytes", "L1");
	add_size(&lead, m, "L2_bytes", "L2");
	add_size(&lead, m, "L3_bytes", "L3");
	if (!isnan(latency))
		strbuf_addf(&lead, "%smemory latency %.3g cycles",
			    lead.len ? "; " : "", latency);
	strbuf_addf(&lead, "%s%zu constants measured, ", lead.len ? ". " : "",
		    m->n_constants);
	if (doubtful)
		strbuf_addf(&lead, "%zu of them not reliable.", doubtful);
	else
		strbuf_add(&lead, "all reliable.");
	html_report_lead(page, &lead);
}

int machine_write_page(const void *machine, const struct report_style *style,
		       FILE *to)
{
	const struct machine *m = machine;
	struct html_report page;
	bool model = m->simulated && strncmp(m->name, "sim-", 4) == 0;
	int err = html_report_open(&page, model ? m->name + 4 : m->name,
				   m->simulated ? "simulated machine"
						: "measured machine");

	(void)style;
	if (err)
		return err;
	put_lead(m, &page);
	put_facts(m, &page);
	json_array(&page.json, "parts");
	put_constants(m, &page);
	for (size_t i = 0; i < m->n_sweeps; i++)
		put_sweep(m, &m->sweeps[i], &page);
	json_end_array(&page.json);
	return html_report_close(&page, to);
}
