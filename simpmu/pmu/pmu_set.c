/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets of events: opened, counted for their member threads, read.
 *
 * The parts of the model that any open set needs are on from the moment it is
 * opened, so that caches are warm when it starts, as those of a machine are.
 * They go off again when a set starts and nothing open needs them any more:
 * switching means translating all code anew.
 */
#include "simpmu/assign.h"
#include "simpmu/pmu/host.h"
#include "simpmu/pmu/pmu.h"

/* A turn is as long as a scheduler's tick would be, in instructions. */
#define DEFAULT_SLICE  10000u /* a short one misses less */
#define SHORTEST_SLICE 1000u

static struct pmu_set **sets; /* by number; those that were closed stay */
static uint32_t sets_n;
static struct pmu_member *members_of[ENGINE_MAX_TID]; /* by thread */

struct pmu_set *set_get(uint32_t id)
{
	return id < sets_n && sets[id] && sets[id]->used ? sets[id] : NULL;
}

uint32_t set_limit(void)
{
	return sets_n;
}

/* The least number that no open set has; 0 is none. */
static uint32_t free_number(void)
{
	struct pmu_set **more;
	uint32_t id = 1, n = sets_n ? 2 * sets_n : 64;

	while (id < sets_n && set_get(id))
		id++;
	if (id < sets_n)
		return id;
	more = host_new(n * sizeof(struct pmu_set *));
	for (uint32_t i = 0; i < sets_n; i++)
		more[i] = sets[i];
	host_free(sets);
	sets = more;
	sets_n = n;
	return id;
}

static void say(char *why, size_t capacity, const char *text)
{
	size_t i = 0;

	for (; text[i] && i + 1 < capacity; i++)
		why[i] = text[i];
	why[i] = 0;
}

static uint32_t wanted_parts(void)
{
	uint32_t parts = 0;

	for (uint32_t i = 0; i < sets_n; i++)
		if (set_get(i))
			parts |= sets[i]->parts;
	return parts;
}

static int choose_events(struct pmu_set *set, struct wire_open *request)
{
	set->n = request->n;
	for (uint32_t i = 0; i < set->n; i++) {
		set->events[i] = events_get(request->events[i]);
		set->thresholds[i] = request->thresholds[i];
		if (!set->events[i]) {
			say(request->why, sizeof(request->why),
			    "the simulated PMU has no event of that number");
			return WIRE_ENOEVNT;
		}
		set->parts |= event_parts(set->events[i]);
		if (set->parts & ~engine_supported()) {
			say(request->why, sizeof(request->why),
			    "the fast engine models no pages; use --engine "
			    "valgrind");
			return WIRE_ENOSUPP;
		}
	}
	if (set->parts & PART_CYCLE && engine_estimates() && !pmu.opt.sampled) {
		say(request->why, sizeof(request->why),
		    "the fast engine estimates cycles; use --engine valgrind");
		return WIRE_ENOSUPP;
	}
	set->clock = set->parts & PART_CYCLE && !engine_estimates()
			     ? TALLY_CYCLES
			     : TALLY_INS;
	return 0;
}

/* Which events have the counters when; WIRE_ECNFLCT if they must not change */
static int choose_turns(struct pmu_set *set, struct wire_open *request)
{
	uint32_t masks[WIRE_EVENTS];

	set->turns = 1;
	if (pmu.opt.unlimited || set->n == 0)
		return 0;
	for (uint32_t i = 0; i < set->n; i++)
		masks[i] = set->events[i]->counters;
	set->turns = assign_turns(masks, set->n, pmu.have, set->turn_of);
	if (set->turns == 1)
		return 0;
	if (set->turns && request->flags & WIRE_MULTIPLEX)
		return 0;
	say(request->why, sizeof(request->why),
	    "these events do not fit on the counters together; count fewer, "
	    "or multiplex");
	return WIRE_ECNFLCT;
}

