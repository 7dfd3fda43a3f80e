/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a machine can be modelled at all, and a sentence if not. */

#include "simpmu/model/params.h"
#include "simpmu/model/text.h"

static struct sentence complain(struct params_error *error)
{
	error->line = 0;
	error->column = 0;
	return (struct sentence){ error->text, sizeof(error->text), 0 };
}

static bool refuse(struct params_error *error, const char *what,
		   const char *text)
{
	struct sentence s = complain(error);

	say(&s, what);
	say(&s, text);
	return false;
}

static bool check_cache(const struct cache_params *cache, const char *name,
			struct params_error *error)
{
	if (!cache->sets || !cache->ways)
		return refuse(error, name, " has no sets or no ways");
	if ((uint64_t)cache->sets * cache->ways > UINT64_C(1) << 26)
		return refuse(error, name, " has more than 64 M lines");
	if (!cache->latency)
		return refuse(error, name, " has no latency");
	return true;
}

static bool check_tlb(const struct tlb_params *tlb, const char *name,
		      struct params_error *error)
{
	if (!tlb->sets || !tlb->ways)
		return refuse(error, name, " has no sets or no ways");
	if (!tlb->huge_sets != !tlb->huge_ways)
		return refuse(error, name,
			      " has huge_sets without huge_ways or vice versa");
	return true;
}

static uint64_t bytes_of(const struct params *p,
			 const struct cache_params *cache)
{
	return (uint64_t)cache->sets * cache->ways * p->line_bytes;
}

static bool check_memory(const struct params *p, struct params_error *error)
{
	if (p->line_bytes < 16 || p->line_bytes > 128 ||
	    p->line_bytes & (p->line_bytes - 1))
		return refuse(error, "line",
			      " must be 16, 32, 64 or 128 bytes");
	if (!check_cache(&p->l1i, "l1i", error) ||
	    !check_cache(&p->l1d, "l1d", error) ||
	    !check_cache(&p->l2, "l2", error))
		return false;
	if (bytes_of(p, &p->l2) < bytes_of(p, &p->l1d))
		return refuse(error, "l2", " is smaller than l1d");
	if (p->l3_kind != L3_NONE && !check_cache(&p->l3, "l3", error))
		return false;
	if (p->l3_kind == L3_INCLUSIVE &&
	    bytes_of(p, &p->l3) < bytes_of(p, &p->l2))
		return refuse(error, "l3", " is inclusive but smaller than l2");
	if (!p->dram_latency)
		return refuse(error, "dram_latency", " is missing");
	if (!p->stlb.sets != !p->stlb.ways)
		return refuse(error, "stlb",
			      " has sets without ways or vice versa");
	return check_tlb(&p->itlb, "itlb", error) &&
	       check_tlb(&p->dtlb, "dtlb", error);
}

static bool check_prefetch(const struct params *p, struct params_error *error)
{
	if (p->pf_stream && (!p->pf_stream_pages || !p->pf_stream_train ||
			     !p->pf_stream_degree))
		return refuse(
			error, "stream",
			" needs stream_pages, stream_train, stream_degree");
	if (p->pf_stride && (!p->pf_stride_entries || !p->pf_stride_train ||
			     !p->pf_stride_degree))
		return refuse(
			error, "stride",
			" needs stride_entries, stride_train, stride_degree");
	return true;
}

static bool check_tage(const struct params *p, struct params_error *error)
{
	if (!p->tage_tables)
		return refuse(error, "tage", " needs tage_history");
	if (!p->tage_bits || !p->tage_tag_bits)
		return refuse(error, "tage", " needs tage_bits, tage_tag_bits");
	for (uint32_t i = 1; i < p->tage_tables; i++)
		if (p->tage_history[i] <= p->tage_history[i - 1])
			return refuse(error, "tage_history",
				      " must grow from table to table");
	return true;
}

static bool check_branch(const struct params *p, struct params_error *error)
{
	if (!p->base_bits)
		return refuse(error, "base_bits", " is missing");
	if (!p->indirect_bits)
		return refuse(error, "indirect_bits", " is missing");
	if (p->predictor == PREDICT_LOCAL &&
	    (p->history_bits < 1 || p->history_bits > 16))
		return refuse(error, "history_bits",
			      " of a local predictor must be from 1 to 16");
	if ((p->predictor == PREDICT_GSHARE ||
	     p->predictor == PREDICT_HYBRID) &&
	    p->history_bits > p->base_bits)
		return refuse(error, "history_bits",
			      " of gshare must not exceed base_bits");
	if (p->predictor != PREDICT_TAGE && p->predictor != PREDICT_HYBRID)
		return true;
	return check_tage(p, error);
}

static bool check_pipeline(const struct params *p, struct params_error *error)
{
	if (!p->issue_width || !p->retire_width || !p->rob || !p->rs ||
	    !p->lq || !p->sq)
		return refuse(error, "pipeline",
			      " needs issue, retire, rob, rs, lq and sq");
	if (p->rs > p->rob)
		return refuse(error, "rs", " is larger than rob");
	if (p->fetch_block & (p->fetch_block - 1))
		return refuse(error, "fetch_block", " is not a power of two");
	if (p->taken_near & (p->taken_near - 1))
		return refuse(error, "taken_near", " is not a power of two");
	if (p->taken_near && !p->taken_time)
		return refuse(error, "taken_near", " needs taken_time");
	if (p->fetch_block && !p->taken_time)
		return refuse(error, "fetch_block", " needs taken_time");
	for (uint32_t i = 0; i < INSN_CLASSES; i++) {
		if (p->insn[i].unit == UNIT_VEC && !p->ports[UNIT_VEC])
			return refuse(error, "ports",
				      " needs vec, as a class executes there");
		if (p->insn[i].unit == UNIT_FMUL && !p->ports[UNIT_FMUL])
			return refuse(error, "ports",
				      " needs fmul, as a class executes there");
	}
	for (uint32_t i = UNIT_NONE + 1; i < UNIT_COUNT; i++)
		if (!p->ports[i] && i != UNIT_VEC && i != UNIT_FMUL &&
		    i < UNIT_MEMORY)
			return refuse(
				error, "ports",
				" needs int, mul, div, fp, branch, load, store");
	if (!p->counters)
		return refuse(error, "pmu", " has no counters");
	return true;
}

bool params_check(const struct params *params, struct params_error *error)
{
	struct params_error ignored;

	if (!error)
		error = &ignored;
	if (!params->name[0])
		return refuse(error, "name", " is missing");
	return check_memory(params, error) && check_prefetch(params, error) &&
	       check_branch(params, error) && check_pipeline(params, error);
}
