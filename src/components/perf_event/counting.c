/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting. Events that are on cost at every context switch, also those of the
 * kernel, which take no counter: 0.3 us for one and 1.2 us for eight, beside
 * what the switch costs with these events open (Linux 6.18). Any stop may be
 * the last, so every stop switches them off. See home.h for slices that need
 * the same counters.
 */
#include "base/wide.h"
#include "components/perf_event/census.h"
#include "components/perf_event/fast.h"
#include "components/perf_event/sampling.h"
#include "components/perf_event/slice.h"
#include "components/perf_event/spread.h"
#include "components/perf_event/tally.h"

/*
 * Add what an event counted in one place, a CPU or a box. Times of two places
 * are not comparable, so each is scaled by its own, as far as it has run since
 * the last time; what was only waited for is added when it has.
 */
static void add_place(struct pe_sum *sum, struct pe_part *at,
		      const struct pe_part *to)
{
	uint64_t value = to->value - at->value;
	uint64_t enabled = to->enabled_ns - at->enabled_ns;
	uint64_t running = to->running_ns - at->running_ns;

	if (to->running_ns == 0 && to->enabled_ns > 0)
		sum->blind = true;
	if (running == 0) {
		sum->waiting_ns += enabled;
		return;
	}
	if (running < enabled)
		value = (uint64_t)(((uwide)value * enabled + running / 2) /
				   running);
	sum->total.value += value;
	sum->total.enabled_ns += enabled;
	sum->total.running_ns += running;
	*at = *to;
}

/*
 * Add what it counted on one kind of cores. The thread is on one at a time, so
 * running times add up. It is pinned on each, unless it takes turns.
 */
static void add_kind(struct count *now, const struct pe_part *to, bool pinned)
{
	now->value += to->value;
	now->running_ns += to->running_ns;
	if (now->enabled_ns == 0 || now->enabled_ns > to->enabled_ns)
		now->enabled_ns = to->enabled_ns;
	if (pinned)
		now->enabled_ns = now->running_ns;
}

/* A thread is on one CPU at a time, so the times of its events there add up. */
static void add_cpu_of_thread(struct count *now, const struct pe_part *to)
{
	now->value += to->value;
	now->running_ns += to->running_ns;
	if (now->enabled_ns < to->enabled_ns)
		now->enabled_ns = to->enabled_ns;
}

/* The event is in this group alone. */
static void set_count(const struct pe_slice *ps, size_t position,
		      const struct pe_part *to)
{
	struct count *now = &ps->now[position];

	now->value = to->value;
	now->running_ns = to->running_ns;
	now->enabled_ns = to->enabled_ns;
	/* pinned: it waits for nothing but its kind of core */
	if (ps->sums[position].pinned)
		now->enabled_ns = to->running_ns;
}

static void add_reading(struct pe_slice *ps, const struct pe_group *g)
{
	const struct pe_reading *r = ps->reading;
	const uint64_t *values = r->values + pe_group_lead(g);

	for (size_t i = 0; i < g->n; i++) {
		struct pe_part to = { values[i], r->enabled_ns, r->running_ns };
		size_t position = g->members[i];
		struct pe_sum *sum = &ps->sums[position];

		if (sum->places == 1)
			set_count(ps, position, &to);
		else if (g->cpu < 0)
			add_kind(&ps->now[position], &to, sum->pinned);
		else if (g->pid < 0)
			add_place(sum, &g->places[i], &to);
		else
			add_cpu_of_thread(&ps->now[position], &to);
	}
}

/* The only group's reading: nothing is there to add it to. */
static int read_only_group(struct pe_slice *ps)
{
	const struct pe_group *g = ps->groups;
	const struct pe_reading *r = ps->reading;
	const uint64_t *values = r->values + pe_group_lead(g);
	int err = pe_group_read(g, ps->reading);

	if (err)
		return slice_fail(ps->slice, err,
				  "the counters cannot be read");
	for (size_t i = 0; i < g->n; i++) {
		struct pe_part to = { values[i], r->enabled_ns, r->running_ns };

		set_count(ps, g->members[i], &to);
	}
	return 0;
}

/* Whether it is counted in several places, each with times of its own. */
static bool is_sum(const struct pe_slice *ps, size_t position)
{
	const struct pe_sum *sum = &ps->sums[position];

	return sum->places > 1 && sum->apart;
}

static void finish_sum(struct pe_slice *ps, size_t position)
{
	const struct pe_sum *sum = &ps->sums[position];
	struct count *now = &ps->now[position];

	ps->slice->sums[position] = sum->blind ? COUNT_BLIND : COUNT_SUMMED;
	now->value = sum->total.value;
	now->enabled_ns = sum->total.enabled_ns + sum->waiting_ns;
	now->running_ns = sum->total.running_ns;
}

static int read_groups(struct pe_slice *ps)
{
	if (ps->n_groups == 1)
		return read_only_group(ps);
	for (size_t i = 0; i < ps->n; i++) {
		ps->now[i] = (struct count){ .variance = ps->now[i].variance };
		ps->sums[i].blind = false;
		ps->sums[i].waiting_ns = 0;
	}
	for (size_t k = 0; k < ps->n_groups; k++) {
		int err = pe_group_read(&ps->groups[k], ps->reading);

		if (err)
			return slice_fail(ps->slice, err,
					  "the counters cannot be read");
		add_reading(ps, &ps->groups[k]);
	}
	for (size_t i = 0; i < ps->n; i++)
		if (is_sum(ps, i))
			finish_sum(ps, i);
	return 0;
}

