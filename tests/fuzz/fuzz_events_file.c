/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a file of events to be counted. */
#include <assert.h>
#include <string.h>

#include "measure/metrics.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag diag = { .text = "" };
	struct selection s = { 0 };

	if (selection_add_file(&s, input_path(data, size), &diag))
		assert(diag.text[0]);
	else
		assert(s.n > 0);
	for (size_t i = 0; i < s.n; i++)
		assert(s.names[i][0]);
	selection_fini(&s);
	return 0;
}
