/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses that the filter let through: translate, look into L1, fetch what is
 * missing, and let the filter know.
 *
 * Known lies: a load or store that crosses lines is a look-up for each, of
 * L1 and of the TLB. A non-temporal store takes the line
 * out of all caches and goes to memory; stores to the line just written so are
 * combined with it. A fetch translates once for each line.
 */

#include "simpmu/model/below.h"
#include "simpmu/model/cycle.h"

/* One copy for loads, one for stores. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

static const uint16_t l1_miss[] = { TALLY_L1D_LOAD_MISS, TALLY_L1D_STORE_MISS,
				    TALLY_L1I_MISS, TALLY_NOWHERE };

/* Whether the cycle model hears of accesses now. */
static bool is_noted(const struct core *core)
{
	return core->model->parts & PART_CYCLE && !is_later(core);
}

static enum level slower(enum level a, enum level b)
{
	return a > b ? a : b;
}

/* A store to the line in @slot of L1D. Tells whether other cores had it: then
 * it waits for them to drop it. */
static enum level make_modified(struct core *core, uint64_t line, uint32_t slot)
{
	uint8_t *flags = &core->mem->data.l1.flags[slot];
	enum level level = LEVEL_L1;

	if (*flags & LINE_DIRTY)
		return level;
	if (is_later(core))
		later_push(core, later_record(LATER_MODIFY, line, false));
	else if (!(*flags & LINE_OWNED))
		level = coherence_upgrade(core, line);
	else if (!(*flags & LINE_DIRTY_BELOW))
		core->tallies[TALLY_CLEAN_STORE]++;
	*flags |= LINE_OWNED | LINE_DIRTY;
	return level;
}

/* The line was missing in L1D; a store to it leaves it modified. */
static ALWAYS_INLINE uint32_t fetch_data(struct core *core, uint64_t line,
					 enum access who, enum level *level)
{
	struct reply reply = below_fetch(core, line, who);
	uint8_t flags = reply.flags & LINE_OWNED;
	uint32_t slot;

	if (reply.flags & LINE_DIRTY)
		flags |= LINE_DIRTY_BELOW;
	slot = levels_fill_l1(core, &core->mem->data, line, flags);
	*level = reply.level;
	if (who == ACCESS_STORE && reply.level == LEVEL_L2)
		*level = slower(*level, make_modified(core, line, slot));
	else if (who == ACCESS_STORE)
		core->mem->data.l1.flags[slot] |= LINE_DIRTY;
	return slot;
}

static ALWAYS_INLINE enum level hit_data(struct core *core, uint64_t line,
					 enum access who, uint32_t slot)
{
	struct side *side = &core->mem->data;

	side_touch(side, slot, core->clock);
	return who == ACCESS_STORE ? make_modified(core, line, slot) : LEVEL_L1;
}

/* The line is not in the filter, or not for stores. */
static ALWAYS_INLINE enum level find_data(struct core *core, uint64_t pc,
					  uint64_t line, enum access who)
{
	struct side *side = &core->mem->data;
	enum level level = LEVEL_L1;
	uint32_t slot =
		cache_find_in(&side->l1, cache_set(&side->l1, line), line);
	bool train = slot == SLOT_NONE;

	if (slot == SLOT_NONE) {
		core->tallies[l1_miss[who]]++;
		slot = fetch_data(core, line, who, &level);
	} else {
		if (side->l1.flags[slot] & LINE_PREFETCHED) {
			core->tallies[TALLY_PF_L1_USED]++;
			side->l1.flags[slot] &= (uint8_t)~LINE_PREFETCHED;
			train = true;
		}
		level = hit_data(core, line, who, slot);
	}
	side_install_line(side, slot);
	if (train && who == ACCESS_LOAD)
		prefetch_l1(core, pc, line);
	return level;
}

static ALWAYS_INLINE void access_line(struct core *core, uint64_t pc,
				      uint64_t line, enum access who)
{
	struct side *side = &core->mem->data;
	struct filter_entry *e = side_entry(side, line);
	uint64_t address = line << core->line_shift;
	uint64_t ignored = who == ACCESS_LOAD ? FILTER_CLEAN : 0;
	bool is_there = (e->tag & ~ignored) == address;
	enum level level = LEVEL_L1;
	uint32_t delay = 0;

	core->pc = pc;
	if (!is_there && !is_later(core))
		levels_expect(core, line);
	tlb_translate(core, side, address, who, &delay);
	if (is_there)
		*e->stamp = core->clock;
	else
		level = find_data(core, pc, line, who);
	if (is_noted(core) && (delay || level != LEVEL_L1))
		cycle_note_access(core, pc, level, delay, lines_to_tell(core));
}

/* The further lines of an access that crosses lines. */
static void access_more(struct core *core, uint64_t pc, uint64_t line,
			uint64_t last, enum access who)
{
	uint64_t clock = core->clock;

	while (line++ < last) {
		core->tallies[who == ACCESS_STORE ? TALLY_SPLIT_STORE
						  : TALLY_SPLIT_LOAD]++;
		core->clock++;
		access_line(core, pc, line, who);
	}
	core->clock = clock;
}

