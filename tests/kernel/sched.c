/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time passes: which groups have counters, what they count meanwhile, when they
 * overflow and whose turn is next. Pinned groups come first, those of CPUs
 * before those of tasks; of the others, none is tried behind one that did not
 * fit, and then the first goes to the end [ctx_sched_in(), merge_sched_in(),
 * rotate_ctx()].
 */
#include <string.h>

#include "tests/kernel/calls.h"
#include "tests/kernel/kernel.h"

struct mk_kernel *mk;

bool mk_cpu_in(const uint64_t *set, int cpu)
{
	return cpu >= 0 && cpu < MK_CPUS && set[cpu / 64] >> (cpu % 64) & 1;
}

const struct mk_pmu *mk_pmu_of(const struct mk_event *e)
{
	return e->pmu < 0 ? NULL : &mk->pmus[e->pmu];
}

bool mk_is_slots(const struct mk_event *e)
{
	const struct mk_pmu *p = mk_pmu_of(e);

	return p && p->kind.flags & MK_METRICS && (e->raw & 0xffff) == 0x400;
}

bool mk_is_metric(const struct mk_event *e)
{
	const struct mk_pmu *p = mk_pmu_of(e);

	return p && p->kind.flags & MK_METRICS && (e->raw & 0xffff) >= 0x8000 &&
	       (e->raw & 0xffff) <= 0x8700 && (e->raw & 0xff) == 0;
}

static uint64_t low_bits(unsigned n)
{
	return n >= 64 ? ~0ULL : (1ULL << n) - 1;
}

/* Intel's fixed counter of an encoding, or -1. */
static int fixed_of(const struct mk_event *e, unsigned fixed)
{
	static const uint32_t codes[] = { 0xc0, 0x3c, 0x300, 0x400 };

	for (unsigned i = 0; i < fixed; i++)
		if ((e->raw & 0xffffff) == codes[i])
			return (int)i;
	return -1;
}

static uint64_t intel_counters(const struct mk_event *e,
			       const struct mk_pmu_kind *k, const char *name)
{
	int fixed = fixed_of(e, k->fixed);

	if (fixed >= 2)
		return 1ULL << (MK_FIXED + fixed);
	if (fixed >= 0)
		return 1ULL << (MK_FIXED + fixed) | low_bits(k->general);
	for (size_t i = 0; i < mk_n_constraints; i++)
		if (strcmp(mk_constraints[i].prefix, name) == 0 &&
		    (e->raw & mk_constraints[i].mask) ==
			    mk_constraints[i].value)
			return mk_constraints[i].counters;
	return low_bits(k->general);
}

/* PMC5 and PMC6 count instructions and cycles while run; 0: any of 1 to 4. */
static uint64_t power_counters(const struct mk_event *e)
{
	unsigned pmc = e->raw >> 16 & 0xf;

	if (pmc == 0)
		return 0xf;
	return pmc <= 6 ? 1ULL << (pmc - 1) : 0;
}

/* The counters that can count @e; 0: none. */
static uint64_t counters_of(const struct mk_event *e)
{
	const struct mk_pmu *p = mk_pmu_of(e);
	const struct mk_pmu_kind *k = &p->kind;

	switch (k->driver) {
	case MK_INTEL:
		return intel_counters(e, k, p->name);
	case MK_ARM:
		return low_bits(k->general) |
		       (e->raw == 0x11 ? 1ULL << MK_FIXED : 0);
	case MK_APPLE:
		return low_bits(k->general) |
		       (e->raw == 0x02   ? 1ULL << MK_FIXED
			: e->raw == 0x8c ? 1ULL << (MK_FIXED + 1)
					 : 0);
	case MK_POWER:
		return power_counters(e);
	default:
		return low_bits(k->general);
	}
}

/* Whom each counter of one PMU on one CPU belongs to; -1: nobody. */
struct board {
	int user[64];
	uint64_t reserved;
};

/* Find a counter for @event, moving others if that helps. */
static bool place(struct board *b, int event, uint64_t *tried)
{
	uint64_t can = counters_of(&mk->events[event]) & ~b->reserved;

	/* fixed counters first, as the kernel has them */
	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; i < 64; i++) {
			uint64_t bit = 1ULL << i;

			if ((turn == 0) != (i >= MK_FIXED) || !(can & bit) ||
			    *tried & bit)
				continue;
			*tried |= bit;
			if (b->user[i] < 0 || place(b, b->user[i], tried)) {
				b->user[i] = event;
				return true;
			}
		}
	}
	return false;
}

static bool takes_pair(const struct mk_event *e)
{
	const struct mk_pmu *p = mk_pmu_of(e);

	return p->kind.flags & MK_PAIRS && (e->raw & 0xff) == 0x03;
}

