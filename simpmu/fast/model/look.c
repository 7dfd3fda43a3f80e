/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks of items that are looked up together; see look.h. */
#include "simpmu/fast/model/look.h"

#include "simpmu/fast/model/log.h"
#include "simpmu/fast/model/machine.h"
#include "simpmu/fast/model/replay.h"
#include "simpmu/fast/sys.h"
#include "simpmu/model/watch.h"

#define MEMORY      (UINT64_C(1) << 30) /* taken as it is needed */
#define CHUNK_ITEMS 48u
#define CHUNKS_MAX  64u
#define DOUBT_MAX   24u
#define DOUBT_STEP  3u /* of one that misses; one that hits takes 1 away */
#define DOUBT_LARGE 12u
#define DOUBT_TURNS 8u /* a chunk that is doubted is tried so seldom */

/* An item of a look: where in it, and when. */
struct member {
	uint16_t beyond; /* bytes from the look's first */
	uint16_t position;
	uint8_t size;
	bool is_store;
};

struct look {
	int64_t offset; /* of the first byte */
	uint16_t base, index;
	uint16_t beyond;   /* last byte from the first */
	uint16_t position; /* of the last item */
	uint8_t shift, flags;
	uint8_t clean_bits; /* as of an item */
	uint8_t n_members;
	uint32_t members; /* number of the first */
};

/* A line of code, and when it is used last. */
struct code_line {
	struct fetch_watch watch;
	uint64_t address;
	uint16_t position;
};

struct chunk {
	const struct look *looks;
	struct code_line *lines;
	uint16_t n_looks, n_lines;
	uint16_t first, end; /* items */
	bool has_other;      /* item number `end` follows, and is no part */
	bool holds;          /* L1I and TLB have all lines */
	bool is_pending;
	unsigned doubt, turn; /* see hits() */
	uint64_t clock;       /* when it was replayed last */
	struct chunk *next;
};

static struct {
	uint8_t *memory, *at;
	struct member *members;
	uint32_t n_members;
	struct chunk *pending; /* whose lines have old stamps */
} state;

#define MEMBERS_MAX (1u << 24)

/* ---- lines of code ---- */

static void stamp_later(uint64_t *stamp, uint64_t clock)
{
	*stamp = *stamp > clock ? *stamp : clock;
}

/* One that has left has no stamp. */
static void settle_line(const struct code_line *l, uint64_t clock)
{
	clock += l->position * CLOCK_STEP;
	if (l->watch.line.is_on)
		stamp_later(l->watch.line_stamp, clock);
	if (l->watch.page.is_on)
		stamp_later(l->watch.page_stamp, clock);
}

void look_settle(void)
{
	struct chunk *c;

	while ((c = state.pending)) {
		state.pending = c->next;
		c->is_pending = false;
		for (unsigned i = 0; i < c->n_lines; i++)
			settle_line(&c->lines[i], c->clock);
	}
}

static void use_lines(struct chunk *c, uint64_t clock)
{
	c->clock = clock;
	if (c->is_pending)
		return;
	c->is_pending = true;
	c->next = state.pending;
	state.pending = c;
}

/* All lines were just fetched; perhaps they are still there. */
static void watch_lines(struct core *core, struct chunk *c)
{
	for (unsigned i = 0; i < c->n_lines; i++)
		if (!watch_fetch(core, c->lines[i].address, &c->lines[i].watch,
				 &c->holds))
			return;
	c->holds = true;
}

/* ---- replaying ---- */

/* What was found, before anything is changed. */
struct found {
	uint64_t *line[CHUNK_ITEMS], *page[CHUNK_ITEMS];
	uint16_t position[CHUNK_ITEMS];
	unsigned n;
	bool is_mixed; /* positions are not in order */
};

/* Look for the line and the page of @ea; false: one is not in the filter. */
static inline bool find(struct core *core, uint64_t ea, uint64_t beyond,
			uint64_t clean_bits, struct found *f)
{
	const struct filter_entry *line =
		filter_line(&core->data, core->line_shift, ea);
	const struct filter_entry *page = filter_page(&core->data, ea);
	uint64_t distance = ea - line->tag + beyond;

	f->line[f->n] = line->stamp;
	f->page[f->n] = page->stamp;
	distance &= ~(clean_bits << FILTER_TOP_SHIFT);
	return (distance < core->line_bytes) & filter_has_page(page, ea);
}

static uint64_t clean_bits(bool has_store)
{
	return has_store ? 0 : FILTER_TOP >> FILTER_TOP_SHIFT;
}

/* The look begins at @ea and crosses lines: its members are in order of their
 * addresses. One that crosses lines itself is not dealt with here. */
__attribute__((noinline)) static bool find_by_line(struct core *core,
						   const struct look *l,
						   uint64_t ea, struct found *f)
{
	const struct member *m = state.members + l->members;
	const struct member *end = m + l->n_members;
	const uint64_t mask = core->line_bytes - 1;

	f->is_mixed = true;
	while (m < end) {
		uint64_t at = ea + m->beyond, line = at & ~mask;
		unsigned position = 0;
		bool has_store = false;

		for (; m < end && ((ea + m->beyond) & ~mask) == line; m++) {
			if (((ea + m->beyond) & mask) + m->size > mask + 1)
				return false;
			has_store |= m->is_store;
			if (m->position > position)
				position = m->position;
		}
		if (!find(core, at, 0, clean_bits(has_store), f))
			return false;
		f->position[f->n++] = (uint16_t)position;
	}
	return true;
}

