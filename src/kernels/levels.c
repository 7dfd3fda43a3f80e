/* SPDX-License-Identifier: BSD-3-Clause */
/* Which level serves a ring, and what that makes others do. */
#include "kernels/levels.h"

#include <math.h>

#include "kernels/tables.h"

#define PAGE 4096

/* Pages expected in sets that overflow, where a ring is said to fit, ... */
#define FEW_PAGES 0.01
/* ... and the share of those that stay, where all is said to miss. */
#define FEW_STAY 0.001

/* How likely fewer than @k of many rare things happen, of which @mean do. */
static double chance_below(double mean, unsigned k)
{
	double term = exp(-mean), sum = 0;

	for (unsigned i = 0; i < k; i++) {
		sum += term;
		term *= mean / (i + 1);
	}
	return sum;
}

/* Lines that a set must see before one comes again, to be sure to miss it. */
static unsigned too_many(unsigned ways, const struct kernel_machine *m)
{
	return m->lru ? ways + 1 : 2 * ways;
}

static enum level_fit fit(uint64_t footprint, uint64_t size, unsigned ways,
			  const struct kernel_machine *m)
{
	if (size == 0)
		return FIT_UNKNOWN;
	if (footprint <= size)
		return FIT_INSIDE;
	if (ways == 0 || footprint >= size / ways * too_many(ways, m))
		return FIT_OUTSIDE;
	return FIT_RAMP;
}

/* Pages of a ring fall into any of @colours groups of sets, by chance. */
static enum level_fit fit_scattered(uint64_t footprint, double colours,
				    unsigned ways,
				    const struct kernel_machine *m)
{
	double pages = (double)footprint / PAGE;
	double others = (pages - 1) / colours;

	if (pages * (1 - chance_below(others, ways)) < FEW_PAGES)
		return FIT_INSIDE;
	if (chance_below(others, too_many(ways, m) - 1) < FEW_STAY)
		return FIT_OUTSIDE;
	return FIT_RAMP;
}

enum level_fit level_fit_l1(uint64_t footprint,
			    const struct kernel_cache *cache,
			    const struct kernel_machine *m)
{
	return fit(footprint, cache->bytes, cache->ways, m);
}

enum level_fit level_fit_beyond(uint64_t footprint,
				const struct kernel_cache *cache,
				const struct kernel_machine *m)
{
	uint64_t way = cache->ways ? cache->bytes / cache->ways : 0;

	if (m->in_order || way <= PAGE || footprint < PAGE)
		return fit(footprint, cache->bytes, cache->ways, m);
	return fit_scattered(footprint, (double)way / PAGE, cache->ways, m);
}

enum level_fit level_fit_pages(uint64_t pages, const struct kernel_tlb *tlb,
			       const struct kernel_machine *m)
{
	return fit(pages, tlb->entries, tlb->ways, m);
}

/* What is in L2 need not be in a victim L3. */
static enum level_fit fit_third(uint64_t footprint,
				const struct kernel_machine *m)
{
	uint64_t kept = m->l2.bytes;

	if (!m->l3_is_victim ||
	    level_fit_beyond(footprint, &m->l3, m) == FIT_INSIDE)
		return level_fit_beyond(footprint, &m->l3, m);
	if (m->l3.ways)
		kept += m->l2.bytes / m->l3.ways;
	return footprint > kept && level_fit_beyond(footprint - kept, &m->l3,
						    m) == FIT_OUTSIDE
		       ? FIT_OUTSIDE
		       : FIT_RAMP;
}

int level_of(uint64_t footprint, const struct kernel_machine *m)
{
	const enum level_fit fits[] = {
		level_fit_l1(footprint, &m->l1d, m),
		level_fit_beyond(footprint, &m->l2, m),
		fit_third(footprint, m),
	};

	for (int i = 0; i < 3; i++) {
		if (fits[i] == FIT_INSIDE)
			return i + 1;
		if (fits[i] != FIT_OUTSIDE)
			return 0;
	}
	return 4;
}

