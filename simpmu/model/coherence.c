/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coherence between cores: MESI with a directory.
 *
 * Modelling decisions and known lies:
 *  - The directory knows exactly which cores have a line, so only cores that
 *    have it are snooped, and a snoop always finds a copy. It is not limited.
 *  - A modified line that another core reads is written to L3 and becomes
 *    shared. One that another core writes moves there.
 *  - A clean line is supplied by another core only if L3 has lost it.
 *  - Guest threads run in turns, so lines move between cores when turns
 *    change. Who runs them makes turns short while lines are contended.
 *  - With one core nothing of this is kept; the directory is built from its
 *    caches when the second core comes.
 */

#include "simpmu/model/machine.h"

/* ---- directory: open addressing, linear probing ---- */

static uint32_t home(const struct directory *dir, uint64_t line)
{
	return (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 32) &
	       dir->mask;
}

static struct sharers *find(const struct directory *dir, uint64_t line)
{
	uint32_t i = home(dir, line);

	while (dir->entry[i].key && dir->entry[i].key != line + 1)
		i = (i + 1) & dir->mask;
	return &dir->entry[i];
}

static void add_sharer(struct directory *dir, uint64_t line, unsigned core)
{
	struct sharers *entry = find(dir, line);

	entry->key = line + 1;
	entry->cores |= UINT64_C(1) << core;
}

/* Empty entry @i and move up those that probing would no longer reach. */
static void remove_entry(struct directory *dir, uint32_t i)
{
	uint32_t j = i;

	for (;;) {
		uint32_t want;

		dir->entry[i] = (struct sharers){ 0 };
		do {
			j = (j + 1) & dir->mask;
			if (!dir->entry[j].key)
				return;
			want = home(dir, dir->entry[j].key - 1);
		} while (((j - want) & dir->mask) < ((j - i) & dir->mask));
		dir->entry[i] = dir->entry[j];
		i = j;
	}
}

static void remove_sharer(struct directory *dir, uint64_t line, unsigned core)
{
	struct sharers *entry = find(dir, line);

	if (!entry->key)
		return;
	entry->cores &= ~(UINT64_C(1) << core);
	if (!entry->cores)
		remove_entry(dir, (uint32_t)(entry - dir->entry));
}

/* ---- which core has what ---- */

static bool side_has(const struct side *side, uint64_t line)
{
	return cache_find_in(&side->l1, cache_set(&side->l1, line), line) !=
	       SLOT_NONE;
}

/* Flags of the line in L2; NULL if it is not there. */
static uint8_t *find_in_l2(const struct core *core, uint64_t line)
{
	const struct sets *l2 = &core->mem->l2;
	struct place place = levels_in_l2(core, line);
	uint32_t way = sets_find(l2, &place);

	return way == SLOT_NONE ? NULL : sets_flags(l2, &place, way);
}

void coherence_left(struct core *core, uint64_t line)
{
	const struct hierarchy *mem = core->mem;

	if (core->model->cores < 2)
		return;
	if (!find_in_l2(core, line) && !side_has(&mem->data, line) &&
	    !side_has(&mem->code, line))
		remove_sharer(&core->model->directory, line, core->index);
}

uint64_t coherence_others(const struct core *core, uint64_t line)
{
	if (core->model->cores < 2)
		return 0;
	return find(&core->model->directory, line)->cores &
	       ~(UINT64_C(1) << core->index);
}

/* ---- snoops ---- */

/* The copies of @core become shared and clean. Returns what they were. */
static uint8_t downgrade(struct core *core, uint64_t line)
{
	struct side *side = &core->mem->data;
	uint32_t l1 =
		cache_find_in(&side->l1, cache_set(&side->l1, line), line);
	uint8_t *l2 = find_in_l2(core, line);
	const uint8_t keep =
		(uint8_t) ~(LINE_OWNED | LINE_DIRTY | LINE_DIRTY_BELOW);
	uint8_t flags = 0;

	if (l1 != SLOT_NONE) {
		flags |= side->l1.flags[l1];
		side_forbid_writes(side, l1);
		side->l1.flags[l1] &= keep;
	}
	if (l2) {
		flags |= *l2;
		*l2 &= keep;
	}
	return flags;
}

static void count_snoop(struct core *core, uint8_t found)
{
	core->model->contended++;
	core->late[TALLY_SNOOP]++;
	core->late[found & LINE_DIRTY ? TALLY_SNOOP_HITM : TALLY_SNOOP_HIT]++;
}

