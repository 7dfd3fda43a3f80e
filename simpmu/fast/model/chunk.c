/* SPDX-License-Identifier: BSD-3-Clause */
/* Dividing an exit's items into chunks; see chunk.h and look.h. */
#include "simpmu/fast/model/chunk.h"

#include "simpmu/fast/model/replay.h"
#include "simpmu/fast/sys.h"

#define MEMORY      (UINT64_C(1) << 30) /* taken as it is needed */
#define MEMBERS_MAX (1u << 24)
#define CHUNKS_MAX  64u

struct member *chunk_members;

static struct {
	uint8_t *memory, *at;
	uint32_t n_members;
} state;

static void *chunk_memory(size_t bytes)
{
	void *memory = state.at;

	state.at += (bytes + 15) & ~(size_t)15;
	return memory;
}

static bool has_room(void)
{
	if (!state.memory) {
		state.at = state.memory = sys_memory(MEMORY);
		chunk_members = sys_memory(MEMBERS_MAX * sizeof(struct member));
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
	const struct item *first[CHUNK_ITEMS]; /* of each look */
	int64_t offset[CHUNK_ITEMS];           /* of each look */
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

/* Whether @i, at @ea, belongs to look number @n: by the same words, and in the
 * line it is in now. */
static bool belongs(const struct plan *p, unsigned n, const struct item *i,
		    uint64_t ea)
{
	const struct item *first = p->first[n];
	uint64_t at = replay_address(p->m, first, p->record);

	return first->base == i->base && first->index == i->index &&
	       first->shift == i->shift && first->flags == i->flags &&
	       ((at ^ ea) & p->line_mask) == 0 &&
	       ((at ^ (ea + i->size - 1)) & p->line_mask) == 0;
}

static void widen(struct look *l, int64_t *offset, const struct item *i,
		  unsigned position)
{
	int64_t end = *offset + l->beyond;

	if (i->offset + i->size - 1 > end)
		end = i->offset + i->size - 1;
	if (i->offset < *offset)
		*offset = i->offset;
	l->beyond = (uint16_t)(end - *offset);
	l->position = (uint16_t)position;
	l->is_load &= i->clean_bits != 0;
	l->n_members++;
}

static void plan_data(struct plan *p, const struct item *i, unsigned position)
{
	uint64_t ea = replay_address(p->m, i, p->record);
	unsigned n = 0;

	while (n < p->n_looks && !belongs(p, n, i, ea))
		n++;
	if (n == p->n_looks) {
		p->first[n] = i;
		p->offset[n] = i->offset;
		p->looks[p->n_looks++] = (struct look){
			.beyond = (uint16_t)(i->size - 1),
			.is_load = i->clean_bits != 0,
		};
	}
	widen(&p->looks[n], &p->offset[n], i, position);
	p->look_of[position] = (uint16_t)n;
}

/* Where @i is, at @offset: a word that it has no use for is the exit. */
static struct place_of place_of(const struct plan *p, const struct item *i,
				int64_t offset)
{
	uint64_t exit = p->record[0];
	struct place_of place = { .offset = (uint64_t)offset,
				  .is_fs = (i->flags & ITEM_FS) != 0 };

	if (i->flags & ITEM_HAS_BASE)
		place.base = i->base;
	else
		place.offset -= exit;
	if (i->flags & ITEM_HAS_INDEX) {
		place.index = i->index;
		place.shift = i->shift & 3;
	} else {
		place.offset -= exit;
	}
	return place;
}

/* The members of look number @n, by address. */
static void put_members(const struct plan *p, const struct chunk *c, unsigned n,
			struct look *look)
{
	struct member *first = chunk_members + state.n_members;
	unsigned count = 0;

	look->members = state.n_members;
	for (unsigned i = 0; i < (unsigned)(c->end - c->first); i++) {
		const struct item *item = p->items + c->first + i;
		unsigned at = count;
		struct member m = {
			.beyond = (uint16_t)(item->offset - p->offset[n]),
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
	struct look *looks = chunk_memory(p->n_looks * sizeof(*looks));
	unsigned count = 0;

	for (unsigned i = 0; i < (unsigned)(c->end - c->first); i++) {
		unsigned n = p->look_of[i];

		if (n == LOOK_NONE || p->looks[n].position != i)
			continue;
		looks[count] = p->looks[n];
		looks[count].place = place_of(p, p->first[n], p->offset[n]);
		put_members(p, c, n, &looks[count++]);
	}
	c->looks = looks;
	c->n_looks = (uint16_t)count;
}

static void put_quick(const struct plan *p, struct chunk *c)
{
	unsigned n = (unsigned)(c->end - c->first), count = 0;
	struct quick *quick = chunk_memory(n * sizeof(*quick));

	for (unsigned i = 0; i < n; i++) {
		const struct item *item = p->items + c->first + i;

		if (p->look_of[i] == LOOK_NONE)
			continue;
		quick[count++] = (struct quick){
			.place = place_of(p, item, item->offset),
			.beyond = (uint8_t)(item->size - 1),
			.is_load = item->clean_bits != 0,
			.position = (uint16_t)i,
		};
	}
	c->quick = quick;
	c->n_quick = (uint16_t)count;
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
	put_quick(p, c);
	c->lines = chunk_memory(p->n_lines * sizeof(*c->lines));
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

void chunk_make(struct modelled *m, struct log_exit *e, const uint64_t *record)
{
	struct chunk chunks[CHUNKS_MAX];
	struct plan plan = { .m = m,
			     .items = e->script->items,
			     .record = record,
			     .line_mask = ~(m->memory->line_bytes - 1) };
	unsigned n = divide(e, chunks);

	if (n == CHUNKS_MAX || !n || !has_room())
		return;
	e->chunks = chunk_memory(n * sizeof(*e->chunks));
	e->n_chunks = (uint16_t)n;
	for (unsigned i = 0; i < n; i++) {
		e->chunks[i] = chunks[i];
		make_chunk(&plan, &e->chunks[i]);
	}
}

void chunk_flush(void)
{
	state.at = state.memory;
	state.n_members = 0;
}
