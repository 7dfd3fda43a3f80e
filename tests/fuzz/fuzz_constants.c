/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a file of a machine's constants, text or JSON. */
#include <assert.h>

#include "measure/metrics.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct constants c = { 0 };
	struct diag diag = { 0 };

	if (constants_open(&c, input_path(data, size), "sim-icx", &diag)) {
		assert(diag.text[0]);
		return 0;
	}
	constants_get(&c, "CYCLES_PER_L2_HIT");
	constants_fini(&c);
	return 0;
}