int pe_slice_refresh(struct pe_slice *ps)
{
	int err = 0;

	if (ps->tally)
		return pe_tally_refresh(ps, read_only_group);
	if (!pe_fast_read(ps))
		err = read_groups(ps);
	if (!err && ps->census) {
		pe_census_settle(ps, ps->now);
		pe_census_drain(ps);
	}
	if (!err && ps->spread)
		pe_spread_update(ps);
	return err;
}

int pe_slice_control(struct pe_slice *ps, unsigned long request)
{
	int err = 0;

	for (size_t k = 0; k < ps->n_groups && !err; k++)
		err = pe_group_control(&ps->groups[k], request);
	if (err)
		return slice_fail(ps->slice, err,
				  "the counters cannot be switched");
	atomic_store(&ps->enabled, request == PERF_EVENT_IOC_ENABLE);
	return 0;
}

/* What the slice has counted, from what the counters show. */
static void give_counts(const struct pe_slice *ps, struct count *counts)
{
	for (size_t i = 0; i < ps->n; i++) {
		const struct count *now = &ps->now[i], *idle = &ps->idle[i];

		counts[i].value = now->value - idle->value;
		counts[i].enabled_ns = now->enabled_ns - idle->enabled_ns;
		counts[i].running_ns = now->running_ns - idle->running_ns;
		counts[i].variance = now->variance - idle->variance;
	}
}

/* Go on at @counts, whatever the counters show now. */
static void go_on_at(struct pe_slice *ps, const struct count *counts)
{
	for (size_t i = 0; i < ps->n; i++) {
		const struct count *now = &ps->now[i], *at = &counts[i];

		ps->idle[i].value = now->value - at->value;
		ps->idle[i].enabled_ns = now->enabled_ns - at->enabled_ns;
		ps->idle[i].running_ns = now->running_ns - at->running_ns;
		ps->idle[i].variance = now->variance - at->variance;
	}
}

/* Begin to count at @counts: what the counters show is that, if they are off */
static int begin(struct pe_slice *ps, const struct count *counts)
{
	int err;

	if (ps->sampler)
		return pe_sampling_start(ps);
	if (!atomic_load(&ps->enabled))
		return pe_slice_control(ps, PERF_EVENT_IOC_ENABLE);
	err = pe_slice_refresh(ps);
	if (!err)
		go_on_at(ps, counts);
	return err;
}

int pe_slice_start(struct slice *s, struct count *counts)
{
	struct pe_slice *ps = s->priv;
	int err = pe_slice_is_stale(ps) ? pe_slice_open_again(s) : 0;

	if (err)
		return err;
	give_counts(ps, counts);
	atomic_store(&ps->running, true); /* first: an overflow may come */
	err = begin(ps, counts);
	if (err)
		atomic_store(&ps->running, false);
	return err;
}

int pe_slice_read(struct slice *s, struct count *counts)
{
	struct pe_slice *ps = s->priv;
	int err = pe_slice_is_stale(ps) ? 0 : pe_slice_refresh(ps);

	if (!err)
		give_counts(ps, counts);
	return err;
}

static int end(struct pe_slice *ps)
{
	int err;

	if (pe_slice_is_stale(ps))
		return 0;
	err = pe_slice_control(ps, PERF_EVENT_IOC_DISABLE);
	if (!err)
		err = pe_slice_refresh(ps);
	if (!err && ps->tally)
		pe_tally_stop(ps);
	return err;
}

enum seen {
	SEEN_NOTHING,
	SEEN_VALUES,
	SEEN_ALL /* the times too */
};

/*
 * The counts of the only group into ps->reading, if they are all that is to be
 * known: its events have all the same times, so the first one tells whether
 * any of them was off for a while. Those that are tallied never are.
 */
static inline enum seen read_counts(struct pe_slice *ps,
				    const struct count *base)
{
	const struct pe_reading *r;
	const struct count *idle;

	if (!ps->is_one_group || ps->pages || pe_slice_is_stale(ps))
		return SEEN_NOTHING;
	if (ps->tally && pe_tally_read(ps)) /* may open the slice anew */
		return SEEN_VALUES;
	r = ps->reading;
	idle = ps->idle;
	if (pe_group_read_once(ps->groups, ps->reading) ||
	    r->running_ns - idle->running_ns - base->running_ns <
		    r->enabled_ns - idle->enabled_ns - base->enabled_ns)
		return SEEN_NOTHING;
	return SEEN_ALL;
}

bool pe_slice_read_plain(struct slice *s, const struct count *base,
			 long long *values)
{
	struct pe_slice *ps = s->priv;

	if (read_counts(ps, base) == SEEN_NOTHING)
		return false;
	for (size_t i = 0; i < ps->n; i++)
		values[i] = (long long)(ps->reading->values[i] -
					ps->idle[i].value - base[i].value);
	return true;
}

bool pe_slice_reset_plain(struct slice *s, struct count *base,
			  long long *values)
{
	struct pe_slice *ps = s->priv;
	const struct pe_reading *r;
	const struct count *idle;
	enum seen seen = read_counts(ps, base);

	if (seen == SEEN_NOTHING)
		return false;
	r = ps->reading;
	idle = ps->idle;
	for (size_t i = 0; i < ps->n; i++) {
		uint64_t now = r->values[i] - idle[i].value;

		if (values)
			values[i] = (long long)(now - base[i].value);
		base[i].value = now;
		if (seen != SEEN_ALL)
			continue;
		base[i].enabled_ns = r->enabled_ns - idle[i].enabled_ns;
		base[i].running_ns = r->running_ns - idle[i].running_ns;
	}
	return true;
}

int pe_slice_stop(struct slice *s, struct count *counts)
{
	struct pe_slice *ps = s->priv;
	int err = end(ps);

	atomic_store(&ps->running, false);
	if (err)
		return err;
	give_counts(ps, counts);
	return 0;
}
