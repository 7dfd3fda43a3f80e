/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of counts, interval by interval. */

#include "measure/counting.h"

#include <errno.h>
#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "console/console.h"
#include "write/number.h"

static const char *quality_of(const struct event_row *e)
{
	return report_quality_name(
		e->reason || e->now.quality == ASSAY_NO_VALUE ? REPORT_NONE
		: e->now.quality == ASSAY_SCALED              ? REPORT_SCALED
							      : REPORT_COUNTED);
}

static const char *scope_of(const struct event_row *e)
{
	return e->machine ? " (whole machine)" : "";
}

/* Text. */

static void put_text(struct interval *i, const struct event_row *e,
		     long double value, const char *kind, const char *reason)
{
	char number[NUMBER_CAPACITY];

	(void)kind;
	(void)reason; /* the report follows, with it */
	fprintf(i->to, "%10.3f s  %16s %c%c %s%s%s%s\n", i->time_s,
		isnan(value) ? "no value" : number_count(number, value),
		strcmp(e->source, "sim") == 0 ? '*' : ' ',
		e->now.quality == ASSAY_SCALED ? '~' : ' ', e->name,
		*e->unit ? ", " : "", e->unit, scope_of(e));
}

/* CSV; names with commas are quoted. */

static void put_quoted(const char *text, FILE *to)
{
	if (!strpbrk(text, ",\"")) {
		fputs(text, to);
		return;
	}
	putc('"', to);
	for (; *text; text++)
		fprintf(to, *text == '"' ? "\"%c" : "%c", *text);
	putc('"', to);
}

static void put_csv(struct interval *i, const struct event_row *e,
		    long double value, const char *kind, const char *reason)
{
	char number[NUMBER_CAPACITY];

	fprintf(i->to, "%s,%.6f,", kind, i->time_s);
	put_quoted(e->name, i->to);
	fprintf(i->to, ",%s,%s,%s%s,%s,",
		isnan(value) ? "" : number_exact(number, value), e->unit,
		e->source, scope_of(e), quality_of(e));
	put_quoted(reason ? reason : "", i->to);
	fputs("\r\n", i->to);
}

/* JSON lines. */

static void put_string(const char *text, FILE *to)
{
	putc('"', to);
	for (; *text; text++) {
		if ((unsigned char)*text < 0x20)
			fprintf(to, "\\u%04x", (unsigned)*text);
		else
			fprintf(to, strchr("\"\\", *text) ? "\\%c" : "%c",
				*text);
	}
	putc('"', to);
}

static void put_json(struct interval *i, const struct event_row *e,
		     long double value, const char *kind, const char *reason)
{
	char number[NUMBER_CAPACITY];

	fprintf(i->to, "{\"kind\": \"%s\", \"time_s\": %.6f, \"event\": ", kind,
		i->time_s);
	put_string(e->name, i->to);
	fprintf(i->to, ", \"value\": %s, \"unit\": ",
		isnan(value) ? "null" : number_exact(number, value));
	put_string(e->unit, i->to);
	fprintf(i->to,
		", \"source\": \"%s%s\", \"quality\": \"%s\", \"reason\": ",
		e->source, scope_of(e), quality_of(e));
	if (reason)
		put_string(reason, i->to);
	else
		fputs("null", i->to);
	fputs("}\n", i->to);
}

static const struct {
	const char *format;
	void (*put)(struct interval *i, const struct event_row *e,
		    long double value, const char *kind, const char *reason);
} forms[] = {
	{ "text", put_text },
	{ "csv", put_csv },
	{ "json", put_json },
};

static int choose_form(struct interval *i, const struct console *console,
		       const struct format *format)
{
	for (size_t k = 0; k < sizeof(forms) / sizeof(*forms); k++)
		if (strcmp(forms[k].format, format->name) == 0)
			i->put = forms[k].put;
	if (i->put)
		return 0;
	return say_usage(console,
			 "--interval cannot write %s; formats: text, csv, json",
			 format->name);
}

bool interval_is_all(const struct interval *i)
{
	return i->put && i->put != put_text;
}

/* Text goes to people at once; the report goes where -o says. */
static int open_stream(struct interval *i, const struct output *output)
{
	i->to = stderr;
	if (i->put == put_text || !output->path)
		return 0;
	if (strcmp(output->path, "-") == 0) {
		i->to = stdout;
		return 0;
	}
	i->to = fopen(output->path, "we");
	i->owned = i->to != NULL;
	if (i->to)
		return 0;
	return say_failure(output->console, "cannot write %s: %s", output->path,
			   strerror(errno));
}

int interval_open(struct interval *i, const struct output *output,
		  const struct format *format, struct event_list *measure)
{
	int status = choose_form(i, output->console, format);

	i->measure = measure;
	i->before = calloc(measure->n + 1, sizeof(*i->before));
	if (!i->before)
		return say_no_memory(output->console);
	if (!status)
		status = open_stream(i, output);
	if (!status && i->put == put_csv)
		fputs("kind,time_s,event,value,unit,source,quality,reason\r\n",
		      i->to);
	return status;
}

static void put_lines(struct interval *i, uint64_t elapsed_ns)
{
	i->time_s = (double)elapsed_ns / 1e9;
	for (size_t k = 0; k < i->measure->n; k++) {
		const struct event_row *e = &i->measure->events[k];

		if (e->reason || e->state == EVENT_NOT_YET)
			continue;
		i->put(i, e, e->level ? e->total : e->total - i->before[k],
		       "interval", NULL);
		if (!isnan(e->total))
			i->before[k] = e->total;
	}
	fflush(i->to);
}

void interval_fire(void *interval, uint64_t elapsed_ns)
{
	struct interval *i = interval;
	int err = measure_read(i->measure);

	if (!err)
		put_lines(i, elapsed_ns);
	else if (!i->err)
		i->err = err;
}

/* @missing: what is not in counts of the simulated PMU; NULL: nothing. */
static void put_totals(struct interval *i, const char *missing)
{
	for (size_t k = 0; k < i->measure->n; k++) {
		const struct event_row *e = &i->measure->events[k];
		bool simulated = e->source && strcmp(e->source, "sim") == 0;

		i->put(i, e, e->reason ? NAN : e->total, "total",
		       e->reason   ? e->reason
		       : simulated ? missing
				   : NULL);
	}
}

int interval_finish(struct interval *i, const struct console *console,
		    uint64_t elapsed_ns, const struct simulation *simulation)
{
	put_lines(i, elapsed_ns);
	if (i->put != put_text)
		put_totals(i, simulation ? simulation->missing : NULL);
	if (i->err)
		say_error(console, "an interval could not be read: %s",
			  PAPI_strerror(i->err));
	if (fflush(i->to) || ferror(i->to))
		return say_failure(console, "cannot write the intervals: %s",
				   strerror(errno));
	return i->err ? CMD_FAILED : 0;
}

void interval_close(struct interval *i)
{
	if (i->owned)
		fclose(i->to);
	free(i->before);
	memset(i, 0, sizeof(*i));
}
