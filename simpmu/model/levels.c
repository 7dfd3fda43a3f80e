/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The levels below L1: the private L2, the shared L3, memory; and what moves
 * between them and L1.
 *
 * Modelling decisions and known lies:
 *  - Write-back and write-allocate everywhere. L2 neither includes L1 nor
 *    excludes it: what L2 replaces stays in L1, so misses of L1 depend on L1
 *    alone. Dirty lines that leave L1 are put into L2 if it lost them.
 *  - An inclusive L3 takes lines out of L1 and L2 when it replaces them. A
 *    victim L3 is filled by what L2 replaces, and keeps a line that L2 takes
 *    back from it; such a line, if still clean, leaves L2 without a trace.
 *  - L1 is indexed by virtual lines; L2 and L3 by physical ones, through the
 *    page map. The hashed map is a fixed function of the page number.
 *  - Code and data do not look at each other: a store leaves the same core's
 *    L1I alone. No buses, no bank conflicts, no limits on misses in flight.
 */

#include "simpmu/model/below.h"

/* Tallies by who asks: loads, stores, fetches, prefetchers, and prefetch
 * instructions, for reading and for writing. */
static const uint16_t l2_lookup[ACCESS_KINDS] = {
	TALLY_L2_LOAD, TALLY_L2_STORE, TALLY_L2_I_ACCESS,
	TALLY_NOWHERE, TALLY_SWPF_L2,  TALLY_SWPF_L2
};
static const uint16_t l2_miss[ACCESS_KINDS] = {
	TALLY_L2_LOAD_MISS, TALLY_L2_STORE_MISS, TALLY_L2_I_MISS,
	TALLY_NOWHERE,      TALLY_SWPF_L2_MISS,  TALLY_SWPF_L2_MISS
};
static const uint16_t l3_lookup[ACCESS_KINDS] = {
	TALLY_L3_LOAD, TALLY_L3_STORE, TALLY_L3_I_ACCESS,
	TALLY_NOWHERE, TALLY_NOWHERE,  TALLY_NOWHERE
};
static const uint16_t l3_miss[ACCESS_KINDS] = {
	TALLY_L3_LOAD_MISS, TALLY_L3_STORE_MISS, TALLY_L3_I_MISS,
	TALLY_PF_L2_MISS,   TALLY_NOWHERE,       TALLY_NOWHERE
};

/* Mixes the bits of a page number; a bijection of 36-bit numbers. */
static uint64_t scatter(uint64_t page)
{
	const uint64_t mask = (UINT64_C(1) << 36) - 1;

	page ^= page >> 17;
	page = page * UINT64_C(0x9e3779b97f4a7c15) & mask;
	page ^= page >> 19;
	page = page * UINT64_C(0xd6e8feb86659fd93) & mask;
	return page ^ page >> 18;
}

/* What scatter() made of a page is undone: shifts by half the bits or more are
 * their own inverse; the factors are the inverse ones modulo 2^36. */
static uint64_t gather(uint64_t page)
{
	const uint64_t mask = (UINT64_C(1) << 36) - 1;

	page ^= page >> 18;
	page = page * UINT64_C(0xd8b59a89b) & mask;
	page ^= page >> 19;
	page = page * UINT64_C(0x19937733d) & mask;
	return page ^ page >> 17 ^ page >> 34;
}

static uint64_t with_page(const struct model *model, uint64_t line,
			  uint64_t (*map)(uint64_t page))
{
	unsigned shift = PAGE_SHIFT - model->line_shift;

	return map(line >> shift) << shift |
	       (line & ((UINT64_C(1) << shift) - 1));
}

uint64_t levels_scattered(const struct model *model, uint64_t line)
{
	return with_page(model, line, scatter);
}

uint64_t levels_line(const struct model *model, const struct sets *sets,
		     uint32_t set, uint32_t tag)
{
	uint64_t line = sets_line(sets, set, tag);

	if (model->params.page_map == PAGE_IDENTITY)
		return line;
	return with_page(model, line, gather);
}