uint64_t level_footprint(uint64_t wish, int level, double ratio, uint64_t most,
			 const struct kernel_machine *m)
{
	double at;

	if (wish == 0) /* of a machine whose caches are not known */
		return 0;
	for (at = (double)wish; at <= (double)most || at == (double)wish;
	     at *= ratio)
		if (level_of((uint64_t)at / PAGE * PAGE, m) == level)
			return (uint64_t)at;
	for (at = (double)wish; at >= PAGE; at /= ratio)
		if (level_of((uint64_t)at / PAGE * PAGE, m) == level)
			return (uint64_t)at;
	return wish;
}

uint64_t level_too_many(const struct kernel_tlb *tlb,
			const struct kernel_machine *m)
{
	uint64_t entries = tlb->entries;

	return m->lru ? entries * 5 / 4 : entries * 2;
}

int level_of_ring(const struct kernel_point *p, const struct kernel_machine *m)
{
	int level = p->unit < PAGE ? level_of(p->footprint, m) : 0;
	bool guarded = p->unit >= 256 && p->pages_per_block == 0;

	return level <= 2 || guarded ? level : 0;
}

uint64_t levels_last(const struct kernel_machine *m)
{
	uint64_t last = m->l3.bytes > 1 ? m->l3.bytes : m->l2.bytes;

	return last + (m->l3_is_victim ? m->l2.bytes : 0);
}

void levels_add_set(const struct kernel_cache *cache, struct kernel_points *to)
{
	uint64_t unit = cache->ways ? cache->bytes / cache->ways : 0;

	if (cache->ways)
		kernel_points_add(to,
				  (struct kernel_point){
					  .times = 1000,
					  .footprint = unit * (cache->ways + 1),
					  .unit = (uint32_t)unit });
}

struct kernel_term levels_term(enum concept concept, double per_iteration)
{
	return (struct kernel_term){ concept, per_iteration, 0 };
}

static size_t put_served(struct kernel_term *terms, size_t at, int level,
			 const enum concept served[4])
{
	for (int i = 0; i < 4; i++)
		terms[at++] = levels_term(served[i], level == 0       ? NAN
						     : level == i + 1 ? 1
								      : 0);
	return at;
}

size_t levels_put_loads(struct kernel_term *terms, size_t at, int level)
{
	static const enum concept served[] = { CONCEPT_L1D_LOAD_HIT,
					       CONCEPT_L2_LOAD_HIT,
					       CONCEPT_L3_LOAD_HIT,
					       CONCEPT_MEM_LOAD };

	return put_served(terms, at, level, served);
}

size_t levels_put_stores(struct kernel_term *terms, size_t at, int level)
{
	static const enum concept served[] = { CONCEPT_L1D_STORE_HIT,
					       CONCEPT_L2_STORE_HIT,
					       CONCEPT_L3_STORE_HIT,
					       CONCEPT_MEM_STORE };

	return put_served(terms, at, level, served);
}

static uint64_t pages_of(const struct kernel_point *p)
{
	uint32_t apart = p->unit > PAGE ? p->unit : PAGE;

	return (p->footprint + apart - 1) / apart;
}

size_t levels_put_pages(struct kernel_term *terms, size_t at,
			const struct kernel_point *p,
			const struct kernel_machine *m, enum pages_of who)
{
	static const enum concept served_by[][3] = {
		[PAGES_OF_LOADS] = { CONCEPT_DTLB_LOAD_HIT,
				     CONCEPT_STLB_LOAD_HIT, CONCEPT_WALK_LOAD },
		[PAGES_OF_STORES] = { CONCEPT_DTLB_STORE_HIT,
				      CONCEPT_STLB_STORE_HIT,
				      CONCEPT_WALK_STORE },
	};
	uint64_t pages = pages_of(p);
	enum level_fit first = level_fit_pages(pages, &m->dtlb, m);
	enum level_fit second = m->stlb.entries
					? level_fit_pages(pages, &m->stlb, m)
					: FIT_OUTSIDE;
	bool apart = p->unit >= PAGE;
	double served[3] = { NAN, NAN, NAN };

	if (first == FIT_INSIDE) {
		served[0] = 1;
		served[1] = served[2] = 0;
	} else if (first == FIT_OUTSIDE && apart && second == FIT_INSIDE) {
		served[1] = 1;
		served[0] = served[2] = 0;
	} else if (first == FIT_OUTSIDE && apart && second == FIT_OUTSIDE) {
		served[2] = 1;
		served[0] = served[1] = 0;
	}
	for (int i = 0; i < 3; i++)
		terms[at++] = levels_term(served_by[who][i], served[i]);
	return at;
}

