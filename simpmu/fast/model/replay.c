/* SPDX-License-Identifier: BSD-3-Clause */
/* From records and scripts to calls of the model; see log.h. */
#include "simpmu/fast/model/replay.h"

#include "simpmu/fast/map.h"
#include "simpmu/fast/model/chunk.h"
#include "simpmu/fast/model/detail.h"
#include "simpmu/fast/model/log.h"
#include "simpmu/fast/model/look.h"
#include "simpmu/fast/model/machine.h"
#include "simpmu/fast/model/miss.h"

#define OP_MOVS     0xa4
#define OP_CMPS     0xa6
#define OP_STOS     0xaa
#define OP_LODS     0xac
#define OP_SCAS     0xae

#define AHEAD_WORDS 128u /* another processor has just written them */
#define LONG_STRING 64u  /* as many rounds as instructions of a path */

/* ---- addresses ---- */

static int64_t byte_of_bit(uint64_t bit, unsigned size)
{
	if (size == 2)
		return (int16_t)bit >> 3;
	if (size == 4)
		return (int32_t)bit >> 3;
	return (int64_t)bit >> 3;
}

static uint64_t index_of(const struct item *i, const uint64_t *record)
{
	if (i->flags & ITEM_BITS)
		return (uint64_t)byte_of_bit(record[i->index], i->shift);
	if (i->flags & ITEM_BYTE)
		return record[i->index] & 0xff;
	return record[i->index] << i->shift;
}

static uint64_t address_of(const struct modelled *m, const struct item *i,
			   const uint64_t *record)
{
	uint64_t ea = (uint64_t)i->offset;

	if (i->flags & ITEM_HAS_BASE)
		ea += record[i->base];
	if (i->flags & ITEM_HAS_INDEX)
		ea += index_of(i, record);
	if (i->flags & ITEM_32_BITS)
		ea = (uint32_t)ea;
	if (i->flags & ITEM_FS)
		ea += m->fs;
	return ea;
}

uint64_t replay_address(const struct modelled *m, const struct item *i,
			const uint64_t *record)
{
	return address_of(m, i, record);
}

/* ---- accesses ---- */

static void show_piece(struct core *core, const struct item *i, uint64_t ea,
		       size_t size)
{
	switch (i->access) {
	case LOG_LOADS:
		model_load(core, i->pc, ea, size);
		break;
	case LOG_STORES:
		model_store(core, i->pc, ea, size);
		break;
	case LOG_NT:
		model_store_nt(core, ea, size);
		break;
	case LOG_FLUSH:
		model_clflush(core, ea);
		break;
	default:
		model_prefetch(core, ea, i->access - LOG_TO_L1);
	}
}

__attribute__((noinline)) static void
show_any(struct modelled *m, const struct item *i, const uint64_t *record)
{
	uint64_t ea = address_of(m, i, record);

	for (size_t left = i->size; left;) {
		size_t size = left < 64 ? left : 64;

		show_piece(m->memory, i, ea, size);
		ea += size;
		left -= size;
	}
}

static void show_iteration(struct modelled *m, const struct item *i,
			   uint64_t from, uint64_t to)
{
	struct core *core = m->memory;

	if (i->access == OP_CMPS || i->access == OP_SCAS)
		model_load(core, i->pc, to, i->size);
	if (i->access == OP_MOVS || i->access == OP_CMPS ||
	    i->access == OP_LODS)
		model_load(core, i->pc, from, i->size);
	if (i->access == OP_MOVS || i->access == OP_STOS)
		model_store(core, i->pc, to, i->size);
}

/* How far its register has moved. */
static int64_t rep_moved(const struct item *i, const uint64_t *record)
{
	return (int64_t)(i->access == OP_LODS
				 ? record[i->base + 2] - record[i->base]
				 : record[i->base + 3] - record[i->base + 1]);
}

uint64_t replay_rep_times(const struct item *i, const uint64_t *record)
{
	int64_t moved = rep_moved(i, record);

	return (uint64_t)(moved < 0 ? -moved : moved) / i->size;
}

static uint64_t rep_step(const struct item *i, const uint64_t *record)
{
	return rep_moved(i, record) < 0 ? -(uint64_t)i->size : i->size;
}

/* Loads before stores. */
void replay_rep_addresses(const struct item *i, const uint64_t *record,
			  uint64_t n, uint64_t addrs[2])
{
	uint64_t beyond = n * rep_step(i, record);
	bool has_from = i->access != OP_STOS && i->access != OP_SCAS;

	addrs[0] = record[has_from ? i->base : i->base + 1] + beyond;
	addrs[1] = record[i->base + 1] + beyond;
}

