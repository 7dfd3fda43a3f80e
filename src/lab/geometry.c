/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes that kernels need, of a model or of this machine; found by others. */
#include "lab/experiment.h"

#include <papi.h>

#include "host/host.h"

static struct kernel_cache cache_of(const struct assay_cache *cache)
{
	return (struct kernel_cache){ cache->size ? cache->size : 1,
				      cache->ways, cache->latency };
}

static struct kernel_tlb tlb_of(const struct assay_cache *tlb)
{
	return (struct kernel_tlb){ (unsigned)tlb->size, tlb->ways };
}

void geometry_of_model(const struct assay_model *model,
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
		.l1_alone = !model->prefetches_next,
		.waits = model->wrong_path == 0,
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

int geometry_of_host(struct kernel_machine *machine)
{
	struct fs fs = { .root = "" };
	struct host host;
	const struct host_cache *l1;

	if (host_read(&fs, &host))
		return PAPI_ENOMEM;
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