/* All of @events, or none. */
static bool place_group(struct board *b, const int *events, size_t n)
{
	struct board before = *b;

	for (size_t i = 0; i < n; i++) {
		const struct mk_event *e = &mk->events[events[i]];
		uint64_t tried = 0;

		if (mk_is_metric(e))
			continue;
		for (int half = 0; half <= takes_pair(e); half++, tried = 0) {
			if (!place(b, events[i], &tried)) {
				*b = before;
				return false;
			}
		}
	}
	return true;
}

static void board_init(struct board *b, const struct mk_pmu *p, bool is_check)
{
	memset(b->user, -1, sizeof(b->user));
	b->reserved = 0;
	if (is_check || p->kind.driver >= MK_UNCORE)
		return;
	if (mk->traits & MK_WATCHDOG)
		b->reserved |= p->kind.fixed > 1 ? 1ULL << (MK_FIXED + 1) : 1;
	for (unsigned i = 0; i < mk->stolen && i < p->kind.general; i++)
		b->reserved |= 1ULL << (p->kind.general - 1 - i);
}

bool mk_fits(const int *events, size_t n, int pmu, bool is_check)
{
	struct board b;

	board_init(&b, &mk->pmus[pmu], is_check);
	return place_group(&b, events, n);
}

uint64_t mk_value(const struct mk_event *e)
{
	return e->base + e->active_ns * e->rate / 1000;
}

/* Program the counter: it counts up to where it overflows. */
static void program(struct mk_event *e, int counter)
{
	unsigned width = e->pmu < 0 ? 64 : mk_pmu_of(e)->kind.width;
	uint64_t left = low_bits(width - 1);

	e->counter = counter;
	e->started_at = mk_value(e);
	if (e->attr.sample_period && e->next > e->started_at)
		left = e->next - e->started_at;
	e->programmed = (0 - left) & low_bits(width);
	mk->switches++;
}

static void set_state(int event, enum mk_state state, int counter)
{
	struct mk_event *e = &mk->events[event];
	bool changed = e->state != state ||
		       (state == MK_ACTIVE && e->counter != counter);

	if (state == MK_ACTIVE && changed)
		program(e, counter);
	e->state = state;
	if (state != MK_ACTIVE)
		e->counter = -1;
	if (changed)
		mk_page_update(event);
}

/* Members of the group of @leader that are switched on, the leader first. */
static size_t members(int leader, int *out)
{
	size_t n = 0;

	for (int i = leader; i < mk->n_events; i++)
		if (mk->events[i].used && mk->events[i].leader == leader &&
		    mk->events[i].state >= MK_INACTIVE)
			out[n++] = i;
	return n;
}

/* Boards of all PMUs of a CPU, while it is being scheduled. */
struct boards {
	struct board of[MK_PMUS];
	bool full[MK_PMUS];
};

static int hardware_of(const int *group, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct mk_pmu *p = mk_pmu_of(&mk->events[group[i]]);

		if (p && p->kind.driver != MK_FREE)
			return mk->events[group[i]].pmu;
	}
	return -1;
}

static bool *crowded_of(int task, int cpu)
{
	return task >= 0 ? &mk->tasks[task].crowded : &mk->crowded[cpu];
}

static void try_group(struct boards *b, int leader, int cpu)
{
	int group[64], hardware[64];
	size_t n = members(leader, group), n_hardware = 0;
	int pmu = hardware_of(group, n);
	struct mk_event *e = &mk->events[leader];
	bool pinned = e->attr.pinned, fits = true;

	if (n == 0 || e->state < MK_INACTIVE || (e->cpu >= 0 && e->cpu != cpu))
		return;
	for (size_t i = 0; i < n; i++)
		if (mk->events[group[i]].pmu == pmu && pmu >= 0)
			hardware[n_hardware++] = group[i];
	if (pmu >= 0) {
		/* another kind of core: it waits, and its time is enabled */
		if (mk->pmus[pmu].kind.driver < MK_UNCORE &&
		    !mk_cpu_in(mk->pmus[pmu].cpus, cpu))
			return;
		fits = !(b->full[pmu] && !pinned) &&
		       place_group(&b->of[pmu], hardware, n_hardware);
		if (!fits && !pinned) {
			b->full[pmu] = true;
			*crowded_of(e->task, cpu) = true;
		}
	}
	for (size_t i = 0; i < n; i++)
		mk->events[group[i]].state = fits     ? MK_ACTIVE
					     : pinned ? MK_ERROR
						      : MK_INACTIVE;
}

/* Leaders of a context in the order in which they are tried. */
static size_t leaders(int cpu, int task, bool pinned, int *out)
{
	size_t n = 0;

	for (int i = 0; i < mk->n_events && n < 512; i++) {
		const struct mk_event *e = &mk->events[i];
		size_t at = n;

		if (!e->used || e->leader != i || e->task != task ||
		    (task < 0 && e->cpu != cpu) || e->attr.pinned != pinned)
			continue;
		for (; at > 0 && mk->events[out[at - 1]].order > e->order; at--)
			out[at] = out[at - 1];
		out[at] = i;
		n++;
	}
	return n;
}

