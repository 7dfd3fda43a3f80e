/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening and closing a slice; counting.c counts. */
#include "components/perf_event/slice.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "components/perf_event/census.h"
#include "components/perf_event/fast.h"
#include "components/perf_event/open.h"
#include "components/perf_event/sampling.h"
#include "components/perf_event/spread.h"
#include "components/perf_event/state.h"
#include "components/perf_event/tally.h"

/* How long a group may wait for its turn before it is said never to run. */
#define NEVER_RUNS_NS 20000000ULL

/* Let go of all that it has, but for its home. */
static void release(struct pe_slice *ps)
{
	pe_sampling_close(ps);
	pe_spread_close(ps);
	pe_fast_close(ps);
	pe_tally_close(ps);
	pe_census_close(ps);
	for (size_t k = 0; k < ps->n_groups; k++)
		pe_group_fini(&ps->groups[k]);
	free(ps->groups);
	free(ps->reading);
	free(ps->now);
	free(ps->idle);
	free(ps->sums);
}

void pe_slice_close(struct slice *s)
{
	struct pe_slice *ps = s->priv;

	pe_home_leave(&pe_state_of(s->component)->homes, ps);
	release(ps);
	*ps = (struct pe_slice){ 0 };
}

static int allocate(struct pe_slice *ps)
{
	ps->reading =
		malloc(sizeof(*ps->reading) + (ps->n + 1) * sizeof(uint64_t));
	ps->now = calloc(ps->n, sizeof(*ps->now));
	ps->idle = calloc(ps->n, sizeof(*ps->idle));
	ps->sums = calloc(ps->n, sizeof(*ps->sums));
	return ps->reading && ps->now && ps->idle && ps->sums ? 0 : PAPI_ENOMEM;
}

static int enter_home(struct slice *s, struct pe_slice *ps)
{
	pid_t tid = gettid();
	int cpu = -1;

	if (!ps->hardware)
		return 0;
	if (s->opt.target == TARGET_TASK)
		tid = s->opt.tid;
	if (s->opt.target == TARGET_CPU) {
		tid = -1;
		cpu = s->opt.cpu;
	}
	return pe_home_enter(&pe_state_of(s->component)->homes, ps, tid, cpu);
}

static void note_times(struct pe_slice *ps)
{
	for (size_t i = 0; i < ps->n; i++) {
		ps->sums[i].enabled_ns = ps->now[i].enabled_ns;
		ps->sums[i].running_ns = ps->now[i].running_ns;
	}
}

/* Since then: before the last of its group came, the first may have run. */
static bool is_waiting(const struct pe_slice *ps)
{
	for (size_t i = 0; i < ps->n; i++)
		if (ps->now[i].enabled_ns > ps->sums[i].enabled_ns &&
		    ps->now[i].running_ns == ps->sums[i].running_ns)
			return true;
	return false;
}

/*
 * A group can open and never count: arm64 does not check one whose leader is
 * disabled, and other users of the PMU may hold its counters. It shows by time
 * enabled without time running, once the kernel has had its turn to rotate.
 */
static int check_runs(struct slice *s, struct pe_slice *ps)
{
	uint64_t until = clock_thread_ns() + NEVER_RUNS_NS;
	int err = pe_slice_refresh(ps);

	note_times(ps);
	if (!err)
		err = pe_slice_refresh(ps);
	while (!err && is_waiting(ps)) {
		if (clock_thread_ns() > until)
			err = PAPI_ECNFLCT;
		else
			err = pe_slice_refresh(ps);
	}
	if (err == PAPI_ECNFLCT)
		slice_fail(s, err,
			   "these events can be opened but never run: not "
			   "enough free counters; to fix it: use fewer events, "
			   "multiplex, or stop other users of the PMU "
			   "(nmi_watchdog)");
	return err;
}

static bool can_check(const struct slice *s, const struct pe_slice *ps)
{
	return ps->hardware && atomic_load(&ps->enabled) && !s->opt.on_exec &&
	       !s->opt.multiplex && s->opt.target == TARGET_SELF;
}

static int open_counters(struct slice *s, struct pe_slice *ps)
{
	bool disabled = ps->home && pe_home_is_busy(ps);
	int err = 0;

	if (s->opt.per_thread)
		err = pe_census_begin(ps);
	if (!err)
		pe_tally_open(ps); /* before there is what a child inherits */
	if (!err)
		err = pe_open_groups(s, ps, disabled);
	if (err)
		return err;
	atomic_store(&ps->enabled, !disabled);
	if (can_check(s, ps))
		err = check_runs(s, ps);
	if (!err && s->opt.multiplex)
		err = pe_spread_open(ps);
	if (!err)
		pe_fast_open(ps);
	if (!err && s->opt.per_thread)
		err = pe_census_open(ps);
	return err;
}