/* Say what @note is about, which was just shown to the model. */
static void note_shown(struct modelled *m, const struct detail_note *note,
		       bool is_waited_for)
{
	struct detail *d = m->detail[REPLAY_MEMORY];

	if (miss_is_on(m->memory))
		miss_note(m->memory, d, note, is_waited_for);
	else
		detail_note(d, m->memory, note);
}

/* @note: where to say what is waited for, or NULL. */
__attribute__((noinline)) static void show_rep(struct modelled *m,
					       const struct item *i,
					       const uint64_t *record,
					       struct detail_note *note)
{
	uint64_t from = record[i->base], to = record[i->base + 1];
	uint64_t step = rep_step(i, record);
	uint64_t times = replay_rep_times(i, record);

	for (uint64_t n = 0; n < times; n++) {
		show_iteration(m, i, from + n * step, to + n * step);
		if (!note)
			continue;
		note->iteration = (uint32_t)n;
		note_shown(m, note, true);
	}
	if (i->access != OP_STOS)
		m->loads += times * (i->access == OP_CMPS ? 2 : 1);
	if (i->access == OP_MOVS || i->access == OP_STOS)
		m->stores += times;
}

__attribute__((noinline)) static void
show_gather(struct modelled *m, const struct item *i, const uint64_t *record)
{
	uint64_t base = (uint64_t)i->offset;
	const int32_t *narrow = (const int32_t *)(record + i->index);

	if (i->flags & ITEM_HAS_BASE)
		base += record[i->base];
	if (i->flags & ITEM_FS)
		base += m->fs;
	for (unsigned n = 0; n < i->access; n++) {
		uint64_t index = i->flags & ITEM_WIDE
					 ? record[i->index + n]
					 : (uint64_t)(int64_t)narrow[n];

		model_load(m->memory, i->pc, base + (index << i->shift),
			   i->size);
	}
}

/* The stamps of lines that were not looked up are wanted where one has to go.
 */
static void show_line(struct core *core, uint64_t address)
{
	const struct filter_entry *line =
		filter_line(&core->code, core->line_shift, address);
	const struct filter_entry *page = filter_page(&core->code, address);

	if (line->tag != (address | FILTER_CLEAN) ||
	    !filter_has_page(page, address))
		look_settle();
	model_fetch(core, address);
}

__attribute__((noinline)) static void
show_item(struct modelled *m, const struct item *i, const uint64_t *record)
{
	struct core *core = m->memory;
	uint64_t offset = (uint64_t)i->offset;

	switch (i->kind) {
	case ITEM_LINE:
		show_line(core, offset);
		break;
	case ITEM_LOAD:
		model_load(core, i->pc, record[i->base] + offset, i->size);
		break;
	case ITEM_STORE:
		model_store(core, i->pc, record[i->base] + offset, i->size);
		break;
	case ITEM_LOAD_AT:
		model_load(core, i->pc, offset, i->size);
		break;
	case ITEM_STORE_AT:
		model_store(core, i->pc, offset, i->size);
		break;
	case ITEM_LOAD_BY:
		model_load(core, i->pc,
			   record[i->base] + (record[i->index] << i->shift) +
				   offset,
			   i->size);
		break;
	case ITEM_STORE_BY:
		model_store(core, i->pc,
			    record[i->base] + (record[i->index] << i->shift) +
				    offset,
			    i->size);
		break;
	case ITEM_REP:
		show_rep(m, i, record, NULL);
		break;
	case ITEM_GATHER:
		show_gather(m, i, record);
		break;
	default:
		show_any(m, i, record);
	}
}

void replay_missed(struct core *core, const struct item *i, uint64_t ea,
		   struct filter_entry *line)
{
	bool is_store = i->access == LOG_STORES;

	if (line && is_store)
		model_store_page(core, i->pc, ea, line);
	else if (line)
		model_load_page(core, i->pc, ea, line);
	else if (is_store)
		model_store_slow(core, i->pc, ea, i->size);
	else
		model_load_slow(core, i->pc, ea, i->size);
}

void replay_item(struct modelled *m, const struct item *i,
		 const uint64_t *record)
{
	show_item(m, i, record);
}

/*
 * Most items are lines that the filter has, which only make them younger. All
 * kinds are looked up the same way, without a branch that would be hard to
 * predict: what an item lacks is masked out. The rest is shown one by one.
 */
