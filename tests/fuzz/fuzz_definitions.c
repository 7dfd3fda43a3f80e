/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a file of presets, user events or metrics. */
#include <assert.h>
#include <stdint.h>

#include "metric/defs.h"
#include "metric/names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Compile each definition as far as its operands are plain names. */
static void compile_all(const struct defs *defs)
{
	for (size_t i = 0; i < defs->n; i++) {
		struct name_list list = { 0 };
		struct formula_names names = { .push = name_list_push,
					       .context = &list };
		struct formula *formula;
		struct diag diag = { 0 };

		if (defs_compile(defs, &defs->defs[i], &names, &formula,
				 &diag) == 0)
			formula_free(formula);
		else
			assert(diag.text[0]);
		def_verdict(&defs->defs[i], 0.5);
		name_list_fini(&list);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag diag = { 0 };
	struct defs *defs;

	if (defs_parse("input", (const char *)data, size, &defs, &diag)) {
		assert(diag.text[0]);
		return 0;
	}
	compile_all(defs);
	defs_free(defs);
	return 0;
}
