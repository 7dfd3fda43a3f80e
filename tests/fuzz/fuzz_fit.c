/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as CSV of counts and watts: refused with a sentence, or fitted, or
 * found not to determine a model.
 */
#include <assert.h>

/* What reads is private to it. */
#include "perfmodel/fit.c"

#include "tests/fuzz/input.h"

static void fit(const struct fit_options *o, const struct table *t)
{
	const struct report_style style = { .width = 80 };
	const struct samples s = { t->x, t->y, t->n, t->columns - 1 };
	struct fitted f = { .o = o, .table = t };
	size_t folds = t->n < USUAL_FOLDS ? t->n : USUAL_FOLDS;
	size_t bad = s.p;

	if (!regression_fit(&s, o->ridge, &f.r, &bad) &&
	    !regression_validate(&s, o->ridge, folds, &f.v)) {
		assert(fit_text(&f, &style, nowhere()) == 0);
		assert(document_write_json(fit_describe, &f, nowhere()) == 0);
		assert(document_write_csv(fit_describe, &f, nowhere()) == 0);
	}
	regression_fini(&f.r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fit_options o = { .path = "input", .ridge = size % 3 };
	struct diag diag = { .text = "" };
	struct table t = { 0 };
	FILE *from = size > 0 ? fmemopen((void *)data, size, "r") : NULL;

	if (!from)
		return 0;
	if (read_table(&o, from, &t, &diag))
		assert(diag.text[0]);
	else
		fit(&o, &t);
	fclose(from);
	table_fini(&t);
	return 0;
}
