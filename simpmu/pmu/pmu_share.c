/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets that run on one thread share its counters, as on a real PMU: a set that
 * needs its counters all the time must fit beside what runs; one that takes
 * turns makes do with what is left, in more turns if need be. Sets that ask for
 * it (WIRE_SHARED) take one counter together for an event that both count.
 */
#include "simpmu/assign.h"
#include "simpmu/pmu/pmu.h"

/* Counters that are taken on a thread, and events that any set may read. */
struct taken {
	struct assignment counters;
	const struct pmu_event *shared[ASSIGN_COUNTERS];
	uint32_t n;
};

static bool share_thread(const struct pmu_set *a, const struct pmu_set *b)
{
	for (const struct pmu_member *m = a->members; m; m = m->next)
		if (set_has_member(b, m->tid))
			return true;
	return false;
}

/* The next running set after number @i that @set shares a thread with. */
static const struct pmu_set *next_rival(const struct pmu_set *set, uint32_t *i)
{
	while (++*i < set_limit()) {
		const struct pmu_set *other = set_get(*i);

		if (other && other != set && other->running && other->inside &&
		    share_thread(set, other))
			return other;
	}
	return NULL;
}

/* Put an event on a counter, or have it read one that counts it already. */
static bool put_event(struct taken *t, const struct pmu_event *event,
		      bool is_shared)
{
	for (uint32_t i = 0; is_shared && i < t->n; i++)
		if (t->shared[i] == event)
			return true;
	if (!assign_add(&t->counters, event->counters))
		return false;
	if (is_shared)
		t->shared[t->n++] = event;
	return true;
}

/* Put what @set counts in turn @turn on counters; false if it does not fit. */
static bool put_turn(struct taken *t, const struct pmu_set *set, uint32_t turn)
{
	/* what takes turns has its counter only for a while */
	bool is_shared = set->turns == 1 && set->flags & WIRE_SHARED;

	for (uint32_t i = 0; i < set->n; i++)
		if ((set->turns == 1 || set->turn_of[i] == turn) &&
		    !put_event(t, set->events[i], is_shared))
			return false;
	return true;
}

/* What sets without turns have taken all the time. */
static void put_rivals(struct taken *t, const struct pmu_set *set)
{
	const struct pmu_set *other;
	uint32_t i = 0;

	assign_init(&t->counters, pmu.have);
	t->n = 0;
	while ((other = next_rival(set, &i)) != NULL)
		if (other->turns == 1)
			put_turn(t, other, 0);
}

/* Whether each turn of each rival fits beside @set, which has none. */
static bool leaves_turns(const struct taken *with, struct pmu_set *set)
{
	const struct pmu_set *other;
	uint32_t i = 0;

	while ((other = next_rival(set, &i)) != NULL)
		for (uint32_t turn = 0; other->turns > 1 && turn < other->turns;
		     turn++) {
			struct taken t = *with;

			if (!put_turn(&t, other, turn))
				return false;
		}
	return true;
}

static bool take_turns(const struct assignment *taken, uint32_t id)
{
	struct pmu_set *set = set_get(id);
	uint32_t masks[WIRE_EVENTS], before = set->turns;
	char why[4];

	for (uint32_t i = 0; i < set->n; i++)
		masks[i] = set->events[i]->counters;
	set->turns = assign_turns_beside(taken, masks, set->n, set->turn_of);
	if (!set->turns || (set->turns > 1 && set_has_threshold(set))) {
		set->turns = before;
		return false;
	}
	if ((set->turns == 1) == (before == 1))
		return true;
	/* the end of a turn needs a trap, or no longer does */
	traps_release(id);
	return traps_reserve(id, why, sizeof(why));
}

int set_share_counters(uint32_t id)
{
	struct pmu_set *set = set_get(id);
	struct taken taken;
	bool fits;

	if (!set)
		return WIRE_ENOEVST;
	if (pmu.opt.unlimited || set->running || !set->n)
		return 0;
	put_rivals(&taken, set);
	if (set->flags & WIRE_MULTIPLEX)
		fits = take_turns(&taken.counters, id);
	else
		fits = put_turn(&taken, set, 0) && leaves_turns(&taken, set);
	return fits ? 0 : WIRE_ECNFLCT;
}
