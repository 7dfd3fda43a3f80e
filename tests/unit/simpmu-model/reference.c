/* SPDX-License-Identifier: BSD-3-Clause */
/* The naive hierarchy: every look-up is a search, every use moves to front. */

#include "reference.h"

#include <stdlib.h>
#include <string.h>

/* ---- lists ---- */

static void cache_new(struct ref_cache *c, uint32_t sets, uint32_t ways)
{
	c->sets = sets;
	c->ways = ways;
	c->set = calloc(sets ? sets : 1, sizeof(*c->set));
	for (uint32_t i = 0; i < sets; i++)
		c->set[i].line = calloc(ways, sizeof(struct ref_line));
}

static void cache_free(struct ref_cache *c)
{
	for (uint32_t i = 0; i < c->sets; i++)
		free(c->set[i].line);
	free(c->set);
}

static struct ref_line *find(struct ref_cache *c, uint64_t line)
{
	struct ref_set *set = &c->set[line % c->sets];

	for (uint32_t i = 0; i < set->count; i++)
		if (set->line[i].line == line)
			return &set->line[i];
	return NULL;
}

static struct ref_line *use(struct ref_cache *c, uint64_t line)
{
	struct ref_set *set = &c->set[line % c->sets];
	struct ref_line *found = find(c, line);
	struct ref_line copy;

	if (!found)
		return NULL;
	copy = *found;
	memmove(set->line + 1, set->line,
		(size_t)(found - set->line) * sizeof(copy));
	set->line[0] = copy;
	return &set->line[0];
}

static bool take_out(struct ref_cache *c, uint64_t line, struct ref_line *out)
{
	struct ref_set *set = &c->set[line % c->sets];
	struct ref_line *found = find(c, line);

	if (!found)
		return false;
	*out = *found;
	set->count--;
	memmove(found, found + 1,
		(size_t)(set->line + set->count - found) * sizeof(*found));
	return true;
}

/* Put @new in front. True if the last one had to go, into *@old. */
static bool put(struct ref_cache *c, struct ref_line new, struct ref_line *old)
{
	struct ref_set *set = &c->set[new.line % c->sets];
	bool full = set->count == c->ways;

	if (full)
		*old = set->line[--set->count];
	memmove(set->line + 1, set->line, set->count * sizeof(new));
	set->line[0] = new;
	set->count++;
	return full;
}

/* ---- other cores ---- */

static bool has(struct ref_core *c, uint64_t line)
{
	return find(&c->l1i, line) || find(&c->l1d, line) || find(&c->l2, line);
}

static bool take_from_core(struct ref_core *c, uint64_t line)
{
	struct ref_line a = { 0 }, b = { 0 }, ignored;

	take_out(&c->l1d, line, &a);
	take_out(&c->l2, line, &b);
	take_out(&c->l1i, line, &ignored);
	return a.dirty || b.dirty;
}

static unsigned count_others(struct ref_machine *m, unsigned me, uint64_t line)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->cores; i++)
		n += i != me && has(&m->core[i], line);
	return n;
}

static void invalidate_others(struct ref_machine *m, unsigned me, uint64_t line)
{
	uint64_t *mine = m->core[me].tallies;

	for (unsigned i = 0; i < m->cores; i++) {
		if (i == me || !has(&m->core[i], line))
			continue;
		mine[TALLY_SNOOP]++;
		m->core[i].tallies[TALLY_INVALIDATE]++;
		if (take_from_core(&m->core[i], line)) {
			mine[TALLY_SNOOP_HITM]++;
			m->core[i].tallies[TALLY_INTERVENE]++;
		} else {
			mine[TALLY_SNOOP_HIT]++;
		}
	}
}

/* ---- L3 ---- */

static void put_in_l3(struct ref_machine *m, unsigned me, uint64_t line)
{
	struct ref_line new = { .line = line }, old;
	uint64_t *s = m->core[me].tallies;

	if (!put(&m->l3, new, &old))
		return;
	s[TALLY_L3_EVICT]++;
	if (m->params.l3_kind == L3_INCLUSIVE)
		for (unsigned i = 0; i < m->cores; i++)
			old.dirty |= take_from_core(&m->core[i], old.line);
	if (old.dirty) {
		s[TALLY_L3_WB]++;
		s[TALLY_DRAM_WRITE]++;
	}
}

static void write_to_l3(struct ref_machine *m, unsigned me, uint64_t line,
			bool dirty)
{
	if (m->params.l3_kind == L3_NONE) {
		m->core[me].tallies[TALLY_DRAM_WRITE] += dirty;
		return;
	}
	if (!dirty && m->params.l3_kind == L3_INCLUSIVE)
		return;
	if (!use(&m->l3, line))
		put_in_l3(m, me, line);
	if (dirty)
		find(&m->l3, line)->dirty = true;
}

