/* SPDX-License-Identifier: BSD-3-Clause */
/* Which level serves a ring, and what that makes others do. */
#include "kernels/levels.h"

#include <math.h>

#define PAGE 4096

enum fit {
	FITS,
	RAMP,
	OUTSIDE,
	UNKNOWN
};

static enum fit fit(uint64_t footprint, uint64_t size, unsigned ways)
{
	if (size == 0)
		return UNKNOWN;
	if (footprint <= size)
		return FITS;
	if (ways == 0 || footprint >= size + size / ways)
		return OUTSIDE;
	return RAMP;
}

int level_of(uint64_t footprint, const struct kernel_machine *m)
{
	const struct kernel_cache *levels[] = { &m->l1d, &m->l2, &m->l3 };
	uint64_t more = 0;

	for (int i = 0; i < 3; i++) {
		/* what is in L2 need not be in a victim L3 */
		if (i == 2 && m->l3_is_victim)
			more = m->l2.bytes;
		switch (fit(footprint, levels[i]->bytes + more,
			    levels[i]->ways)) {
		case FITS:
			if (i == 2 && footprint > levels[i]->bytes)
				return 0;
			return i + 1;
		case OUTSIDE:
			break;
		default:
			return 0;
		}
	}
	return 4;
}

int level_of_ring(const struct kernel_point *p, const struct kernel_machine *m)
{
	int level = p->unit < PAGE ? level_of(p->footprint, m) : 0;
	bool guarded = p->unit >= 256 && p->pages_per_block == 0;

	return level <= 2 || guarded ? level : 0;
}

struct kernel_term levels_term(enum concept concept, double per_time)
{
	return (struct kernel_term){ concept, per_time, 0 };
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
	enum fit first = fit(pages, m->dtlb.entries, m->dtlb.ways);
	enum fit second = m->stlb.entries
				  ? fit(pages, m->stlb.entries, m->stlb.ways)
				  : OUTSIDE;
	bool apart = p->unit >= PAGE;
	double served[3] = { NAN, NAN, NAN };

	if (first == FITS) {
		served[0] = 1;
		served[1] = served[2] = 0;
	} else if (first == OUTSIDE && apart && second == FITS) {
		served[1] = 1;
		served[0] = served[2] = 0;
	} else if (first == OUTSIDE && apart && second == OUTSIDE) {
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
	    fit(pages_of(p), m->dtlb.entries, m->dtlb.ways) == FITS)
		terms[at++] = levels_term(CONCEPT_CYCLES, cache->latency);
	return at;
}