/* It was enabled to see that it runs; nobody counts yet. */
static int switch_off(struct slice *s, struct pe_slice *ps)
{
	int err;

	if (s->opt.on_exec || !atomic_load(&ps->enabled))
		return 0;
	err = pe_slice_control(ps, PERF_EVENT_IOC_DISABLE);
	return err ? err : pe_slice_refresh(ps);
}

/* Nothing of what the counters show yet was asked for. */
static void begin_at_zero(struct pe_slice *ps)
{
	for (size_t i = 0; i < ps->n; i++)
		ps->idle[i] = ps->now[i];
}

/* Events with a threshold do not count before they are started. */
static int open_samplers(struct slice *s, struct pe_slice *ps)
{
	int err = 0;

	if (!pe_sampling_wanted(s))
		return 0;
	if (!s->opt.on_exec)
		err = pe_slice_control(ps, PERF_EVENT_IOC_DISABLE);
	if (!err)
		err = pe_slice_refresh(ps);
	return err ? err : pe_sampling_open(ps);
}

/* For pe_slice_read_plain(). */
static bool is_one_group(const struct pe_slice *ps)
{
	const struct pe_group *g = ps->groups;

	if (ps->n_groups != 1 || pe_group_lead(g) || ps->spread)
		return false;
	for (size_t i = 0; i < g->n; i++)
		if (g->members[i] != i)
			return false;
	return true;
}

int pe_slice_open(struct slice *s)
{
	struct pe_slice *ps = s->priv;
	int err;

	if (s->n == 0)
		return slice_fail(s, PAPI_EINVAL, "there is no event");
	if (s->opt.granularity & (PAPI_GRN_PROC | PAPI_GRN_PROCG))
		return slice_fail(
			s, PAPI_EINVAL,
			"the kernel counts for threads or CPUs, not for a "
			"process: count its threads with inherit");
	if (s->opt.per_thread &&
	    (s->opt.target != TARGET_TASK || !s->opt.inherit))
		return slice_fail(
			s, PAPI_EINVAL,
			"per-thread counts require an EventSet that is "
			"attached to another process and inherited");
	*ps = (struct pe_slice){ 0 };
	ps->slice = s;
	ps->n = s->n;
	ps->generation = pe_generation();
	ps->thread = pe_thread();
	err = allocate(ps);
	if (!err)
		err = pe_open_plan(s, ps);
	if (!err)
		err = enter_home(s, ps);
	if (!err)
		err = open_counters(s, ps);
	if (!err)
		err = open_samplers(s, ps);
	if (!err)
		err = switch_off(s, ps);
	if (err == PAPI_ENOMEM)
		slice_fail(s, err, "out of memory");
	if (err) {
		pe_slice_close(s);
		return err;
	}
	ps->is_one_group = is_one_group(ps);
	begin_at_zero(ps);
	return 0;
}

/* Let @ps, at @now, go on counting where another stood at @old - @idle. */
static void go_on(struct pe_slice *ps, const struct count *now,
		  const struct count *old, const struct count *idle)
{
	for (size_t i = 0; i < ps->n; i++) {
		struct count *to = &ps->idle[i];

		to->value = now[i].value - old[i].value + idle[i].value;
		to->enabled_ns = now[i].enabled_ns - old[i].enabled_ns +
				 idle[i].enabled_ns;
		to->running_ns = now[i].running_ns - old[i].running_ns +
				 idle[i].running_ns;
		to->variance =
			now[i].variance - old[i].variance + idle[i].variance;
	}
}

int pe_slice_open_again(struct slice *s)
{
	struct pe_slice *ps = s->priv;
	struct pe_slice old = *ps;
	int err = pe_slice_open(s);

	if (err) {
		*ps = old;
		return err;
	}
	go_on(ps, ps->now, old.now, old.idle);
	release(&old);
	return 0;
}

void pe_slice_open_over(struct slice *s)
{
	struct pe_slice *ps = s->priv;
	struct pe_slice old = *ps;

	if (pe_slice_open(s)) {
		*ps = old;
		return;
	}
	if ((atomic_load(&old.enabled) &&
	     pe_slice_control(ps, PERF_EVENT_IOC_ENABLE)) ||
	    pe_slice_refresh(&old) || pe_slice_refresh(ps) ||
	    !pe_tally_stands(&old)) {
		release(ps);
		*ps = old;
		return;
	}
	go_on(ps, ps->now, old.now, old.idle);
	atomic_store(&ps->running, atomic_load(&old.running));
	release(&old);
}