static ALWAYS_INLINE void access_data(struct core *core, uint64_t pc,
				      uint64_t ea, size_t size, enum access who)
{
	uint64_t first = ea >> core->line_shift;
	uint64_t last = (ea + size - 1) >> core->line_shift;

	access_line(core, pc, first, who);
	if (first != last)
		access_more(core, pc, first, last, who);
	core->clock += CLOCK_STEP;
}

void model_load_slow(struct core *core, uint64_t pc, uint64_t ea, size_t size)
{
	access_data(core, pc, ea, size, ACCESS_LOAD);
}

void model_store_slow(struct core *core, uint64_t pc, uint64_t ea, size_t size)
{
	access_data(core, pc, ea, size, ACCESS_STORE);
}

/* The line is in L1, and an access to it changes nothing there but its age. */
static ALWAYS_INLINE void translate_only(struct core *core, uint64_t pc,
					 uint64_t ea, struct filter_entry *line,
					 enum access who)
{
	uint32_t delay = 0;

	core->pc = pc;
	tlb_find(core, &core->mem->data, ea, who, &delay);
	*line->stamp = core->clock;
	if (is_noted(core) && delay)
		cycle_note_access(core, pc, LEVEL_L1, delay,
				  lines_to_tell(core));
	core->clock += CLOCK_STEP;
}

void model_load_page(struct core *core, uint64_t pc, uint64_t ea,
		     struct filter_entry *line)
{
	translate_only(core, pc, ea, line, ACCESS_LOAD);
}

void model_store_page(struct core *core, uint64_t pc, uint64_t ea,
		      struct filter_entry *line)
{
	translate_only(core, pc, ea, line, ACCESS_STORE);
}

void access_prefetch_l1(struct core *core, uint64_t line)
{
	struct side *side = &core->mem->data;
	struct reply reply;
	uint8_t flags;

	if (cache_find_in(&side->l1, cache_set(&side->l1, line), line) !=
	    SLOT_NONE)
		return;
	core->tallies[TALLY_PF_L1_ISSUED]++;
	reply = below_fetch(core, line, ACCESS_PREFETCH);
	flags = (reply.flags & LINE_OWNED) | LINE_PREFETCHED;
	if (reply.flags & LINE_DIRTY)
		flags |= LINE_DIRTY_BELOW;
	levels_fill_l1(core, side, line, flags);
}

static void store_nt_line(struct core *core, uint64_t line)
{
	uint32_t delay = 0;

	core->pc = 0;
	tlb_translate(core, &core->mem->data, line << core->line_shift,
		      ACCESS_STORE, &delay);
	levels_drop_l1(core, line);
	if (is_later(core))
		later_push(core, later_record(LATER_NT, line, false));
	else
		levels_write_past(core, line);
	if (is_noted(core))
		cycle_note_past(core, lines_to_tell(core));
}

void model_store_nt(struct core *core, uint64_t ea, size_t size)
{
	uint64_t first = ea >> core->line_shift;
	uint64_t last = (ea + size - 1) >> core->line_shift;

	store_nt_line(core, first);
	if (last != first)
		store_nt_line(core, last);
	core->clock += CLOCK_STEP;
}

void model_clflush(struct core *core, uint64_t ea)
{
	uint64_t line = ea >> core->line_shift;
	bool dirty = levels_drop_l1(core, line) & LINE_DIRTY;

	if (is_later(core))
		later_push(core, later_record(LATER_FLUSH, line, dirty));
	else
		levels_flush_line(core, line, dirty);
}

static enum level find_code(struct core *core, uint64_t line)
{
	struct side *side = &core->mem->code;
	uint32_t slot =
		cache_find_in(&side->l1, cache_set(&side->l1, line), line);
	enum level level = LEVEL_L1;

	if (slot == SLOT_NONE) {
		core->tallies[TALLY_L1I_MISS]++;
		level = below_fetch(core, line, ACCESS_FETCH).level;
		slot = levels_fill_l1(core, side, line, 0);
	} else {
		side_touch(side, slot, core->clock);
	}
	side_install_line(side, slot);
	return level;
}

void model_fetch_slow(struct core *core, uint64_t address)
{
	uint32_t delay = 0;
	enum level level;

	tlb_translate(core, &core->mem->code, address, ACCESS_FETCH, &delay);
	level = find_code(core, address >> core->line_shift);
	if (is_noted(core) && (delay || level != LEVEL_L1))
		cycle_note_fetch(core, level, delay);
	core->clock += CLOCK_STEP;
}

void model_add_lookups(uint64_t *tallies, const struct core *core,
		       uint64_t loads, uint64_t stores, uint64_t fetches)
{
	tallies[TALLY_L1D_LOAD] = loads + core->tallies[TALLY_SPLIT_LOAD];
	tallies[TALLY_L1D_STORE] = stores + core->tallies[TALLY_SPLIT_STORE];
	tallies[TALLY_DTLB_LOAD] = tallies[TALLY_L1D_LOAD];
	tallies[TALLY_DTLB_STORE] = tallies[TALLY_L1D_STORE];
	tallies[TALLY_L1I_ACCESS] = fetches;
	tallies[TALLY_ITLB_ACCESS] = fetches;
}
