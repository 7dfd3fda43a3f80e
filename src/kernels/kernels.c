/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of all kernels, and what can be said of each. */

#include "kernels/kernel.h"

#include <math.h>
#include <string.h>

#include "kernels/tables.h"

static const struct kernel_table *const tables[] = {
	&kernels_null,       &kernels_count_system,
#if defined(__x86_64__)
	&kernels_x86_int,    &kernels_x86_jump,     &kernels_x86_wrong_path,
#endif
	&kernels_branch,     &kernels_branch_o3,
#if defined(__x86_64__)
	&kernels_x86_access, &kernels_x86_fp,       &kernels_x86_code,
	&kernels_x86_store,  &kernels_x86_flush,    &kernels_x86_prefetch,
#endif
	&kernels_cache,      &kernels_rotate,       &kernels_system,
	&kernels_share,      &kernels_conflict,     &kernels_hpcc,
#if defined(__x86_64__)
	&kernels_x86_count,
#elif defined(__aarch64__)
	&kernels_arm64_count,
#endif

};
#define TABLES (sizeof(tables) / sizeof(tables[0]))

size_t kernels_count(void)
{
	size_t n = 0;

	for (size_t t = 0; t < TABLES; t++)
		n += tables[t]->n;
	return n;
}

const struct kernel *kernels_get(size_t i)
{
	for (size_t t = 0; t < TABLES; t++) {
		if (i < tables[t]->n)
			return &tables[t]->kernels[i];
		i -= tables[t]->n;
	}
	return NULL;
}

static const struct kernel *find_in(const struct kernel_table *table,
				    const char *name)
{
	for (size_t i = 0; i < table->n; i++)
		if (strcmp(table->kernels[i].name, name) == 0)
			return &table->kernels[i];
	return NULL;
}

const struct kernel *kernels_find(const char *name)
{
	const struct kernel *found = NULL;

	for (size_t t = 0; t < TABLES && !found; t++)
		found = find_in(tables[t], name);
	if (!found)
		found = find_in(&kernels_gpu, name);
	return found ? found : find_in(&kernels_foreign, name);
}

size_t kernels_gpu_count(void)
{
	return kernels_gpu.n;
}

const struct kernel *kernels_gpu_get(size_t i)
{
	return i < kernels_gpu.n ? &kernels_gpu.kernels[i] : NULL;
}

size_t kernel_memory(const struct kernel *kernel,
		     const struct kernel_point *point)
{
	return kernel->memory ? kernel->memory(point) : 0;
}

void kernel_prepare(const struct kernel *kernel, struct kernel_run *run)
{
	run->variant = kernel->variant;
	if (kernel->prepare)
		kernel->prepare(run);
}

/* Expectations. */

static bool is_said(const struct kernel_term *t)
{
	return t->per_iteration != 0 || t->sd != 0;
}

static unsigned families_of(const struct kernel_term *terms)
{
	unsigned families = 0;

	for (size_t i = 0; terms && i < KERNEL_TERMS; i++)
		if (is_said(&terms[i]))
			families |= 1u << concepts[terms[i].concept].family;
	return families;
}

static void put_terms(const struct kernel_term *terms, double *expect,
		      double *sd)
{
	for (size_t i = 0; terms && i < KERNEL_TERMS; i++) {
		if (!is_said(&terms[i]))
			continue;
		expect[terms[i].concept] = terms[i].per_iteration;
		if (sd)
			sd[terms[i].concept] = terms[i].sd;
	}
}

/* All concepts of @families: nothing of them, until terms say more. */
static void put_none(unsigned families, double *expect, double *sd)
{
	for (int c = 0; c < CONCEPT_COUNT; c++) {
		if (!(families >> concepts[c].family & 1))
			continue;
		expect[c] = 0;
		if (sd)
			sd[c] = 0;
	}
}

static bool is_first_level(int concept)
{
	switch (concept) {
	case CONCEPT_L1D_LOAD_HIT:
	case CONCEPT_L1D_STORE_HIT:
	case CONCEPT_DTLB_LOAD_HIT:
	case CONCEPT_DTLB_STORE_HIT:
	case CONCEPT_L1I_HIT:
	case CONCEPT_ITLB_HIT:
		return true;
	default:
		return false;
	}
}