void replay_items(struct modelled *m, const struct item *i,
		  const struct item *last, const uint64_t *record)
{
	struct core *core = m->memory;
	struct filter *const filters[2] = { &core->data, &core->code };
	const unsigned shift = core->line_shift;
	uint64_t clock = core->clock;

	for (; i < last; i++) {
		uint64_t base = -(uint64_t)(i->flags & ITEM_HAS_BASE);
		uint64_t index = -(uint64_t)(i->flags / ITEM_HAS_INDEX & 1);
		uint64_t fs = -(uint64_t)(i->flags / ITEM_FS & 1);
		uint64_t ea = (uint64_t)i->offset + (record[i->base] & base) +
			      ((record[i->index] & index) << (i->shift & 3)) +
			      (m->fs & fs);
		struct filter *filter = filters[i->is_code];
		struct filter_entry *line =
			filter_line_spread(filter, shift, ea);
		struct filter_entry *page = filter_page_spread(filter, ea);
		uint64_t beyond = ea - line->tag + (i->size - 1u);

		beyond &= ~((uint64_t)i->clean_bits << FILTER_TOP_SHIFT);
		if (__builtin_expect((beyond < i->bound) &
					     filter_has_page(page, ea),
				     true)) {
			*line->stamp = *page->stamp = clock;
			clock += CLOCK_STEP;
			continue;
		}
		core->clock = clock;
		if (i->is_code | !i->bound)
			show_item(m, i, record);
		else
			replay_missed(core, i, ea,
				      beyond < i->bound ? line : NULL);
		clock = core->clock;
	}
	core->clock = clock;
}

/* ---- branches ---- */

static inline void show_way(struct core *core, const struct way *way,
			    const uint64_t *record)
{
	const struct branch *b = &way->branch;

	if (b->kind == BRANCH_COND) {
		if (core->bias[way->bias_slot] != way->bias_key)
			model_cond(core, b);
		return;
	}
	model_other(core, b, way->word ? record[way->word] : b->target);
}

/* ---- records ---- */

static const struct script *script_of_cut(uint64_t header, uint32_t *entry)
{
	uint32_t number = (uint32_t)header & ~RECORD_CUT;
	const struct script *script = map_path_of(number)->script;

	*entry = number - script->first;
	return script;
}

/* What was not counted with the exit that was not reached. */
static void count_item(struct modelled *m, const struct item *i)
{
	unsigned pieces = (i->size + 63u) / 64;

	if (i->kind == ITEM_GATHER)
		m->loads += i->access;
	else if (i->kind > ITEM_LINE && i->kind < ITEM_REP &&
		 i->access == LOG_LOADS)
		m->loads += pieces;
	else if (i->kind > ITEM_LINE && i->kind < ITEM_REP &&
		 i->access == LOG_STORES)
		m->stores += pieces;
}

static const uint64_t *replay_cut(struct modelled *m, const uint64_t *record)
{
	uint32_t entry;
	const struct script *s = script_of_cut(*record, &entry);

	for (unsigned n = 0; n < s->n_items && s->items[n].entry < entry; n++) {
		show_item(m, &s->items[n], record);
		count_item(m, &s->items[n]);
	}
	m->fetches += *record >> 32;
	return record + s->words;
}

unsigned replay_cut_words(uint64_t header)
{
	uint32_t entry;

	return script_of_cut(header, &entry)->words;
}

/* Whether the scoreboard waits for an item that misses. */
static bool waits(const struct item *i)
{
	return i->kind != ITEM_ANY || i->access <= LOG_STORES;
}

/* The record at word @at, item by item, and what each waits for. */
static void replay_detailed(struct modelled *m, const struct log_exit *e,
			    const uint64_t *record, uint32_t at)
{
	const struct item *items = e->script->items;

	detail_clear(m->memory);
	if (miss_is_on(m->memory))
		miss_begin_record(m->memory);
	for (unsigned i = 0; i < e->n_items; i++) {
		bool is_fetch = items[i].kind == ITEM_LINE;
		struct detail_note note = { .at = at,
					    .item = (uint16_t)i,
					    .is_fetch = is_fetch };

		if (items[i].kind == ITEM_REP) {
			show_rep(m, &items[i], record, &note);
			continue;
		}
		show_item(m, &items[i], record);
		note_shown(m, &note, is_fetch || waits(&items[i]));
	}
}

bool replay_is_long(const struct log_exit *e, const uint64_t *record)
{
	const struct item *items = e->script->items;
	uint64_t times = 0;

	for (unsigned i = 0; e->has_rep && i < e->n_items; i++)
		if (items[i].kind == ITEM_REP)
			times += replay_rep_times(&items[i], record);
	return times >= LONG_STRING;
}

/* Whether the next record, left by @e, is detailed. */
static inline bool is_next_detailed(struct sampler *s, const struct log_exit *e,
				    const uint64_t *record)
{
	bool is_detailed;

	if (!s)
		return false;
	is_detailed = sampler_is_detailed(s);
	s->at += e->insns;
	return is_detailed || (e->has_rep && replay_is_long(e, record));
}