/* The first goes to the end, if not all fit [perf_rotate_context()]. */
static void take_turns(int cpu, int task)
{
	bool *crowded = crowded_of(task, cpu);
	int order[512];

	if (*crowded && leaders(cpu, task, false, order) > 0)
		mk->events[order[0]].order = ++mk->next_order;
	*crowded = false;
}

static void try_context(struct boards *b, int cpu, int task, bool pinned)
{
	int order[512];
	size_t n = leaders(cpu, task, pinned, order);

	for (size_t i = 0; i < n; i++)
		try_group(b, order[i], cpu);
}

static bool is_here(const struct mk_event *e, int cpu, int task)
{
	return e->used && ((e->task == task && task >= 0) ||
			   (e->task < 0 && e->cpu == cpu));
}

static int counter_of(const struct boards *b, int event)
{
	const struct mk_event *e = &mk->events[event];

	if (e->pmu < 0 || mk_is_metric(e))
		return -1;
	for (int i = 0; i < 64; i++)
		if (b->of[e->pmu].user[i] == event)
			return i;
	return -1;
}

/* Give out the counters of @cpu, where @task (or -1: nobody) runs. */
void mk_reschedule(int cpu, int task)
{
	static struct boards b;
	static struct {
		enum mk_state state;
		int counter;
	} before[MK_EVENTS];

	memset(b.full, 0, sizeof(b.full));
	for (size_t i = 0; i < mk->n_pmus; i++)
		board_init(&b.of[i], &mk->pmus[i], false);
	for (int i = 0; i < mk->n_events; i++) {
		struct mk_event *e = &mk->events[i];

		before[i].state = e->state;
		before[i].counter = e->counter;
		if (is_here(e, cpu, task) && e->state == MK_ACTIVE)
			e->state = MK_INACTIVE;
	}
	for (int flexible = 0; flexible < 2; flexible++) {
		try_context(&b, cpu, -1, !flexible);
		if (task >= 0)
			try_context(&b, cpu, task, !flexible);
	}
	for (int i = 0; i < mk->n_events; i++) {
		enum mk_state now = mk->events[i].state;

		if (!is_here(&mk->events[i], cpu, task))
			continue;
		mk->events[i].state = before[i].state;
		mk->events[i].counter = before[i].counter;
		set_state(i, now, counter_of(&b, i));
	}
}

/* The context of @e has passed @ns. */
static void pass(struct mk_event *e, uint64_t ns)
{
	if (e->state < MK_INACTIVE || mk->events[e->leader].state < MK_INACTIVE)
		return;
	e->enabled += ns;
	if (e->state != MK_ACTIVE)
		return;
	e->running += ns;
	if (!e->throttled)
		e->active_ns += ns;
}

static uint64_t max_in_tick(void)
{
	uint64_t most = mk->max_sample_rate / (1000000000 / MK_TICK_NS);

	return most ? most : 1;
}

/* One overflow is due [__perf_event_account_interrupt()]. */
static void overflow(int event, uint64_t tick)
{
	struct mk_event *e = &mk->events[event];

	e->next += e->attr.sample_period;
	if (e->tick != tick) {
		e->tick = tick;
		e->in_tick = 0;
	}
	mk_sample(event);
	if (++e->in_tick >= max_in_tick() && !e->throttled) {
		e->throttled = true;
		mk_throttle(event, true);
	}
}

static bool is_sampling(const struct mk_event *e)
{
	return e->attr.sample_period > 0;
}

/* How long until the first overflow of the active events, at most @ns. */
static uint64_t until_overflow(int cpu, int task, uint64_t ns)
{
	for (int i = 0; i < mk->n_events; i++) {
		const struct mk_event *e = &mk->events[i];
		uint64_t left, need;

		if (!is_here(e, cpu, task) || e->state != MK_ACTIVE ||
		    !is_sampling(e) || e->throttled || e->rate == 0)
			continue;
		left = e->next - mk_value(e);
		need = (left * 1000 + e->rate - 1) / e->rate;
		if (need < ns)
			ns = need ? need : 1;
	}
	return ns;
}

static void unthrottle(int cpu, int task, uint64_t tick)
{
	for (int i = 0; i < mk->n_events; i++) {
		struct mk_event *e = &mk->events[i];

		if (is_here(e, cpu, task) && e->throttled && e->tick != tick) {
			e->throttled = false;
			mk_throttle(i, false);
		}
	}
}