/* What must be large for @concept to come about. */
static unsigned causes_of(int concept)
{
	switch (concepts[concept].family) {
	case FAMILY_CACHE:
	case FAMILY_TLB:
		return LARGE_DATA;
	case FAMILY_CODE:
	case FAMILY_ITLB:
		return LARGE_CODE;
	case FAMILY_EVICT:
		return concept
		== CONCEPT_L1D_EVICT || concept == CONCEPT_L1D_WB
			? LARGE_DATA
			: LARGE_DATA | LARGE_CODE;
	case FAMILY_PREFETCH:
		return LARGE_DATA | LARGE_CODE;
	default:
		return 0;
	}
}

/* Nothing is missed of what is not large. */
static void put_small(const struct kernel *kernel, double *expect)
{
	if (kernel->needs & NEEDS_GPU)
		return;
	for (int c = 0; c < CONCEPT_COUNT; c++)
		if (causes_of(c) && !(causes_of(c) & kernel->large) &&
		    !is_first_level(c))
			expect[c] = 0;
}

/* Nothing is executed but what retires. */
static void put_waiting(double *expect, double *sd)
{
	static const enum concept executed[][2] = {
		{ CONCEPT_BR_COND_EXEC, CONCEPT_BR_COND },
		{ CONCEPT_BR_TAKEN_EXEC, CONCEPT_BR_TAKEN },
	};

	for (int c = 0; c < CONCEPT_COUNT; c++)
		if (concepts[c].family == FAMILY_WRONG_PATH) {
			expect[c] = 0;
			if (sd)
				sd[c] = 0;
		}
	for (size_t i = 0; i < sizeof(executed) / sizeof(executed[0]); i++) {
		expect[executed[i][0]] = expect[executed[i][1]];
		if (sd)
			sd[executed[i][0]] = sd[executed[i][1]];
	}
}

/* Where every branch is predicted nothing runs on the wrong path. */
static void put_wrong_path(const struct kernel *kernel, double *expect)
{
	if (families_of(kernel->expect) >> FAMILY_WRONG_PATH & 1 ||
	    expect[CONCEPT_BR_MISP] != 0 || expect[CONCEPT_BR_MISP_RET] != 0 ||
	    expect[CONCEPT_BR_MISP_IND] != 0)
		return; /* a NaN is not 0 */
	for (int c = CONCEPT_WRONG_PATH_INS; c <= CONCEPT_WRONG_PATH_JUMP; c++)
		expect[c] = 0;
}

void kernel_expect(const struct kernel *kernel,
		   const struct kernel_point *point,
		   const struct kernel_machine *machine,
		   double expect[CONCEPT_COUNT], double sd[CONCEPT_COUNT])
{
	struct kernel_term terms[KERNEL_TERMS] = { 0 };

	for (int c = 0; c < CONCEPT_COUNT; c++) {
		expect[c] = NAN;
		if (sd)
			sd[c] = 0;
	}
	put_small(kernel, expect);
	put_none(kernel->none | families_of(kernel->expect), expect, sd);
	put_terms(kernel->expect, expect, sd);
	if (kernel->predict) {
		kernel->predict(point, machine, terms);
		put_none(families_of(terms), expect, sd);
		put_terms(terms, expect, sd);
	}
	if (machine->waits)
		put_waiting(expect, sd);
	else
		put_wrong_path(kernel, expect);
}

enum kernel_bound kernel_bound(const struct kernel *kernel,
			       const struct kernel_point *point,
			       const struct kernel_machine *machine)
{
	return kernel->bound_at ? kernel->bound_at(point, machine)
				: kernel->bound;
}

/* Points. */

void kernel_points_add(struct kernel_points *to, struct kernel_point point)
{
	if (to->n < to->capacity)
		to->items[to->n++] = point;
}

/* Each of @times with every @k; both end with a 0. */
static void add_all(const uint64_t *times, const uint32_t *k,
		    struct kernel_points *to)
{
	for (size_t i = 0; i == 0 || (i < KERNEL_VALUES && k[i]); i++)
		for (size_t n = 0; n < KERNEL_VALUES && times[n]; n++)
			kernel_points_add(
				to, (struct kernel_point){ .times = times[n],
							   .k = k[i] });
}

size_t kernel_points(const struct kernel *kernel,
		     const struct kernel_machine *machine,
		     struct kernel_point *points, size_t capacity)
{
	static const uint64_t lengths[KERNEL_VALUES] = { 128,  256,  512,
							 1024, 2048, 4096 };
	struct kernel_points to = { .items = points, .capacity = capacity };

	if (kernel->points)
		kernel->points(machine, &to);
	else
		add_all(kernel->times[0] ? kernel->times : lengths, kernel->k,
			&to);
	return to.n;
}
