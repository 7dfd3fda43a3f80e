/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting. The counters of a slice are opened enabled and stay so: start, read
 * and stop are one read of the group each, and what was counted while stopped
 * is taken off. See home.h for when they are disabled after all.
 */
#include "components/perf_event/slice.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "components/perf_event/open.h"
#include "components/perf_event/state.h"

/* How long a group may wait for its turn before it is said never to run. */
#define NEVER_RUNS_NS 20000000ULL

/* Read all groups into ps->now. */
static int read_now(struct pe_slice *ps)
{
	size_t n = ps->slice->n;

	for (size_t i = 0; i < n; i++)
		ps->now[i] = (struct count){ .running_ns = UINT64_MAX };
	for (size_t k = 0; k < ps->n_groups; k++) {
		const struct pe_group *g = &ps->groups[k];
		const struct pe_reading *r = ps->reading;
		int err = pe_group_read(g, ps->reading);

		if (err)
			return slice_fail(ps->slice, err,
					  "the counters cannot be read");
		/* An event may be in several groups, on a CPU each. */
		for (size_t i = 0; i < g->n; i++) {
			struct count *now = &ps->now[g->members[i]];

			now->value += r->values[i];
			if (now->enabled_ns < r->enabled_ns)
				now->enabled_ns = r->enabled_ns;
			if (now->running_ns > r->running_ns)
				now->running_ns = r->running_ns;
		}
	}
	return 0;
}

/* What the slice has counted, from what the counters show. */
static void give_counts(const struct pe_slice *ps, struct count *counts)
{
	for (size_t i = 0; i < ps->slice->n; i++) {
		const struct count *now = &ps->now[i], *idle = &ps->idle[i];

		counts[i].value = now->value - idle->value;
		counts[i].enabled_ns = now->enabled_ns - idle->enabled_ns;
		counts[i].running_ns = now->running_ns - idle->running_ns;
		counts[i].variance = now->variance - idle->variance;
	}
}

/* Everything between the last stop and now was idle. */
static void skip_idle(struct pe_slice *ps)
{
	for (size_t i = 0; i < ps->slice->n; i++) {
		const struct count *now = &ps->now[i], *last = &ps->last[i];

		ps->idle[i].value += now->value - last->value;
		ps->idle[i].enabled_ns += now->enabled_ns - last->enabled_ns;
		ps->idle[i].running_ns += now->running_ns - last->running_ns;
		ps->idle[i].variance += now->variance - last->variance;
	}
}

static int control(struct pe_slice *ps, unsigned long request)
{
	int err = 0;

	for (size_t k = 0; k < ps->n_groups && !err; k++)
		err = pe_group_control(&ps->groups[k], request);
	if (err)
		return slice_fail(ps->slice, err,
				  "the counters cannot be switched");
	ps->enabled = request == PERF_EVENT_IOC_ENABLE;
	return 0;
}

static bool is_stale(const struct pe_slice *ps)
{
	return ps->generation != pe_generation();
}

static void free_arrays(struct pe_slice *ps)
{
	free(ps->groups);
	free(ps->reading);
	free(ps->now);
	free(ps->last);
	free(ps->idle);
}

static void close_groups(struct pe_slice *ps)
{
	for (size_t k = 0; k < ps->n_groups; k++)
		pe_group_fini(&ps->groups[k]);
	ps->n_groups = 0;
}

void pe_slice_close(struct slice *s)
{
	struct pe_slice *ps = s->priv;

	pe_home_leave(&pe_state_of(s->component)->homes, ps);
	close_groups(ps);
	free_arrays(ps);
	*ps = (struct pe_slice){ 0 };
}