/* A level that the machine lacks has nothing that could leave it. */
static bool has(const struct kernel_cache *cache)
{
	return cache->bytes > 1;
}

size_t levels_put_evictions(struct kernel_term *terms, size_t at, int level,
			    const struct kernel_machine *m, bool modified)
{
	double unknown = level == 0 ? NAN : 0;
	double ours = level == 0 ? NAN : modified;
	int last = has(&m->l3) ? 3 : 2; /* cache before memory */
	bool past_l1 = level > 1, past_l2 = level > 2, past_all = level == 4;

	terms[at++] = levels_term(CONCEPT_L1D_EVICT, unknown + past_l1);
	terms[at++] = levels_term(CONCEPT_L1D_WB, past_l1 ? ours : unknown);
	terms[at++] = levels_term(CONCEPT_L2_EVICT, past_l2 ? NAN : unknown);
	terms[at++] = levels_term(CONCEPT_L2_WB, past_l2 ? ours : unknown);
	terms[at++] = levels_term(CONCEPT_L3_EVICT,
				  past_all && last == 3 ? NAN : unknown);
	terms[at++] = levels_term(CONCEPT_L3_WB,
				  past_all && last == 3 ? ours : unknown);
	terms[at++] = levels_term(CONCEPT_DRAM_READ, past_all ? NAN : unknown);
	terms[at++] =
		levels_term(CONCEPT_DRAM_WRITE, past_all ? ours : unknown);
	return at;
}

size_t levels_put_prefetches(struct kernel_term *terms, size_t at, int level,
			     const struct kernel_point *p,
			     const struct kernel_machine *m)
{
	/* nearer to the size of L2 some of what was brought is still there */
	bool known = level > 2 && m->pairs && p->footprint >= 3 * m->l2.bytes;
	double nothing = level == 1 || level == 2 || known ? 0 : NAN;

	terms[at++] = levels_term(CONCEPT_PF_L1, NAN);
	terms[at++] = levels_term(CONCEPT_PF_L1_USED, NAN);
	terms[at++] = levels_term(CONCEPT_PF_L2, nothing + known);
	terms[at++] = levels_term(CONCEPT_PF_L2_USED, nothing);
	terms[at++] = levels_term(CONCEPT_PF_L2_UNUSED, nothing + known);
	terms[at++] = levels_term(CONCEPT_PF_L2_MEM, nothing + (level == 4));
	if (!known)
		return at;
	/* two lines come for each that is used, and two have to go */
	terms[at++] = levels_term(CONCEPT_L2_EVICT, 2);
	if (level == 4 && has(&m->l3))
		terms[at++] = levels_term(CONCEPT_L3_EVICT, 2);
	if (level == 4)
		terms[at++] = levels_term(CONCEPT_DRAM_READ, 2);
	return at;
}

size_t levels_put_cycles(struct kernel_term *terms, size_t at, int level,
			 const struct kernel_point *p,
			 const struct kernel_machine *m)
{
	const struct kernel_cache *cache = level == 1   ? &m->l1d
					   : level == 2 ? &m->l2
							: NULL;

	if (cache && cache->latency &&
	    level_fit_pages(pages_of(p), &m->dtlb, m) == FIT_INSIDE)
		terms[at++] = levels_term(CONCEPT_CYCLES, cache->latency);
	return at;
}
