/* SPDX-License-Identifier: BSD-3-Clause */
/* Any text as a limit on how runs may differ. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "diff/compare.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct limit limit = { 0 };
	struct diag diag = { 0 };

	if (limit_parse(text, &limit, &diag)) {
		assert(diag.text[0]);
	} else {
		assert(limit.name[0] && isfinite(limit.amount));
		limit_fini(&limit);
	}
	free(text);
	return 0;
}
