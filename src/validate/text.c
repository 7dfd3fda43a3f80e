/* SPDX-License-Identifier: BSD-3-Clause */
/* A validation for people: a line an event, details, what is wrong and why. */

#include <math.h>
#include <papi.h>
#include <string.h>

#include "base/array.h"
#include "validate/validate.h"
#include "write/columns.h"
#include "write/number.h"
#include "write/style.h"

static const enum ink inks[] = {
	[VERDICT_PASS] = INK_GOOD,
	[VERDICT_FAIL] = INK_POOR,
	[VERDICT_NONE] = INK_DIM,
};

/* Events that gave the same in every repeat. */
static size_t count_alike(const struct validation *v)
{
	size_t n = 0;

	for (size_t e = 0; e < v->n; e++) {
		bool alike = v->events[e].verdict != VERDICT_NONE;

		for (size_t i = 0; i < VALIDATE_SIZES; i++)
			if (validate_is_asked(&v->events[e].rows[i]))
				alike &= v->events[e].rows[i].max <=
					 v->events[e].rows[i].min;
		n += alike;
	}
	return n;
}

/* "1.6e+03" as "1.6e3". */
static void shorten_exponent(char *text)
{
	char *e = strchr(text, 'e');
	char *from = e ? e + 1 : NULL;

	if (!e)
		return;
	if (*from == '-')
		e++;
	from += strspn(from, "+-0");
	memmove(e + 1, from, strlen(from) + 1);
}

/* "0", "-0.3", "1.6e3": a difference in no more than six columns. */
static const char *difference(char *text, size_t capacity, double pct)
{
	double size = fabs(pct);

	if (isnan(pct))
		return "-";
	if (size < 5e-7)
		return "0";
	snprintf(text, capacity,
		 size < 1e-3   ? "%.0e"
		 : size < 1e-2 ? "%.1g"
		 : size < 99.5 ? "%.2g"
		 : size < 1000 ? "%.0f"
			       : "%.1e",
		 pct);
	shorten_exponent(text);
	return text;
}

static void add_summary(struct columns *c, const struct validate_event *event)
{
	char text[32], number[NUMBER_CAPACITY];
	double overhead = event->rows[0].overhead;

	columns_add(c, INK_PLAIN, "%s", event->name);
	for (size_t i = 0; i < VALIDATE_SIZES; i++)
		columns_add(c, INK_PLAIN, "%s",
			    validate_is_asked(&event->rows[i])
				    ? difference(text, sizeof(text),
						 event->rows[i].corrected_pct)
				    : "");
	columns_add(c, INK_PLAIN, "%s",
		    isnan(overhead) ? "-" : number_short(number, overhead));
	columns_add(c, inks[event->verdict], "%s %s",
		    validate_verdicts[event->verdict],
		    validate_classes[event->class]);
}

static int put_summary(const struct validation *v,
		       const struct report_style *style, FILE *to)
{
	static const char *const titles[] = { "event",  "1",   "10",
					      "100",    "1e3", "1e4",
					      "1e5",    "1e6", "overhead",
					      "verdict" };
	struct columns c;
	int err;

	columns_init(&c, "lrrrrrrrrl");
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		columns_add(&c, INK_PLAIN, "%s", titles[i]);
	for (size_t e = 0; e < v->n; e++)
		add_summary(&c, &v->events[e]);
	fprintf(to, "%% difference after overhead, by number of occurrences\n");
	err = columns_write(&c, style, to);
	columns_fini(&c);
	return err;
}

