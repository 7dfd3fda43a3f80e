/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which kernels are run for a classification, and at which points; and which
 * events a pattern means.
 */

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "classify/classify.h"

enum {
	POINTS = 64
};

static bool is_wanted(const struct kernel *k, char *const *patterns)
{
	for (size_t i = 0; patterns && patterns[i]; i++)
		if (fnmatch(patterns[i], k->name, 0) == 0)
			return true;
	return (!patterns || !patterns[0]) && k->role != ROLE_VALIDATE &&
	       k->role != ROLE_FIGURE;
}

bool classify_is_pattern(const char *word)
{
	return strpbrk(word, "*?[") != NULL;
}

bool classify_means(const char *pattern, const char *name)
{
	const char *colons = strstr(name, "::");

	return fnmatch(pattern, name, 0) == 0 ||
	       (colons && fnmatch(pattern, colons + 2, 0) == 0);
}

static bool same_bench(const struct kernel_point *a,
		       const struct kernel_point *b)
{
	return a->footprint == b->footprint && a->unit == b->unit &&
	       a->offset == b->offset &&
	       a->pages_per_block == b->pages_per_block && a->k == b->k;
}

static void add_bytes(struct strbuf *sb, uint64_t bytes)
{
	if (bytes % (1 << 20) == 0)
		strbuf_addf(sb, "%lluM", (unsigned long long)bytes >> 20);
	else if (bytes % 1024 == 0)
		strbuf_addf(sb, "%lluK", (unsigned long long)bytes >> 10);
	else
		strbuf_addf(sb, "%llu", (unsigned long long)bytes);
}

/* The kernel's name with the parameters that it uses. */
static char *name_bench(const struct kernel *k, const struct kernel_point *p)
{
	struct strbuf sb = { 0 };

	strbuf_add(&sb, k->name);
	if (k->uses & USES_FOOTPRINT) {
		strbuf_add(&sb, " ");
		add_bytes(&sb, p->footprint);
	}
	if (k->uses & USES_UNIT)
		strbuf_addf(&sb, " unit=%u", p->unit);
	if (k->uses & USES_PAGES)
		strbuf_addf(&sb, " ppb=%u", p->pages_per_block);
	if (k->uses & USES_OFFSET)
		strbuf_addf(&sb, " offset=%u", p->offset);
	if (k->uses & USES_K)
		strbuf_addf(&sb, " k=%u", p->k);
	return strbuf_take(&sb);
}

static double chance_of(const struct classify_plan *plan,
			const struct kernel *k, const struct kernel_point *p)
{
	double expect[CONCEPT_COUNT], sd[CONCEPT_COUNT], most = 0;

	kernel_expect(k, p, &plan->machine, expect, sd);
	for (size_t i = 0; i < CONCEPT_COUNT; i++)
		if (sd[i] > 0 && fabs(expect[i]) > 0)
			most = fmax(most, sd[i] / fabs(expect[i]));
	return most;
}

static int add_unit(struct classify_plan *plan, const struct kernel *k,
		    const struct kernel_point *point)
{
	struct classify_bench *bench;

	if (array_grow(&plan->units, plan->n_units, sizeof(*plan->units)))
		return PAPI_ENOMEM;
	plan->units[plan->n_units++] =
		(struct experiment_unit){ .kernel = k, .point = *point };
	bench = &plan->benches[plan->n_benches - 1];
	bench->n++;
	if (point->times > bench->point.times)
		bench->point = *point;
	return 0;
}

/*
 * Kernels that are at one length only, because it is the footprint that
 * matters, are also run twice as long: what starting and stopping costs is in
 * both, and not in the difference.
 */
static int add_longer(struct classify_plan *plan, const struct kernel *k,
		      const struct kernel_point *point)
{
	struct kernel_point longer = *point;

	if (plan->benches[plan->n_benches - 1].n > 1 || !k->steady)
		return 0;
	longer.times *= 2;
	return add_unit(plan, k, &longer);
}

