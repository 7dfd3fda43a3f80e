/* SPDX-License-Identifier: BSD-3-Clause */
/* Any text as a formula: refused with a column inside it, or evaluated. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <assay/metric.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void evaluate(struct assay_metric *metric)
{
	size_t n = assay_metric_event_count(metric);
	double *counts = calloc(n + 1, sizeof(*counts));

	for (size_t i = 0; i < n; i++) {
		assert(assay_metric_event(metric, i)[0]);
		counts[i] = (double)i;
	}
	assay_metric_eval(metric, counts);
	free(counts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct assay_diag diag = { 0 };
	struct assay_metric *metric;
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	if (assay_metric_compile(text, &metric, &diag) == 0) {
		evaluate(metric);
		assay_metric_free(metric);
	} else {
		assert(diag.text[0]);
		assert(diag.column <= strlen(text) + 1);
	}
	free(text);
	return 0;
}
