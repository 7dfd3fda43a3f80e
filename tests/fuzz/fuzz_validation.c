/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as what another machine's `assay validate` wrote. */
#include <assert.h>
#include <string.h>

#include "tests/fuzz/input.h"
#include "validate/validated.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag diag = { .text = "" };
	char platform[64] = "";
	struct validated v;

	if (validated_read(input_path(data, size), platform, &v, &diag)) {
		assert(diag.text[0]);
	} else {
		assert(platform[0]);
		for (size_t i = 0; i < v.n; i++)
			assert(validated_cell(&v, v.events[i].event)[0]);
	}
	validated_fini(&v);
	return 0;
}
