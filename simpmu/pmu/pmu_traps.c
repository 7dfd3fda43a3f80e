/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traps: the end of a turn, and the crossing of a threshold.
 *
 * The engine's traps watch sums of signals that only grow. An event may also
 * subtract signals (branches that fall through: all less the taken). Its trap
 * watches what it adds; when that fires too early, it is armed for what is
 * still missing. Since the event cannot grow faster than what it adds, the
 * last of these fires exactly where the event itself crosses.
 */
#include "simpmu/pmu/pmu.h"

#define NO_EVENT      0xffffffffu /* the end of a turn */
#define ONE_SKID_SLOT (ENGINE_TRAPS - 1)
#define POLL_INPUT    1 /* POLL_IN: what perf_event_open()'s signals say */

/* Whose each of the engine's slots is. */
static struct {
	uint32_t set; /* 0: free */
	uint32_t event;
} owners[ENGINE_TRAPS];

/* Signals that wait for the end of the skid, by thread. */
static uint32_t skidding[ENGINE_MAX_TID];

static struct pmu_member *member_of(const struct pmu_set *set, unsigned tid)
{
	struct pmu_member *m = set->members;

	while (m && m->tid != tid)
		m = m->next;
	return m;
}

static void send(unsigned tid, uint32_t id)
{
	struct engine_signal signal = { .signo = set_get(id)->signal,
					.code = POLL_INPUT,
					.fd = (int)id };

	engine_queue_signal(tid, &signal);
}

static void enqueue(struct pmu_set *set, uint32_t event, uint64_t address)
{
	struct wire_overflow *o = &set->queue[set->queued % OVERFLOW_QUEUE];

	if (set->queued - set->taken == OVERFLOW_QUEUE)
		set->taken++; /* nobody takes them: the oldest is lost */
	*o = (struct wire_overflow){ 1ULL << event, address };
	set->queued++;
}

static void overflow(uint32_t id, uint32_t event, struct pmu_member *member,
		     uint64_t address)
{
	struct pmu_set *set = set_get(id);
	uint64_t threshold = set->thresholds[event];
	uint64_t crossings;

	set_update_member(set, member);
	crossings = member->since[event] / threshold;
	for (; member->crossed[event] < crossings; member->crossed[event]++) {
		if (set->flags & WIRE_RECORD) {
			samples_take(set, event, member->tid, address);
			continue;
		}
		enqueue(set, event, address);
		if (pmu.opt.skid) {
			skidding[member->tid] = id;
			engine_trap_arm(ONE_SKID_SLOT, member->tid,
					pmu.opt.skid);
		} else {
			send(member->tid, id);
		}
	}
}

static uint64_t missing(const struct pmu_set *set, uint32_t event,
			const struct pmu_member *member)
{
	if (event == NO_EVENT)
		return set->slice;
	return (member->crossed[event] + 1) * set->thresholds[event] -
	       member->since[event];
}

static void on_trap(unsigned slot, unsigned tid, uint64_t address)
{
	uint32_t id = owners[slot].set, event = owners[slot].event;
	struct pmu_set *set = set_get(id);
	struct pmu_member *member = set ? member_of(set, tid) : NULL;

	if (!member || !set->running)
		return;
	if (event == NO_EVENT)
		turns_rotate(set, member);
	else
		overflow(id, event, member, address);
	engine_trap_arm(slot, tid, missing(set, event, member));
}

/* After the skid the address told is where the program is by now. */
static void on_skid(unsigned slot, unsigned tid, uint64_t address)
{
	struct pmu_set *set = set_get(skidding[tid]);

	(void)slot;
	if (!set)
		return;
	for (uint32_t i = set->taken; i != set->queued; i++)
		set->queue[i % OVERFLOW_QUEUE].address = address;
	send(tid, skidding[tid]);
}

/*
 * Look-ups that hit are not seen one by one: the model is told how many there
 * were when signals are read. These are signals that grow at least as fast
 * and that a trap can watch.
 */
