/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens and closes activations, and adds up sums, extremes and squares for each
 * section. Reading counters is left to the callers.
 */
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
	uint64_t children_ns, descendants_ns;
	bool unread;        /* at its start */
	bool unread_inside; /* what a section inside it took is not known */
	bool needs_thread;  /* of the process, directly inside a thread's */
	bool no_thread;     /* and what that had counted could not be read */
};

static const char crossed[] =
	"it was open when an enclosing section of the other kind was stopped";

void sections_init(struct sections *s, size_t quantities)
{
	*s = (struct sections){ .quantities = quantities };
}

void sections_fini(struct sections *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->list[i].tallies);
		free(s->list[i].label);
		free(s->list[i].file);
		free(s->list[i].why);
	}
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

static struct tally *new_tallies(size_t n)
{
	struct tally *tallies = calloc(n, sizeof(*tallies));

	for (size_t q = 0; tallies && q < n; q++) {
		tallies[q].min = INT64_MAX;
		tallies[q].max = INT64_MIN;
	}
	return tallies;
}

/*
 * Label and file are copied: they may be a buffer that is written again, or a
 * plug-in's that is closed. That comes first: a wrong address must not leave
 * half a section behind.
 */
static struct section *make(struct sections *s, enum section_kind kind, int id,
			    const char *label, const struct hpm_place *place)
{
	struct section made = {
		.id = id,
		.kind = kind,
		.label = strdup(label ? label : ""),
		.file = strdup(place->file),
		.line_start = place->line,
		.parent = s->depth > 0 ? (int)s->frames[s->depth - 1].section
				       : -1,
		.tallies = new_tallies(s->quantities),
	};

	if (!made.label || !made.file || !made.tallies ||
	    array_grow(&s->list, s->n, sizeof(*s->list)) || !grow_slots(s)) {
		free(made.label);
		free(made.file);
		free(made.tallies);
		return NULL;
	}
	s->list[s->n] = made;
	put_slot(s, s->n);
	return &s->list[s->n++];
}

/* Room for one more frame and its three rows of reads. */
static bool grow_frames(struct sections *s)
{
	size_t capacity = s->capacity ? 2 * s->capacity : 16;
	struct frame *frames;
	int64_t *reads;

	if (s->depth < s->capacity)
		return true;
	frames = realloc(s->frames, capacity * sizeof(*frames));
	if (!frames)
		return false;
	s->frames = frames;
	reads = realloc(s->reads,
			3 * capacity * s->quantities * sizeof(*reads));
	if (!reads)
		return false;
	s->reads = reads;
	s->capacity = capacity;
	return true;
}

static int64_t *reads_at(const struct sections *s, size_t depth)
{
	return s->reads + 3 * depth * s->quantities;
}

static int64_t *children_at(const struct sections *s, size_t depth)
{
	return reads_at(s, depth) + s->quantities;
}

static int64_t *thread_at(const struct sections *s, size_t depth)
{
	return children_at(s, depth) + s->quantities;
}

static enum section_kind kind_at(const struct sections *s, size_t depth)
{
	return s->list[s->frames[depth].section].kind;
}

int64_t *sections_enter(struct sections *s, enum section_kind kind, int id,
			const char *label, const struct hpm_place *place)
{
	struct section *section;

	if (!grow_frames(s)) /* first: a section is named when it is entered */
		return NULL;
	section = find(s, kind, id);
	if (!section)
		section = make(s, kind, id, label, place);
	if (!section)
		return NULL;
	section->active++;
	s->last = (size_t)(section - s->list);
	s->around = s->depth;
	s->frames[s->depth] = (struct frame){
		.section = s->last,
		.needs_thread = kind == SECTION_PROCESS && s->depth > 0 &&
				kind_at(s, s->depth - 1) == SECTION_THREAD,
	};
	memset(reads_at(s, s->depth), 0, 3 * s->quantities * sizeof(int64_t));
	return reads_at(s, s->depth++);
}

int64_t *sections_thread_reads(struct sections *s)
{
	return s->depth > 0 && s->frames[s->depth - 1].needs_thread
		       ? thread_at(s, s->depth - 1)
		       : NULL;
}

static void keep_reason(struct section *section, const char *why)
{
	if (!section->why)
		section->why = strdup(why);
}

void sections_fail(struct sections *s, const char *why)
{
	struct frame *frame = &s->frames[s->depth - 1];

	frame->unread = true;
	keep_reason(&s->list[frame->section], why);
}

void sections_fail_thread(struct sections *s)
{
	s->frames[s->depth - 1].no_thread = true;
}

bool sections_needs_thread(const struct sections *s, enum section_kind kind,
			   int id)
{
	return s->depth > 0 && s->frames[s->depth - 1].needs_thread &&
	       is_it(s, s->frames[s->depth - 1].section, kind, id);
}

void sections_charge_around(struct sections *s, uint64_t ns)
{
	if (s->around > 0) {
		s->frames[s->around - 1].children_ns += ns;
		s->frames[s->around - 1].descendants_ns += ns;
	}
}

void sections_charge(struct sections *s, uint64_t ns)
{
	s->list[s->last].own_ns += ns;
	sections_charge_around(s, ns);
}

