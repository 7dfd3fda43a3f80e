/* SPDX-License-Identifier: BSD-3-Clause */
/* The modelled machine in the core's words: its clock, caches and TLBs. */
#include <math.h>
#include <stdio.h>

#include "components/sim/sim.h"

enum {
	PAGE = 4096,
	HUGE_PAGE = 2 << 20
};

static void add_cache(struct component_machine *m, const struct params *p,
		      unsigned level, char kind,
		      const struct cache_params *cache)
{
	m->caches[m->n_caches++] = (struct component_cache){
		.level = level,
		.kind = kind,
		.bytes = (uint64_t)cache->sets * cache->ways * p->line_bytes,
		.line_bytes = p->line_bytes,
		.ways = cache->ways,
	};
}

static void add_tlb(struct component_machine *m, unsigned level, char kind,
		    uint64_t page, uint32_t sets, uint32_t ways)
{
	if (sets && ways)
		m->tlbs[m->n_tlbs++] = (struct component_tlb){
			.level = level,
			.kind = kind,
			.page_bytes = page,
			.entries = sets * ways,
			.ways = ways,
		};
}

static void add_tlbs(struct component_machine *m, char kind,
		     const struct tlb_params *tlb)
{
	add_tlb(m, 1, kind, PAGE, tlb->sets, tlb->ways);
	add_tlb(m, 1, kind, HUGE_PAGE, tlb->huge_sets, tlb->huge_ways);
}

void sim_describe_machine(const struct params *p, struct component_machine *m)
{
	*m = (struct component_machine){
		.clock_hz = p->clock_mhz ? p->clock_mhz * 1e6 : (double)NAN,
	};
	snprintf(m->name, sizeof(m->name), "%s", p->name);
	snprintf(m->text, sizeof(m->text), "%s", p->describe);
	add_cache(m, p, 1, 'd', &p->l1d);
	add_cache(m, p, 1, 'i', &p->l1i);
	add_cache(m, p, 2, 'u', &p->l2);
	if (p->l3_kind != L3_NONE)
		add_cache(m, p, 3, 'u', &p->l3);
	add_tlbs(m, 'd', &p->dtlb);
	add_tlbs(m, 'i', &p->itlb);
	/* one for both sizes of pages */
	add_tlb(m, 2, 'u', PAGE, p->stlb.sets, p->stlb.ways);
	add_tlb(m, 2, 'u', HUGE_PAGE, p->stlb.sets, p->stlb.ways);
}