bool set_has_threshold(const struct pmu_set *set)
{
	for (uint32_t i = 0; i < set->n; i++)
		if (set->thresholds[i])
			return true;
	return false;
}

/* Whether a threshold is one of caches, predictors and the like. */
static bool watches_model(const struct pmu_set *set)
{
	for (uint32_t i = 0; i < set->n; i++)
		if (set->thresholds[i] && event_parts(set->events[i]))
			return true;
	return false;
}

static int fill(struct pmu_set *set, struct wire_open *request)
{
	int err;

	if (request->n > WIRE_EVENTS)
		return WIRE_EINVAL;
	set->flags = request->flags;
	set->signal = request->signal;
	set->slice = request->slice_ns ? request->slice_ns : DEFAULT_SLICE;
	if (set->slice < SHORTEST_SLICE)
		set->slice = SHORTEST_SLICE;
	set->control = -1;
	err = choose_events(set, request);
	if (!err)
		err = choose_turns(set, request);
	if (!err && watches_model(set) && !engine_traps_model()) {
		say(request->why, sizeof(request->why),
		    "the fast engine has no overflow of modelled events; use "
		    "--engine valgrind");
		err = WIRE_ENOSUPP;
	}
	if (!err && set->turns > 1 && set_has_threshold(set)) {
		say(request->why, sizeof(request->why),
		    "an event that overflows needs its counter all the time: "
		    "it cannot be multiplexed");
		err = WIRE_ECNFLCT;
	}
	return err;
}

int set_open(struct wire_open *request, uint32_t *out)
{
	uint32_t id = free_number();
	struct pmu_set *set;
	int err;

	request->why[0] = 0;
	if (!sets[id])
		sets[id] = host_new(sizeof(*sets[id]));
	set = sets[id];
	*set = (struct pmu_set){ 0 };
	err = fill(set, request);
	if (err)
		return err;
	set->used = true;
	if (!traps_reserve(id, request->why, sizeof(request->why))) {
		set->used = false;
		return WIRE_ECNFLCT;
	}
	if (set->parts & ~engine_selected())
		engine_select(engine_selected() | wanted_parts());
	*out = id;
	return 0;
}

void set_close(uint32_t id)
{
	struct pmu_set *set = set_get(id);

	if (!set)
		return;
	if (set->running)
		set_stop(id);
	while (set->members)
		set_remove_member(id, set->members->tid);
	traps_release(id);
	set->used = false;
}

static struct pmu_member *find_member(const struct pmu_set *set, unsigned tid)
{
	struct pmu_member *m = members_of[tid];

	while (m && m->set != set)
		m = m->next_of_tid;
	return m;
}

bool set_has_member(const struct pmu_set *set, unsigned tid)
{
	return find_member(set, tid) != NULL;
}

/* How much more uncertain counts have become that the engine estimates. */
static void update_variance(struct pmu_set *set, struct pmu_member *member,
			    bool is_counted)
{
	double now[TALLY_COUNT];

	if (!(set->parts & PART_CYCLE) || !engine_estimates())
		return;
	engine_variance(member->tid, now);
	for (uint32_t i = 0; i < set->n; i++) {
		double variance = event_variance(set->events[i], now);
		double more = variance - member->variance[i];

		member->variance[i] = variance;
		if (!is_counted)
			continue;
		set->sum[i].variance += more;
		member->own[i].variance += more;
	}
}

static void begin_member(uint32_t id, struct pmu_member *member)
{
	engine_totals(member->tid, member->last);
	update_variance(sets[id], member, false);
	for (uint32_t i = 0; i < sets[id]->n; i++)
		member->since[i] = member->crossed[i] = 0;
	turns_start(id, member);
	traps_arm(id, member);
}

void set_add_member(uint32_t id, unsigned tid)
{
	struct pmu_set *set = set_get(id);
	struct pmu_member *member;

	if (set_has_member(set, tid))
		return;
	member = host_new(sizeof(*member));
	member->tid = tid;
	member->set = set;
	member->next = set->members;
	set->members = member;
	member->next_of_tid = members_of[tid];
	members_of[tid] = member;
	if (set->running)
		begin_member(id, member);
}

