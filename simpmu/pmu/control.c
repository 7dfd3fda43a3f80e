/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control file: sets that a program outside asks for, and the counts of
 * this process, published where they outlive it.
 *
 * Each process has a place of its own there (place.c). A program that is exec'd
 * goes on from the counts of its predecessor; a process that ends adds its
 * counts to the set's and leaves. One that is killed leaves nothing but its
 * place, with what it published last.
 *
 * The same memory, without a file, serves sets of the guest itself whose
 * children are counted with it.
 */
#include "simpmu/pmu/control.h"
#include "simpmu/pmu/host.h"

#define PUBLISH_MS 5u

struct control control;

void control_publish(void)
{
	struct wire_process *place = control.place;
	struct wire_count counts[WIRE_EVENTS];
	uint32_t lost;

	if (!place)
		return;
	__atomic_add_fetch(&place->sequence, 1, __ATOMIC_ACQ_REL);
	for (uint32_t i = 0; i < WIRE_SETS; i++) {
		struct pmu_set *set = set_get(control.ids[i]);

		if (!set)
			continue;
		set_read(control.ids[i], counts);
		place->serials[i] = set->serial;
		for (uint32_t e = 0; e < set->n; e++) {
			place->counts[i][e] = control.base[i][e];
			add_count(&place->counts[i][e], &counts[e]);
		}
	}
	__atomic_add_fetch(&place->sequence, 1, __ATOMIC_RELEASE);
	control.published = host_ms();
	lost = samples_flush();
	if (lost)
		__atomic_add_fetch(&control.shared->lost_samples, lost,
				   __ATOMIC_RELAXED);
}

/* Threads. */

/* Tell what @member has counted since it was last told of. */
static void tell_of(struct pmu_set *set, struct pmu_member *member)
{
	uint32_t place;
	struct wire_thread *t;

	if (pmu.lwp[member->tid] == LWP_CREATED)
		return; /* it never ran */
	if (set->running)
		set_update_member(set, member);
	place = __atomic_fetch_add(&control.shared->told, 1, __ATOMIC_RELAXED);
	if (place >= WIRE_THREADS)
		return;
	if (!host_reserve(offsetof(struct wire_control, threads) +
				  place * sizeof(*t),
			  sizeof(*t))) {
		/* as if there had been too many */
		__atomic_fetch_add(&control.shared->told, WIRE_THREADS,
				   __ATOMIC_RELAXED);
		return;
	}
	t = &control.shared->threads[place];
	t->pid = host_pid();
	t->tid = pmu.lwp[member->tid];
	t->serial = set->serial;
	for (uint32_t e = 0; e < set->n; e++) {
		t->counts[e] = member->own[e];
		t->counts[e].variance = turns_variance(set, member, e);
		member->own[e] = (struct wire_count){ 0 };
	}
	__atomic_store_n(&t->is_whole, 1, __ATOMIC_RELEASE);
}

/* Of thread @tid in all sets that ask for it; 0: of all threads. */
static void tell_of_threads(unsigned tid)
{
	for (uint32_t i = 0; i < WIRE_SETS; i++) {
		struct pmu_set *set = set_get(control.ids[i]);

		if (!set || !(set->flags & WIRE_PER_THREAD))
			continue;
		for (struct pmu_member *m = set->members; m; m = m->next)
			if (!tid || m->tid == tid)
				tell_of(set, m);
	}
}

void control_end_thread(unsigned tid)
{
	if (control.place)
		tell_of_threads(tid);
}

/* Sets from outside. */

/* Make the set that entry @i asks for; 0 if it cannot be. */
static uint32_t adopt(uint32_t i)
{
	const struct wire_set *asked = &control.shared->sets[i];
	static struct wire_open request;
	uint32_t id;

	request = (struct wire_open){ .n = asked->n,
				      .flags = asked->flags,
				      .slice_ns = asked->slice_ns };
	for (uint32_t e = 0; e < asked->n && e < WIRE_EVENTS; e++) {
		request.events[e] = asked->events[e];
		if (asked->flags & WIRE_RECORD)
			request.thresholds[e] = asked->thresholds[e];
	}
	if (asked->flags & WIRE_RECORD)
		samples_open(pmu.opt.control, control.shared);
	if (set_open(&request, &id))
		return 0;
	set_get(id)->control = (int32_t)i;
	set_get(id)->serial = asked->serial;
	control.ids[i] = id;
	return id;
}

