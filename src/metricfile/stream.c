/* SPDX-License-Identifier: BSD-3-Clause */
/* Records in CSV to values of metrics, one at a time. */

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "metricfile/csv.h"
#include "metricfile/metricfile.h"
#include "write/json.h"
#include "write/number.h"

#define UNUSED SIZE_MAX /* slot of a column that no metric reads */

/* One stream being worked on. */
struct work {
	struct record_stream *s;
	size_t *slots; /* of each column */
	size_t columns;
	double *counts; /* one for each name of the set */
	struct csv csv;
	struct json json;
	FILE *to;
};

static const char *after_pmu(const char *name)
{
	const char *at = strstr(name, "::");

	return at ? at + 2 : name;
}

bool record_same_event(const char *a, const char *b)
{
	if (strcmp(a, b) == 0)
		return true;
	if (strstr(a, "::") && strstr(b, "::"))
		return false;
	return strcmp(after_pmu(a), after_pmu(b)) == 0;
}

static size_t slot_of(const struct metric_set *set, const char *name)
{
	for (size_t i = 0; i < set->names.n; i++)
		if (record_same_event(set->names.names[i], name))
			return i;
	return UNUSED;
}

static int read_header(struct work *w)
{
	struct diag *diag = w->s->diag;
	int more = csv_next_line(&w->csv, diag);
	char *name;
	int err;

	w->csv.column = 1;
	if (more < 0)
		return more;
	if (more == 0)
		return csv_refuse(&w->csv, "there is no line of event names",
				  diag);
	while (w->csv.at) {
		err = csv_next_field(&w->csv, &name, diag);
		if (err)
			return err;
		if (!*name)
			return csv_refuse(&w->csv, "an event name is missing",
					  diag);
		if (isdigit((unsigned char)*name))
			return csv_refuse(
				&w->csv,
				"a number where an event name must be: the "
				"first line names the columns",
				diag);
		if (array_add(w->slots, w->columns, slot_of(w->s->set, name)))
			return PAPI_ENOMEM;
	}
	return 0;
}

static int read_record(struct work *w)
{
	struct diag *diag = w->s->diag;
	size_t k = 0;
	char *text;

	for (; w->csv.at; k++) {
		int err = csv_next_field(&w->csv, &text, diag);
		double value;

		if (err)
			return err;
		if (k == w->columns)
			return csv_refuse(&w->csv,
					  "more fields than the first line "
					  "names",
					  diag);
		if (w->slots[k] == UNUSED)
			continue;
		if (!csv_number(text, &value))
			return csv_refuse(&w->csv, "this is not a number",
					  diag);
		w->counts[w->slots[k]] = value;
	}
	if (k < w->columns)
		return csv_refuse(&w->csv,
				  "fewer fields than the first line names",
				  diag);
	return 0;
}

static void write_names(struct work *w)
{
	for (size_t i = 0; i < w->s->set->n; i++)
		fprintf(w->to, "%s%s", i ? "," : "",
			w->s->set->metrics[i].def->name);
	putc('\n', w->to);
}

static void write_values(struct work *w)
{
	const struct metric_set *set = w->s->set;
	char text[NUMBER_CAPACITY];

	if (w->s->json)
		json_row(&w->json, NULL);
	for (size_t i = 0; i < set->n; i++) {
		double value = metric_eval(&set->metrics[i], w->counts);

		if (w->s->json) {
			json_number(&w->json, set->metrics[i].def->name, value);
			continue;
		}
		if (i)
			putc(',', w->to);
		if (!isnan(value))
			fputs(number_exact(text, value), w->to);
	}
	if (w->s->json)
		json_end_object(&w->json);
	else
		putc('\n', w->to);
}

static int each_record(struct work *w)
{
	int more, err = 0;

	while (!err && (more = csv_next_line(&w->csv, w->s->diag)) != 0) {
		if (more < 0)
			return more;
		if (!*w->csv.line)
			continue;
		err = read_record(w);
		if (err)
			break;
		write_values(w);
		w->s->records++;
		if (ferror(w->to))
			break;
	}
	return err;
}

static int start(struct work *w)
{
	const struct name_list *names = &w->s->set->names;
	size_t clock;
	int err = read_header(w);

	if (err)
		return err;
	w->counts = calloc(names->n + 1, sizeof(*w->counts));
	if (!w->counts)
		return PAPI_ENOMEM;
	for (size_t i = 0; i < names->n; i++)
		w->counts[i] = NAN;
	if (map_find(&names->slots, "#", &clock))
		w->counts[clock] = w->s->clock_hz;
	return 0;
}

static void open_list(struct work *w)
{
	if (!w->s->json) {
		write_names(w);
		return;
	}
	json_init(&w->json, w->to);
	json_object(&w->json, NULL);
	json_unsigned(&w->json, "assay", 1);
	json_array(&w->json, "records");
}

static void close_list(struct work *w)
{
	if (!w->s->json)
		return;
	json_end_array(&w->json);
	json_end_object(&w->json);
	json_finish(&w->json);
}

int record_stream_write(struct record_stream *s, FILE *to)
{
	struct work w = {
		.s = s,
		.to = to,
		.csv = { .path = s->path, .from = s->from },
	};
	int err = start(&w);

	if (!err) {
		open_list(&w);
		err = each_record(&w);
	}
	if (!err)
		close_list(&w);
	free(w.slots);
	free(w.counts);
	csv_fini(&w.csv);
	if (err == PAPI_ENOMEM)
		diag_fail(s->diag, err, "out of memory");
	else if (!err && ferror(to))
		err = diag_fail(s->diag, PAPI_ESYS,
				"cannot write the result: %s", strerror(errno));
	return err;
}
