/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine and the program in PAPI's structures. Nothing is read before it
 * is asked for.
 */
#include "papi/hwinfo.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

static int to_int(uint64_t n)
{
	return n > INT_MAX ? INT_MAX : (int)n;
}

/* PAPI writes "fully associative" as SHRT_MAX. */
static int to_ways(unsigned ways)
{
	return ways == CACHE_FULLY_ASSOCIATIVE ? SHRT_MAX : to_int(ways);
}

/* ARM's makers have numbers of their own, which are MIDR's. */
static int to_vendor(const struct host_cpu *cpu)
{
	static const int implementers[] = {
		PAPI_VENDOR_ARM_ARM,       PAPI_VENDOR_ARM_BROADCOM,
		PAPI_VENDOR_ARM_CAVIUM,    PAPI_VENDOR_ARM_FUJITSU,
		PAPI_VENDOR_ARM_HISILICON, PAPI_VENDOR_ARM_APM,
		PAPI_VENDOR_ARM_QUALCOMM,
	};

	switch (cpu->vendor) {
	case HOST_VENDOR_INTEL:
		return PAPI_VENDOR_INTEL;
	case HOST_VENDOR_AMD:
		return PAPI_VENDOR_AMD;
	case HOST_VENDOR_IBM:
		return PAPI_VENDOR_IBM;
	case HOST_VENDOR_ARM:
		for (size_t i = 0; i < ARRAY_SIZE(implementers); i++)
			if (cpu->implementer == (unsigned)implementers[i])
				return implementers[i];
		return PAPI_VENDOR_ARM;
	default:
		return PAPI_VENDOR_UNKNOWN;
	}
}

static void put_cpu(const struct host_cpu *cpu, PAPI_hw_info_t *out)
{
	out->vendor = to_vendor(cpu);
	snprintf(out->vendor_string, sizeof(out->vendor_string), "%s",
		 cpu->vendor_name);
	snprintf(out->model_string, sizeof(out->model_string), "%s", cpu->name);
	out->model = to_int(cpu->model);
	out->cpuid_family = to_int(cpu->family);
	out->cpuid_model = to_int(cpu->model);
	out->cpuid_stepping = to_int(cpu->stepping);
	/* Arm's r3p1 is 3.1, POWER's 2.2 is that; x86 has the stepping. */
	out->revision = (float)cpu->stepping;
	if (cpu->vendor == HOST_VENDOR_ARM || cpu->vendor == HOST_VENDOR_IBM)
		out->revision =
			(float)cpu->variant + (float)cpu->stepping / 10.0F;
	out->cpu_max_mhz = (int)cpu->max_mhz;
	out->cpu_min_mhz = (int)cpu->min_mhz;
	out->mhz = (float)cpu->max_mhz;
	out->clock_mhz = (int)cpu->max_mhz;
}

static void put_topology(const struct host_topology *t, PAPI_hw_info_t *out)
{
	out->threads = to_int(t->threads);
	out->cores = to_int(t->cores);
	out->sockets = to_int(t->sockets);
	out->nnodes = to_int(t->n_nodes);
	out->totalcpus = to_int(t->cpus);
	out->ncpu = to_int(t->cpus / t->n_nodes);
}

static PAPI_mh_level_t *level_of(PAPI_mh_info_t *mh, unsigned level)
{
	if (level == 0 || level > PAPI_MAX_MEM_HIERARCHY_LEVELS)
		return NULL;
	return &mh->level[level - 1];
}

static void put_cache(const struct host_cache *cache, PAPI_mh_info_t *mh)
{
	PAPI_mh_level_t *level = level_of(mh, cache->level);

	if (!level)
		return;
	if (mh->levels < (int)cache->level)
		mh->levels = (int)cache->level;
	for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
		PAPI_mh_cache_info_t *to = &level->cache[i];
		unsigned line = cache->line_bytes;

		if (to->type != PAPI_MH_TYPE_EMPTY)
			continue;
		to->type = (int)cache->kind;
		to->size = to_int(cache->bytes);
		to->line_size = to_int(line);
		to->num_lines = line ? to_int(cache->bytes / line) : 0;
		to->associativity = to_ways(cache->ways);
		return;
	}
}

/*
 * One TLB of a kind and page size: host has them largest first, and several
 * where loads and stores have their own.
 */