static int put_rows(const struct validate_event *event,
		    const struct report_style *style, FILE *to)
{
	static const char *const titles[] = { "asked",  "predicted", "mean",
					      "stddev", "min",       "max",
					      "diff %", "corr. %" };
	struct columns c;
	char text[32];
	int err;

	columns_init(&c, "rrrrrrrr");
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		columns_add(&c, INK_PLAIN, "%s", titles[i]);
	for (size_t i = 0; i < VALIDATE_SIZES; i++) {
		const struct validate_row *r = &event->rows[i];

		if (!validate_is_asked(r))
			continue;
		columns_add(&c, INK_PLAIN, "%.0f", validate_size(i));
		columns_add(&c, INK_PLAIN, "%.0f", r->predicted);
		columns_add(&c, INK_PLAIN, "%.1f", r->mean);
		columns_add(&c, INK_PLAIN, "%.3g", r->stddev);
		columns_add(&c, INK_PLAIN, "%.0f", r->min);
		columns_add(&c, INK_PLAIN, "%.0f", r->max);
		columns_add(&c, INK_PLAIN, "%s",
			    difference(text, sizeof(text), r->error_pct));
		columns_add(&c, INK_PLAIN, "%s",
			    difference(text, sizeof(text), r->corrected_pct));
	}
	fprintf(to, "\n%s by %s\n", event->name, event->check->kernel);
	err = columns_write(&c, style, to);
	columns_fini(&c);
	return err;
}

static int put_patterns(const struct validation *v,
			const struct report_style *style, FILE *to)
{
	struct columns c;
	int err;

	columns_init(&c, "lrrrr");
	columns_add(&c, INK_PLAIN, "event");
	for (int p = 0; p < PATTERN_COUNT; p++)
		columns_add(&c, INK_PLAIN, "%s", validate_patterns[p]);
	for (size_t e = 0; e < v->n; e++) {
		if (v->events[e].verdict == VERDICT_NONE)
			continue;
		columns_add(&c, INK_PLAIN, "%s", v->events[e].name);
		for (int p = 0; p < PATTERN_COUNT; p++)
			columns_add(&c, INK_PLAIN, "%.6g",
				    v->events[e].patterns[p].overhead);
	}
	fputs("\noverhead by read pattern\n", to);
	err = columns_write(&c, style, to);
	columns_fini(&c);
	return err;
}

static void put_reason(const struct validate_event *event, const char *text,
		       const struct report_style *style, FILE *to)
{
	if (!text)
		return;
	fprintf(to, "%s: ", event->name);
	style_wrap(style, text, strlen(event->name) + 2, 2, to);
}

static void put_reasons(const struct validation *v,
			const struct report_style *style, FILE *to)
{
	for (size_t e = 0; e < v->n; e++) {
		const struct validate_event *event = &v->events[e];
		put_reason(event, event->finding, style, to);
		put_reason(event, event->cause ? event->cause : event->reason,
			   style, to);
	}
}

static void put_sums(const struct validation *v,
		     const struct report_style *style, FILE *to)
{
	size_t passed = validate_count(v, VERDICT_PASS);
	char text[160];

	snprintf(
		text, sizeof(text),
		"%u repeats; %zu of %zu events gave the same count each time%s",
		v->repeats, count_alike(v), v->n,
		v->proven ? ": this PMU is deterministic, so more repeats "
			    "would give the same"
			  : "");
	style_wrap(style, text, 0, 0, to);
	fprintf(to, "%zu event%s as predicted, %zu not, %zu not counted\n",
		passed, passed == 1 ? "" : "s", validate_count(v, VERDICT_FAIL),
		validate_count(v, VERDICT_NONE));
}

int validate_write_text(const void *what, const struct report_style *style,
			FILE *to)
{
	const struct validation *v = what;
	int err;

	style_heading(style, v->platform, to);
	err = put_summary(v, style, to);
	for (size_t e = 0; !err && style->verbose && e < v->n; e++)
		err = put_rows(&v->events[e], style, to);
	if (!err && validate_has_patterns(v))
		err = put_patterns(v, style, to);
	if (err)
		return err;
	putc('\n', to);
	put_reasons(v, style, to);
	put_sums(v, style, to);
	return ferror(to) ? PAPI_ESYS : 0;
}
