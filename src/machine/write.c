/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine written: for people, and as JSON, CSV and a file of constants. */

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "machine/format.h"
#include "write/document.h"
#include "write/number.h"
#include "write/style.h"

const struct format machine_formats[] = {
	FORMAT("text", NULL, machine_write_text),
	DATA_FORMATS(machine_document),
	FORMAT("machine", ".txt", machine_write_file),
	FORMAT("model", ".model", machine_write_model),
	FORMAT("svg", ".svg", machine_write_svg),
	FORMAT("html", ".html", machine_write_page),
	{ 0 },
};

/* ---- JSON ---- */

static void put_head(struct json *j, const struct machine *m)
{
	json_object(j, "machine");
	json_string(j, "name", m->name);
	json_string(j, "cpu", m->cpu);
	json_string(j, "vendor", m->vendor);
	json_unsigned(j, "family", m->family);
	json_unsigned(j, "model", m->model);
	json_unsigned(j, "stepping", m->stepping);
	json_string(j, "kernel", m->kernel);
	json_bool(j, "virtual", m->virtual_);
	json_unsigned(j, "cpus", m->cpus);
	json_end_object(j);
	json_row(j, "pmu");
	json_string(j, "kind", m->simulated ? "sim" : "none");
	json_end_object(j);
	json_row(j, "measurement");
	json_number(j, "time", m->measured);
	json_number(j, "seconds", round(m->seconds * 100) / 100);
	json_bool(j, "quick", m->quick);
	json_number(j, "discarded", round(m->discarded * 1e4) / 1e4);
	json_end_object(j);
}

static void put_constant(struct json *j, const struct machine_constant *c)
{
	json_row(j, NULL);
	json_string(j, "name", c->name);
	json_number(j, "value", c->value);
	json_string(j, "unit", c->unit);
	json_number(j, "nominal", c->nominal);
	json_number(j, "spread",
		    isnan(c->spread) ? NAN : round(c->spread * 1e4) / 1e4);
	json_bool(j, "stable", c->stable);
	json_string(j, "reason", c->reason);
	json_string(j, "note", c->note);
	json_string(j, "method", c->method);
	json_end_object(j);
}

static void put_sweep(struct json *j, const struct machine_sweep *s)
{
	json_object(j, NULL);
	json_string(j, "name", s->name);
	json_string(j, "x", s->x_label);
	json_string(j, "y", s->y_label);
	json_array(j, "points");
	for (size_t i = 0; i < s->n; i++) {
		json_cells(j, "%g %g %g %g", s->points[i].x,
			   round(s->points[i].y * 1e3) / 1e3,
			   round(s->points[i].low * 1e3) / 1e3,
			   round(s->points[i].high * 1e3) / 1e3);
	}
	json_end_array(j);
	json_end_object(j);
}

int machine_document(const void *machine, struct json *j)
{
	const struct machine *m = machine;

	put_head(j, m);
	json_table(j, "constants");
	for (size_t i = 0; i < m->n_constants; i++)
		put_constant(j, &m->constants[i]);
	json_end_array(j);
	json_array(j, "sweeps");
	for (size_t i = 0; i < m->n_sweeps; i++)
		put_sweep(j, &m->sweeps[i]);
	json_end_array(j);
	return 0;
}

/* ---- a file of constants ---- */

static void put_date(double seconds, FILE *to)
{
	time_t when = (time_t)seconds;
	struct tm tm;
	char text[32];

	if (gmtime_r(&when, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &tm))
		fputs(text, to);
}

int machine_write_file(const void *machine, const struct report_style *style,
		       FILE *to)
{
	const struct machine *m = machine;

	(void)style;
	fprintf(to, "# %s, as assay machine measured it, ", m->name);
	put_date(m->measured, to);
	fprintf(to,
		".\n# %s. Latencies in cycles, bandwidths in bytes per "
		"cycle.\n",
		*m->cpu ? m->cpu : "Processor unknown");
	if (!m->simulated)
		fprintf(to,
			"#define cpu_family %u\n#define cpu_model %u\n"
			"#define cpu_stepping %u\n",
			m->family, m->model, m->stepping);
	for (size_t i = 0; i < m->n_constants; i++) {
		const struct machine_constant *c = &m->constants[i];

		if (isnan(c->value))
			continue;
		if (!c->stable)
			fprintf(to, "# not stable: %s\n",
				c->reason ? c->reason : "");
		fprintf(to, "#define %s %.10g\n", c->name, c->value);
	}
	return ferror(to) ? PAPI_ESYS : 0;
}
