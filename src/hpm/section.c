/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpm/section.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* One activation that is open. */
struct frame {
	size_t section;
	uint64_t children[SECTION_KINDS];
	uint64_t descendants[SECTION_KINDS];
};

void sections_init(struct sections *s, size_t quantities)
{
	*s = (struct sections){ .quantities = quantities };
}

void sections_fini(struct sections *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->list[i].tallies);
	free(s->list);
	free(s->frames);
	free(s->reads);
	free(s->slots);
	*s = (struct sections){ 0 };
}

static bool is_it(const struct sections *s, size_t i, enum section_kind kind,
		  int id)
{
	return i < s->n && s->list[i].id == id && s->list[i].kind == kind;
}

static size_t slot_of(const struct sections *s, enum section_kind kind, int id)
{
	return ((uint32_t)id * 2654435761u + (uint32_t)kind * 40503u) &
	       (s->slots_n - 1);
}

static struct section *find(struct sections *s, enum section_kind kind, int id)
{
	if (s->slots_n == 0)
		return NULL;
	for (size_t i = slot_of(s, kind, id); s->slots[i];
	     i = (i + 1) & (s->slots_n - 1))
		if (is_it(s, s->slots[i] - 1, kind, id))
			return &s->list[s->slots[i] - 1];
	return NULL;
}

static void put_slot(struct sections *s, size_t section)
{
	const struct section *it = &s->list[section];
	size_t i = slot_of(s, it->kind, it->id);

	while (s->slots[i])
		i = (i + 1) & (s->slots_n - 1);
	s->slots[i] = (uint32_t)section + 1;
}

/* Room in the table for one more section. */
static bool grow_slots(struct sections *s)
{
	size_t n = s->slots_n ? 2 * s->slots_n : 64;
	uint32_t *slots;

	if (2 * (s->n + 1) <= s->slots_n)
		return true;
	slots = calloc(n, sizeof(*slots));
	if (!slots)
		return false;
	free(s->slots);
	s->slots = slots;
	s->slots_n = n;
	for (size_t i = 0; i < s->n; i++)
		put_slot(s, i);
	return true;
}

static struct section *make(struct sections *s, enum section_kind kind, int id)
{
	struct section *section;
	struct tally *tallies;

	if (array_grow(&s->list, s->n, sizeof(*s->list)) || !grow_slots(s))
		return NULL;
	tallies = calloc(s->quantities, sizeof(*tallies));
	if (!tallies)
		return NULL;
	for (size_t q = 0; q < s->quantities; q++) {
		tallies[q].min = INT64_MAX;
		tallies[q].max = INT64_MIN;
	}
	section = &s->list[s->n++];
	*section = (struct section){
		.id = id, .kind = kind, .parent = -1, .tallies = tallies
	};
	put_slot(s, s->n - 1);
	return section;
}

/* Room for one more frame and its two rows of reads. */
static bool grow_frames(struct sections *s)
{
	size_t room = s->room ? 2 * s->room : 16;
	struct frame *frames;
	int64_t *reads;

	if (s->depth < s->room)
		return true;
	frames = realloc(s->frames, room * sizeof(*frames));
	if (!frames)
		return false;
	s->frames = frames;
	reads = realloc(s->reads, 2 * room * s->quantities * sizeof(*reads));
	if (!reads)
		return false;
	s->reads = reads;
	s->room = room;
	return true;
}

static int64_t *reads_at(const struct sections *s, size_t depth)
{
	return s->reads + 2 * depth * s->quantities;
}

static int64_t *children_at(const struct sections *s, size_t depth)
{
	return reads_at(s, depth) + s->quantities;
}

int64_t *sections_enter(struct sections *s, enum section_kind kind, int id,
			const char *label, const struct hpm_place *place)
{
	struct section *section;

	if (!grow_frames(s)) /* first: a section is named when it is entered */
		return NULL;
	section = find(s, kind, id);
	if (!section)
		section = make(s, kind, id);
	if (!section)
		return NULL;
	if (!section->label) {
		section->label = label ? label : "";
		section->start = *place;
		if (s->depth > 0)
			section->parent = (int)s->frames[s->depth - 1].section;
	}
	section->active++;
	s->frames[s->depth] =
		(struct frame){ .section = (size_t)(section - s->list) };
	memset(reads_at(s, s->depth), 0, 2 * s->quantities * sizeof(int64_t));
	return reads_at(s, s->depth++);
}