/* What the member's thread left undecided when its counting ends. */
static void settle(struct pmu_set *set, const struct pmu_member *member)
{
	for (uint32_t i = 0; i < set->n; i++)
		set->sum[i].variance += turns_variance(set, member, i);
}

static void unlink_member(struct pmu_set *set, const struct pmu_member *member)
{
	struct pmu_member **link = &set->members;

	while (*link != member)
		link = &(*link)->next;
	*link = member->next;
	link = &members_of[member->tid];
	while (*link != member)
		link = &(*link)->next_of_tid;
	*link = member->next_of_tid;
}

void set_remove_member(uint32_t id, unsigned tid)
{
	struct pmu_set *set = set_get(id);
	struct pmu_member *member = find_member(set, tid);

	if (!member)
		return;
	if (set->running) {
		set_update_member(set, member);
		settle(set, member);
		traps_disarm(id, member);
	}
	unlink_member(set, member);
	host_free(member);
}

static double draw_factor(const struct pmu_event *event)
{
	uint32_t noise = event->flaw.noise + pmu.opt.noise;
	int64_t draw;

	if (!noise)
		return 1.0;
	if (noise > 900)
		noise = 900;
	draw = (int64_t)(pmu_random(&pmu.random) % (2 * 1000 + 1)) - 1000;
	return 1.0 + (double)draw * 1e-3 * (double)noise * 1e-3;
}

/* What threads that the set does not count have counted of event @i so far; 0
 * unless its counter leaks. */
static uint64_t count_others(const struct pmu_set *set, uint32_t i)
{
	static const uint64_t nothing[TALLY_COUNT];
	uint64_t totals[TALLY_COUNT], sum = 0;

	if (!set->events[i]->flaw.leaks)
		return 0;
	for (unsigned tid = order_next(0); tid; tid = order_next(tid)) {
		if (set_has_member(set, tid))
			continue;
		engine_totals(tid, totals);
		sum += event_growth(set->events[i], nothing, totals);
	}
	return sum;
}

/* The count of event @i while its set runs, as its counter shows it: wrong for
 * decoys of a blind test. */
static uint64_t shown(const struct pmu_set *set, uint32_t i)
{
	uint64_t since = set->sum[i].value - set->begun[i];
	uint64_t others = count_others(set, i) - set->others[i];

	if ((int64_t)since < 0)
		return set->sum[i].value;
	if ((int64_t)others > 0) /* a thread that ended takes its counts away */
		since += others;
	return set->begun[i] + event_shown(set->events[i], since);
}

int set_start(uint32_t id)
{
	struct pmu_set *set = set_get(id);

	if (!set)
		return WIRE_ENOEVST;
	if (set->running)
		return WIRE_EISRUN;
	if (wanted_parts() != engine_selected())
		engine_select(wanted_parts());
	for (uint32_t i = 0; i < set->n; i++) {
		set->begun[i] = set->sum[i].value;
		set->factor[i] = draw_factor(set->events[i]);
		set->others[i] = count_others(set, i);
	}
	set->queued = set->taken = 0;
	set->running = true;
	for (struct pmu_member *m = set->members; m; m = m->next)
		begin_member(id, m);
	return 0;
}

/*
 * Cycles are counted as instructions retire, stalls as others issue. So those
 * that were in flight at the start may have left more stalls to a region than
 * it has cycles; the next one does not have to make up for that.
 */
static void owe_nothing(struct pmu_set *set)
{
	for (uint32_t i = 0; i < set->n; i++)
		if ((int64_t)(set->sum[i].value - set->begun[i]) < 0)
			set->sum[i].value = set->begun[i];
}

