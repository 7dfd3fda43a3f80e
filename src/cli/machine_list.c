/* SPDX-License-Identifier: BSD-3-Clause */
/* The machines that are kept. */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "cli/machine_verb.h"
#include "console/console.h"
#include "machine/machine.h"
#include "write/document.h"
#include "write/style.h"

struct row {
	char *name, *cpu;
	double measured;
	unsigned cpus;
	bool quick, simulated;
};

struct rows {
	struct row *rows;
	size_t n;
};

static int add_row(void *context, const struct machine *m)
{
	struct rows *r = context;
	struct row row = { strdup(m->name), strdup(m->cpu), m->measured,
			   m->cpus,         m->quick,       m->simulated };

	if (!row.name || !row.cpu || array_add(r->rows, r->n, row)) {
		free(row.name);
		free(row.cpu);
		return PAPI_ENOMEM;
	}
	return 0;
}

static void free_rows(struct rows *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->rows[i].name);
		free(r->rows[i].cpu);
	}
	free(r->rows);
}

static const char *date_of(double seconds, char *text, size_t capacity)
{
	time_t when = (time_t)seconds;
	struct tm tm;

	if (!(seconds > 0) || !gmtime_r(&when, &tm) ||
	    !strftime(text, capacity, "%Y-%m-%d %H:%M", &tm))
		return "-";
	return text;
}

static int list_as_text(const void *rows, const struct report_style *style,
			FILE *to)
{
	const struct rows *r = rows;
	char date[32];

	fprintf(to, "%s%-24s%-18s%5s  %s%s\n", style_on(style, INK_BOLD),
		"name", "measured (UTC)", "CPUs", "processor",
		style_off(style));
	for (size_t i = 0; i < r->n; i++) {
		const struct row *row = &r->rows[i];

		fprintf(to, "%-24s%-18s%5u  %s%s\n", row->name,
			date_of(row->measured, date, sizeof(date)), row->cpus,
			row->cpu, row->quick ? " (--quick)" : "");
	}
	return ferror(to) ? PAPI_ESYS : 0;
}

static int describe(const void *rows, struct json *j)
{
	const struct rows *r = rows;

	json_table(j, "machines");
	for (size_t i = 0; i < r->n; i++)
		json_row_of(j, NULL,
			    "name %s, cpu %s, cpus %u, "
			    "time %g, quick %d, simulated %d",
			    r->rows[i].name, r->rows[i].cpu, r->rows[i].cpus,
			    r->rows[i].measured, r->rows[i].quick,
			    r->rows[i].simulated);
	json_end_array(j);
	return 0;
}

int machine_do_list(struct cli *cli, int argc, char **argv)
{
	const struct machine_options *o = cli->state;
	static const struct format formats[] = {
		FORMAT("text", ".txt", list_as_text),
		DATA_FORMATS(describe),
		{ 0 },
	};
	const struct format *format = output_format(&cli->output, formats);
	struct diag diag = { .text = "out of memory" };
	struct rows rows = { 0 };
	int status;

	(void)argc;
	(void)argv;
	if (!format)
		return CMD_USAGE;
	if (machine_store_list(o->folder, add_row, &rows, &diag)) {
		status = say_failure(&cli->console, "%s", diag.text);
	} else {
		status = output_write_as(&cli->output, format, &rows, stdout,
					 CMD_OK);
	}
	free_rows(&rows);
	return status;
}
