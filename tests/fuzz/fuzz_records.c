/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as CSV of recorded counts, to which metrics are applied. */
#include <assert.h>
#include <math.h>

#include "metricfile/metricfile.h"
#include "tests/fuzz/input.h"

static void apply(const struct metric_set *set, const uint8_t *data,
		  size_t size, bool json)
{
	struct diag diag = { 0 };
	struct record_stream s = {
		.set = set,
		.path = "input",
		.from = fmemopen((void *)data, size, "r"),
		.clock_hz = NAN,
		.json = json,
		.diag = &diag,
	};

	if (!s.from)
		return;
	if (record_stream_write(&s, nowhere()))
		assert(diag.text[0]);
	fclose(s.from);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct metrics metrics;
	struct diag diag = { 0 };

	if (!metrics.n && metrics_init(&metrics, "sim-icx", &diag))
		abort();
	for (size_t i = 0; i < metrics.n; i++)
		if (size > 0)
			apply(metrics.files[i].set, data, size, i % 2);
	return 0;
}