/* An inclusive L3 replaces @line: no core may keep it. True if some core had
 * a newer copy. */
static bool recall(struct core *core, uint64_t line)
{
	struct model *model = core->model;
	bool dirty = false;

	for (unsigned i = 0; i < model->cores; i++)
		dirty |= (levels_drop(model->core[i], line) & LINE_DIRTY) != 0;
	return dirty;
}

/* ---- L3: a mark is a dirty line ---- */

/* The line in @way of the set leaves L3. */
static void leave_l3(struct core *core, const struct place *place, uint32_t way)
{
	struct model *model = core->model;
	struct sets *l3 = &model->l3;
	uint32_t tag = sets_tags(l3, place->block)[way];
	bool dirty = sets_is_marked(l3, place, way);

	if (model->params.l3_kind == L3_INCLUSIVE)
		dirty |= recall(core, levels_line(model, l3, place->set, tag));
	core->late[TALLY_L3_EVICT]++;
	if (dirty) {
		core->late[TALLY_L3_WB]++;
		core->late[TALLY_DRAM_WRITE]++;
		core->moved.written++;
	}
}

static uint32_t fill_l3(struct core *core, const struct place *place)
{
	struct sets *l3 = &core->model->l3;
	uint32_t way = sets_victim(l3, place);

	if (sets_tags(l3, place->block)[way])
		leave_l3(core, place, way);
	sets_put(l3, place, way);
	return way;
}

/* Put @line there, or just note its use. */
static void place_in_l3(struct core *core, uint64_t line, bool dirty)
{
	struct sets *l3 = &core->model->l3;
	struct place place = levels_in_l3(core->model, line);
	uint32_t way = sets_find(l3, &place);

	sets_note(l3, &place);
	if (way == SLOT_NONE)
		way = fill_l3(core, &place);
	else
		sets_touch(l3, &place, way);
	if (dirty)
		sets_mark(l3, &place, way, true);
}

void levels_write_l3(struct core *core, uint64_t line)
{
	if (core->model->params.l3_kind == L3_NONE) {
		core->late[TALLY_DRAM_WRITE]++;
		core->moved.written++;
	} else {
		place_in_l3(core, line, true);
	}
}

/* Tells in *@below whether L3 has the line afterwards. */
static enum level fetch_from_l3(struct core *core, uint64_t line,
				enum access who, bool supplied, bool *below)
{
	struct sets *l3 = &core->model->l3;
	uint32_t kind = core->model->params.l3_kind;
	struct place place;
	uint32_t way = SLOT_NONE;

	if (kind != L3_NONE) {
		core->late[l3_lookup[who]]++;
		place = levels_in_l3(core->model, line);
		way = sets_find(l3, &place);
		sets_note(l3, &place);
	}
	core->moved.l3++;
	*below = way != SLOT_NONE;
	if (way != SLOT_NONE) {
		sets_touch(l3, &place, way);
		return supplied ? LEVEL_CORE : LEVEL_L3;
	}
	if (kind == L3_INCLUSIVE)
		fill_l3(core, &place);
	if (supplied)
		return LEVEL_CORE;
	core->moved.dram++;
	core->late[TALLY_DRAM_READ]++;
	core->late[kind == L3_NONE && who != ACCESS_PREFETCH ? TALLY_NOWHERE
							     : l3_miss[who]]++;
	return LEVEL_DRAM;
}

/* ---- L2 ---- */

/* A clean line that leaves L2 goes to a victim L3 that has not kept it. */
static bool is_for_l3(const struct core *core, uint8_t flags)
{
	return core->model->params.l3_kind == L3_VICTIM &&
	       !(flags & LINE_BELOW);
}

