/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Points of a program, its levels and threads; of other runs, read from their
 * files.
 */
#include "perfmodel/roofline.h"

#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/tree.h"

const char *const roofline_kinds[] = {
	[ROOFLINE_PROGRAM] = "program",
	[ROOFLINE_LEVEL] = "level",
	[ROOFLINE_THREAD] = "thread",
};

/* Metrics of share/metrics/roofline.txt: operations per byte that came from
 * a level. */
static const struct {
	const char *name;
	const char *metric;
} levels[] = {
	{ "L2", "flops_per_l2_byte" },
	{ "L3", "flops_per_l3_byte" },
};

static int add(struct roofline_points *points, const char *program,
	       const char *name, struct roofline_point point)
{
	struct roofline_point *more;

	if (!(point.intensity > 0 && point.rate > 0) ||
	    isinf(point.intensity) || isinf(point.rate))
		return 0; /* no place on logarithmic axes */
	more = realloc(points->list, (points->n + 1) * sizeof(*more));
	if (!more)
		return PAPI_ENOMEM;
	points->list = more;
	point.program = strdup(program);
	point.name = strdup(name);
	points->list[points->n++] = point; /* what there is of it is freed */
	return point.program && point.name ? 0 : PAPI_ENOMEM;
}

static void add_word(struct strbuf *words, const char *word)
{
	const char *slash = words->len ? NULL : strrchr(word, '/');

	strbuf_addf(words, "%s%s", words->len ? " " : "",
		    slash ? slash + 1 : word);
}

char *roofline_program(const struct modelled *m)
{
	struct strbuf words = { 0 };

	for (const char *const *w = m->report.command; w && *w; w++)
		add_word(&words, *w);
	return strbuf_take(&words);
}

static const long double *values_of(const struct report_threads *t,
				    const char *name)
{
	for (size_t i = 0; i < t->n_folds; i++)
		if (strcmp(t->folds[i].event, name) == 0)
			return t->folds[i].values;
	return NULL;
}

/* Threads of the simulated machine, each with a core of its own. */
static int add_threads(struct roofline_points *points, const struct modelled *m,
		       const char *program)
{
	const struct report_threads *t = &m->report.threads;
	const long double *flops = values_of(t, "PAPI_FP_OPS");
	const long double *bytes = values_of(t, "DRAM:BYTES");
	const long double *cycles = values_of(t, "PAPI_TOT_CYC");
	int err = 0;

	if (!m->simulated || t->n < 2 || !flops || !bytes || !cycles)
		return 0;
	for (size_t i = 0; !err && i < t->n; i++) {
		struct roofline_point point = {
			.kind = ROOFLINE_THREAD,
			.intensity = (double)(flops[i] / bytes[i]),
			.rate = (double)(flops[i] / cycles[i]) *
				modelled_clock(m),
		};
		char name[32];

		snprintf(name, sizeof(name), "thread %zu", i);
		err = add(points, program, name, point);
	}
	return err;
}

static int add_levels(struct roofline_points *points, const struct modelled *m,
		      const char *program, double rate)
{
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(levels); i++)
		err = add(points, program, levels[i].name,
			  (struct roofline_point){ .kind = ROOFLINE_LEVEL,
						   .intensity = modelled_value(
							   m, levels[i].metric),
						   .rate = rate });
	return err;
}

int roofline_points_add(struct roofline_points *points,
			const struct modelled *m)
{
	double rate = modelled_count(m, "PAPI_FP_OPS") / modelled_seconds(m);
	OWNED char *program = roofline_program(m);
	int err = PAPI_ENOMEM;

	if (program)
		err = add(points, program, "",
			  (struct roofline_point){ .kind = ROOFLINE_PROGRAM,
						   .intensity = modelled_value(
							   m, "flops_per_byte"),
						   .rate = rate });
	if (!err)
		err = add_levels(points, m, program, rate);
	if (!err)
		err = add_threads(points, m, program);
	return err;
}

static enum roofline_kind kind_of(const char *name)
{
	for (size_t i = 0; name && i < ROOFLINE_THREAD; i++)
		if (strcmp(name, roofline_kinds[i]) == 0)
			return i;
	return ROOFLINE_THREAD;
}

static int add_tree(struct roofline_points *points, const struct tree *document)
{
	const struct tree *command = tree_member(document, "command");
	const struct tree *list = tree_member(document, "points");
	STRBUF(program);
	int err = 0;

	for (size_t i = 0; command && i < command->n; i++)
		if (tree_is(&command->items[i], TREE_STRING))
			add_word(&program, command->items[i].text);
	for (size_t i = 0; !err && list && i < list->n; i++) {
		const struct tree *item = &list->items[i];
		const char *name = tree_text(item, "name");
		struct roofline_point point = {
			.kind = kind_of(tree_text(item, "kind")),
			.intensity =
				tree_number(tree_member(item, "intensity")),
			.rate = tree_number(
				tree_member(item, "flops_per_second")),
		};

		err = add(points, strbuf_text(&program), name ? name : "",
			  point);
	}
	return err;
}

int roofline_points_read(struct roofline_points *points, const char *path,
			 struct diag *diag)
{
	struct tree *document = NULL;
	OWNED char *text = NULL;
	const char *model;
	size_t len;
	int err = file_read(path, &text, &len, diag);

	if (!err)
		err = tree_parse(text, &document, diag);
	model = tree_text(document, "model");
	if (!err && (!model || strcmp(model, "roofline") != 0 ||
		     !tree_member(document, "points")))
		err = diag_fail(diag, PAPI_EINVAL,
				"not the JSON of assay model roofline");
	if (!err)
		err = add_tree(points, document);
	tree_free(document);
	return err;
}

void roofline_points_fini(struct roofline_points *points)
{
	while (points->n > 0) {
		free(points->list[--points->n].program);
		free(points->list[points->n].name);
	}
	free(points->list);
	*points = (struct roofline_points){ 0 };
}
