/* SPDX-License-Identifier: BSD-3-Clause */
/* Records in CSV to values of metrics, one at a time. */

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/array.h"
#include "cli/metrics_eval.h"
#include "report/json.h"
#include "report/number.h"

#define UNUSED SIZE_MAX /* slot of a column that no metric reads */

/* One stream being worked on. */
struct work {
	struct record_stream *s;
	size_t *slots; /* of each column */
	size_t columns;
	double *counts; /* one for each name of the set */
	char *line;
	size_t room;
	size_t number; /* of the line */
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

static int refuse(struct work *w, size_t column, const char *what)
{
	struct diag *diag = w->s->diag;

	diag->file = w->s->path;
	diag->line = w->number;
	return diag_fail_at(diag, PAPI_EINVAL, column, "%s", what);
}

/* The next line without its end; 1, 0 at the end, or PAPI_ESYS. */
static int next_line(struct work *w)
{
	ssize_t n = getline(&w->line, &w->room, w->s->from);

	if (n < 0 && ferror(w->s->from))
		return diag_fail(w->s->diag, PAPI_ESYS, "cannot read %s: %s",
				 w->s->path, strerror(errno));
	if (n < 0)
		return 0;
	while (n > 0 && (w->line[n - 1] == '\n' || w->line[n - 1] == '\r'))
		w->line[--n] = '\0';
	w->number++;
	return 1;
}

/*
 * Cut the field at *@at out of the line, in place, quotes taken off
 * (RFC 4180); *@at is then the next one, or NULL. NULL if a quote is open.
 */
static char *cut_field(char **at)
{
	char *from = *at, *in, *out;

	if (*from != '"') {
		out = from + strcspn(from, ",");
		*at = *out ? out + 1 : NULL;
		*out = '\0';
		return from;
	}
	for (in = out = ++from; *in && (*in != '"' || in[1] == '"'); in++) {
		in += *in == '"';
		*out++ = *in;
	}
	if (!*in)
		return NULL;
	in++;
	*at = *in == ',' ? in + 1 : NULL;
	*out = '\0';
	return *in && *in != ',' ? NULL : from;
}

static size_t slot_of(const struct metric_set *set, const char *name)
{
	for (size_t i = 0; i < set->names.n; i++)
		if (record_same_event(set->names.names[i], name))
			return i;
	return UNUSED;
}

static char *trim(char *text)
{
	char *end;

	text += strspn(text, " \t");
	end = text + strlen(text);
	while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = '\0';
	return text;
}

static int read_header(struct work *w)
{
	int more = next_line(w);
	char *at = w->line;

	if (more < 0)
		return more;
	if (more == 0)
		return refuse(w, 1, "there is no line of event names");
	while (at) {
		size_t column = (size_t)(at - w->line) + 1;
		char *name = cut_field(&at);

		if (!name)
			return refuse(w, column, "this quote is never closed");
		name = trim(name);
		if (!*name)
			return refuse(w, column, "an event name is missing");
		if (isdigit((unsigned char)*name))
			return refuse(w, column,
				      "a number where an event name must be: "
				      "the first line names the columns");
		if (array_grow(&w->slots, w->columns, sizeof(*w->slots)))
			return PAPI_ENOMEM;
		w->slots[w->columns++] = slot_of(w->s->set, name);
	}
	return 0;
}

/* A number; an empty field is no value. False if it is neither. */
static bool number_of(const char *text, double *value)
{
	char *end;

	if (!*text) {
		*value = NAN;
		return true;
	}
	*value = strtod(text, &end);
	return end != text && !*end && !isinf(*value);
}

static int read_record(struct work *w)
{
	char *at = w->line;
	size_t k = 0;

	for (; at; k++) {
		size_t column = (size_t)(at - w->line) + 1;
		char *text = cut_field(&at);
		double value;

		if (!text)
			return refuse(w, column, "this quote is never closed");
		if (k == w->columns)
			return refuse(w, column,
				      "more fields than the first line names");
		if (w->slots[k] == UNUSED)
			continue;
		if (!number_of(trim(text), &value))
			return refuse(w, column, "this is not a number");
		w->counts[w->slots[k]] = value;
	}
	if (k < w->columns)
		return refuse(w, 1, "fewer fields than the first line names");
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
	char text[NUMBER_ROOM];

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

	while (!err && (more = next_line(w)) != 0) {
		if (more < 0)
			return more;
		if (!*w->line)
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
	struct work w = { .s = s, .to = to };
	int err = start(&w);

	if (!err) {
		open_list(&w);
		err = each_record(&w);
	}
	if (!err)
		close_list(&w);
	free(w.slots);
	free(w.counts);
	free(w.line);
	if (err == PAPI_ENOMEM)
		diag_fail(s->diag, err, "out of memory");
	else if (!err && ferror(to))
		err = diag_fail(s->diag, PAPI_ESYS,
				"cannot write the result: %s", strerror(errno));
	return err;
}