static int allocate(struct pe_slice *ps, size_t n)
{
	ps->reading = malloc(sizeof(*ps->reading) + n * sizeof(uint64_t));
	ps->now = calloc(n, sizeof(*ps->now));
	ps->last = calloc(n, sizeof(*ps->last));
	ps->idle = calloc(n, sizeof(*ps->idle));
	return ps->reading && ps->now && ps->last && ps->idle ? 0 : PAPI_ENOMEM;
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

/*
 * A group can open and never count: arm64 does not check one whose leader is
 * disabled, and other users of the PMU may hold its counters. It shows by time
 * enabled without time running, once the kernel has had its turn to rotate.
 */
static int check_runs(struct slice *s, struct pe_slice *ps)
{
	uint64_t until = clock_thread_ns() + NEVER_RUNS_NS;
	bool waiting = true;

	while (waiting) {
		int err = read_now(ps);

		if (err)
			return err;
		waiting = false;
		for (size_t i = 0; i < s->n; i++)
			waiting = waiting || (ps->now[i].enabled_ns > 0 &&
					      ps->now[i].running_ns == 0);
		if (waiting && clock_thread_ns() > until)
			return slice_fail(
				s, PAPI_ECNFLCT,
				"these events open but never run: not enough free counters; remedy: fewer events, multiplex, or stop other users of the PMU (nmi_watchdog)");
	}
	return 0;
}

/* Take the counters from stopped slices of the same home. */
static int make_room(struct pe_slice *ps)
{
	int err = 0;

	for (struct pe_slice *o = ps->home->first; o && !err;
	     o = o->home_next) {
		if (o == ps || o->running || !o->enabled)
			continue;
		err = control(o, PERF_EVENT_IOC_DISABLE);
		if (!err)
			err = read_now(o);
	}
	return err;
}

static int open_counters(struct slice *s, struct pe_slice *ps)
{
	bool disabled = ps->home && pe_home_is_busy(ps);
	int err = 0;

	if (ps->home) {
		pthread_mutex_lock(&ps->home->lock);
		err = make_room(ps);
		pthread_mutex_unlock(&ps->home->lock);
	}
	if (!err)
		err = pe_open_groups(s, ps, disabled);
	if (err)
		return err;
	ps->enabled = !disabled;
	if (ps->hardware && ps->enabled && !s->opt.on_exec &&
	    !s->opt.multiplex && s->opt.target == TARGET_SELF)
		return check_runs(s, ps);
	return 0;
}

int pe_slice_open(struct slice *s)
{
	struct pe_slice *ps = s->priv;
	int err;

	if (s->n == 0)
		return slice_fail(s, PAPI_EINVAL, "there is no event");
	ps->slice = s;
	ps->generation = pe_generation();
	err = pe_open_plan(s, ps);
	if (!err)
		err = allocate(ps, s->n);
	if (!err)
		err = enter_home(s, ps);
	if (!err)
		err = open_counters(s, ps);
	if (err == PAPI_ENOMEM)
		slice_fail(s, err, "out of memory");
	if (err)
		pe_slice_close(s);
	return err;
}

/* Begin to count; the counters show ps->now at that moment. */
static int begin(struct pe_slice *ps)
{
	int err = 0;

	if (ps->home)
		err = make_room(ps);
	if (err)
		return err;
	return ps->enabled ? read_now(ps) : control(ps, PERF_EVENT_IOC_ENABLE);
}

/*
 * In the child of a fork the counters are the parent's: leave them alone and
 * open others, which go on from the same counts.
 */
static int open_again(struct slice *s, struct pe_slice *ps)
{
	struct pe_slice old = *ps;
	int err;

	*ps = (struct pe_slice){ 0 };
	err = pe_slice_open(s);
	if (err) {
		*ps = old;
		return err;
	}
	for (size_t i = 0; i < s->n; i++) {
		/* counted = now - idle, hence idle starts below zero */
		ps->idle[i].value = old.idle[i].value - old.last[i].value;
		ps->idle[i].enabled_ns =
			old.idle[i].enabled_ns - old.last[i].enabled_ns;
		ps->idle[i].running_ns =
			old.idle[i].running_ns - old.last[i].running_ns;
		ps->idle[i].variance =
			old.idle[i].variance - old.last[i].variance;
	}
	close_groups(&old);
	free_arrays(&old);
	return 0;
}

int pe_slice_start(struct slice *s, struct count *counts)
{
	struct pe_slice *ps = s->priv;
	int err = is_stale(ps) ? open_again(s, ps) : 0;

	if (err)
		return err;
	if (ps->home)
		pthread_mutex_lock(&ps->home->lock);
	err = begin(ps);
	ps->running = err == 0;
	if (ps->home)
		pthread_mutex_unlock(&ps->home->lock);
	if (err)
		return err;
	skip_idle(ps);
	give_counts(ps, counts);
	return 0;
}

int pe_slice_read(struct slice *s, struct count *counts)
{
	struct pe_slice *ps = s->priv;
	int err = is_stale(ps) ? 0 : read_now(ps);

	if (!err)
		give_counts(ps, counts);
	return err;
}

int pe_slice_stop(struct slice *s, struct count *counts)
{
	struct pe_slice *ps = s->priv;
	int err = is_stale(ps) ? 0 : read_now(ps);

	if (ps->home && !is_stale(ps))
		pthread_mutex_lock(&ps->home->lock);
	ps->running = false;
	if (ps->home && !is_stale(ps))
		pthread_mutex_unlock(&ps->home->lock);
	if (err)
		return err;
	memcpy(ps->last, ps->now, s->n * sizeof(*ps->now));
	give_counts(ps, counts);
	return 0;
}