/* The first other core that has the line answers a read. */
static void read_from_other(struct ref_machine *m, unsigned me, uint64_t line)
{
	bool in_l3 = m->params.l3_kind != L3_NONE && find(&m->l3, line);
	unsigned i = 0;
	struct ref_line *l1, *l2;
	bool dirty = false, owned = false;

	while (i == me || !has(&m->core[i], line))
		i++;
	l1 = find(&m->core[i].l1d, line);
	l2 = find(&m->core[i].l2, line);
	if (l1) {
		dirty |= l1->dirty;
		owned |= l1->owned;
		l1->dirty = l1->owned = false;
	}
	if (l2) {
		dirty |= l2->dirty;
		owned |= l2->owned;
		l2->dirty = l2->owned = false;
	}
	if (in_l3 && !owned)
		return;
	m->core[me].tallies[TALLY_SNOOP]++;
	m->core[me].tallies[dirty ? TALLY_SNOOP_HITM : TALLY_SNOOP_HIT]++;
	if (dirty)
		write_to_l3(m, me, line, true);
	if (!in_l3 || dirty)
		m->core[i].tallies[TALLY_INTERVENE]++;
}

/* True if it is there. */
static bool look_in_l3(struct ref_machine *m, unsigned me, uint64_t line,
		       enum ref_access kind, bool supplied)
{
	static const int look[] = { TALLY_L3_LOAD, TALLY_L3_STORE,
				    TALLY_L3_I_ACCESS };
	static const int miss[] = { TALLY_L3_LOAD_MISS, TALLY_L3_STORE_MISS,
				    TALLY_L3_I_MISS };
	uint64_t *s = m->core[me].tallies;

	if (m->params.l3_kind != L3_NONE) {
		s[look[kind]]++;
		if (use(&m->l3, line))
			return true;
		if (m->params.l3_kind == L3_INCLUSIVE)
			put_in_l3(m, me, line);
		if (!supplied)
			s[miss[kind]]++;
	}
	s[TALLY_DRAM_READ] += !supplied;
	return false;
}

/* ---- L2 ---- */

static void put_in_l2(struct ref_machine *m, unsigned me, struct ref_line new)
{
	struct ref_core *c = &m->core[me];
	struct ref_line old;

	if (!put(&c->l2, new, &old))
		return;
	c->tallies[TALLY_L2_EVICT]++;
	c->tallies[TALLY_L2_WB] += old.dirty;
	if (old.dirty || !old.from_l3)
		write_to_l3(m, me, old.line, old.dirty);
}

/* Bring the line into L2 if needed; returns whether this core owns it. */
static bool fetch(struct ref_machine *m, unsigned me, uint64_t line,
		  enum ref_access kind, bool *from_l2)
{
	static const int look[] = { TALLY_L2_LOAD, TALLY_L2_STORE,
				    TALLY_L2_I_ACCESS };
	static const int miss[] = { TALLY_L2_LOAD_MISS, TALLY_L2_STORE_MISS,
				    TALLY_L2_I_MISS };
	struct ref_core *c = &m->core[me];
	struct ref_line *found = use(&c->l2, line);
	struct ref_line new = { .line = line };
	bool others;

	c->tallies[look[kind]]++;
	*from_l2 = found != NULL;
	if (found)
		return found->owned;
	c->tallies[miss[kind]]++;
	others = count_others(m, me, line) > 0;
	if (others && kind == REF_STORE) {
		c->tallies[TALLY_SHARED_STORE]++;
		invalidate_others(m, me, line);
	} else if (others) {
		read_from_other(m, me, line);
	}
	new.from_l3 = look_in_l3(m, me, line, kind, others);
	new.owned = !others || kind == REF_STORE;
	put_in_l2(m, me, new);
	return new.owned;
}

/* ---- L1 ---- */

static void evict_l1d(struct ref_machine *m, unsigned me, struct ref_line old)
{
	struct ref_core *c = &m->core[me];
	struct ref_line *l2;

	c->tallies[TALLY_L1D_EVICT]++;
	if (!old.dirty)
		return;
	c->tallies[TALLY_L1D_WB]++;
	l2 = use(&c->l2, old.line);
	if (l2) {
		l2->dirty = l2->owned = true;
	} else {
		old.owned = true;
		put_in_l2(m, me, old);
	}
}

/* A store to a line that is in L1D: it becomes modified. */
static void modify(struct ref_machine *m, unsigned me, uint64_t line)
{
	struct ref_core *c = &m->core[me];
	struct ref_line *l1 = find(&c->l1d, line);
	struct ref_line *l2 = find(&c->l2, line);

	if (l1->dirty)
		return;
	if (!l1->owned && count_others(m, me, line)) {
		c->tallies[TALLY_SHARED_STORE]++;
		invalidate_others(m, me, line);
	} else if (!l2 || !l2->dirty) {
		c->tallies[TALLY_CLEAN_STORE]++;
	}
	l1->owned = l1->dirty = true;
	if (l2)
		l2->owned = true;
}

