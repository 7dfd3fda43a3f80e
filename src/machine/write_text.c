/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine, and two of them side by side, for people. */

#include <math.h>
#include <string.h>

#include "machine/format.h"
#include "machine/titles.h"
#include "write/json.h"
#include "write/number.h"
#include "write/style.h"

static void format_bytes(char *text, size_t capacity, double value)
{
	static const char *const units[] = { "B", "KB", "MB", "GB" };
	size_t i = 0;

	while (i < 3 && value >= 1024) {
		value /= 1024;
		i++;
	}
	snprintf(text, capacity, "%.4g %s", value, units[i]);
}

/* "32 KB", "3.6 GHz", "14 cycles"; "-" for none. */
static void format_value(char *text, size_t capacity, double value,
			 const char *unit)
{
	char number[NUMBER_CAPACITY];

	if (isnan(value))
		snprintf(text, capacity, "-");
	else if (strcmp(unit, "bytes") == 0)
		format_bytes(text, capacity, value);
	else if (strcmp(unit, "Hz") == 0)
		snprintf(text, capacity, "%.4g GHz", value / 1e9);
	else
		snprintf(text, capacity, "%s%s%s",
			 value == round(value) ? number_count(number, value)
					       : number_short(number, value),
			 *unit ? " " : "", unit);
}

#define NAME_WIDTH    26
#define VALUE_WIDTH   18
#define NOMINAL_WIDTH 14

/* Below a constant; NULL: nothing. */
static void put_remark(const char *text, const struct report_style *style,
		       FILE *to)
{
	if (!text)
		return;
	fputs("      ", to);
	style_wrap(style, text, 6, 6, to);
}

static void put_constant(const struct machine_constant *c,
			 const struct report_style *style, FILE *to)
{
	char value[64], nominal[64], spread[16] = "";
	enum ink ink = c->stable ? INK_PLAIN : INK_FAIR;

	format_value(value, sizeof(value), c->value, c->unit);
	format_value(nominal, sizeof(nominal), c->nominal, c->unit);
	if (isnan(c->nominal))
		nominal[0] = '\0';
	if (!isnan(c->spread) && !isnan(c->value))
		snprintf(spread, sizeof(spread), "%.1f %%", c->spread * 100);
	fprintf(to, "  %-*s%s%*s%s%*s%8s", NAME_WIDTH, c->name,
		style_on(style, ink), VALUE_WIDTH, value, style_off(style),
		NOMINAL_WIDTH, nominal, spread);
	fprintf(to, "  %s%s%s\n", style_on(style, ink),
		isnan(c->value) ? "not found"
		: c->stable     ? "stable"
				: "not stable",
		style_off(style));
	put_remark(c->note, style, to);
	put_remark(c->reason, style, to);
	if (style->verbose) {
		fprintf(to, "      %s", style_on(style, INK_DIM));
		style_wrap(style, c->method, 6, 6, to);
		fputs(style_off(style), to);
	}
}

static void put_head(const struct machine *m, const struct report_style *style,
		     FILE *to)
{
	char title[192];

	snprintf(title, sizeof(title), "%s: %s", m->name,
		 *m->cpu ? m->cpu : "processor unknown");
	style_heading(style, title, to);
	fprintf(to, "%u CPU%s%s%s%s; %.1f s%s, %.0f %% of samples disturbed\n",
		m->cpus, m->cpus == 1 ? "" : "s",
		m->virtual_ ? ", virtual" : "", *m->kernel ? ", Linux " : "",
		m->kernel, m->seconds, m->quick ? " (--quick)" : "",
		m->discarded * 100);
}

int machine_write_text(const void *machine, const struct report_style *style,
		       FILE *to)
{
	const struct machine *m = machine;

	put_head(m, style, to);
	for (size_t g = 0; g < machine_n_groups(); g++) {
		bool any = false;

		for (size_t i = 0; i < m->n_constants; i++) {
			if (machine_group_of(m->constants[i].name) != g)
				continue;
			if (!any)
				fprintf(to, "\n%s%-*s%*s%*s%8s%s\n",
					style_on(style, INK_BOLD),
					NAME_WIDTH + 2, machine_group_title(g),
					VALUE_WIDTH, "measured", NOMINAL_WIDTH,
					"nominal", "spread", style_off(style));
			any = true;
			put_constant(&m->constants[i], style, to);
		}
	}
	return ferror(to) ? PAPI_ESYS : 0;
}

/* ---- two machines ---- */

int machine_compare_text(const void *pair, const struct report_style *style,
			 FILE *to)
{
	const struct machine_pair *p = pair;

	fprintf(to, "%s%-*s%*s%*s%10s%s\n", style_on(style, INK_BOLD),
		NAME_WIDTH, "constant", VALUE_WIDTH, p->a->name, VALUE_WIDTH,
		p->b->name, "ratio", style_off(style));
	for (size_t i = 0; i < p->a->n_constants; i++) {
		const struct machine_constant *a = &p->a->constants[i];
		const struct machine_constant *b = machine_find(p->b, a->name);
		char left[64], right[64], ratio[32] = "";

		if (!b)
			continue;
		format_value(left, sizeof(left), a->value, a->unit);
		format_value(right, sizeof(right), b->value, b->unit);
		if (a->value > 0 && b->value > 0)
			snprintf(ratio, sizeof(ratio), "%.3g",
				 b->value / a->value);
		fprintf(to, "%-*s%*s%s%*s%s%10s\n", NAME_WIDTH, a->name,
			VALUE_WIDTH, left, a->stable ? " " : "?",
			VALUE_WIDTH - 1, right, b->stable ? " " : "?", ratio);
	}
	fputs("\n? is not stable\n", to);
	return ferror(to) ? PAPI_ESYS : 0;
}

int machine_compare_describe(const void *pair, struct json *j)
{
	const struct machine_pair *p = pair;

	json_list(j, "machines");
	json_string(j, NULL, p->a->name);
	json_string(j, NULL, p->b->name);
	json_end_array(j);
	json_table(j, "constants");
	for (size_t i = 0; i < p->a->n_constants; i++) {
		const struct machine_constant *a = &p->a->constants[i];
		const struct machine_constant *b = machine_find(p->b, a->name);

		if (!b)
			continue;
		json_row(j, NULL);
		json_string(j, "name", a->name);
		json_string(j, "unit", a->unit);
		json_number(j, "a", a->value);
		json_number(j, "b", b->value);
		json_bool(j, "stable", a->stable && b->stable);
		json_end_object(j);
	}
	json_end_array(j);
	return 0;
}