void coherence_invalidate(struct core *core, uint64_t line)
{
	uint64_t others = coherence_others(core, line);

	for (; others; others &= others - 1) {
		struct core *other = core->model->core[__builtin_ctzll(others)];
		uint8_t found = levels_drop(other, line);

		other->late[TALLY_INVALIDATE]++;
		if (found & LINE_DIRTY)
			other->late[TALLY_INTERVENE]++;
		count_snoop(core, found);
	}
}

static bool in_l3(const struct model *model, uint64_t line)
{
	struct place place;

	if (model->params.l3_kind == L3_NONE)
		return false;
	place = levels_in_l3(model, line);
	return sets_find(&model->l3, &place) != SLOT_NONE;
}

/* Another core has the line and may own it. */
static void read_from(struct core *core, struct core *other, uint64_t line)
{
	bool supply = !in_l3(core->model, line);
	uint8_t found = downgrade(other, line);

	if (!supply && !(found & LINE_OWNED))
		return;
	count_snoop(core, found);
	if (found & LINE_DIRTY)
		levels_write_l3(core, line);
	if (supply || found & LINE_DIRTY)
		other->late[TALLY_INTERVENE]++;
}

uint8_t coherence_request(struct core *core, uint64_t line, bool exclusive,
			  bool *supplied)
{
	struct model *model = core->model;
	uint64_t others = coherence_others(core, line);

	*supplied = others != 0;
	if (model->cores < 2)
		return LINE_OWNED;
	if (others && exclusive) {
		core->late[TALLY_SHARED_STORE]++;
		coherence_invalidate(core, line);
	} else if (others) {
		read_from(core, model->core[__builtin_ctzll(others)], line);
	}
	add_sharer(&model->directory, line, core->index);
	return others && !exclusive ? 0 : LINE_OWNED;
}

void coherence_own(struct core *core, uint64_t line)
{
	uint8_t *l2 = find_in_l2(core, line);

	coherence_invalidate(core, line);
	if (l2)
		*l2 |= LINE_OWNED;
}

enum level coherence_upgrade(struct core *core, uint64_t line)
{
	bool shared = coherence_others(core, line) != 0;

	core->late[shared ? TALLY_SHARED_STORE : TALLY_CLEAN_STORE]++;
	coherence_own(core, line);
	return shared ? LEVEL_CORE : LEVEL_L1;
}

/* ---- life ---- */

static void add_all(struct directory *dir, const struct cache *cache,
		    unsigned core)
{
	for (uint32_t i = 0; i < cache->sets * cache->ways; i++)
		if (cache->key[i])
			add_sharer(dir, cache->key[i] - 1, core);
}

static void add_all_l2(struct directory *dir, const struct core *core)
{
	const struct sets *l2 = &core->mem->l2;
	const uint8_t *block = l2->block;

	for (uint32_t set = 0; set < l2->count; set++, block += l2->block_bytes)
		for (uint32_t way = 0; way < l2->ways; way++)
			if (sets_tags(l2, block)[way])
				add_sharer(
					dir,
					levels_line(core->model, l2, set,
						    sets_tags(l2, block)[way]),
					core->index);
}

static uint32_t table_size(const struct model *model)
{
	const struct params *p = &model->params;
	uint64_t lines = (uint64_t)p->l1i.sets * p->l1i.ways +
			 (uint64_t)p->l1d.sets * p->l1d.ways +
			 (uint64_t)p->l2.sets * p->l2.ways;
	uint32_t size = 1024;

	while (size < lines * model->cores * 2)
		size *= 2;
	return size;
}

/* A table for all cores there are, filled anew from their caches. */
bool coherence_rebuild(struct model *model)
{
	struct directory dir;

	if (model->cores < 2)
		return true;
	dir.mask = table_size(model) - 1;
	dir.entry = memory_get(&model->memory,
			       ((size_t)dir.mask + 1) * sizeof(*dir.entry));
	if (!dir.entry)
		return false;
	for (unsigned i = 0; i < model->cores; i++) {
		const struct hierarchy *mem = model->core[i]->mem;

		if (!mem)
			continue;
		add_all(&dir, &mem->data.l1, i);
		add_all(&dir, &mem->code.l1, i);
		add_all_l2(&dir, model->core[i]);
	}
	memory_put(&model->memory, model->directory.entry);
	model->directory = dir;
	return true;
}

void coherence_flush(struct model *model)
{
	struct directory *dir = &model->directory;

	for (size_t i = 0; dir->entry && i <= dir->mask; i++)
		dir->entry[i] = (struct sharers){ 0 };
}