int set_stop(uint32_t id)
{
	struct pmu_set *set = set_get(id);

	if (!set)
		return WIRE_ENOEVST;
	if (!set->running)
		return WIRE_ENOTRUN;
	for (struct pmu_member *m = set->members; m; m = m->next) {
		set_update_member(set, m);
		settle(set, m);
		traps_disarm(id, m);
	}
	owe_nothing(set);
	for (uint32_t i = 0; i < set->n; i++)
		set->sum[i].value = shown(set, i);
	set->running = false;
	return 0;
}

/* To the set's counts, and to the thread's own if they are asked for. */
static void add_growth(struct pmu_set *set, struct pmu_member *member,
		       uint64_t clock, const uint64_t *growth)
{
	struct wire_count before[WIRE_EVENTS];
	bool own = set->flags & WIRE_PER_THREAD;

	for (uint32_t i = 0; own && i < set->n; i++)
		before[i] = set->sum[i];
	turns_add(set, member, clock, growth);
	for (uint32_t i = 0; own && i < set->n; i++) {
		struct wire_count *to = &member->own[i];

		to->value += set->sum[i].value - before[i].value;
		to->enabled_ns += set->sum[i].enabled_ns - before[i].enabled_ns;
		to->running_ns += set->sum[i].running_ns - before[i].running_ns;
	}
}

void set_update_member(struct pmu_set *set, struct pmu_member *member)
{
	uint64_t now[TALLY_COUNT];
	uint64_t growth[WIRE_EVENTS];

	engine_totals(member->tid, now);
	for (uint32_t i = 0; i < set->n; i++) {
		uint64_t n = event_growth(set->events[i], member->last, now);

		set->truth[i] += n;
		member->since[i] += n;
		if (set->factor[i] < 1.0 || set->factor[i] > 1.0)
			n = (uint64_t)(int64_t)((double)(int64_t)n *
						set->factor[i]);
		growth[i] = n;
	}
	add_growth(set, member, now[set->clock] - member->last[set->clock],
		   growth);
	update_variance(set, member, true);
	for (uint32_t s = 0; s < TALLY_COUNT; s++)
		member->last[s] = now[s];
}

/* Threads that ran since the last time; the one that ran then may have gone
 * on. */
static void update_those_that_ran(struct pmu_set *set)
{
	for (unsigned tid = order_next(0);
	     tid && order_time(tid) >= set->updated; tid = order_next(tid)) {
		struct pmu_member *m = find_member(set, tid);

		if (m)
			set_update_member(set, m);
	}
}

void set_update(struct pmu_set *set)
{
	uint64_t disturbed = engine_disturbances();

	if (!set->running)
		return;
	if (disturbed == set->disturbed)
		update_those_that_ran(set);
	else
		for (struct pmu_member *m = set->members; m; m = m->next)
			set_update_member(set, m);
	set->disturbed = disturbed;
	set->updated = order_time(order_next(0));
}

void set_read(uint32_t id, struct wire_count *counts)
{
	struct pmu_set *set = set_get(id);

	set_update(set);
	for (uint32_t i = 0; i < set->n; i++) {
		struct wire_count c = set->sum[i];

		if (set->running)
			c.value = shown(set, i);
		if ((int64_t)c.value < 0)
			c.value = 0;
		if (set->running && set->turns > 1)
			for (const struct pmu_member *m = set->members; m;
			     m = m->next)
				c.variance += turns_variance(set, m, i);
		/* More was learnt since: but what was told must not shrink. */
		if (c.variance < set->shown[i])
			c.variance = set->shown[i];
		set->shown[i] = c.variance;
		counts[i] = c;
	}
}

void set_forget(struct pmu_set *set)
{
	set_update(set);
	for (uint32_t i = 0; i < set->n; i++) {
		set->sum[i] = (struct wire_count){ 0 };
		set->truth[i] = 0;
		set->begun[i] = 0;
		set->shown[i] = 0;
		for (struct pmu_member *m = set->members; m; m = m->next)
			m->own[i] = (struct wire_count){ 0 };
	}
}
