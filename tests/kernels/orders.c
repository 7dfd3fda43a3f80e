/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints a request to run each kernel that this processor has, briefly, at the
 * point of its that needs the least memory: "run NAME TIMES ...", as worker.h
 * has it.
 */
#include <inttypes.h>
#include <stdio.h>

#include "kernels/kernel.h"

#define POINTS     128
#define MOST_TIMES 2000

static const struct kernel_machine machine = {
	.lru = true,
	.in_order = true,
	.line_bytes = 64,
	.page_bytes = 4096,
	.l1i = { 32 << 10, 8 },
	.l1d = { 48 << 10, 12 },
	.l2 = { 1280 << 10, 20 },
	.l3 = { 8 << 20, 16 },
	.itlb = { 128, 8 },
	.dtlb = { 64, 4 },
	.stlb = { 2048, 16 },
	.history = 129,
	.ras = 16,
};

static void order(const struct kernel *kernel)
{
	struct kernel_point points[POINTS], *least = points;
	size_t n = kernel_points(kernel, &machine, points, POINTS);

	for (size_t i = 1; i < n; i++)
		if (kernel_memory(kernel, &points[i]) <
		    kernel_memory(kernel, least))
			least = &points[i];
	if (n == 0)
		return;
	if (least->times > MOST_TIMES)
		least->times = MOST_TIMES;
	printf("run %s %" PRIu64 " %" PRIu64 " %u %u %u %u 0 1\n", kernel->name,
	       least->times, least->footprint, least->unit, least->offset,
	       least->pages_per_block, least->k);
}

int main(void)
{
	for (size_t i = 0; i < kernels_count(); i++) {
		const struct kernel *kernel = kernels_get(i);

		if (!kernel_lacks(kernel->needs))
			order(kernel);
	}
	return 0;
}