static uint32_t state_of(uint32_t i)
{
	return __atomic_load_n(&control.shared->sets[i].state,
			       __ATOMIC_ACQUIRE);
}

/* Whether entry @i means thread @tid of this process. */
static bool is_meant(uint32_t i, unsigned tid)
{
	const struct wire_set *asked = &control.shared->sets[i];

	return pmu.lwp[tid] &&
	       (pmu.lwp[tid] == asked->tid ||
		(asked->flags & WIRE_INHERIT && asked->tid == host_pid()));
}

/* A set that was made or started while this program was running. */
static void join(uint32_t i)
{
	uint32_t id = 0;

	if (control.shared->sets[i].flags & WIRE_ON_EXEC)
		return;
	for (unsigned tid = 1; tid < ENGINE_MAX_TID; tid++) {
		if (!is_meant(i, tid))
			continue;
		if (!id)
			id = adopt(i);
		if (!id)
			return;
		set_add_member(id, tid);
	}
}

static void follow(uint32_t i)
{
	struct pmu_set *set = set_get(control.ids[i]);
	uint32_t state = state_of(i);

	if (set && (state == WIRE_FREE ||
		    control.shared->sets[i].serial != set->serial)) {
		set_close(control.ids[i]);
		control.ids[i] = 0;
		for (uint32_t e = 0; e < WIRE_EVENTS; e++)
			control.base[i][e] = (struct wire_count){ 0 };
		set = NULL;
	}
	if (!set && state == WIRE_RUNNING) {
		join(i);
		set = set_get(control.ids[i]);
	}
	if (!set)
		return;
	if (state == WIRE_RUNNING && !set->running)
		set_start(control.ids[i]);
	else if (state == WIRE_STOPPED && set->running)
		set_stop(control.ids[i]);
}

/* Whether the set is the guest's own, not asked for from outside. */
static bool is_own(uint32_t i)
{
	return control.shared->sets[i].tid == 0;
}

static void follow_all(void)
{
	control.asked = false;
	for (uint32_t i = 0; i < WIRE_SETS; i++) {
		if (is_own(i))
			continue;
		follow(i);
		control.asked |= set_get(control.ids[i]) != NULL;
	}
}

void control_safe_point(void)
{
	uint32_t poke;

	if (!control.place)
		return;
	if (control.slot->execs)
		host_share_on(false);
	control.slot->execs = 0; /* an exec failed */
	control.slot->flags &= ~(uint32_t)WIRE_LEAVES;
	poke = __atomic_load_n(&control.shared->poke, __ATOMIC_ACQUIRE);
	if (poke != control.seen) {
		control.seen = poke;
		follow_all();
		control_publish();
		__atomic_store_n(&control.slot->poked, poke, __ATOMIC_RELEASE);
	} else if (control.asked ||
		   host_ms() - control.published >= PUBLISH_MS) {
		control_publish(); /* it may sleep from here on */
	}
}

bool control_is_wanted(void)
{
	return control.place &&
	       __atomic_load_n(&control.shared->poke, __ATOMIC_RELAXED) !=
		       control.seen;
}

const uint32_t *control_attention(uint32_t *place)
{
	if (!control.place)
		return NULL;
	control.slot->flags |= WIRE_ANSWERS;
	*place = (uint32_t)(control.slot - control.shared->slots);
	return &control.shared->poke;
}

/* Beginnings and ends. */

/* The first program: sets for it. After an exec: those it was in before. */
static void adopt_initial(bool first)
{
	for (uint32_t i = 0; i < WIRE_SETS; i++) {
		const struct wire_set *asked = &control.shared->sets[i];
		uint32_t state = state_of(i);
		bool goes_on = control.place->members >> i & 1 &&
			       control.place->serials[i] == asked->serial;

		if (state == WIRE_FREE || (is_own(i) && first))
			continue;
		if (first ? asked->tid != host_pid() : !goes_on)
			continue;
		if (!adopt(i)) {
			/* from outside it is asked who made the set */
			if (is_own(i))
				__atomic_add_fetch(&control.shared->lost, 1,
						   __ATOMIC_RELAXED);
			continue;
		}
		if (state == WIRE_RUNNING || is_own(i))
			set_start(control.ids[i]);
	}
}