static void overflows(int cpu, int task, uint64_t tick)
{
	for (int i = 0; i < mk->n_events; i++) {
		struct mk_event *e = &mk->events[i];

		while (is_here(e, cpu, task) && e->state == MK_ACTIVE &&
		       is_sampling(e) && e->rate && mk_value(e) >= e->next)
			overflow(i, tick);
	}
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* @task runs on its CPU for @ns. */
static void run(int task, uint64_t ns)
{
	struct mk_task *t = &mk->tasks[task];

	while (ns > 0 && !mk_signals_wait()) {
		uint64_t to_tick = MK_TICK_NS - t->work % MK_TICK_NS;
		uint64_t piece = least(ns, to_tick);
		uint64_t tick;

		piece = until_overflow(t->cpu, task, piece);
		for (int i = 0; i < mk->n_events; i++)
			if (is_here(&mk->events[i], t->cpu, task))
				pass(&mk->events[i], piece);
		ns -= piece;
		t->work += piece;
		tick = t->work / MK_TICK_NS;
		overflows(t->cpu, task, tick);
		unthrottle(t->cpu, task, tick);
		if (t->work % MK_TURN_NS == 0) {
			take_turns(t->cpu, -1);
			take_turns(t->cpu, task);
		}
		if (mk->migrate_ns && t->work % mk->migrate_ns < piece) {
			mk_reschedule(t->cpu, -1);
			t->cpu = (t->cpu + mk->cpus / 2) % mk->cpus;
		}
		if (t->work % MK_TICK_NS == 0)
			mk_reschedule(t->cpu, task);
	}
}

/* Events of CPUs on which nothing of ours runs: their time passes, too. */
static void pass_elsewhere(int cpu, uint64_t ns)
{
	for (int i = 0; i < mk->n_events; i++) {
		struct mk_event *e = &mk->events[i];
		const struct mk_pmu *p = mk_pmu_of(e);
		bool counts = p && p->kind.driver == MK_UNCORE;
		uint64_t active = e->active_ns;

		if (!e->used || e->task >= 0 || e->cpu == cpu)
			continue;
		pass(e, ns);
		if (!counts) /* the CPU is idle */
			e->active_ns = active;
	}
}

/* Stops at each overflow for the signal handler, which works, too. */
void mk_work(uint64_t ns)
{
	const struct mk_task *t;
	bool done;

	mk_enter();
	mk->now += ns;
	mk->tasks[mk_task_self()].extra += ns;
	pass_elsewhere(mk->tasks[mk_task_self()].cpu, ns);
	do {
		mk_advance();
		t = &mk->tasks[mk_task_self()];
		done = t->work >= mk_task_clock(mk_task_self()) + t->extra;
		mk_leave();
		if (!done)
			mk_enter();
	} while (!done);
}

void mk_idle(uint64_t ns)
{
	mk_enter();
	mk->now += ns;
	pass_elsewhere(-1, ns);
	mk_leave();
}

void mk_migrate(int cpu)
{
	int task;

	mk_enter();
	task = mk_task_self();
	mk_reschedule(mk->tasks[task].cpu, -1);
	mk->tasks[task].cpu = cpu;
	mk_reschedule(cpu, task);
	mk_leave();
}

/* In front of a program: time passes on CPUs where it is not. */
static void pass_time(void)
{
	uint64_t now = mk_clock();

	if (!mk->cpu_clock)
		return;
	if (mk->now)
		pass_elsewhere(mk->tasks[mk_task_self()].cpu, now - mk->now);
	mk->now = now;
}

/* Bring every task's events up to the time that it has worked. */
void mk_advance(void)
{
	pass_time();
	for (int i = 0; i < MK_TASKS; i++) {
		struct mk_task *t = &mk->tasks[i];
		uint64_t until;

		if (!t->used)
			continue;
		until = mk_task_clock(i) + t->extra;
		if (until > t->work)
			run(i, until - t->work);
	}
	if (mk->cpu_clock)
		mk_count_faults();
}

/* The count of @event with its inherited ones. */
uint64_t mk_total(int event, uint64_t *enabled, uint64_t *running)
{
	uint64_t sum = 0;

	*enabled = *running = 0;
	for (int i = event; i < mk->n_events; i++) {
		const struct mk_event *e = &mk->events[i];

		if (!e->used || (i != event && e->parent != event))
			continue;
		sum += mk_value(e);
		*enabled += e->enabled;
		*running += e->running;
	}
	return sum;
}

static int enabled_events(bool hardware)
{
	int n = 0;

	for (int i = 0; i < mk->n_events; i++)
		n += mk->events[i].used &&
		     (mk->events[i].pmu >= 0) == hardware &&
		     mk->events[i].state >= MK_INACTIVE &&
		     mk->events[mk->events[i].leader].state >= MK_INACTIVE;
	return n;
}

int mk_enabled_events(void)
{
	return enabled_events(true);
}

int mk_enabled_software(void)
{
	return enabled_events(false);
}
