/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaying chunks of items that are looked up together; see look.h. */
#include "simpmu/fast/model/look.h"

#include "simpmu/fast/model/chunk.h"
#include "simpmu/fast/model/replay.h"

/* Looking for a chunk that does not hit costs about as much as is saved where
 * it does: one that fails more often than not is tried now and then only. */
#define DOUBT_MAX   16u
#define DOUBT_LARGE 8u
#define DOUBT_TURNS 8u

static struct chunk *pending; /* whose lines have old stamps */

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

	while ((c = pending)) {
		pending = c->next;
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
	c->next = pending;
	pending = c;
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
			bool is_load, struct found *f)
{
	const struct filter_entry *line =
		filter_line_spread(&core->data, core->line_shift, ea);
	const struct filter_entry *page = filter_page_spread(&core->data, ea);

	f->line[f->n] = line->stamp;
	f->page[f->n] = page->stamp;
	return chunk_has_line(line->tag, ea, beyond, is_load,
			      core->line_bytes) &
	       filter_has_page(page, ea);
}

/* The look begins at @ea and crosses lines: its members are in order of their
 * addresses. One that crosses lines itself is not dealt with here. */
__attribute__((noinline)) static bool find_by_line(struct core *core,
						   const struct look *l,
						   uint64_t ea, struct found *f)
{
	const struct member *m = chunk_members + l->members;
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
		if (!find(core, at, 0, !has_store, f))
			return false;
		f->position[f->n++] = (uint16_t)position;
	}
	return true;
}

static inline bool find_all(struct modelled *m, const struct chunk *c,
			    const uint64_t *record, struct found *f)
{
	struct core *core = m->memory;
	const uint64_t mask = core->line_bytes - 1;
	const uint64_t segment[2] = { 0, m->fs };
	const struct look *l = c->looks, *end = l + c->n_looks;

	for (; l < end; l++) {
		uint64_t ea = chunk_address(&l->place, segment, record);

		if (__builtin_expect((ea & mask) + l->beyond > mask, false)) {
			if (!find_by_line(core, l, ea, f))
				return false;
			continue;
		}
		f->position[f->n] = l->position;
		if (__builtin_expect(!find(core, ea, l->beyond, l->is_load, f),
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
		c->doubt += c->doubt < DOUBT_MAX;
		return false;
	}
	c->doubt -= c->doubt > 0;
	stamp_all(&f, core->clock);
	use_lines(c, core->clock);
	core->clock += (uint64_t)(c->end - c->first) * CLOCK_STEP;
	return true;
}

/* A miss has taken a line of code away: those before @position were used. */
static void settle_before(const struct chunk *c, uint64_t clock,
			  unsigned position)
{
	for (unsigned i = 0; i < c->n_lines; i++)
		if (c->lines[i].position < position)
			settle_line(&c->lines[i], clock);
}

/* One by one, and lines of code only if one of them leaves meanwhile. Returns
 * the first item that is left to do, all of what it is. */
static unsigned replay_quick(struct modelled *m, struct chunk *c,
			     const uint64_t *record, const struct item *items)
{
	struct core *core = m->memory;
	const struct quick *q = c->quick, *end = q + c->n_quick;
	const uint64_t segment[2] = { 0, m->fs };
	const uint64_t bytes = core->line_bytes;
	const unsigned shift = core->line_shift;
	const bool is_later = core->later & PART_DATA;
	const uint64_t start = core->clock;
	uint64_t clock = start;

	for (; q < end; q++) {
		uint64_t ea = chunk_address(&q->place, segment, record);
		struct filter_entry *line =
			filter_line_spread(&core->data, shift, ea);
		struct filter_entry *page = filter_page_spread(&core->data, ea);
		bool has_line = chunk_has_line(line->tag, ea, q->beyond,
					       q->is_load, bytes);

		if (__builtin_expect(has_line & filter_has_page(page, ea),
				     true)) {
			*line->stamp = *page->stamp = clock;
			clock += CLOCK_STEP;
			continue;
		}
		core->clock = clock;
		if (has_line &
		    is_later) { /* which takes no line of code away */
			model_touch_page(core, ea, !q->is_load);
			*line->stamp = clock;
			clock += CLOCK_STEP;
			continue;
		}
		replay_missed(core, &items[c->first + q->position], ea,
			      has_line ? line : NULL);
		clock = core->clock;
		if (__builtin_expect(c->holds, true))
			continue;
		settle_before(c, start, q->position);
		core->clock = start + (q->position + 1u) * CLOCK_STEP;
		return c->first + q->position + 1u;
	}
	use_lines(c, start);
	core->clock = start + (uint64_t)(c->end - c->first) * CLOCK_STEP;
	return c->end;
}

static void replay_chunk(struct modelled *m, struct chunk *c,
			 const uint64_t *record, const struct item *items)
{
	unsigned next = c->first;

	if (c->holds)
		next = replay_quick(m, c, record, items);
	if (next < c->end)
		replay_items(m, items + next, items + c->end, record);
	if (!c->holds)
		watch_lines(m->memory, c);
}

void look_replay(struct modelled *m, const struct log_exit *e,
		 const uint64_t *record)
{
	const struct item *items = e->script->items;
	struct chunk *c = e->chunks;

	for (unsigned i = 0; i < e->n_chunks; i++, c++) {
		if (!hits(m, c, record))
			replay_chunk(m, c, record, items);
		if (c->has_other)
			replay_item(m, items + c->end, record);
	}
}

/* ---- the end ---- */

void look_forget(struct core *core)
{
	look_settle();
	if (core)
		watch_end(core);
}

void look_flush(void *core)
{
	look_forget(core);
	chunk_flush();
}