static inline uint64_t address_of(const struct modelled *m,
				  const struct look *l, const uint64_t *record)
{
	uint64_t base = -(uint64_t)(l->flags & ITEM_HAS_BASE);
	uint64_t index = -(uint64_t)(l->flags / ITEM_HAS_INDEX & 1);
	uint64_t fs = -(uint64_t)(l->flags / ITEM_FS & 1);

	return (uint64_t)l->offset + (record[l->base] & base) +
	       ((record[l->index] & index) << l->shift) + (m->fs & fs);
}

static inline bool find_all(struct modelled *m, const struct chunk *c,
			    const uint64_t *record, struct found *f)
{
	struct core *core = m->memory;
	const uint64_t mask = core->line_bytes - 1;
	const struct look *l = c->looks, *end = l + c->n_looks;

	for (; l < end; l++) {
		uint64_t ea = address_of(m, l, record);

		if (__builtin_expect((ea & mask) + l->beyond > mask, false)) {
			if (!find_by_line(core, l, ea, f))
				return false;
			continue;
		}
		f->position[f->n] = l->position;
		if (__builtin_expect(
			    !find(core, ea, l->beyond, l->clean_bits, f),
			    false))
			return false;
		f->n++;
	}
	return true;
}

static inline void stamp_all(const struct found *f, uint64_t clock)
{
	if (f->is_mixed) {
		for (unsigned i = 0; i < f->n; i++) {
			uint64_t at = clock + f->position[i] * CLOCK_STEP;

			stamp_later(f->line[i], at);
			stamp_later(f->page[i], at);
		}
		return;
	}
	for (unsigned i = 0; i < f->n; i++)
		*f->line[i] = *f->page[i] = clock + f->position[i] * CLOCK_STEP;
}

/* Whether all of the chunk hits; then it has been replayed. */
static inline bool hits(struct modelled *m, struct chunk *c,
			const uint64_t *record)
{
	struct core *core = m->memory;
	struct found f;

	if (!c->holds || (c->doubt >= DOUBT_LARGE && ++c->turn % DOUBT_TURNS))
		return false;
	f.n = 0;
	f.is_mixed = false;
	if (!find_all(m, c, record, &f)) {
		c->doubt += c->doubt < DOUBT_MAX ? DOUBT_STEP : 0;
		return false;
	}
	c->doubt -= c->doubt > 0;
	stamp_all(&f, core->clock);
	use_lines(c, core->clock);
	core->clock += (uint64_t)(c->end - c->first) * CLOCK_STEP;
	return true;
}

void look_replay(struct modelled *m, const struct log_exit *e,
		 const uint64_t *record)
{
	const struct item *items = e->script->items;
	struct chunk *c = e->chunks;

	for (unsigned i = 0; i < e->n_chunks; i++, c++) {
		if (!hits(m, c, record)) {
			replay_items(m, items + c->first, items + c->end,
				     record);
			if (!c->holds)
				watch_lines(m->memory, c);
		}
		if (c->has_other)
			replay_item(m, items + c->end, record);
	}
}

/* ---- making chunks ---- */

static void *take(size_t bytes)
{
	void *memory = state.at;

	state.at += (bytes + 15) & ~(size_t)15;
	return memory;
}

static bool has_room(void)
{
	if (!state.memory) {
		state.at = state.memory = sys_memory(MEMORY);
		state.members = sys_memory(MEMBERS_MAX * sizeof(struct member));
	}
	return state.at - state.memory < (int64_t)(MEMORY - (4u << 20)) &&
	       state.n_members < MEMBERS_MAX - (1u << 16);
}

/* Items of a chunk that is made. */
struct plan {
	struct modelled *m;
	const struct item *items;
	const uint64_t *record;
	uint64_t line_mask;
	struct look looks[CHUNK_ITEMS];
	struct code_line lines[CHUNK_ITEMS];
	uint16_t look_of[CHUNK_ITEMS]; /* by position; LOOK_NONE: code */
	unsigned n_looks, n_lines;
};

#define LOOK_NONE UINT16_MAX

static void plan_line(struct plan *p, const struct item *i, unsigned position)
{
	unsigned n = 0;

	p->look_of[position] = LOOK_NONE;
	while (n < p->n_lines && p->lines[n].address != (uint64_t)i->offset)
		n++;
	if (n == p->n_lines)
		p->lines[p->n_lines++] =
			(struct code_line){ .address = (uint64_t)i->offset };
	p->lines[n].position = (uint16_t)position;
}

/* Whether @i, at @ea, belongs to the look: by the same words, and in the line
 * it is in now. */