/* The same for the model of memory, which tells the scoreboard where that
 * changes, and where units begin. @at: the record's word. */
static inline bool is_noted_detailed(struct modelled *m, struct sampler *s,
				     const struct log_exit *e,
				     const uint64_t *record, uint32_t at)
{
	struct detail *d = m->detail[REPLAY_MEMORY];
	bool is_new, is_detailed;
	uint64_t insn;

	if (!s)
		return false;
	insn = s->at;
	is_new = sampler_is_over(s) || !d->n_changes;
	is_detailed = is_next_detailed(s, e, record);
	if (is_new || is_detailed != s->was_detailed)
		detail_change(d, at, insn, is_detailed);
	s->was_detailed = is_detailed;
	return is_detailed;
}

/* NULL: nothing is detailed. */
static struct sampler *sampler_of(struct modelled *m, enum replay_pass pass)
{
	return log_parts & PART_CYCLE ? &m->samplers[pass] : NULL;
}

/* Let the host fetch what will be needed: of this record's words, of what the
 * next one says. */
static inline void expect_next(const struct log_exit *e, const uint64_t *record,
			       const uint64_t *end)
{
	const uint64_t *next = record + e->words;

	__builtin_prefetch(record + AHEAD_WORDS);
	if (next < end)
		__builtin_prefetch(&log_exits[(uint32_t)*next & ~RECORD_CUT]);
}

/* The record, as quickly as can be. */
static inline void replay_record(struct modelled *m, struct log_exit *e,
				 const uint64_t *record)
{
	const struct item *items = e->script->items;

	if (e->chunks && m->core == LOOK_CORE) {
		look_replay(m, e, record);
		return;
	}
	replay_items(m, items, items + e->n_items, record);
	if (m->core == LOOK_CORE && e->uses <= LOOK_AFTER &&
	    ++e->uses == LOOK_AFTER)
		chunk_make(m, e, record);
}

void replay_memory(struct modelled *m, const uint64_t *from,
		   const uint64_t *end)
{
	const uint64_t *start = from;
	struct sampler *sampler = sampler_of(m, REPLAY_MEMORY);

	while (from < end) {
		struct log_exit *e = &log_exits[(uint32_t)*from];

		if ((uint32_t)*from & RECORD_CUT) {
			from = replay_cut(m, from);
			continue;
		}
		expect_next(e, from, end);
		m->loads += e->loads;
		m->stores += e->stores;
		m->fetches += e->fetches;
		if (is_noted_detailed(m, sampler, e, from,
				      (uint32_t)(from - start)))
			replay_detailed(m, e, from, (uint32_t)(from - start));
		else
			replay_record(m, e, from);
		from += e->words;
	}
	if (sampler)
		m->detail[REPLAY_MEMORY]->insns = sampler->at;
}

static const uint64_t *cut_branches(struct core *core, const uint64_t *record)
{
	uint32_t entry;
	const struct script *s = script_of_cut(*record, &entry);

	for (unsigned n = 0; n < s->n_ways && s->ways[n].entry < entry; n++)
		show_way(core, &s->ways[n], record);
	return record + s->words;
}

/* The branches of the record at word @at, and how each went. */
static void detail_branches(struct modelled *m, const struct log_exit *e,
			    const uint64_t *record, uint32_t at)
{
	struct core *core = m->branches;

	core->mispredicted = core->btb_missed = false;
	for (unsigned i = 0; i < e->n_ways; i++) {
		show_way(core, &e->script->ways[i], record);
		detail_fate(m->detail[REPLAY_BRANCHES], core, at, i);
	}
	if (e->has_last) {
		show_way(core, &e->last, record);
		detail_fate(m->detail[REPLAY_BRANCHES], core, at, e->n_ways);
	}
}

void replay_branches(struct modelled *m, const uint64_t *from,
		     const uint64_t *end)
{
	struct core *core = m->branches;
	const uint64_t *start = from;
	struct sampler *sampler = sampler_of(m, REPLAY_BRANCHES);

	while (from < end) {
		const struct log_exit *e = &log_exits[(uint32_t)*from];
		const struct way *w, *last;

		if ((uint32_t)*from & RECORD_CUT) {
			from = cut_branches(core, from);
			continue;
		}
		if (is_next_detailed(sampler, e, from)) {
			detail_branches(m, e, from, (uint32_t)(from - start));
			from += e->words;
			continue;
		}
		expect_next(e, from, end);
		w = e->script->ways;
		for (last = w + e->n_ways; w < last; w++)
			show_way(core, w, from);
		if (e->has_last)
			show_way(core, &e->last, from);
		from += e->words;
	}
}