static void leave_l2(struct core *core, uint64_t line, uint8_t flags)
{
	core->late[TALLY_L2_EVICT]++;
	if (flags & LINE_PREFETCHED)
		core->late[TALLY_PF_L2_UNUSED]++;
	if (flags & LINE_DIRTY) {
		core->late[TALLY_L2_WB]++;
		levels_write_l3(core, line);
	} else if (is_for_l3(core, flags)) {
		place_in_l3(core, line, false);
	}
	coherence_left(core, line);
}

/* Which way will be replaced: let the host fetch the set of L3 that its line
 * will go to. */
static uint32_t expect_victim(const struct core *core,
			      const struct place *place)
{
	const struct model *model = core->model;
	const struct sets *l2 = &core->mem->l2;
	uint32_t way = sets_victim(l2, place);
	uint32_t tag = sets_tags(l2, place->block)[way];
	struct place l3;

	if (!tag || !is_for_l3(core, *sets_flags(l2, place, way)))
		return way;
	l3 = levels_in_l3(model, levels_line(model, l2, place->set, tag));
	sets_expect(&model->l3, &l3);
	return way;
}

/* What L1 has of a line of which L2 loses the dirty copy. */
static void clean_below(struct core *core, uint64_t line)
{
	struct cache *l1 = &core->mem->data.l1;
	uint32_t slot;

	if (core->later & PART_DATA)
		return;
	slot = cache_find_in(l1, cache_set(l1, line), line);
	if (slot != SLOT_NONE)
		l1->flags[slot] &= (uint8_t)~LINE_DIRTY_BELOW;
}

static void fill_l2(struct core *core, const struct place *place, uint32_t way,
		    uint8_t flags)
{
	struct sets *l2 = &core->mem->l2;
	uint32_t old = sets_tags(l2, place->block)[way];
	uint8_t *now = sets_flags(l2, place, way), old_flags = *now;
	uint64_t line;

	sets_put(l2, place, way);
	*now = flags;
	if (!old)
		return;
	line = levels_line(core->model, l2, place->set, old);
	if (old_flags & LINE_DIRTY)
		clean_below(core, line);
	leave_l2(core, line, old_flags);
}

static bool wants_to_own(enum access who)
{
	return who == ACCESS_STORE || who == ACCESS_SOFTWARE_OWN;
}

static struct reply fetch_past_l2(struct core *core, uint64_t line,
				  enum access who)
{
	struct reply reply;
	bool supplied, below;
	uint8_t owned =
		coherence_request(core, line, wants_to_own(who), &supplied);

	reply.level = fetch_from_l3(core, line, who, supplied, &below);
	reply.flags = owned | (below ? LINE_BELOW : 0);
	return reply;
}

/* Bring @line, which L2 misses, into it, with @flags and those it gets. */
static struct reply bring_to_l2(struct core *core, uint64_t line,
				const struct place *place, enum access who,
				uint8_t flags)
{
	uint32_t way = expect_victim(core, place);
	struct reply reply = fetch_past_l2(core, line, who);

	/* an inclusive L3 may have emptied another */
	if (core->model->params.l3_kind == L3_INCLUSIVE)
		way = sets_victim(&core->mem->l2, place);
	fill_l2(core, place, way, reply.flags | flags);
	return reply;
}

static struct reply hit_l2(struct core *core, const struct place *place,
			   uint32_t way, enum access who)
{
	struct sets *l2 = &core->mem->l2;
	uint8_t *flags = sets_flags(l2, place, way);

	sets_touch(l2, place, way);
	if (*flags & LINE_PREFETCHED && who < ACCESS_PREFETCH) {
		core->late[TALLY_PF_L2_USED]++;
		*flags &= (uint8_t)~LINE_PREFETCHED;
	}
	return (struct reply){ LEVEL_L2, *flags & (LINE_OWNED | LINE_DIRTY) };
}

/* The other line of the pair will be prefetched. */
static void expect_neighbour(const struct core *core, uint64_t line)
{
	const struct model *model = core->model;
	struct place l2 = levels_in_l2(core, line ^ 1), l3;

	sets_expect(&core->mem->l2, &l2);
	if (model->params.l3_kind == L3_NONE)
		return;
	l3 = levels_in_l3(model, line ^ 1);
	sets_expect(&model->l3, &l3);
}