static bool belongs(const struct plan *p, const struct look *l,
		    const struct item *i, uint64_t ea)
{
	uint64_t at = address_of(p->m, l, p->record);

	return l->base == i->base && l->index == i->index &&
	       l->shift == (i->shift & 3) && l->flags == i->flags &&
	       ((at ^ ea) & p->line_mask) == 0 &&
	       ((at ^ (ea + i->size - 1)) & p->line_mask) == 0;
}

static void widen(struct look *l, const struct item *i, unsigned position)
{
	int64_t end = l->offset + l->beyond;

	if (i->offset + i->size - 1 > end)
		end = i->offset + i->size - 1;
	if (i->offset < l->offset)
		l->offset = i->offset;
	l->beyond = (uint16_t)(end - l->offset);
	l->position = (uint16_t)position;
	l->clean_bits &= i->clean_bits;
	l->n_members++;
}

static void plan_data(struct plan *p, const struct item *i, unsigned position)
{
	uint64_t ea = replay_address(p->m, i, p->record);
	unsigned n = 0;

	while (n < p->n_looks && !belongs(p, &p->looks[n], i, ea))
		n++;
	if (n == p->n_looks)
		p->looks[p->n_looks++] = (struct look){
			.offset = i->offset,
			.base = i->base,
			.index = i->index,
			.beyond = (uint16_t)(i->size - 1),
			.shift = i->shift & 3,
			.flags = i->flags,
			.clean_bits = i->clean_bits,
		};
	widen(&p->looks[n], i, position);
	p->look_of[position] = (uint16_t)n;
}

/* The members of look number @n, by address. */
static void put_members(const struct plan *p, const struct chunk *c, unsigned n,
			struct look *look)
{
	struct member *first = state.members + state.n_members;
	unsigned count = 0;

	look->members = state.n_members;
	for (unsigned i = 0; i < (unsigned)(c->end - c->first); i++) {
		const struct item *item = p->items + c->first + i;
		unsigned at = count;
		struct member m = {
			.beyond = (uint16_t)(item->offset - look->offset),
			.position = (uint16_t)i,
			.size = (uint8_t)item->size,
			.is_store = !item->clean_bits,
		};

		if (p->look_of[i] != n)
			continue;
		for (; at && first[at - 1].beyond > m.beyond; at--)
			first[at] = first[at - 1];
		first[at] = m;
		count++;
	}
	state.n_members += count;
}

/* Looks in the order of their last items. */
static void put_looks(const struct plan *p, struct chunk *c)
{
	struct look *looks = take(p->n_looks * sizeof(*looks));
	unsigned count = 0;

	for (unsigned i = 0; i < (unsigned)(c->end - c->first); i++) {
		unsigned n = p->look_of[i];

		if (n == LOOK_NONE || p->looks[n].position != i)
			continue;
		looks[count] = p->looks[n];
		put_members(p, c, n, &looks[count++]);
	}
	c->looks = looks;
	c->n_looks = (uint16_t)count;
}

static void make_chunk(struct plan *p, struct chunk *c)
{
	p->n_looks = p->n_lines = 0;
	for (unsigned i = c->first; i < c->end; i++) {
		if (p->items[i].kind == ITEM_LINE)
			plan_line(p, &p->items[i], i - c->first);
		else
			plan_data(p, &p->items[i], i - c->first);
	}
	put_looks(p, c);
	c->lines = take(p->n_lines * sizeof(*c->lines));
	c->n_lines = (uint16_t)p->n_lines;
	for (unsigned i = 0; i < p->n_lines; i++)
		c->lines[i] = p->lines[i];
}

/* Divide items of an exit; how many chunks that makes, CHUNKS_MAX: too many. */
static unsigned divide(const struct log_exit *e, struct chunk *chunks)
{
	const struct item *items = e->script->items;
	unsigned n = 0, i = 0;

	while (i < e->n_items && n < CHUNKS_MAX) {
		struct chunk *c = &chunks[n++];

		*c = (struct chunk){ .first = (uint16_t)i };
		while (i < e->n_items && items[i].bound &&
		       i - c->first < CHUNK_ITEMS)
			i++;
		c->end = (uint16_t)i;
		c->has_other = i < e->n_items && !items[i].bound;
		i += c->has_other;
	}
	return n;
}

void look_make(struct modelled *m, struct log_exit *e, const uint64_t *record)
{
	struct chunk chunks[CHUNKS_MAX];
	struct plan plan = { .m = m,
			     .items = e->script->items,
			     .record = record,
			     .line_mask = ~(m->memory->line_bytes - 1) };
	unsigned n = divide(e, chunks);

	if (n == CHUNKS_MAX || !n || !has_room())
		return;
	e->chunks = take(n * sizeof(*e->chunks));
	e->n_chunks = (uint16_t)n;
	for (unsigned i = 0; i < n; i++) {
		e->chunks[i] = chunks[i];
		make_chunk(&plan, &e->chunks[i]);
	}
}

/* ---- the end ---- */

void look_forget(struct core *core)
{
	look_settle();
	if (core)
		watch_end(core);
}

void look_flush(struct core *core)
{
	look_forget(core);
	state.at = state.memory;
	state.n_members = 0;
}
