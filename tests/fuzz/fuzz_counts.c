/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as what a bundle brought back. The first line and the checksum are
 * put around them: without these nothing would get past the first check. What
 * was taken is a plan, and its counts can all be read.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundle/counts.h"
#include "bundle/request.h"
#include "classify/classify.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf text = { 0 };
	struct diag diag = { .text = "" };
	struct classify_plan plan;
	struct counts c;

	strbuf_add(&text, COUNTS_MAGIC);
	strbuf_addn(&text, (const char *)data, size);
	strbuf_addf(&text, "\nend %016" PRIx64 "\n",
		    request_hash(request_hash(HASH_START, text.text, text.len),
				 "\n", 1));
	if (!text.failed && !counts_parse(text.text, text.len, &c, &diag)) {
		volatile double sum = 0;

		for (size_t u = 0; u < c.n_units; u++)
			for (size_t e = 0; e < c.result->n_events; e++)
				sum += experiment_count(c.result, u, 0, e);
		if (!classify_plan_units(&plan, &c.machine, c.units,
					 c.n_units)) {
			assert(plan.n_units == c.result->n_units);
			classify_plan_fini(&plan);
		}
		counts_fini(&c);
	} else {
		assert(*diag.text || text.failed);
	}
	strbuf_fini(&text);
	return 0;
}
