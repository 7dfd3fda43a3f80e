/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening, starting, reading and stopping an EventSet's shares.
 *
 * Components count up from the moment they are opened and are never reset:
 * a start or reset only remembers where the counts stood.
 */

#include "core/eventset_inside.h"
#include "core/slice.h"
#include "core/thread.h"

static int share_start(struct share *share)
{
	return share->rotor ? rotor_start(share->rotor, share->now)
			    : slice_start(share->slice, share->now);
}

static int share_read(struct share *share, struct count *counts)
{
	return share->rotor ? rotor_read(share->rotor, counts)
			    : slice_read(share->slice, counts);
}

static int share_stop(struct share *share)
{
	return share->rotor ? rotor_stop(share->rotor, share->now)
			    : slice_stop(share->slice, share->now);
}

/* Multiplexed, and the component cannot do it or is asked not to. */
static bool wants_rotor(const struct eventset *set, const struct share *share)
{
	const struct component *c = share->slice->component;

	return set->opt.slice.multiplex && share->slice->n > 1 &&
	       (set->opt.software_mpx || !(c->ops->caps & CAP_MULTIPLEX)) &&
	       (c->ops->caps & CAP_HARDWARE);
}

static int open_share(struct eventset *set, struct share *share,
		      struct diag *diag)
{
	struct slice *s = share->slice;
	int err;

	if (s->open || share->rotor)
		return 0;
	s->opt = set->opt.slice;
	if (wants_rotor(set, share)) {
		err = rotor_open(s, &share->rotor);
	} else {
		err = slice_open(s);
	}
	if (err && diag && s->diag.text[0])
		*diag = s->diag;
	return err;
}

void counting_close_share(struct share *share)
{
	rotor_close(share->rotor);
	share->rotor = NULL;
	slice_close(share->slice);
}

void counting_close_all(struct eventset *set)
{
	for (size_t i = 0; i < set->shares_n; i++)
		counting_close_share(&set->shares[i]);
}

static size_t share_opened_n(const struct share *share)
{
	return share->rotor ? rotor_size(share->rotor) : share->slice->opened_n;
}

/*
 * Open what is closed. A share whose events changed since was closed then, or
 * its slice has more events than it was opened with: those are opened anew.
 */
int counting_open_all(struct eventset *set, struct diag *diag)
{
	if (set->opt.slice.target == TARGET_SELF &&
	    set->opened_by != thread_tid())
		counting_close_all(set);
	for (size_t i = 0; i < set->shares_n; i++) {
		struct share *share = &set->shares[i];
		int err;

		if (share->slice->n != share_opened_n(share))
			counting_close_share(share);
		err = open_share(set, share, diag);
		if (err)
			return err;
	}
	set->opened_by = thread_tid();
	return 0;
}

static void rebase(struct share *share)
{
	/* Not memcpy(): nothing of the C library runs between the component's
	 * start and the return to the caller, so that nothing of it counts. */
	for (size_t i = 0; i < share->slice->n; i++)
		share->base[i] = share->now[i];
}

static void forget_writes(struct eventset *set)
{
	if (!set->is_written)
		return;
	for (size_t i = 0; i < set->n; i++)
		set->entries[i].offset = 0;
	set->is_written = false;
}

/*
 * Whether the set can be read in short. Not with a ticker, which may come
 * while it is read.
 */
static void choose_way(struct eventset *set)
{
	struct share *share = set->shares;
	const struct component_ops *ops;

	set->way = (struct eventset_short){ NULL };
	if (set->state != STATE_RUNNING || !set->is_straight ||
	    set->is_written || share->rotor || set->ticker)
		return;
	ops = share->slice->component->ops;
	set->way = (struct eventset_short){
		.read = ops->read_plain,
		.reset = ops->reset_plain,
		.slice = share->slice,
		.base = share->base,
	};
}

/* Another thread, or a child of fork(), starts it: count that one now. */
static int follow_thread(struct eventset *set, struct diag *diag)
{
	if (set->opt.slice.target != TARGET_SELF ||
	    set->opened_by == thread_tid())
		return 0;
	return counting_open_all(set, diag);
}

/* Stop the first @n shares again after a later one failed to start. */
static void stop_first(struct eventset *set, size_t n)
{
	while (n > 0)
		share_stop(&set->shares[--n]);
}