void levels_modify(struct core *core, uint64_t line)
{
	const struct sets *l2 = &core->mem->l2;
	struct place place = levels_in_l2(core, line);
	uint32_t way = sets_find(l2, &place);

	if (way == SLOT_NONE || !(*sets_flags(l2, &place, way) & LINE_DIRTY))
		core->late[TALLY_CLEAN_STORE]++;
}

struct reply levels_fetch(struct core *core, uint64_t line, enum access who)
{
	struct sets *l2 = &core->mem->l2;
	struct place place = levels_in_l2(core, line);
	uint32_t way = sets_find(l2, &place);
	struct reply reply;

	core->late[l2_lookup[who]]++;
	if (way != SLOT_NONE) {
		reply = hit_l2(core, &place, way, who);
	} else {
		if (core->model->params.pf_adjacent)
			expect_neighbour(core, line);
		core->late[l2_miss[who]]++;
		reply = bring_to_l2(core, line, &place, who, 0);
	}
	if (who == ACCESS_LOAD || who == ACCESS_STORE) {
		core->mem->missed_l2 = way == SLOT_NONE;
		prefetch_l2(core, line, way != SLOT_NONE);
	}
	return reply;
}

void levels_prefetch(struct core *core, uint64_t line)
{
	struct place place = levels_in_l2(core, line);

	if (sets_find(&core->mem->l2, &place) != SLOT_NONE)
		return;
	core->late[TALLY_PF_L2_ISSUED]++;
	bring_to_l2(core, line, &place, ACCESS_PREFETCH, LINE_PREFETCHED);
}

enum level levels_read_table(struct core *core, uint64_t address)
{
	uint64_t line = address >> core->line_shift;
	struct sets *l2 = &core->mem->l2;
	struct place place = levels_in_l2(core, line);
	uint32_t way = sets_find(l2, &place);

	if (way == SLOT_NONE)
		return bring_to_l2(core, line, &place, ACCESS_SOFTWARE, 0)
			.level;
	sets_touch(l2, &place, way);
	return LEVEL_L2;
}

void levels_write_back(struct core *core, uint64_t line)
{
	struct sets *l2 = &core->mem->l2;
	struct place place = levels_in_l2(core, line);
	uint32_t way = sets_find(l2, &place);

	core->moved.back++;

	if (way == SLOT_NONE) {
		fill_l2(core, &place, sets_victim(l2, &place),
			LINE_OWNED | LINE_DIRTY);
		return;
	}
	sets_touch(l2, &place, way);
	*sets_flags(l2, &place, way) |= LINE_OWNED | LINE_DIRTY;
}

/* ---- L1 ---- */

static void leave_l1(struct core *core, const struct side *side, uint64_t line,
		     uint8_t flags)
{
	if (side == &core->mem->data) {
		core->tallies[TALLY_L1D_EVICT]++;
		if (flags & LINE_DIRTY) {
			core->tallies[TALLY_L1D_WB]++;
			below_write_back(core, line);
		}
	}
	if (!(core->later & PART_DATA))
		coherence_left(core, line);
}

/* The new line is put in before the old one goes on its way down, where it may
 * push out what the new one relies on. */
uint32_t levels_fill_l1(struct core *core, struct side *side, uint64_t line,
			uint8_t flags)
{
	uint32_t slot = cache_victim(&side->l1, cache_set(&side->l1, line));
	uint64_t old = side->l1.key[slot];
	uint8_t old_flags = side->l1.flags[slot];

	if (old)
		side_remove(side, slot);
	side->l1.key[slot] = line + 1;
	side->l1.flags[slot] = flags;
	side_touch(side, slot, core->clock);
	if (old)
		leave_l1(core, side, old - 1, old_flags);
	return slot;
}

