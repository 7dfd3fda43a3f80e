/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets of the guest's own that its children are counted with: what the others
 * have counted is in the memory that all share. Those that somebody publishes
 * for (the fast engine) are asked for it, as from outside, since they do not
 * publish while they run, and those that were killed may not be done yet.
 */
#include "simpmu/pmu/control.h"
#include "simpmu/pmu/host.h"

#define ANSWER_MS 1000u
#define RETRIES   1000u

int control_share_set(uint32_t id, const struct wire_open *request)
{
	struct pmu_set *set = set_get(id);

	if (!control.shared) {
		control.shared = memory_make();
		if (!control.shared)
			return WIRE_ENOMEM;
		place_take(host_pid());
	}
	/* From the end: sets from outside are made from the beginning. */
	for (uint32_t i = WIRE_SETS; i-- > 0;) {
		struct wire_set *shared = &control.shared->sets[i];
		uint32_t state = WIRE_FREE;

		if (!__atomic_compare_exchange_n(
			    &shared->state, &state, WIRE_STOPPED, false,
			    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		shared->tid = 0;
		shared->n = set->n;
		shared->flags = set->flags;
		shared->slice_ns = request->slice_ns;
		for (uint32_t e = 0; e < set->n; e++)
			shared->events[e] = request->events[e];
		shared->serial = (uint64_t)(uint32_t)host_pid() << 32 |
				 ++control.serials;
		for (uint32_t e = 0; e < WIRE_EVENTS; e++)
			shared->ended[e] = (struct wire_count){ 0 };
		set->control = (int32_t)i;
		set->serial = shared->serial;
		control.ids[i] = id;
		return 0;
	}
	return WIRE_ENOMEM;
}

void control_unshare_set(uint32_t id)
{
	const struct pmu_set *set = set_get(id);
	struct wire_set *shared;

	if (!set || set->control < 0)
		return;
	shared = &control.shared->sets[set->control];
	control.ids[set->control] = 0;
	if ((int32_t)(set->serial >> 32) == host_pid()) {
		shared->serial = 0;
		__atomic_store_n(&shared->state, WIRE_FREE, __ATOMIC_RELEASE);
	}
}

/* Something publishes for the process at place @k, which is not this one. */
static bool has_publisher(uint32_t k)
{
	const struct wire_slot *slot = &control.shared->slots[k];

	return slot != control.slot &&
	       __atomic_load_n(&slot->pid, __ATOMIC_ACQUIRE) &&
	       (wire_is_promised(slot) ||
		host_is_held((uint64_t)WIRE_LOCKS + WIRE_PROCESSES + k));
}

/* It has been killed, and what was to publish for it has not come. */
static bool is_forsaken(uint32_t k)
{
	const uint64_t lock = (uint64_t)WIRE_LOCKS + k;

	return !host_is_held(lock) && !host_is_held(lock + WIRE_PROCESSES);
}

/* Wait until place @k has published what was asked for by poke @number. Others
 * may wait for this process meanwhile. */
static void await_answer(uint32_t k, uint32_t number, uint32_t since)
{
	struct wire_slot *slot = &control.shared->slots[k];

	while ((int32_t)(__atomic_load_n(&slot->poked, __ATOMIC_ACQUIRE) -
			 number) < 0 &&
	       has_publisher(k) && host_ms() - since < ANSWER_MS) {
		if (host_ms() - since > WIRE_PROMISE_MS && is_forsaken(k)) {
			__atomic_fetch_and(&slot->flags,
					   ~(uint32_t)WIRE_ANSWERS,
					   __ATOMIC_RELAXED);
			return;
		}
		control_safe_point();
		host_rest();
	}
}

static void ask_others(void)
{
	uint32_t number = 0, since = host_ms();
	uint64_t asked[(WIRE_PROCESSES + 63) / 64] = { 0 };

	for (uint32_t k = 0; k < WIRE_PROCESSES; k++)
		if (has_publisher(k))
			asked[k / 64] |= UINT64_C(1) << k % 64;
	for (uint32_t k = 0; k < WIRE_PROCESSES; k++) {
		if (!(asked[k / 64] >> k % 64 & 1))
			continue;
		if (!number) {
			number = __atomic_add_fetch(&control.shared->poke, 1,
						    __ATOMIC_SEQ_CST);
			host_wake(&control.shared->poke);
		}
		await_answer(k, number, since);
	}
}

/* As they stood at one moment. */
static void add_process(const struct wire_process *p, uint32_t set, uint32_t n,
			struct wire_count *counts)
{
	struct wire_count copy[WIRE_EVENTS];

	for (unsigned tries = 0; tries < RETRIES; tries++) {
		uint32_t before =
			__atomic_load_n(&p->sequence, __ATOMIC_ACQUIRE);

		for (uint32_t e = 0; e < n; e++)
			copy[e] = p->counts[set][e];
		__atomic_signal_fence(__ATOMIC_ACQUIRE);
		if (!(before & 1) &&
		    __atomic_load_n(&p->sequence, __ATOMIC_RELAXED) == before)
			break;
	}
	for (uint32_t e = 0; e < n; e++)
		add_count(&counts[e], &copy[e]);
}

static void add_all(const struct pmu_set *set, struct wire_count *counts)
{
	const struct wire_control *shared = control.shared;
	uint32_t i = (uint32_t)set->control;

	for (uint32_t e = 0; e < set->n; e++)
		add_count(&counts[e], &shared->sets[i].ended[e]);
	for (uint32_t k = 0; k < WIRE_PROCESSES; k++) {
		const struct wire_process *p = &shared->processes[k];

		if (__atomic_load_n(&shared->slots[k].pid, __ATOMIC_ACQUIRE) &&
		    p != control.place && p->serials[i] == set->serial)
			add_process(p, i, set->n, counts);
	}
}

void control_add_others(const struct pmu_set *set, struct wire_count *counts)
{
	const struct wire_control *shared = control.shared;
	struct wire_count own[WIRE_EVENTS];

	if (control.has_others)
		ask_others();
	for (uint32_t e = 0; e < set->n; e++)
		own[e] = counts[e];
	/* one that leaves meanwhile would be there twice, or not at all */
	for (unsigned tries = 0; tries < RETRIES; tries++) {
		uint32_t left =
			__atomic_load_n(&shared->left, __ATOMIC_SEQ_CST);

		for (uint32_t e = 0; e < set->n; e++)
			counts[e] = own[e];
		add_all(set, counts);
		if (__atomic_load_n(&shared->leaving, __ATOMIC_SEQ_CST) == left)
			return;
		host_rest();
	}
}

/* Place @k is of a process that counted with a set of this one. */
static bool is_counted_with(uint32_t k)
{
	const struct wire_process *p = &control.shared->processes[k];

	for (uint32_t i = 0; i < WIRE_SETS; i++) {
		const struct pmu_set *set = set_get(control.ids[i]);

		if (set && set->flags & WIRE_INHERIT &&
		    p->serials[i] == set->serial)
			return true;
	}
	return false;
}

/* It is gone, and nothing will take its place from it. */
static bool was_killed(uint32_t k)
{
	const struct wire_slot *slot = &control.shared->slots[k];

	return slot != control.slot && slot->pid && !slot->execs &&
	       !(slot->flags & WIRE_LEAVES) && is_forsaken(k) &&
	       __atomic_load_n(&slot->pid, __ATOMIC_ACQUIRE);
}

bool control_census(struct wire_census *out)
{
	*out = (struct wire_census){ 0 };
	if (!control.place)
		return false;
	if (control.has_others)
		ask_others();
	out->lost = control.shared->lost;
	for (uint32_t i = 0; i < WIRE_ASIDE_KINDS; i++)
		out->aside[i] = control.shared->aside[i];
	/* where its own lock is not seen, none is */
	if (!host_is_held((uint64_t)WIRE_LOCKS +
			  (uint64_t)(control.slot - control.shared->slots)))
		return true;
	for (uint32_t k = 0; k < WIRE_PROCESSES; k++)
		out->killed += control.shared->slots[k].pid &&
			       is_counted_with(k) && was_killed(k);
	return true;
}
