/* SPDX-License-Identifier: BSD-3-Clause */
/* assay metrics eval: the metrics of a file for counts recorded before. */

#include "metricfile/metricfile.h"

#include <errno.h>
#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "console/console.h"
#include "report/runfile.h"
#include "write/csv.h"
#include "write/document.h"
#include "write/number.h"
#include "write/style.h"

/* A run, and the metrics to be had of it. */
struct evaluation {
	const struct metric_set *set;
	const struct runfile *run;
	double clock_hz;
	double *counts;
};

/* The counts of one section, into the slots of the set. */
static void take_counts(const struct evaluation *e, const char *section)
{
	const struct name_list *names = &e->set->names;

	for (size_t i = 0; i < names->n; i++)
		e->counts[i] =
			strcmp(names->names[i], "#") == 0 ? e->clock_hz : NAN;
	for (size_t k = 0; k < e->run->n; k++) {
		const struct run_value *v = &e->run->values[k];

		if (strcmp(v->section, section) != 0)
			continue;
		for (size_t i = 0; i < names->n; i++)
			if (record_same_event(names->names[i], v->name))
				e->counts[i] = (double)v->value;
	}
}

/* The first name of a metric that has no count, or NULL. */
static const char *missing(const struct evaluation *e,
			   const struct metric *metric)
{
	for (size_t k = 0; k < metric->n_slots; k++)
		if (isnan(e->counts[metric->slots[k]]))
			return e->set->names.names[metric->slots[k]];
	return NULL;
}

/* Whether value @k of the run is the first of its section. */
static bool begins_section(const struct runfile *run, size_t k)
{
	for (size_t i = 0; i < k; i++)
		if (strcmp(run->values[i].section, run->values[k].section) == 0)
			return false;
	return true;
}

static const char *verdict_of(const struct def *def, double value)
{
	switch (def_verdict(def, value)) {
	case 1:
		return "good";
	case 0:
		return "fair";
	case -1:
		return "poor";
	default:
		return NULL;
	}
}

static const char *unit_of(const struct metric *metric)
{
	const char *unit = def_field(metric->def, KEY_UNIT);

	return unit ? unit : "";
}

static void put_line(const struct evaluation *e, const struct metric *metric,
		     const struct report_style *style, FILE *to)
{
	double value = metric_eval(metric, e->counts);
	const char *verdict = verdict_of(metric->def, value);
	const char *lacks = missing(e, metric);
	char number[NUMBER_CAPACITY];
	char text[NUMBER_CAPACITY * 2];

	snprintf(text, sizeof(text), "%s%s%.40s",
		 isnan(value) ? "-" : number_short(number, value),
		 *unit_of(metric) ? " " : "", unit_of(metric));
	fprintf(to, "%16s    %-28s", text, metric->def->name);
	if (verdict)
		fputs(verdict, to);
	if (isnan(value) && lacks)
		fprintf(to, "%sno count of %s%s", style_on(style, INK_DIM),
			lacks, style_off(style));
	else if (isnan(value))
		fprintf(to, "%sno value for these counts%s",
			style_on(style, INK_DIM), style_off(style));
	putc('\n', to);
}

static int values_text(const void *what, const struct report_style *style,
		       FILE *to)
{
	const struct evaluation *e = what;

	for (size_t k = 0; k < e->run->n; k++) {
		const char *section = e->run->values[k].section;

		if (!begins_section(e->run, k))
			continue;
		if (*section)
			style_heading(style, section, to);
		take_counts(e, section);
		for (size_t i = 0; i < e->set->n; i++)
			put_line(e, &e->set->metrics[i], style, to);
	}
	return ferror(to) ? PAPI_ESYS : 0;
}

static void put_json(const struct evaluation *e, const struct metric *metric,
		     struct json *j)
{
	double value = metric_eval(metric, e->counts);

	json_row_of(j, NULL,
		    "name %s, value %g, unit %s, verdict %s, missing %s",
		    metric->def->name, value, unit_of(metric),
		    verdict_of(metric->def, value),
		    isnan(value) ? missing(e, metric) : NULL);
}

static int values_describe(const void *what, struct json *j)
{
	const struct evaluation *e = what;

	json_array(j, "sections");
	for (size_t k = 0; k < e->run->n; k++) {
		const char *section = e->run->values[k].section;

		if (!begins_section(e->run, k))
			continue;
		take_counts(e, section);
		json_object(j, NULL);
		json_string(j, "section", section);
		json_array(j, "metrics");
		for (size_t i = 0; i < e->set->n; i++)
			put_json(e, &e->set->metrics[i], j);
		json_end_array(j);
		json_end_object(j);
	}
	json_end_array(j);
	return 0;
}