static void add_activation(struct tally *t, uint64_t n, int64_t value)
{
	double step = (double)value - t->mean;

	t->mean += step / (double)n;
	t->m2 += step * ((double)value - t->mean);
	t->last = value;
	if (value < t->min)
		t->min = value;
	if (value > t->max)
		t->max = value;
}

/* Of @pairs activations of a section with so many inside them, whose calls
 * took so long. */
static int64_t inclusive_cost(const struct section *section, size_t q,
			      const struct cost *costs, uint64_t pairs,
			      const uint64_t *descendants, uint64_t ns)
{
	const struct cost *own = &costs[section->kind];
	int64_t sum = q == 0 ? (int64_t)ns : 0;

	if (!cost_is_known(own))
		return sum;
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
	outer->descendants_ns += inner->descendants_ns;
}

/* What the innermost took, as the one around it counts. */
static void tell_took(struct sections *s, size_t depth,
		      const struct reading *reading, bool unread)
{
	const struct frame *frame = &s->frames[depth];
	const int64_t *now =
		frame->needs_thread ? reading->thread : reading->now;
	const int64_t *began =
		frame->needs_thread ? thread_at(s, depth) : reads_at(s, depth);
	int64_t *inner = children_at(s, depth - 1);

	inner[0] += reading->now[0] - reads_at(s, depth)[0];
	if (unread || !now || frame->no_thread) {
		s->frames[depth - 1].unread_inside = true;
		return;
	}
	for (size_t q = 1; q < s->quantities; q++)
		inner[q] += now[q] - began[q];
}

static void add_calls(struct section *section, const struct frame *frame,
		      bool outermost)
{
	for (int kind = 0; kind < SECTION_KINDS; kind++) {
		section->children[kind] += frame->children[kind];
		if (outermost)
			section->descendants[kind] += frame->descendants[kind];
	}
	section->children_ns += frame->children_ns;
	if (outermost)
		section->descendants_ns += frame->descendants_ns;
	section->count++;
	section->outermost += outermost;
}

/* Close the innermost activation. */
static void close_top(struct sections *s, const struct hpm_place *place,
		      const struct reading *reading, const struct cost *costs)
{
	size_t depth = --s->depth;
	struct frame *frame = &s->frames[depth];
	struct section *section = &s->list[frame->section];
	const int64_t *began = reads_at(s, depth);
	const int64_t *inner = children_at(s, depth);
	bool outermost = --section->active == 0;
	bool unread = frame->unread || reading->why;

	section->line_end = place->line;
	add_calls(section, frame, outermost);
	section->unread += unread;
	section->unread_inside += frame->unread_inside;
	if (reading->why)
		keep_reason(section, reading->why);
	for (size_t q = 0; q < (unread ? 1 : s->quantities); q++) {
		struct tally *t = &section->tallies[q];
		int64_t took = reading->now[q] - began[q];

		t->exclusive += took - inner[q];
		if (outermost) /* an inner one is part of an outer one */
			t->inclusive += took;
		add_activation(t, section->count,
			       took - inclusive_cost(section, q, costs, 1,
						     frame->descendants,
						     frame->descendants_ns));
	}
	if (depth > 0) {
		tell_took(s, depth, reading, unread);
		tell_outer(&s->frames[depth - 1], frame, section->kind);
	}
	s->last = frame->section;
	s->around = depth;
}

/* Close what is open inside; of another kind it has no counts at this time. */
static void close_inner(struct sections *s, enum section_kind kind,
			const struct hpm_place *place,
			const struct reading *reading, const struct cost *costs)
{
	struct reading without = { .now = reading->now, .why = crossed };

	close_top(s, place,
		  kind_at(s, s->depth - 1) == kind ? reading : &without, costs);
}

enum stop_result sections_leave(struct sections *s, enum section_kind kind,
				int id, const struct hpm_place *place,
				const struct reading *reading,
				const struct cost *costs)
{
	enum stop_result result = STOP_OK;
	size_t at = s->depth;

	while (at > 0 && !is_it(s, s->frames[at - 1].section, kind, id))
		at--;
	if (at == 0)
		return STOP_UNKNOWN;
	while (s->depth > at) {
		close_inner(s, kind, place, reading, costs);
		result = STOP_CROSSED;
	}
	close_top(s, place, reading, costs);
	return result;
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
	return not_below_zero(
		section->tallies[q].inclusive -
		inclusive_cost(section, q, costs, section->outermost,
			       section->descendants, section->descendants_ns));
}

int64_t section_exclusive(const struct section *section, size_t q,
			  const struct cost *costs)
{
	const struct cost *own = &costs[section->kind];
	int64_t off = q == 0 ? (int64_t)section->children_ns : 0;
	int64_t exclusive, inclusive;

	if (cost_is_known(own)) {
		off += cost_of(own->inside, q) * (int64_t)section->count;
		for (int kind = 0; kind < SECTION_KINDS; kind++)
			if (section->children[kind] > 0)
				off += (cost_of(costs[kind].full, q) -
					cost_of(costs[kind].inside, q)) *
				       (int64_t)section->children[kind];
	}
	exclusive = not_below_zero(section->tallies[q].exclusive - off);
	inclusive = section_inclusive(section, q, costs);
	return exclusive < inclusive ? exclusive : inclusive; /* a part of it */
}

double section_stddev(const struct section *section, size_t q)
{
	if (section->count < 2)
		return 0;
	return sqrt(section->tallies[q].m2 / (double)(section->count - 1));
}