static void add_activation(struct tally *t, uint64_t n, int64_t value)
{
	double step = (double)value - t->mean;

	t->mean += step / (double)n;
	t->m2 += step * ((double)value - t->mean);
	if (value < t->min)
		t->min = value;
	if (value > t->max)
		t->max = value;
}

/* Of @pairs activations of a section with so many inside them. */
static int64_t inclusive_cost(const struct section *section, size_t q,
			      const struct cost *costs, uint64_t pairs,
			      const uint64_t *descendants)
{
	const struct cost *own = &costs[section->kind];
	int64_t sum = 0;

	if (!cost_is_known(own))
		return 0;
	for (int kind = 0; kind < SECTION_KINDS; kind++)
		if (descendants[kind] > 0)
			sum += cost_of(costs[kind].full, q) *
			       (int64_t)descendants[kind];
	return sum + cost_of(own->inside, q) * (int64_t)pairs;
}

/* The innermost, of @kind, is closed: the one around it had it inside. */
static void tell_outer(struct frame *outer, const struct frame *inner,
		       enum section_kind kind)
{
	outer->children[kind]++;
	outer->descendants[kind]++;
	for (int k = 0; k < SECTION_KINDS; k++)
		outer->descendants[k] += inner->descendants[k];
}

/* Close the innermost activation. */
static void close_top(struct sections *s, const struct hpm_place *place,
		      const int64_t *now, const struct cost *costs)
{
	size_t depth = --s->depth;
	struct frame *frame = &s->frames[depth];
	struct section *section = &s->list[frame->section];
	const int64_t *began = reads_at(s, depth);
	const int64_t *inner = children_at(s, depth);
	bool outermost = --section->active == 0;

	section->stop = *place;
	section->count++;
	for (int kind = 0; kind < SECTION_KINDS; kind++) {
		section->children[kind] += frame->children[kind];
		if (outermost)
			section->descendants[kind] += frame->descendants[kind];
	}
	section->outermost += outermost;
	for (size_t q = 0; q < s->quantities; q++) {
		struct tally *t = &section->tallies[q];
		int64_t took = now[q] - began[q];

		t->exclusive += took - inner[q];
		if (outermost) /* an inner one is part of an outer one */
			t->inclusive += took;
		add_activation(t, section->count,
			       took - inclusive_cost(section, q, costs, 1,
						     frame->descendants));
		if (depth > 0)
			children_at(s, depth - 1)[q] += took;
	}
	if (depth > 0)
		tell_outer(&s->frames[depth - 1], frame, section->kind);
}

enum stop_result sections_leave(struct sections *s, enum section_kind kind,
				int id, const struct hpm_place *place,
				const int64_t *now, const struct cost *costs)
{
	size_t at = s->depth;

	while (at > 0 && !is_it(s, s->frames[at - 1].section, kind, id))
		at--;
	if (at == 0)
		return STOP_UNKNOWN;
	if (at == s->depth) {
		close_top(s, place, now, costs);
		return STOP_OK;
	}
	while (s->depth >= at)
		close_top(s, place, now, costs);
	return STOP_CROSSED;
}

const struct section *sections_open_at(const struct sections *s, size_t i)
{
	return i < s->depth ? &s->list[s->frames[i].section] : NULL;
}

static int64_t not_below_zero(int64_t value)
{
	return value > 0 ? value : 0;
}

int64_t section_inclusive(const struct section *section, size_t q,
			  const struct cost *costs)
{
	return not_below_zero(section->tallies[q].inclusive -
			      inclusive_cost(section, q, costs,
					     section->outermost,
					     section->descendants));
}

int64_t section_exclusive(const struct section *section, size_t q,
			  const struct cost *costs)
{
	const struct cost *own = &costs[section->kind];
	int64_t off = 0;

	if (cost_is_known(own)) {
		off = cost_of(own->inside, q) * (int64_t)section->count;
		for (int kind = 0; kind < SECTION_KINDS; kind++)
			if (section->children[kind] > 0)
				off += (cost_of(costs[kind].full, q) -
					cost_of(costs[kind].inside, q)) *
				       (int64_t)section->children[kind];
	}
	return not_below_zero(section->tallies[q].exclusive - off);
}

double section_stddev(const struct section *section, size_t q)
{
	if (section->count < 2)
		return 0;
	return sqrt(section->tallies[q].m2 / (double)(section->count - 1));
}
