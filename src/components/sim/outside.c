/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting processes that run under simulators of their own, through the
 * control file that this process makes and they are told of. See
 * simpmu/wire.h for who writes what.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "components/sim/sim.h"
#include "simpmu/assign.h"

#define ANSWER_MS 2000 /* a safe point comes every few ms on a CPU */
#define RETRIES   1000 /* then its writer was killed while writing */

static const struct control_file *file_of(const struct slice *s)
{
	const struct sim *sim = s->component->priv;
	const struct sim_slice *mine = s->priv;

	return mine->file ? mine->file : &sim->file;
}

static struct wire_control *control_of(const struct slice *s)
{
	return file_of(s)->shared;
}

static bool is_taken(const struct wire_control *control, int i)
{
	return __atomic_load_n(&control->slots[i].pid, __ATOMIC_ACQUIRE) != 0;
}

static struct wire_set *set_of(const struct slice *s)
{
	const struct sim_slice *mine = s->priv;

	return &control_of(s)->sets[mine->id];
}

/* Opening: what the simulator would refuse is refused here. */

static bool is_recorded(const struct slice *s)
{
	const struct sim_slice *mine = s->priv;

	return mine->samples;
}

/* The counters of whom it counts, as bits; all: without limit. */
static uint32_t counters_of(const struct slice *s)
{
	const struct sim_slice *mine = s->priv;
	const struct sim *sim = s->component->priv;
	struct params params;

	if (!mine->file)
		return sim->unlimited ? UINT32_MAX : sim->have;
	peer_machine(mine->file, &params);
	return mine->file->shared->unlimited
		       ? UINT32_MAX
		       : assign_have(params.counters, params.counters_fixed);
}

static int check_counters(struct slice *s)
{
	uint32_t have = counters_of(s);
	uint32_t masks[WIRE_EVENTS];
	uint8_t turns[WIRE_EVENTS];

	for (size_t i = 0; i < s->n; i++) {
		if (s->thresholds[i] && !is_recorded(s))
			return slice_fail(s, PAPI_ENOSUPP,
					  "a program outside the simulator "
					  "cannot handle overflows");
		masks[i] = (uint32_t)(s->component->events[s->events[i]]->id >>
				      32);
		if (!(masks[i] & have))
			return slice_fail(
				s, PAPI_ECNFLCT,
				"none of the simulated counters can count %s; "
				"give the PMU more (--counters)",
				s->component->events[s->events[i]]->name);
	}
	if (have == UINT32_MAX || s->opt.multiplex ||
	    assign_turns(masks, (uint32_t)s->n, have, turns) <= 1)
		return 0;
	return slice_fail(s, PAPI_ECNFLCT,
			  "these events do not fit on the simulated counters "
			  "together; count fewer, or multiplex");
}

