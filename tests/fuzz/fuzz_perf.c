/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as what perf stat counted while a bundle ran kernels. What is read
 * of them is a whole file of counts.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bundle/counts.h"
#include "bundle/foreign.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf text = { 0 }, made = { 0 };
	struct diag diag = { .text = "" };
	struct counts c;

	strbuf_addn(&text, (const char *)data, size);
	if (text.failed || !text.text || perf_read(text.text, &made, &diag)) {
		assert(*diag.text || text.failed || !text.text);
	} else if (!counts_parse(made.text, made.len, &c, &diag)) {
		counts_fini(&c);
	} else {
		assert(*diag.text);
	}
	strbuf_fini(&text);
	strbuf_fini(&made);
	return 0;
}
