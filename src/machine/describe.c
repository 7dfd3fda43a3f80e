/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which machine it is, and what it says of itself (CPUID, sysfs; a model's
 * file), put beside what was measured.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <assay/assay.h>

#include "base/strbuf.h"
#include "host/host.h"
#include "machine/format.h"

#define LETTERS                                                                \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

bool machine_is_name(const char *name)
{
	return *name && *name != '.' && strlen(name) < 128 &&
	       name[strspn(name, LETTERS)] == '\0';
}

/* The host's name, or what can be kept of it. */
static char *name_of(const char *text)
{
	char *name = strdup(*text ? text : "machine");

	for (char *p = name; p && *p; p++)
		if (!strchr(LETTERS, *p) || (p == name && *p == '.'))
			*p = '_';
	return name;
}

int machine_describe(struct machine *m)
{
	struct fs fs = { .root = "" };
	struct utsname names;
	struct host host;

	if (host_read(&fs, &host))
		return PAPI_ENOMEM;
	m->name = name_of(uname(&names) == 0 ? names.nodename : "");
	m->cpu = strdup(host.cpu.name);
	m->vendor = strdup(host.cpu.vendor_name);
	m->kernel = strdup(host.kernel);
	m->family = host.cpu.family;
	m->model = host.cpu.model;
	m->stepping = host.cpu.stepping;
	m->cpus = host.topology.cpus;
	m->virtual_ = host.virt.present;
	host_fini(&host);
	return m->name && m->cpu && m->vendor && m->kernel ? 0 : PAPI_ENOMEM;
}

/* Put @value beside the constant called @name, if it was measured. */
static void put_nominal(struct machine *m, const char *name, double value)
{
	struct machine_constant *c =
		(struct machine_constant *)machine_find(m, name);

	if (c && value > 0)
		c->nominal = value;
}

static void put_cache(struct machine *m, const struct host_caches *caches,
		      unsigned level, unsigned kind, const char *name)
{
	const struct host_cache *cache = cache_find(caches, level, kind);
	double ways;
	char text[32];

	if (!cache)
		return;
	snprintf(text, sizeof(text), "%s_bytes", name);
	put_nominal(m, text, (double)cache->bytes);
	if (!cache->ways || !cache->line_bytes)
		return;
	ways = cache->ways == CACHE_FULLY_ASSOCIATIVE
		       ? (double)cache->bytes / cache->line_bytes
		       : cache->ways;
	snprintf(text, sizeof(text), "%s_ways", name);
	put_nominal(m, text, ways);
	snprintf(text, sizeof(text), "%s_sets", name);
	put_nominal(m, text, (double)cache->bytes / cache->line_bytes / ways);
	if (level == 1)
		put_nominal(m, "line_bytes", cache->line_bytes);
}

static void put_tlb(struct machine *m, const struct host_tlb *tlb)
{
	const char *name = tlb->level == 1 ? "DTLB" : "STLB";
	char text[32];
	double ways =
		tlb->ways == CACHE_FULLY_ASSOCIATIVE ? tlb->entries : tlb->ways;

	if (tlb->kind == CACHE_INSTRUCTION || tlb->page_bytes != 4096)
		return;
	snprintf(text, sizeof(text), "%s_entries", name);
	put_nominal(m, text, tlb->entries);
	snprintf(text, sizeof(text), "%s_ways", name);
	put_nominal(m, text, ways);
	snprintf(text, sizeof(text), "%s_sets", name);
	if (ways > 0)
		put_nominal(m, text, tlb->entries / ways);
}

int machine_add_nominal(struct machine *m)
{
	struct fs fs = { .root = "" };
	struct host host;

	if (host_read(&fs, &host))
		return PAPI_ENOMEM;
	put_cache(m, &host.caches, 1, CACHE_DATA, "L1D");
	put_cache(m, &host.caches, 1, CACHE_INSTRUCTION, "L1I");
	put_cache(m, &host.caches, 2, CACHE_DATA, "L2");
	put_cache(m, &host.caches, 3, CACHE_DATA, "L3");
	for (size_t i = 0; i < host.caches.n_tlbs; i++)
		put_tlb(m, &host.caches.tlbs[i]);
	put_nominal(m, "clock_hz", host.cpu.max_mhz * 1e6);
	put_nominal(m, "page_bytes", (double)sysconf(_SC_PAGESIZE));
	host_fini(&host);
	return 0;
}

/* ---- a modelled machine ---- */

static void put_model_cache(struct machine *m, const char *name,
			    const struct assay_cache *cache, double unit,
			    const char *size_name)
{
	char text[32];

	snprintf(text, sizeof(text), "%s_%s", name, size_name);
	put_nominal(m, text, (double)cache->size);
	snprintf(text, sizeof(text), "%s_ways", name);
	put_nominal(m, text, cache->ways);
	snprintf(text, sizeof(text), "%s_sets", name);
	if (cache->ways)
		put_nominal(m, text, (double)cache->size / unit / cache->ways);
}

static void put_model(struct machine *m, const struct assay_model *model)
{
	put_nominal(m, "line_bytes", model->line_bytes);
	put_nominal(m, "page_bytes", 4096);
	put_model_cache(m, "L1D", &model->l1d, model->line_bytes, "bytes");
	put_model_cache(m, "L1I", &model->l1i, model->line_bytes, "bytes");
	put_model_cache(m, "L2", &model->l2, model->line_bytes, "bytes");
	put_model_cache(m, "L3", &model->l3, model->line_bytes, "bytes");
	put_model_cache(m, "DTLB", &model->dtlb, 1, "entries");
	put_model_cache(m, "STLB", &model->stlb, 1, "entries");
	put_nominal(m, "L1_lat", model->l1d.latency);
	put_nominal(m, "L2_lat", model->l2.latency);
	put_nominal(m, "L3_lat", model->l3.size ? model->l3.latency : 0);
	put_nominal(m, "STLB_lat", model->stlb.size ? model->stlb.latency : 0);
	put_nominal(m, "TLB_data_lat", model->walk_latency);
	put_nominal(m, "Mem_lat", model->memory_latency);
	put_nominal(m, "BR_miss_lat", model->mispredict_penalty);
	put_nominal(m, "issue_width", model->issue_width);
}

int machine_describe_model(struct machine *m, const char *model)
{
	struct assay_model params;

	if (assay_get_model(model, &params))
		return PAPI_EINVAL;
	put_model(m, &params);
	m->simulated = true;
	m->cpus = 1;
	m->name = str_format("sim-%s", params.name);
	m->cpu = str_format("simulated machine '%s'", params.name);
	m->vendor = strdup("");
	m->kernel = strdup("");
	return m->name && m->cpu && m->vendor && m->kernel ? 0 : PAPI_ENOMEM;
}
