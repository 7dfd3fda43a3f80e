/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a run that `assay diff` is given: refused with a sentence, or
 * equal to itself.
 */
#include <assert.h>
#include <string.h>

#include "diff/compare.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct runfile run = { 0 };
	struct comparison same;
	struct diag diag = { 0 };

	if (runfile_load(input_path(data, size), RUNFILE_TOTALS, &run, &diag)) {
		assert(diag.text[0]);
		return 0;
	}
	for (size_t i = 0; i < run.n; i++)
		assert(run.values[i].section && run.values[i].name);
	if (compare_runs(&run, &run, NULL, 0, &same) == 0) {
		for (size_t i = 0; i < same.n; i++)
			assert(same.rows[i].result != COMPARE_DIFFERENT);
		comparison_fini(&same);
	}
	runfile_fini(&run);
	return 0;
}