int eventset_start(struct eventset *set, struct diag *diag)
{
	int err;

	if (set->state == STATE_EMPTY)
		return diag_fail(diag, PAPI_ENOCMP, "the EventSet is empty");
	if (set->state == STATE_RUNNING)
		return diag_fail(diag, PAPI_EISRUN, "the EventSet is running");
	err = follow_thread(set, diag);
	if (err)
		return err;

	forget_writes(set);
	set->busy = 1;
	for (size_t i = 0; i < set->shares_n; i++) {
		err = share_start(&set->shares[i]);
		if (err) {
			if (diag)
				*diag = set->shares[i].slice->diag;
			stop_first(set, i);
			set->busy = 0;
			return err;
		}
		rebase(&set->shares[i]);
	}
	set->state = STATE_RUNNING;
	err = overflow_start(set);
	if (err) {
		stop_first(set, set->shares_n);
		set->state = STATE_STOPPED;
	}
	choose_way(set);
	set->busy = 0;
	return err;
}

int counting_refresh(struct eventset *set)
{
	for (size_t i = 0; i < set->shares_n; i++) {
		struct share *share = &set->shares[i];
		int err = share_read(share, share->now);

		if (err)
			return err;
	}
	return 0;
}

/* The values of a straight set that nothing was written to or scaled in. */
static bool give_straight(const struct eventset *set, long long *values)
{
	const struct count *now = set->shares[0].now;
	const struct count *base = set->shares[0].base;

	for (size_t i = 0; i < set->n; i++) {
		if (now[i].running_ns - base[i].running_ns <
		    now[i].enabled_ns - base[i].enabled_ns)
			return false;
		values[i] = (long long)(now[i].value - base[i].value);
	}
	return true;
}

/*
 * Whether counters were missing for some of the time though nobody asked for
 * events to take turns: then values are estimates, which plain numbers cannot
 * tell.
 */
static bool is_guessed(const struct eventset *set)
{
	const unsigned caps = CAP_HARDWARE | CAP_MULTIPLEX;

	for (size_t i = 0; i < set->shares_n && !set->opt.slice.multiplex;
	     i++) {
		const struct share *s = &set->shares[i];

		if ((s->slice->component->ops->caps & caps) != caps)
			continue;
		for (size_t j = 0; j < s->slice->n; j++)
			if (s->now[j].running_ns - s->base[j].running_ns <
			    s->now[j].enabled_ns - s->base[j].enabled_ns)
				return true;
	}
	return false;
}

/* The values, and PAPI_ECNFLCT if they are estimates. */
static int give_checked(const struct eventset *set, long long *values)
{
	if (!values)
		return 0;
	if (set->is_straight && !set->is_written && give_straight(set, values))
		return 0;
	for (size_t i = 0; i < set->n; i++)
		values[i] = value_integer(set, i);
	return is_guessed(set) ? PAPI_ECNFLCT : 0;
}

int eventset_stop(struct eventset *set, long long *values)
{
	int err = 0;

	if (set->state != STATE_RUNNING)
		return set->state == STATE_EMPTY ? PAPI_ENOCMP : PAPI_ENOTRUN;
	set->busy = 1;
	/* all are stopped, whatever happens to the first */
	for (size_t i = 0; i < set->shares_n; i++) {
		int failed = share_stop(&set->shares[i]);

		if (failed && !err)
			err = failed;
	}
	set->state = STATE_STOPPED;
	choose_way(set);
	overflow_stop(set);
	if (!err)
		err = give_checked(set, values);
	set->busy = 0;
	return err;
}

static int read_in_full(struct eventset *set, long long *values)
{
	int err = 0;

	if (set->state == STATE_EMPTY)
		return PAPI_ENOCMP;
	set->busy = 1;
	if (set->state == STATE_RUNNING)
		err = counting_refresh(set);
	if (!err)
		err = give_checked(set, values);
	set->busy = 0;
	return err;
}

int eventset_read(struct eventset *set, long long *values)
{
	if (values && eventset_read_short(set, values))
		return 0;
	return read_in_full(set, values);
}

static int reset_in_full(struct eventset *set, long long *values)
{
	int err = read_in_full(set, values);

	if (err && err != PAPI_ECNFLCT) /* estimates end here as well */
		return err;
	for (size_t i = 0; i < set->shares_n; i++)
		rebase(&set->shares[i]);
	forget_writes(set);
	choose_way(set);
	return err;
}

int eventset_read_reset(struct eventset *set, long long *values)
{
	if (eventset_reset_short(set, values))
		return 0;
	return reset_in_full(set, values);
}

int eventset_reset(struct eventset *set)
{
	return eventset_read_reset(set, NULL);
}

int eventset_write(struct eventset *set, const long long *values)
{
	int err = eventset_reset(set);

	if (err)
		return err;
	for (size_t i = 0; i < set->n; i++)
		set->entries[i].offset = values[i];
	set->is_written = true;
	choose_way(set);
	return 0;
}