static uint8_t drop_from_side(struct side *side, uint64_t line)
{
	uint32_t slot =
		cache_find_in(&side->l1, cache_set(&side->l1, line), line);
	uint8_t flags;

	if (slot == SLOT_NONE)
		return 0;
	side_remove(side, slot);
	flags = side->l1.flags[slot];
	cache_clear(&side->l1, slot);
	return flags;
}

uint8_t levels_drop_l1(struct core *core, uint64_t line)
{
	drop_from_side(&core->mem->code, line);
	return drop_from_side(&core->mem->data, line);
}

static uint8_t drop_from_l2(struct core *core, uint64_t line)
{
	struct sets *l2 = &core->mem->l2;
	struct place place = levels_in_l2(core, line);
	uint32_t way = sets_find(l2, &place);
	uint8_t flags;

	if (way == SLOT_NONE)
		return 0;
	flags = *sets_flags(l2, &place, way);
	sets_clear(l2, &place, way);
	return flags;
}

uint8_t levels_drop(struct core *core, uint64_t line)
{
	uint8_t flags = levels_drop_l1(core, line);

	flags |= drop_from_l2(core, line);
	coherence_left(core, line);
	return flags & (LINE_OWNED | LINE_DIRTY);
}

/* True if L3 had a newer copy than memory. */
static bool drop_from_l3(struct model *model, uint64_t line)
{
	struct sets *l3 = &model->l3;
	struct place place;
	uint32_t way;
	bool dirty;

	if (model->params.l3_kind == L3_NONE)
		return false;
	place = levels_in_l3(model, line);
	way = sets_find(l3, &place);
	if (way == SLOT_NONE)
		return false;
	dirty = sets_is_marked(l3, &place, way);
	sets_note(l3, &place);
	sets_clear(l3, &place, way);
	return dirty;
}

/* @line, which the core's L1 has lost, leaves all other caches. */
static bool drop_below(struct core *core, uint64_t line)
{
	bool dirty;

	coherence_invalidate(core, line);
	dirty = (drop_from_l2(core, line) & LINE_DIRTY) != 0;
	coherence_left(core, line);
	return drop_from_l3(core->model, line) || dirty;
}

void levels_write_past(struct core *core, uint64_t line)
{
	drop_below(core, line);
	if (core->mem->nt_line != line + 1) {
		core->late[TALLY_DRAM_WRITE]++;
		core->moved.written++;
	}
	core->mem->nt_line = line + 1;
}

void levels_flush_line(struct core *core, uint64_t line, bool dirty)
{
	if (drop_below(core, line) || dirty)
		core->late[TALLY_DRAM_WRITE]++;
}

/* ---- life ---- */

bool levels_init(struct core *core)
{
	struct model *model = core->model;
	const struct params *p = &model->params;
	struct hierarchy *mem;
	const struct side_params data = { &p->l1d, &p->dtlb,
					  model->line_shift };
	const struct side_params code = { &p->l1i, &p->itlb,
					  model->line_shift };

	mem = memory_get(&model->memory, sizeof(*mem));
	core->mem = mem;
	if (!mem ||
	    !side_init(&mem->data, &model->memory, &core->data, &data) ||
	    !side_init(&mem->code, &model->memory, &core->code, &code))
		return false;
	mem->l2.bit_plru = p->l2.replacement == REPLACE_BIT_PLRU;
	if (p->stlb.sets &&
	    !sets_init(&mem->stlb, &model->memory, p->stlb.sets, p->stlb.ways))
		return false;
	mem->l2.has_flags = true;
	return sets_init(&mem->l2, &model->memory, p->l2.sets, p->l2.ways) &&
	       prefetch_init(core);
}

void levels_flush(struct core *core)
{
	side_flush(&core->mem->data);
	side_flush(&core->mem->code);
	sets_flush(&core->mem->l2);
	sets_flush(&core->mem->stlb);
	core->mem->nt_line = 0;
	prefetch_flush(core);
}