static void access_l1d(struct ref_machine *m, unsigned me, uint64_t line,
		       enum ref_access kind)
{
	struct ref_core *c = &m->core[me];
	struct ref_line new = { .line = line }, old;
	bool from_l2;

	if (use(&c->l1d, line)) {
		if (kind == REF_STORE)
			modify(m, me, line);
		return;
	}
	c->tallies[kind == REF_STORE ? TALLY_L1D_STORE_MISS
				     : TALLY_L1D_LOAD_MISS]++;
	new.owned = fetch(m, me, line, kind, &from_l2);
	if (put(&c->l1d, new, &old))
		evict_l1d(m, me, old);
	if (kind == REF_STORE && from_l2)
		modify(m, me, line);
	else if (kind == REF_STORE)
		find(&c->l1d, line)->dirty = true;
}

static void access_l1i(struct ref_machine *m, unsigned me, uint64_t line)
{
	struct ref_core *c = &m->core[me];
	struct ref_line new = { .line = line }, old;
	bool from_l2;

	if (use(&c->l1i, line))
		return;
	c->tallies[TALLY_L1I_MISS]++;
	fetch(m, me, line, REF_FETCH, &from_l2);
	put(&c->l1i, new, &old);
}

/* ---- TLBs ---- */

static void translate(struct ref_machine *m, unsigned me, uint64_t page,
		      enum ref_access kind)
{
	static const int miss[] = { TALLY_DTLB_LOAD_MISS, TALLY_DTLB_STORE_MISS,
				    TALLY_ITLB_MISS };
	static const int hit[] = { TALLY_STLB_LOAD_HIT, TALLY_STLB_STORE_HIT,
				   TALLY_STLB_I_HIT };
	static const int walk[] = { TALLY_WALK_LOAD, TALLY_WALK_STORE,
				    TALLY_WALK_I };
	struct ref_core *c = &m->core[me];
	struct ref_cache *tlb = kind == REF_FETCH ? &c->itlb : &c->dtlb;
	struct ref_line new = { .line = page }, old;

	if (use(tlb, page))
		return;
	c->tallies[miss[kind]]++;
	if (m->params.stlb.sets && use(&c->stlb, page)) {
		c->tallies[hit[kind]]++;
	} else {
		c->tallies[walk[kind]]++;
		if (m->params.stlb.sets)
			put(&c->stlb, new, &old);
	}
	put(tlb, new, &old);
}

void ref_access(struct ref_machine *m, unsigned core, enum ref_access kind,
		uint64_t address, size_t size)
{
	static const int split[] = { TALLY_SPLIT_LOAD, TALLY_SPLIT_STORE };
	uint64_t first = address / m->params.line_bytes;
	uint64_t last = (address + size - 1) / m->params.line_bytes;

	if (kind != REF_FETCH)
		m->core[core].tallies[split[kind]] += last - first;
	for (uint64_t line = first; line <= last; line++) {
		translate(m, core, line * m->params.line_bytes / 4096, kind);
		if (kind == REF_FETCH)
			access_l1i(m, core, line);
		else
			access_l1d(m, core, line, kind);
	}
}

/* ---- life ---- */

struct ref_machine *ref_new(const struct params *p, unsigned cores)
{
	struct ref_machine *m = calloc(1, sizeof(*m));

	m->params = *p;
	m->cores = cores;
	cache_new(&m->l3, p->l3_kind == L3_NONE ? 0 : p->l3.sets, p->l3.ways);
	for (unsigned i = 0; i < cores; i++) {
		struct ref_core *c = &m->core[i];

		cache_new(&c->l1i, p->l1i.sets, p->l1i.ways);
		cache_new(&c->l1d, p->l1d.sets, p->l1d.ways);
		cache_new(&c->l2, p->l2.sets, p->l2.ways);
		cache_new(&c->itlb, p->itlb.sets, p->itlb.ways);
		cache_new(&c->dtlb, p->dtlb.sets, p->dtlb.ways);
		cache_new(&c->stlb, p->stlb.sets, p->stlb.ways);
	}
	return m;
}

void ref_free(struct ref_machine *m)
{
	cache_free(&m->l3);
	for (unsigned i = 0; i < m->cores; i++) {
		struct ref_core *c = &m->core[i];

		cache_free(&c->l1i);
		cache_free(&c->l1d);
		cache_free(&c->l2);
		cache_free(&c->itlb);
		cache_free(&c->dtlb);
		cache_free(&c->stlb);
	}
	free(m);
}
