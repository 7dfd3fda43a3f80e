/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The roofline in words and as a part of the page; the numbers are
 * roofline.c's.
 */
#include "perfmodel/roofline.h"

#include <math.h>
#include <stdlib.h>

/* "all misses in flight" */
static void add_name(struct strbuf *text, const char *name)
{
	for (; *name; name++)
		strbuf_addn(text, *name == '_' ? " " : name, 1);
}

static void put_name(struct json *j, const char *name)
{
	STRBUF(text);

	add_name(&text, name);
	json_string(j, "name", strbuf_text(&text));
}

/* The lowest ceiling that the program has not passed. */
struct above {
	const char *name;
	double rate;
	bool is_memory;
};

static void consider(struct above *above, const struct roofline *r,
		     const char *name, double rate, bool is_memory)
{
	/* a little below counts as passed: counts are not that exact */
	if (rate >= 0.99 * r->rate && rate < above->rate)
		*above = (struct above){ name, rate, is_memory };
}

static struct above find_above(const struct roofline *r)
{
	struct above above = { .rate = INFINITY };

	for (size_t i = 0; i < r->n_bytes; i++)
		consider(&above, r, r->bytes[i].name,
			 r->bytes[i].value * r->intensity, true);
	for (size_t i = 0; i < r->n_flops; i++)
		consider(&above, r, r->flops[i].name, r->flops[i].value, false);
	return above;
}

/* What lies above is what to work on next. */
static void add_next(const struct above *above, struct strbuf *text)
{
	if (isinf(above->rate))
		return;
	strbuf_add(text, " The ceiling just above it is \"");
	add_name(text, above->name);
	strbuf_addf(text, "\" (%.3g Gflop/s here): ", above->rate / 1e9);
	strbuf_add(text, above->is_memory
				 ? "to pass it, move fewer bytes (block loops, "
				   "keep data in cache) or fetch them earlier "
				   "and in order."
				 : "to pass it, do more operations per "
				   "instruction (vectors, fused multiply-add) "
				   "and more of them at a time.");
}

void roofline_lead(const struct modelled *m, struct strbuf *text)
{
	struct roofline r = roofline_make(m);
	double attainable = roofline_at(&r, r.intensity);
	OWNED char *program = roofline_program(m);
	struct above above;

	if (!(r.intensity > 0 && r.rate > 0) || isnan(attainable)) {
		strbuf_addf(text,
			    "%s cannot be placed under this roof: no "
			    "floating-point operations or no bytes were "
			    "counted.",
			    program ? program : "The program");
		return;
	}
	above = find_above(&r);
	strbuf_addf(text,
		    "%s does %.3g floating-point operations per byte of memory "
		    "traffic and reaches %.3g Gflop/s: %.2g %% of the %.3g "
		    "that the roof allows there, where %s is the limit.",
		    program ? program : "The program", r.intensity,
		    r.rate / 1e9, 100 * r.rate / attainable, attainable / 1e9,
		    attainable < r.flops[0].value ? "memory" : "the processor");
	add_next(&above, text);
}

static void put_roofs(struct json *j, const char *name,
		      const struct ceiling *list, size_t n)
{
	json_array(j, name);
	for (size_t i = 0; i < n; i++) {
		json_row(j, NULL);
		put_name(j, list[i].name);
		json_number(j, "value", list[i].value);
		json_end_object(j);
	}
	json_end_array(j);
}

static void put_points(struct json *j, const struct roofline_points *points)
{
	for (size_t i = 0; points && i < points->n; i++) {
		const struct roofline_point *p = &points->list[i];

		json_row_of(
			j, NULL,
			"program %s, name %s, kind %s, intensity %g, rate %g",
			p->program, p->name, roofline_kinds[p->kind],
			p->intensity, p->rate);
	}
}

void roofline_page(const struct modelled *m, struct html_report *page)
{
	struct roofline r = roofline_make(m);
	struct roofline_points points = { 0 };
	struct json *j = &page->json;

	if (r.n_flops == 0 || r.n_bytes == 0)
		return;
	roofline_points_add(&points, m); /* those there is memory for */
	html_report_part(page, "roofline", "Roofline");
	put_roofs(j, "flops", r.flops, r.n_flops);
	put_roofs(j, "bytes", r.bytes, r.n_bytes);
	json_array(j, "points");
	put_points(j, &points);
	put_points(j, m->beside);
	json_end_array(j);
	json_end_object(j);
	roofline_points_fini(&points);
}