/* A process that begins knows all that was asked before. */
static void answer_first(void)
{
	if (control.slot)
		__atomic_store_n(&control.slot->poked, control.seen,
				 __ATOMIC_RELEASE);
}

void control_init(const char *path)
{
	int32_t pid = host_pid();

	control = (struct control){ 0 };
	control.shared = memory_find(path);
	if (!control.shared)
		return;
	control.seen = __atomic_load_n(&control.shared->poke, __ATOMIC_ACQUIRE);
	__atomic_add_fetch(&control.shared->started, 1, __ATOMIC_RELAXED);
	if (place_inherit(pid)) {
		for (uint32_t i = 0; i < WIRE_SETS; i++)
			for (uint32_t e = 0; e < WIRE_EVENTS; e++)
				control.base[i][e] =
					control.place->counts[i][e];
		adopt_initial(false);
	} else {
		place_take(pid);
		if (control.place)
			adopt_initial(true);
	}
	answer_first();
}

void control_first_thread(unsigned tid)
{
	for (uint32_t i = 0; i < WIRE_SETS; i++)
		if (set_get(control.ids[i]))
			set_add_member(control.ids[i], tid);
}

/* Sets of the guest's own end with the program that made them; those of its
 * children go on. */
static bool survives(uint32_t i, const struct pmu_set *set)
{
	return !is_own(i) || (set->running && set->flags & WIRE_INHERIT &&
			      (int32_t)(set->serial >> 32) != host_pid());
}

/* Which sets the program that @tid becomes goes on with, noted in @place. */
static void note_members(struct wire_process *place, unsigned tid)
{
	uint32_t members = 0;

	for (uint32_t i = 0; i < WIRE_SETS; i++) {
		struct pmu_set *set = set_get(control.ids[i]);

		if (set && set_has_member(set, tid) && survives(i, set))
			members |= 1u << i;
		if (!set && state_of(i) == WIRE_RUNNING && !is_own(i) &&
		    control.shared->sets[i].flags & WIRE_ON_EXEC &&
		    is_meant(i, tid))
			members |= 1u << i;
		if (members >> i & 1)
			place->serials[i] = control.shared->sets[i].serial;
	}
	place->members = members;
}

/*
 * What is shared goes along by its number: it may have no name, and where few
 * files may be open, opening it again would take one from the program.
 */
static void pass_place(uint32_t place)
{
	int fd = host_share_on(true);

	if (fd > 0)
		place |= (uint32_t)fd << WIRE_SLOT_BITS;
	host_pass_number("slot", place);
}

/* The place goes to the program that @tid executes. */
static void hand_on(unsigned tid)
{
	note_members(control.place, tid);
	control.slot->execs = 1;
	pass_place((uint32_t)(control.slot - control.shared->slots));
}

void control_exec(unsigned tid)
{
	if (!control.place)
		return;
	control_publish();
	tell_of_threads(0);
	hand_on(tid);
}

/* Another engine starts the same program again: as if this had never been. */
void control_abandon(unsigned tid)
{
	if (!control.place)
		return;
	for (uint32_t i = 0; i < WIRE_SETS; i++)
		for (uint32_t e = 0; e < WIRE_EVENTS; e++)
			control.place->counts[i][e] = control.base[i][e];
	__atomic_sub_fetch(&control.shared->started, 1, __ATOMIC_RELAXED);
	hand_on(tid);
}

/* As a fork and an exec: a place of its own, which it is told. */
void control_spawn(unsigned tid)
{
	uint32_t i;

	if (!control.shared)
		return;
	control_note(WIRE_VARIES_PROCESSES);
	control.has_others = true;
	i = place_claim(host_pid());
	if (i == WIRE_PROCESSES)
		return;
	note_members(&control.shared->processes[i], tid);
	control.shared->slots[i].flags = 0;
	control.shared->slots[i].execs = 1;
	pass_place(i);
}