static const struct {
	uint32_t signal;
	struct {
		int32_t weight;
		uint32_t signal;
	} instead[2];
} unwatched[] = {
	{ TALLY_L1D_LOAD, { { 1, TALLY_LOAD }, { 1, TALLY_SPLIT_LOAD } } },
	{ TALLY_DTLB_LOAD, { { 1, TALLY_LOAD }, { 1, TALLY_SPLIT_LOAD } } },
	{ TALLY_L1D_STORE, { { 1, TALLY_STORE }, { 1, TALLY_SPLIT_STORE } } },
	{ TALLY_DTLB_STORE, { { 1, TALLY_STORE }, { 1, TALLY_SPLIT_STORE } } },
	{ TALLY_L1I_ACCESS, { { 2, TALLY_INS } } },
	{ TALLY_ITLB_ACCESS, { { 2, TALLY_INS } } },
};

static void watch(struct engine_trap *trap, int32_t weight, uint32_t signal)
{
	for (size_t i = 0; i < sizeof(unwatched) / sizeof(unwatched[0]); i++) {
		if (unwatched[i].signal != signal)
			continue;
		for (int k = 0; k < 2; k++)
			trap->weight[unwatched[i].instead[k].signal] +=
				weight * unwatched[i].instead[k].weight;
		return;
	}
	trap->weight[signal] += weight;
}

static void define(uint32_t slot, const struct pmu_event *event)
{
	static struct engine_trap trap;

	trap = (struct engine_trap){ .fire = on_trap };
	if (event) {
		for (uint32_t i = 0; i < event->n; i++)
			if (event->terms[i].weight > 0)
				watch(&trap, event->terms[i].weight,
				      event->terms[i].signal);
	} else {
		trap.weight[TALLY_INS] = 1;
	}
	engine_trap_set(slot, &trap);
}

static bool reserve(uint32_t id, uint32_t event)
{
	uint32_t slots = ENGINE_TRAPS - (pmu.opt.skid ? 1 : 0);

	for (uint32_t slot = 0; slot < slots; slot++) {
		if (owners[slot].set)
			continue;
		owners[slot].set = id;
		owners[slot].event = event;
		define(slot,
		       event == NO_EVENT ? NULL : set_get(id)->events[event]);
		return true;
	}
	return false;
}

static void define_skid(void)
{
	static struct engine_trap trap;

	trap.weight[TALLY_INS] = 1;
	trap.fire = on_skid;
	engine_trap_set(ONE_SKID_SLOT, &trap);
}

bool traps_reserve(uint32_t id, char *why, size_t capacity)
{
	static const char full[] =
		"the simulated PMU cannot interrupt at more events";
	struct pmu_set *set = set_get(id);
	bool fits = set->turns == 1 || reserve(id, NO_EVENT);

	for (uint32_t i = 0; fits && i < set->n; i++)
		if (set->thresholds[i])
			fits = reserve(id, i);
	if (fits) {
		if (pmu.opt.skid)
			define_skid();
		return true;
	}
	traps_release(id);
	for (size_t i = 0; i < sizeof(full) && i < capacity; i++)
		why[i] = full[i];
	return false;
}

void traps_release(uint32_t id)
{
	for (uint32_t slot = 0; slot < ENGINE_TRAPS; slot++) {
		if (owners[slot].set != id)
			continue;
		owners[slot].set = 0;
		engine_trap_set(slot, NULL);
	}
}

void traps_arm(uint32_t id, struct pmu_member *member)
{
	struct pmu_set *set = set_get(id);

	for (uint32_t slot = 0; slot < ENGINE_TRAPS; slot++)
		if (owners[slot].set == id)
			engine_trap_arm(
				slot, member->tid,
				missing(set, owners[slot].event, member));
}

void traps_disarm(uint32_t id, const struct pmu_member *member)
{
	for (uint32_t slot = 0; slot < ENGINE_TRAPS; slot++)
		if (owners[slot].set == id)
			engine_trap_arm(slot, member->tid, 0);
}