static int open_bench(struct classify_plan *plan, const struct kernel *k,
		      const struct kernel_point *point)
{
	struct classify_bench *bench;

	if (array_grow(&plan->benches, plan->n_benches, sizeof(*plan->benches)))
		return PAPI_ENOMEM;
	bench = &plan->benches[plan->n_benches++];
	*bench = (struct classify_bench){
		.kernel = k,
		.point = *point,
		.name = name_bench(k, point),
		.first = plan->n_units,
		.chance = chance_of(plan, k, point),
	};
	return bench->name ? 0 : PAPI_ENOMEM;
}

static int add_bench(struct classify_plan *plan, const struct kernel *k,
		     const struct kernel_point *points, size_t n, size_t at)
{
	if (open_bench(plan, k, &points[at]))
		return PAPI_ENOMEM;
	for (size_t i = at; i < n; i++)
		if (same_bench(&points[i], &points[at]) &&
		    add_unit(plan, k, &points[i]))
			return PAPI_ENOMEM;
	return add_longer(plan, k, &points[at]);
}

static int add_kernel(struct classify_plan *plan, const struct kernel *k)
{
	struct kernel_point points[POINTS];
	size_t n = kernel_points(k, &plan->machine, points, POINTS);
	int err = 0;

	for (size_t i = 0; !err && i < n; i++) {
		size_t first = 0;

		while (!same_bench(&points[first], &points[i]))
			first++;
		if (first == i)
			err = add_bench(plan, k, points, n, i);
	}
	return err;
}

static void note_lacking(struct strbuf *sb, const struct kernel *k)
{
	strbuf_addf(sb, "%s%s", sb->len ? ", " : "", k->name);
}

/* Kernels of a GPU are a set of their own, asked for by their names. */
static bool is_gpu(char *const *patterns)
{
	return patterns && patterns[0] && strncmp(patterns[0], "gpu/", 4) == 0;
}

static int make_plan(struct classify_plan *plan,
		     const struct kernel_machine *machine,
		     char *const *patterns, bool all)
{
	STRBUF(lacking);
	bool gpu = is_gpu(patterns);
	size_t n = gpu ? kernels_gpu_count() : kernels_count();
	int err = 0;

	*plan = (struct classify_plan){ .machine = *machine };
	for (size_t i = 0; !err && i < n; i++) {
		const struct kernel *k =
			gpu ? kernels_gpu_get(i) : kernels_get(i);

		if (!is_wanted(k, patterns))
			continue;
		if (!all && kernel_lacks(k->needs))
			note_lacking(&lacking, k);
		else
			err = add_kernel(plan, k);
	}
	if (lacking.len)
		plan->lacking = strbuf_take(&lacking);
	if (err)
		classify_plan_fini(plan);
	return err;
}

int classify_plan_make(struct classify_plan *plan,
		       const struct kernel_machine *machine,
		       char *const *patterns)
{
	return make_plan(plan, machine, patterns, false);
}

int classify_plan_all(struct classify_plan *plan,
		      const struct kernel_machine *machine,
		      char *const *patterns)
{
	return make_plan(plan, machine, patterns, true);
}

/* Whether a unit is one more length of the last bench. */
static bool goes_on(const struct classify_plan *plan,
		    const struct experiment_unit *unit)
{
	const struct classify_bench *last;

	if (plan->n_benches == 0)
		return false;
	last = &plan->benches[plan->n_benches - 1];
	return last->kernel == unit->kernel &&
	       same_bench(&last->point, &unit->point);
}

int classify_plan_units(struct classify_plan *plan,
			const struct kernel_machine *machine,
			const struct experiment_unit *units, size_t n)
{
	int err = 0;

	*plan = (struct classify_plan){ .machine = *machine };
	for (size_t i = 0; !err && i < n; i++) {
		const struct experiment_unit *u = &units[i];

		err = goes_on(plan, u)
			      ? add_unit(plan, u->kernel, &u->point)
			      : open_bench(plan, u->kernel, &u->point) ||
					add_unit(plan, u->kernel, &u->point);
	}
	if (err)
		classify_plan_fini(plan);
	return err ? PAPI_ENOMEM : 0;
}

void classify_plan_fini(struct classify_plan *plan)
{
	for (size_t i = 0; i < plan->n_benches; i++)
		free(plan->benches[i].name);
	free(plan->benches);
	free(plan->units);
	free(plan->lacking);
	*plan = (struct classify_plan){ 0 };
}