void control_spawn_failed(void)
{
	int32_t pid = host_pid();

	for (uint32_t i = 0; control.shared && i < WIRE_PROCESSES; i++)
		if (control.shared->slots[i].pid == pid)
			__atomic_store_n(&control.shared->slots[i].pid, 0,
					 __ATOMIC_RELEASE);
}

void control_spawn_aside(unsigned why)
{
	if (control.shared)
		__atomic_add_fetch(&control.shared->aside[why], 1,
				   __ATOMIC_RELAXED);
}

void control_leave(unsigned why)
{
	if (!control.shared)
		return;
	__atomic_add_fetch(&control.shared->aside[why], 1, __ATOMIC_RELAXED);
	control_publish();
	host_share_on(false);
	if (control.slot)
		control.slot->flags |= WIRE_LEAVES;
}

void control_note(unsigned varies)
{
	if (control.shared && varies & ~control.shared->varies)
		__atomic_fetch_or(&control.shared->varies, varies,
				  __ATOMIC_RELAXED);
}

void control_fail(const char *what)
{
	char *why;

	if (!control.shared)
		return;
	why = control.shared->why;
	if (__atomic_add_fetch(&control.shared->failed, 1, __ATOMIC_ACQ_REL) ==
	    1)
		for (size_t i = 0; i + 1 < sizeof(control.shared->why); i++) {
			why[i] = what[i];
			if (!what[i])
				break;
		}
	if (control.slot)
		control.slot->flags |= WIRE_LEAVES;
}

void control_fork(unsigned tid)
{
	(void)tid;
	samples_fork();
	if (!control.shared)
		return;
	control_note(WIRE_VARIES_PROCESSES);
	control.has_others = true;
	place_take(host_pid());
	__atomic_add_fetch(&control.shared->arrived, 1, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < WIRE_SETS; i++) {
		struct pmu_set *set = set_get(control.ids[i]);

		for (uint32_t e = 0; e < WIRE_EVENTS; e++)
			control.base[i][e] = (struct wire_count){ 0 };
		if (!set)
			continue;
		if (set->flags & WIRE_INHERIT) {
			set_forget(set);
		} else {
			set_close(control.ids[i]);
			control.ids[i] = 0;
		}
	}
	control_publish(); /* it belongs to these sets from here on */
	answer_first();
}

void control_forked(void)
{
	control.has_others = true;
	if (control.shared)
		__atomic_add_fetch(&control.shared->forked, 1,
				   __ATOMIC_SEQ_CST);
}

/* Adding to a double that others add to as well. */
static void add_atomically(double *to, double value)
{
	uint64_t *bits = (uint64_t *)to;
	uint64_t before = __atomic_load_n(bits, __ATOMIC_RELAXED);
	union {
		double value;
		uint64_t bits;
	} sum;

	do {
		sum.bits = before;
		sum.value += value;
	} while (!__atomic_compare_exchange_n(bits, &before, sum.bits, false,
					      __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
}

void control_exit(void)
{
	struct wire_process *place = control.place;

	if (!place)
		return;
	samples_end();
	control_publish();
	tell_of_threads(0);
	__atomic_add_fetch(&control.shared->leaving, 1, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < WIRE_SETS; i++) {
		struct wire_set *set = &control.shared->sets[i];

		if (place->serials[i] != set->serial)
			continue;
		for (uint32_t e = 0; e < set->n && e < WIRE_EVENTS; e++) {
			struct wire_count *to = &set->ended[e];
			const struct wire_count *from = &place->counts[i][e];

			__atomic_add_fetch(&to->value, from->value,
					   __ATOMIC_RELAXED);
			__atomic_add_fetch(&to->enabled_ns, from->enabled_ns,
					   __ATOMIC_RELAXED);
			__atomic_add_fetch(&to->running_ns, from->running_ns,
					   __ATOMIC_RELAXED);
			add_atomically(&to->variance, from->variance);
		}
	}
	__atomic_store_n(&control.slot->pid, 0, __ATOMIC_RELEASE);
	__atomic_add_fetch(&control.shared->left, 1, __ATOMIC_SEQ_CST);
	control.place = NULL;
	control.slot = NULL;
}
