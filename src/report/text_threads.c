/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads as text: min, mean, max, and outliers. */

#include "base/strbuf.h"
#include "report/text_page.h"
#include "write/number.h"

#define MOST_NAMED 4 /* of the outliers */

static void add_thread_name(const struct report_thread *t, struct strbuf *out)
{
	strbuf_addf(out, "thread %ld", t->tid);
	if (*t->name)
		strbuf_addf(out, " (%s)", t->name);
}

/* "outliers: thread 4711 (worker) low, thread 4712 high, and 3 more", or
 * nothing. */
static void put_outliers(const struct page *p, const struct report_fold *f)
{
	const struct report_threads *t = &p->r->threads;
	STRBUF(text);
	size_t named = 0;

	if (f->n_outliers == 0)
		return;
	strbuf_add(&text, f->n_outliers > 1 ? "outliers: " : "outlier: ");
	for (size_t i = 0; i < t->n && named < MOST_NAMED; i++) {
		if (!f->is_outlier[i])
			continue;
		strbuf_add(&text, named++ ? ", " : "");
		add_thread_name(&t->list[i], &text);
		strbuf_add(&text, f->values[i] < f->mean ? " low" : " high");
	}
	if (f->n_outliers > named)
		strbuf_addf(&text, ", and %zu more", f->n_outliers - named);
	put_spaces(p, NUMBER_COLUMNS + 4);
	style_wrap(p->style, strbuf_text(&text), NUMBER_COLUMNS + 4,
		   NUMBER_COLUMNS + 4, p->to);
}

static void put_fold(const struct page *p, const struct report_fold *f)
{
	const long double numbers[] = { f->values[f->least], f->mean,
					f->values[f->most] };
	double time = text_seconds_in(f->unit);
	char number[NUMBER_CAPACITY];

	for (size_t i = 0; i < 3; i++)
		fprintf(p->to, "%*s", NUMBER_COLUMNS,
			time > 0 ? number_seconds(number,
						  (double)numbers[i] * time)
				 : number_count(number, numbers[i]));
	fprintf(p->to, "    %s%s%s\n", f->event,
		*f->unit && !(time > 0) ? ", " : "", time > 0 ? "" : f->unit);
	put_outliers(p, f);
}

void text_put_threads(const struct page *p)
{
	const struct report_threads *t = &p->r->threads;
	char heading[48];

	if (!t->asked)
		return;
	if (t->run)
		snprintf(heading, sizeof(heading), "threads of run %zu: %zu",
			 t->run, t->n);
	else
		snprintf(heading, sizeof(heading), "threads: %zu", t->n);
	style_heading(p->style, t->reason ? "threads" : heading, p->to);
	if (t->reason) {
		put_spaces(p, 2);
		style_wrap(p->style, t->reason, 2, 2, p->to);
		return;
	}
	fprintf(p->to, "%*s%*s%*s\n", NUMBER_COLUMNS, "min", NUMBER_COLUMNS,
		"mean", NUMBER_COLUMNS, "max");
	for (size_t i = 0; i < t->n_folds; i++)
		put_fold(p, &t->folds[i]);
}
