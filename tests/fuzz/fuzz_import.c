/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as metrics of perf, Intel or likwid; JSON if they begin with '['
 * or '{'. What is made of them must be a file of definitions.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "metric/defs.h"
#include "metric/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct import_counts counts = { 0 };
	struct strbuf out = { 0 };
	struct diag diag = { 0 };
	struct defs *defs;
	int err;

	if (text[0] == '[' || text[0] == '{')
		err = import_json(text, &out, &counts, &diag);
	else
		err = import_likwid(text, &out, &counts, &diag);
	if (err) {
		assert(diag.text[0]);
	} else {
		assert(defs_parse("out", strbuf_text(&out), out.len, &defs,
				  &diag) == 0);
		assert(defs->n == counts.taken);
		defs_free(defs);
	}
	strbuf_fini(&out);
	free(text);
	return 0;
}