static void put_tlb(const struct host_tlb *tlb, PAPI_mh_info_t *mh)
{
	PAPI_mh_level_t *level = level_of(mh, tlb->level);

	if (!level)
		return;
	for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
		PAPI_mh_tlb_info_t *to = &level->tlb[i];

		if (to->type == (int)tlb->kind &&
		    to->page_size == to_int(tlb->page_bytes))
			return;
		if (to->type != PAPI_MH_TYPE_EMPTY)
			continue;
		to->type = (int)tlb->kind;
		to->num_entries = to_int(tlb->entries);
		to->page_size = to_int(tlb->page_bytes);
		to->associativity = to_ways(tlb->ways);
		return;
	}
}

static void put_virt(const struct host_virt *virt, PAPI_hw_info_t *out)
{
	const char *name =
		virt->signature[0] ? virt->signature : virt->hypervisor;

	out->virtualized = virt->present;
	snprintf(out->virtual_vendor_string, sizeof(out->virtual_vendor_string),
		 "%s", name[0] ? name : virt->product);
}

void hwinfo_from_host(const struct host *host, PAPI_hw_info_t *out)
{
	PAPI_hw_info_t info = { 0 };

	put_cpu(&host->cpu, &info);
	put_topology(&host->topology, &info);
	for (size_t i = 0; i < host->caches.n_caches; i++)
		put_cache(&host->caches.caches[i], &info.mem_hierarchy);
	for (size_t i = 0; i < host->caches.n_tlbs; i++)
		put_tlb(&host->caches.tlbs[i], &info.mem_hierarchy);
	put_virt(&host->virt, &info);
	*out = info;
}

static int to_kind(char kind)
{
	return kind == 'i'   ? PAPI_MH_TYPE_INST
	       : kind == 'd' ? PAPI_MH_TYPE_DATA
			     : PAPI_MH_TYPE_UNIFIED;
}

void hwinfo_put_machine(const struct component_machine *m, PAPI_hw_info_t *out)
{
	int mhz = isnan(m->clock_hz) ? 0 : (int)(m->clock_hz / 1e6);

	out->vendor = PAPI_VENDOR_UNKNOWN;
	snprintf(out->vendor_string, sizeof(out->vendor_string), "simulated");
	snprintf(out->model_string, sizeof(out->model_string), "%s",
		 m->text[0] ? m->text : m->name);
	out->model = out->cpuid_family = out->cpuid_model = 0;
	out->cpuid_stepping = 0;
	out->revision = 0;
	out->cpu_max_mhz = out->cpu_min_mhz = out->clock_mhz = mhz;
	out->mhz = (float)mhz;
	memset(&out->mem_hierarchy, 0, sizeof(out->mem_hierarchy));
	for (size_t i = 0; i < m->n_caches; i++) {
		struct host_cache cache = {
			.level = m->caches[i].level,
			.kind = (enum cache_kind)to_kind(m->caches[i].kind),
			.bytes = m->caches[i].bytes,
			.line_bytes = m->caches[i].line_bytes,
			.ways = m->caches[i].ways,
		};

		put_cache(&cache, &out->mem_hierarchy);
	}
	for (size_t i = 0; i < m->n_tlbs; i++) {
		struct host_tlb tlb = {
			.level = m->tlbs[i].level,
			.kind = (enum cache_kind)to_kind(m->tlbs[i].kind),
			.page_bytes = m->tlbs[i].page_bytes,
			.entries = m->tlbs[i].entries,
			.ways = m->tlbs[i].ways,
		};

		put_tlb(&tlb, &out->mem_hierarchy);
	}
}

void hwinfo_from_memory(const struct process_memory *memory,
			PAPI_dmem_info_t *out)
{
	*out = (PAPI_dmem_info_t){
		.peak = (long long)memory->peak,
		.size = (long long)memory->size,
		.resident = (long long)memory->resident,
		.high_water_mark = (long long)memory->high_water,
		.shared = (long long)memory->shared,
		.text = (long long)memory->text,
		.library = (long long)memory->library,
		.heap = (long long)memory->heap,
		.locked = (long long)memory->locked,
		.stack = (long long)memory->stack,
		.pagesize = (long long)memory->page_bytes,
		.pte = (long long)memory->page_table,
	};
}

void hwinfo_from_object(const struct process_object *object,
			PAPI_address_map_t *out)
{
	PAPI_address_map_t map = {
		.text_start = (vptr_t)object->text_start,
		.text_end = (vptr_t)object->text_end,
		.data_start = (vptr_t)object->data_start,
		.data_end = (vptr_t)object->data_end,
		.bss_start = (vptr_t)object->bss_start,
		.bss_end = (vptr_t)object->bss_end,
	};

	snprintf(map.name, sizeof(map.name), "%s", object->path);
	*out = map;
}
