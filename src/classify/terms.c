/* SPDX-License-Identifier: BSD-3-Clause */
/* What an event may count, and what each bench should then make of it. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "classify/inside.h"

const enum concept classify_paper[CLASSIFY_PAPER] = {
	CONCEPT_BR_COND_EXEC, CONCEPT_BR_COND, CONCEPT_BR_TAKEN,
	CONCEPT_BR_DIRECT,    CONCEPT_BR_MISP,
};

const char *classify_term_name(size_t term)
{
	return term < CONCEPT_COUNT ? concepts[term].name
				    : composites[term - CONCEPT_COUNT].name;
}

const char *classify_term_text(size_t term)
{
	return term < CONCEPT_COUNT ? concepts[term].text
				    : composites[term - CONCEPT_COUNT].text;
}

double classify_term_weight(size_t term, size_t concept)
{
	const struct composite_term *part;

	if (term < CONCEPT_COUNT)
	return term == concept;
	part = composites[term - CONCEPT_COUNT].terms;
	while (part->weight != 0 && part->concept != concept)
		part++;
	return part->weight;
}

const char *classify_current_name(const char *name)
{
	static const char *const renamed[][2] = {
		{ "VAIN_INS", "WRONG_PATH_INS" },
		{ "VAIN_LOAD", "WRONG_PATH_LOAD" },
		{ "VAIN_STORE", "WRONG_PATH_STORE" },
		{ "VAIN_JUMP", "WRONG_PATH_JUMP" },
		{ "BR_IN_VAIN", "BR_WRONG_PATH" },
		{ "unstirred", "not exercised" },
		{ "uncounted", "not counted" },
	};

	for (size_t i = 0; name && i < ARRAY_SIZE(renamed); i++)
		if (strcmp(renamed[i][0], name) == 0)
			return renamed[i][1];
	return name;
}

size_t classify_term_find(const char *name)
{
	size_t n = CONCEPT_COUNT + composites_n;

	name = classify_current_name(name);
	for (size_t i = 0; i < n; i++)
		if (strcmp(classify_term_name(i), name) == 0)
			return i;
	return n;
}

bool classify_is_spent(size_t term)
{
	const struct composite *sum;

	if (term < CONCEPT_COUNT)
		return concepts[term].family == FAMILY_SPENT;
	sum = &composites[term - CONCEPT_COUNT];
	/* the first may be all cycles, which others are taken away from */
	return concepts[sum->terms[0].concept].family == FAMILY_SPENT ||
	       (sum->terms[1].weight != 0 &&
		concepts[sum->terms[1].concept].family == FAMILY_SPENT);
}

bool classify_term_is_cycles(size_t term)
{
	return classify_is_spent(term) || term == CONCEPT_CYCLES;
}

/*
 * How far chance moves the slope of a bench whose single times vary by @sd:
 * the variance of a count grows with its length.
 */
static double sigma_of(const struct classify_plan *plan,
		       const struct classify_bench *bench, double sd)
{
	double mean = 0, xx = 0, sum = 0;

	if (sd == 0)
		return 0;
	for (size_t i = 0; i < bench->n; i++)
		mean += (double)plan->units[bench->first + i].point.times /
			(double)bench->n;
	for (size_t i = 0; i < bench->n; i++) {
		double x = (double)plan->units[bench->first + i].point.times;

		xx += (x - mean) * (x - mean);
		sum += (x - mean) * (x - mean) * x;
	}
	if (xx > 0)
		return sd * sqrt(sum) / xx;
	return sd / sqrt((double)bench->point.times);
}

/* A column of @t: one bench. */
static void fill_concepts(struct classify_terms *t,
			  const struct classify_plan *plan, size_t b)
{
	const struct classify_bench *bench = &plan->benches[b];
	double expect[CONCEPT_COUNT], sd[CONCEPT_COUNT];

	kernel_expect(bench->kernel, &bench->point, &plan->machine, expect, sd);
	for (size_t i = 0; i < CONCEPT_COUNT; i++) {
		t->value[i * t->benches + b] = expect[i];
		t->sigma[i * t->benches + b] = sigma_of(plan, bench, sd[i]);
	}
}

static void fill_composite(struct classify_terms *t, size_t composite, size_t b)
{
	const struct composite *c = &composites[composite];
	size_t at = (CONCEPT_COUNT + composite) * t->benches + b;
	double sum = 0, variance = 0;

	for (size_t i = 0; c->terms[i].weight != 0; i++) {
		size_t part = (size_t)c->terms[i].concept * t->benches + b;
		double w = c->terms[i].weight;

		sum += w * t->value[part];
		variance += w * w * t->sigma[part] * t->sigma[part];
	}
	t->value[at] = sum;
	t->sigma[at] = sqrt(variance);
}

static bool is_exercised(const struct classify_terms *t, size_t term)
{
	for (size_t b = 0; b < t->benches; b++)
		if (fabs(t->value[term * t->benches + b]) > 0)
			return true; /* false for NaN */
	return false;
}

int classify_terms_make(struct classify_terms *t,
			const struct classify_plan *plan)
{
	size_t n = CONCEPT_COUNT + composites_n;

	*t = (struct classify_terms){
		.n = n,
		.benches = plan->n_benches,
		.value = calloc(n * plan->n_benches + 1, sizeof(double)),
		.sigma = calloc(n * plan->n_benches + 1, sizeof(double)),
		.x = calloc(n, sizeof(struct expectation)),
		.barred = calloc(n, 1),
	};
	if (!t->value || !t->sigma || !t->x || !t->barred) {
		classify_terms_fini(t);
		return PAPI_ENOMEM;
	}
	for (size_t b = 0; b < t->benches; b++) {
		fill_concepts(t, plan, b);
		for (size_t i = 0; i < composites_n; i++)
			fill_composite(t, i, b);
	}
	for (size_t i = 0; i < n; i++) {
		t->x[i] = (struct expectation){ t->value + i * t->benches,
						t->sigma + i * t->benches };
		t->barred[i] = !is_exercised(t, i);
	}
	return 0;
}

void classify_terms_forget(struct classify_terms *t, size_t b)
{
	for (size_t i = 0; i < t->n; i++) {
		t->value[i * t->benches + b] = NAN;
		t->barred[i] = !is_exercised(t, i);
	}
}

void classify_terms_fini(struct classify_terms *t)
{
	free(t->value);
	free(t->sigma);
	free(t->x);
	free(t->barred);
	*t = (struct classify_terms){ 0 };
}
