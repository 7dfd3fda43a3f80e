/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What kernels state of themselves against their machine code: instructions,
 * their bytes, loads, stores, floating-point arithmetic and square roots of the
 * loop, as scripts/count-code read them from the object files. Exit status 0 if
 * they agree.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/kernel.h"

static const struct kernel_code *code_of(const struct kernel *kernel)
{
	for (const struct kernel_code *c = kernel_codes; c->name; c++)
		if (strcmp(c->name, kernel->code) == 0)
			return c;
	return NULL;
}

/* The sum of a composite's concepts. */
static double sum_of(const char *name, const double *expect)
{
	double sum = 0;

	for (size_t i = 0; i < composites_n; i++)
		for (const struct composite_term *t = composites[i].terms;
		     t->weight != 0; t++)
			if (strcmp(composites[i].name, name) == 0)
				sum += t->weight * expect[t->concept];
	return sum;
}

static int compare(const struct kernel *kernel, const char *what, double states,
		   double has)
{
	double times = kernel->sled ? kernel->sled : 1;

	if (isnan(states) || fabs(states * times - has) < 0.01)
		return 0;
	printf("%s: states %g %s a time, its loop has %g\n", kernel->name,
	       states, what, has);
	return 1;
}

static int check(const struct kernel *kernel, const struct kernel_code *code)
{
	struct kernel_machine machine = { .line_bytes = 64 };
	struct kernel_point point = { .times = 1 };
	double expect[CONCEPT_COUNT];
	int bad = 0;

	kernel_expect(kernel, &point, &machine, expect, NULL);
	bad += compare(kernel, "instructions", expect[CONCEPT_INS],
		       code->instructions);
	bad += compare(kernel, "bytes", expect[CONCEPT_INS_BYTES], code->bytes);
	bad += compare(kernel, "loads", expect[CONCEPT_LOAD_INS], code->loads);
	bad += compare(kernel, "stores", expect[CONCEPT_STORE_INS],
		       code->stores);
	bad += compare(kernel, "square roots", sum_of("FP_SQRT", expect),
		       code->sqrt);
	bad += compare(kernel, "floating-point operations",
		       sum_of("FP_INS", expect) - expect[CONCEPT_FP_X87],
		       code->fp);
	return bad;
}

int main(void)
{
	int bad = 0;
	size_t checked = 0;

	for (size_t i = 0; i < kernels_count(); i++) {
		const struct kernel *kernel = kernels_get(i);
		const struct kernel_code *code =
			kernel->code ? code_of(kernel) : NULL;

		if (!kernel->code || strcmp(kernel->name, "count/call") == 0)
			continue; /* what it calls is not in its loop */
		if (!code) {
			printf("%s: no loop in %s\n", kernel->name,
			       kernel->code);
			bad++;
			continue;
		}
		bad += check(kernel, code);
		checked++;
	}
	printf("%zu kernels, %d differences\n", checked, bad);
	return bad || checked < 60;
}
