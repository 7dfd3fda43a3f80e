/* SPDX-License-Identifier: BSD-3-Clause */
/* What an experiment is made of, and the machine it is made for. */

#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>

#include "console/say.h"
#include "host/host.h"
#include "lab/experiment.h"

#define MAX_POINTS 128

struct experiment_unit *experiment_units(const struct kernel *const *kernels,
					 size_t n_kernels,
					 const struct kernel_machine *machine,
					 size_t *n)
{
	size_t count = kernels ? n_kernels : kernels_count();
	struct experiment_unit *units =
		calloc(count * MAX_POINTS + 1, sizeof(*units));

	*n = 0;
	for (size_t i = 0; units && i < count; i++) {
		const struct kernel *kernel =
			kernels ? kernels[i] : kernels_get(i);
		struct kernel_point points[MAX_POINTS];
		size_t found =
			kernel_points(kernel, machine, points, MAX_POINTS);

		for (size_t k = 0; k < found; k++)
			units[(*n)++] =
				(struct experiment_unit){ .kernel = kernel,
							  .point = points[k] };
	}
	return units;
}

static struct kernel_cache cache_of(const struct assay_cache *cache)
{
	return (struct kernel_cache){ cache->size ? cache->size : 1,
				      cache->ways, cache->latency };
}

static struct kernel_tlb tlb_of(const struct assay_cache *tlb)
{
	return (struct kernel_tlb){ (unsigned)tlb->size, tlb->ways };
}

static void from_model(const struct assay_model *model,
		       struct kernel_machine *machine)
{
	*machine = (struct kernel_machine){
		.line_bytes = model->line_bytes,
		.page_bytes = 4096,
		.l1i = cache_of(&model->l1i),
		.l1d = cache_of(&model->l1d),
		.l2 = cache_of(&model->l2),
		.l3 = cache_of(&model->l3),
		.l3_is_victim = model->l3_is_victim,
		.pairs = model->prefetches_pairs,
		.lru = model->replaces_lru,
		.in_order = model->pages_in_order,
		.itlb = tlb_of(&model->itlb),
		.dtlb = tlb_of(&model->dtlb),
		.stlb = tlb_of(&model->stlb),
		.history = model->branch_history,
		.ras = model->return_stack,
	};
}

static struct kernel_cache host_level(const struct host_caches *caches,
				      unsigned level, enum cache_kind kind)
{
	const struct host_cache *c = cache_find(caches, level, kind);

	return c ? (struct kernel_cache){ c->bytes, c->ways, 0 }
		 : (struct kernel_cache){ 0 };
}

static int from_host(const struct console *console,
		     struct kernel_machine *machine)
{
	struct fs fs = { .root = "" };
	struct host host;
	const struct host_cache *l1;

	if (host_read(&fs, &host))
		return say_no_memory(console);
	l1 = cache_find(&host.caches, 1, CACHE_DATA);
	*machine = (struct kernel_machine){
		.line_bytes = l1 && l1->line_bytes ? l1->line_bytes : 64,
		.page_bytes = 4096,
		.l1i = host_level(&host.caches, 1, CACHE_INSTRUCTION),
		.l1d = host_level(&host.caches, 1, CACHE_DATA),
		.l2 = host_level(&host.caches, 2, CACHE_DATA),
		.l3 = host_level(&host.caches, 3, CACHE_DATA),
		.history = 129, /* of every core since about 2013 */
	};
	host_fini(&host);
	return 0;
}

int experiment_machine(const struct console *console, bool simulated,
		       const char *model, struct kernel_machine *machine)
{
	struct assay_model found;

	if (!simulated)
		return from_host(console, machine);
	if (assay_get_model(model, &found)) {
		say_error(console, "%s", assay_error());
		return CMD_USAGE;
	}
	from_model(&found, machine);
	return 0;
}