static uint64_t new_serial(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void fill(const struct slice *s, struct wire_set *set)
{
	set->flags = (s->opt.inherit ? WIRE_INHERIT : 0u) |
		     (s->opt.multiplex ? WIRE_MULTIPLEX : 0u) |
		     (s->opt.on_exec ? WIRE_ON_EXEC : 0u) |
		     (is_recorded(s) ? WIRE_RECORD : 0u) |
		     (s->opt.stacks ? WIRE_STACKS : 0u) |
		     (s->opt.per_thread ? WIRE_PER_THREAD : 0u);
	set->tid = s->opt.tid;
	set->n = (uint32_t)s->n;
	set->slice_ns = s->opt.multiplex_ns;
	for (size_t i = 0; i < s->n; i++) {
		set->events[i] = sim_number(s, i);
		set->thresholds[i] = s->thresholds[i];
	}
	memset(set->ended, 0, sizeof(set->ended));
	set->serial = new_serial();
}

/* Room for threads, unless another set is still told of some. */
static void forget_threads(struct wire_control *control)
{
	for (int i = 0; i < WIRE_SETS; i++)
		if (control->sets[i].flags & WIRE_PER_THREAD &&
		    __atomic_load_n(&control->sets[i].state,
				    __ATOMIC_ACQUIRE) != WIRE_FREE)
			return;
	for (uint32_t i = 0; i < control->told && i < WIRE_THREADS; i++)
		control->threads[i].is_whole = 0;
	__atomic_store_n(&control->told, 0, __ATOMIC_RELEASE);
}

static int take_set(struct slice *s)
{
	struct wire_control *control = control_of(s);
	struct sim_slice *mine = s->priv;

	if (!control)
		return slice_fail(s, PAPI_ENOSUPP,
				  "the simulated PMU was given no control file "
				  "to count with");
	control_reclaim(file_of(s));
	control_forget(file_of(s));
	if (s->opt.per_thread)
		forget_threads(control);
	for (int i = 0; i < WIRE_SETS; i++) {
		uint32_t state = WIRE_FREE;

		if (!__atomic_compare_exchange_n(
			    &control->sets[i].state, &state, WIRE_STOPPED,
			    false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		mine->id = i;
		mine->opened = true;
		fill(s, set_of(s));
		mine->serial = set_of(s)->serial;
		control_hold_set(file_of(s), i);
		return 0;
	}
	return slice_fail(s, PAPI_ENOMEM,
			  "at most %d sets can count simulated processes",
			  WIRE_SETS);
}

int outside_open(struct slice *s)
{
	int err = sim_check(s);

	if (!err)
		err = check_counters(s);
	/* Not attached yet: there is nobody to count. */
	if (err || s->opt.target == TARGET_SELF)
		return err;
	return take_set(s);
}

static int refuse_peer(struct slice *s, int code)
{
	if (code == PAPI_EINVAL)
		return slice_fail(s, code, "there is no process %d",
				  s->opt.tid);
	if (code == PAPI_EPERM)
		return slice_fail(
			s, code,
			"process %d belongs to another user or is protected",
			s->opt.tid);
	return slice_fail(s, code,
			  "process %d does not run on this version's simulated "
			  "PMU; start it with: assay run --pmu sim -- program",
			  s->opt.tid);
}

int outside_open_peer(struct slice *s)
{
	struct sim_slice *mine = s->priv;
	char path[64];
	int err;

	mine->file = calloc(1, sizeof(*mine->file));
	if (!mine->file)
		return PAPI_ENOMEM;
	err = peer_open(s->opt.tid, mine->file, path, sizeof(path));
	if (err) {
		free(mine->file);
		mine->file = NULL;
		return refuse_peer(s, err);
	}
	err = outside_open(s);
	if (err)
		outside_close(s);
	return err;
}

static uint32_t poke(struct wire_control *control)
{
	uint32_t number =
		__atomic_add_fetch(&control->poke, 1, __ATOMIC_SEQ_CST);

	/* simulators that wait for it beside a process that runs */
	syscall(SYS_futex, &control->poke, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	return number;
}

void outside_close(struct slice *s)
{
	struct sim_slice *mine = s->priv;

	if (mine->opened) {
		control_free_set(file_of(s), mine->id);
		poke(control_of(s));
	}
	mine->opened = false;
	if (mine->file)
		peer_close(mine->file);
	free(mine->file);
	mine->file = NULL;
}

/* Who in slot @i still has to look at poke number @number; 0: nobody. */
static int debtor(const struct control_file *file, int i, uint32_t number)
{
	const struct wire_slot *slot = &file->shared->slots[i];

	if (!is_taken(file->shared, i) ||
	    __atomic_load_n(&slot->poked, __ATOMIC_ACQUIRE) == number)
		return 0;
	return control_holder(file, i);
}

/* Whether process @pid waits for something, so that it cannot answer. */
static bool is_asleep(int32_t pid)
{
	char path[40], text[256] = "";
	const char *after;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return true;
	if (!fgets(text, sizeof(text), file))
		text[0] = 0;
	fclose(file);
	after = strrchr(text, ')');
	return after && after[1] == ' ' && after[2] != 'R';
}

/*
 * Wait until every process has seen poke @number. One that sleeps has
 * published what it did, but for the last few ms, or has somebody who does.
 */
static void await_answers(const struct control_file *file, uint32_t number)
{
	const struct timespec ms = { 0, 1000000 };
	unsigned asleep = 0;

	for (int i = 0; i < WIRE_PROCESSES; i++) {
		int pid;

		for (int n = 0;
		     n < ANSWER_MS && (pid = debtor(file, i, number)); n++) {
			asleep = !control_has_publisher(file, i) &&
						 is_asleep(pid)
					 ? asleep + 1
					 : 0;
			if (asleep == 3)
				break;
			nanosleep(&ms, NULL);
		}
		asleep = 0;
		control_await_end(file, i);
	}
}

static void add(struct count *to, const struct wire_count *from)
{
	to->value += from->value;
	to->enabled_ns += from->enabled_ns;
	to->running_ns += from->running_ns;
	to->variance += from->variance;
}

/*
 * Counts of one process, as they stood at one moment; *@patience is for all
 * waiting of a reading together.
 */
static void add_process(const struct wire_process *p, int set, size_t n,
			struct count *counts, int *patience)
{
	struct wire_count copy[WIRE_EVENTS];

	do {
		uint32_t before =
			__atomic_load_n(&p->sequence, __ATOMIC_ACQUIRE);

		memcpy(copy, p->counts[set], n * sizeof(*copy));
		/*
		 * The compiler keeps the order here; the processor does too,
		 * for the simulator is for x86-64, where loads stay in order.
		 */
		__atomic_signal_fence(__ATOMIC_ACQUIRE);
		if (!(before & 1) &&
		    __atomic_load_n(&p->sequence, __ATOMIC_RELAXED) == before)
			break;
		sched_yield();
	} while ((*patience)-- > 0);
	for (size_t i = 0; i < n; i++)
		add(&counts[i], &copy[i]);
}

static void add_all(const struct slice *s, struct count *counts, int *patience)
{
	const struct wire_control *control = control_of(s);
	const struct sim_slice *mine = s->priv;

	memset(counts, 0, s->n * sizeof(*counts));
	for (size_t i = 0; i < s->n; i++)
		add(&counts[i], &set_of(s)->ended[i]);
	for (int i = 0; i < WIRE_PROCESSES; i++) {
		const struct wire_process *p = &control->processes[i];

		if (is_taken(control, i) &&
		    p->serials[mine->id] == mine->serial)
			add_process(p, mine->id, s->n, counts, patience);
	}
}

/* A process that leaves is for a moment in both sums or in none. */
static void sum(const struct slice *s, struct count *counts)
{
	const struct wire_control *control = control_of(s);
	int patience = RETRIES;

	do {
		uint32_t left =
			__atomic_load_n(&control->left, __ATOMIC_SEQ_CST);

		add_all(s, counts, &patience);
		if (__atomic_load_n(&control->leaving, __ATOMIC_SEQ_CST) ==
		    left)
			return;
		sched_yield();
	} while (patience-- > 0);
}

static bool has_place(const struct slice *s)
{
	for (int i = 0; i < WIRE_PROCESSES; i++)
		if (is_taken(control_of(s), i) &&
		    (control_of(s)->slots[i].pid == s->opt.tid ||
		     control_holder(file_of(s), i) == s->opt.tid))
			return true;
	return false;
}

/*
 * A process that was just forked takes its place in a moment; one that never
 * does is not counted. One that has ended has no counts to miss.
 */
static int await_place(struct slice *s)
{
	const struct timespec ms = { 0, 1000000 };
	int served = control_served_by(file_of(s), s->opt.tid);

	if (served)
		return slice_fail(s, PAPI_EINVAL, SIM_SERVES, s->opt.tid,
				  served);
	for (int n = 0; n < ANSWER_MS; n++) {
		if (has_place(s) ||
		    syscall(SYS_tgkill, s->opt.tid, s->opt.tid, 0))
			return 0;
		nanosleep(&ms, NULL);
	}
	return slice_fail(s, PAPI_EINVAL,
			  "%d is not a process that the simulator counts",
			  s->opt.tid);
}

static void mark_untold(struct slice *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (sim_is_untold(control_of(s), set_of(s)->events[i]))
			s->sums[i] = COUNT_UNTOLD;
}

static int switch_to(struct slice *s, uint32_t state, struct count *counts)
{
	const struct sim_slice *mine = s->priv;

	if (!mine->opened)
		return slice_fail(s, PAPI_EINVAL,
				  "this process is not simulated; attach the "
				  "EventSet to one that is");
	__atomic_store_n(&set_of(s)->state, state, __ATOMIC_RELEASE);
	await_answers(file_of(s), poke(control_of(s)));
	sum(s, counts);
	mark_untold(s);
	return 0;
}

/*
 * Whether the process that runs already has looked at the set and not made it:
 * its engine or its other sets do not allow it. One that sleeps looks later.
 * It says that it made the set before it says that it looked, so these are read
 * the other way round.
 */
static bool is_refused(const struct slice *s)
{
	const struct wire_control *control = control_of(s);
	const struct sim_slice *mine = s->priv;
	bool refused = false;

	for (int i = 0; i < WIRE_PROCESSES; i++) {
		const struct wire_slot *slot = &control->slots[i];
		bool looked;

		if (!is_taken(control, i))
			continue;
		looked = __atomic_load_n(&slot->poked, __ATOMIC_ACQUIRE) ==
			 control->poke;
		if (control->processes[i].serials[mine->id] == mine->serial)
			return false;
		refused |= looked && slot->pid == s->opt.tid;
	}
	return refused;
}

int outside_start(struct slice *s, struct count *counts)
{
	const struct sim_slice *mine = s->priv;
	int err;

	err = mine->opened && !s->opt.on_exec ? await_place(s) : 0;
	if (err)
		return err;
	err = switch_to(s, WIRE_RUNNING, counts);
	if (err || s->opt.on_exec || !is_refused(s))
		return err;
	__atomic_store_n(&set_of(s)->state, WIRE_STOPPED, __ATOMIC_RELEASE);
	return slice_fail(
		s, PAPI_ECNFLCT,
		"the simulator of process %d refused: other EventSets use its "
		"counters, or its engine cannot count these events",
		s->opt.tid);
}

int outside_read(struct slice *s, struct count *counts)
{
	return switch_to(s, set_of(s)->state, counts);
}

int outside_stop(struct slice *s, struct count *counts)
{
	return switch_to(s, WIRE_STOPPED, counts);
}

/* Threads. */

static void subtract(struct count *from, const struct wire_count *what)
{
	from->value -= what->value;
	from->enabled_ns -= what->enabled_ns;
	from->running_ns -= what->running_ns;
	from->variance -= what->variance;
}

/* Thread number @i of those told of, if it is of slice @s; else NULL. */
static const struct wire_thread *thread_of(const struct slice *s, uint32_t i)
{
	const struct wire_thread *t = &control_of(s)->threads[i];
	const struct sim_slice *mine = s->priv;

	return __atomic_load_n(&t->is_whole, __ATOMIC_ACQUIRE) &&
			       t->serial == mine->serial
		       ? t
		       : NULL;
}

/*
 * A process that still runs, or was killed: what its threads have not told is
 * its first one's.
 */
static int visit_rest(struct slice *s, int place, uint32_t told,
		      thread_visitor visit, void *data)
{
	const struct sim_slice *mine = s->priv;
	const struct wire_process *p = &control_of(s)->processes[place];
	const int pid = control_of(s)->slots[place].pid;
	struct count counts[WIRE_EVENTS] = { { 0 } };
	const struct thread_counts rest = {
		.pid = pid, .tid = pid, .name = "", .counts = counts
	};
	int patience = RETRIES;

	add_process(p, mine->id, s->n, counts, &patience);
	for (uint32_t i = 0; i < told; i++) {
		const struct wire_thread *t = thread_of(s, i);

		for (size_t e = 0; t && t->pid == pid && e < s->n; e++)
			subtract(&counts[e], &t->counts[e]);
	}
	return visit(&rest, data);
}

int outside_threads(struct slice *s, thread_visitor visit, void *data)
{
	const struct wire_control *control = control_of(s);
	const struct sim_slice *mine = s->priv;
	uint32_t told = __atomic_load_n(&control->told, __ATOMIC_ACQUIRE);
	struct count counts[WIRE_EVENTS];
	int err = 0;

	if (told > WIRE_THREADS)
		return slice_fail(s, PAPI_ECLOST,
				  "the simulated PMU can count at most %d "
				  "threads separately, and there were more, or "
				  "there was no room for them in TMPDIR",
				  WIRE_THREADS);
	for (uint32_t i = 0; i < told && !err; i++) {
		const struct wire_thread *t = thread_of(s, i);
		struct thread_counts seen = { .name = "", .counts = counts };

		if (!t)
			continue;
		seen.pid = t->pid;
		seen.tid = t->tid;
		memset(counts, 0, sizeof(counts));
		for (size_t e = 0; e < s->n; e++)
			add(&counts[e], &t->counts[e]);
		err = visit(&seen, data);
	}
	for (int i = 0; i < WIRE_PROCESSES && !err; i++) {
		const struct wire_process *p = &control->processes[i];

		if (is_taken(control, i) &&
		    p->serials[mine->id] == mine->serial)
			err = visit_rest(s, i, told, visit, data);
	}
	return err;
}