static int values_csv(const void *what, const struct report_style *style,
		      FILE *to)
{
	const struct evaluation *e = what;

	(void)style;
	fputs("section,name,value,unit\r\n", to);
	for (size_t k = 0; k < e->run->n; k++) {
		const char *section = e->run->values[k].section;

		if (!begins_section(e->run, k))
			continue;
		take_counts(e, section);
		for (size_t i = 0; i < e->set->n; i++) {
			const struct metric *metric = &e->set->metrics[i];
			double value = metric_eval(metric, e->counts);

			csv_put_field(section, to);
			csv_put_next(metric->def->name, to);
			csv_put_number(value, to);
			csv_put_next(unit_of(metric), to);
			fputs("\r\n", to);
		}
	}
	return ferror(to) ? PAPI_ESYS : 0;
}

static const struct format formats[] = {
	FORMAT("text", ".txt", values_text),
	FORMAT("csv", ".csv", values_csv),
	DATA_FORMATS(values_describe),
	{ 0 },
};

static int eval_run(const struct metrics_call *call,
		    const struct format *format, struct evaluation *e,
		    const char *path)
{
	struct diag diag = { .text = "" };
	struct runfile run = { 0 };
	int status;
	int err = runfile_load(path, RUNFILE_TOTALS, &run, &diag);

	if (err)
		return metrics_say_fault(call->console, err, NULL, &diag);
	e->run = &run;
	e->counts = calloc(e->set->names.n + 1, sizeof(*e->counts));
	if (e->counts)
		status = output_write_as(&call->output, format, e, stdout,
					 CMD_OK);
	else
		status = metrics_say_fault(call->console, PAPI_ENOMEM, NULL,
					   &diag);
	free(e->counts);
	runfile_fini(&run);
	return status;
}

/*
 * Values go out while records come in, so a fault in the input must also undo
 * what was written; output_write() would not know.
 */
static int write_stream(const struct metrics_call *call,
			struct record_stream *s, struct diag *diag)
{
	struct outfile *file;
	int err;

	if (!call->output.path || strcmp(call->output.path, "-") == 0) {
		err = record_stream_write(s, stdout);
		if (!err && fflush(stdout))
			err = diag_fail(diag, PAPI_ESYS,
					"cannot write the result: %s",
					strerror(errno));
		return err;
	}
	err = outfile_open(call->output.path, &file, diag);
	if (err)
		return err;
	err = record_stream_write(s, outfile_stream(file));
	if (!err)
		return outfile_commit(file, diag);
	outfile_abort(file);
	return err;
}

static int eval_stream(const struct metrics_call *call,
		       const struct format *format, const struct evaluation *e,
		       const char *path)
{
	struct diag diag = { .text = "" };
	struct record_stream s = {
		.set = e->set,
		.path = path,
		.from = strcmp(path, "-") == 0 ? stdin : fopen(path, "re"),
		.clock_hz = e->clock_hz,
		.json = format->document == document_write_json,
		.diag = &diag,
	};
	int err;

	if (!s.from)
		return say_failure(call->console, "cannot read %s: %s", path,
				   strerror(errno));
	err = write_stream(call, &s, &diag);
	if (s.from != stdin)
		fclose(s.from);
	return err ? metrics_say_fault(call->console, err, NULL, &diag)
		   : CMD_OK;
}

/* JSON and XML begin with a brace or an angle bracket; the rest is CSV. */
static bool is_run(const char *path)
{
	FILE *from = strcmp(path, "-") == 0 ? NULL : fopen(path, "re");
	int first;

	if (!from)
		return false;
	do
		first = getc(from);
	while (first == ' ' || first == '\t' || first == '\r' || first == '\n');
	fclose(from);
	return first == '{' || first == '<';
}

int metrics_open_file(const struct metrics_call *call, const char *path,
		      struct metrics *m, struct constants *constants)
{
	const struct metrics_options *o = call->options;
	struct diag diag = { .text = "" };
	char pmu[64];
	int status = metrics_pmu_name(call, pmu, sizeof(pmu));
	int err = 0;

	if (status)
		return status;
	if (o->machine) {
		err = constants_open(constants, o->machine, pmu, &diag);
		m->constants = constants;
	}
	if (!err)
		err = metrics_load(m, path, pmu, &diag);
	return err ? metrics_say_fault(call->console, err, NULL, &diag) : 0;
}

int metrics_eval(const struct metrics_call *call, int argc, char **argv)
{
	const struct format *format = output_format(&call->output, formats);
	struct constants constants = { 0 };
	struct metrics m = { 0 };
	int status;

	(void)argc;
	if (!format)
		return CMD_USAGE;
	status = metrics_open_file(call, argv[0], &m, &constants);
	if (!status) {
		struct evaluation e = {
			.set = m.files[0].set,
			.clock_hz = constants_get(&constants, "clock_hz"),
		};

		status = is_run(argv[1])
				 ? eval_run(call, format, &e, argv[1])
				 : eval_stream(call, format, &e, argv[1]);
	}
	metrics_fini(&m);
	constants_fini(&constants);
	return status;
}
