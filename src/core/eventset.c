/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Membership, options and state of EventSets. Counting is in counting.c, what
 * the numbers mean in value.c, overflow in overflow.c.
 */
#include "core/eventset.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "core/eventset_inside.h"
#include "core/slice.h"

enum operation {
	OP_ADD,
	OP_REMOVE,
	OP_CLEAR,
	OP_FREE,
	OP_OPTIONS,
	OP_OVERFLOW,
};

/* Which operation is legal in which state: 0, or the error that it gives. */
static const int legal[][STATE_COUNT] = {
	/*		 empty	stopped	      running */
	[OP_ADD] = { 0, 0, PAPI_EISRUN },
	[OP_REMOVE] = { PAPI_EINVAL, 0, PAPI_EISRUN },
	[OP_CLEAR] = { 0, 0, PAPI_EISRUN },
	[OP_FREE] = { 0, 0, PAPI_EISRUN },
	[OP_OPTIONS] = { 0, 0, PAPI_EISRUN },
	[OP_OVERFLOW] = { PAPI_EINVAL, 0, PAPI_EISRUN },
};

static const struct eventset_options default_options = {
	.slice = { .granularity = PAPI_GRN_THR },
	.component = -1,
};

int eventset_new(struct registry *r, int id, struct eventset **out)
{
	struct eventset *set = calloc(1, sizeof(*set));

	if (!set)
		return PAPI_ENOMEM;
	set->registry = r;
	set->id = id;
	set->opt = default_options;
	*out = set;
	return 0;
}

int eventset_id(const struct eventset *set)
{
	return set->id;
}

int eventset_state(const struct eventset *set)
{
	int bits = set->state == STATE_RUNNING ? PAPI_RUNNING : PAPI_STOPPED;

	if (set->handler)
		bits |= PAPI_OVERFLOWING;
	if (set->profiling)
		bits |= PAPI_PROFILING;
	if (set->opt.slice.multiplex)
		bits |= PAPI_MULTIPLEXING;
	if (set->opt.attached)
		bits |= PAPI_ATTACHED;
	if (set->opt.slice.target == TARGET_CPU)
		bits |= PAPI_CPU_ATTACHED;
	return bits;
}

void eventset_set_profiling(struct eventset *set, bool on)
{
	set->profiling = on;
}

size_t eventset_size(const struct eventset *set)
{
	return set->n;
}

const struct recipe *eventset_recipe(const struct eventset *set, size_t i)
{
	return set->entries[i].recipe;
}

/* Membership. */

static void share_fini(struct share *share)
{
	counting_close_share(share);
	slice_free(share->slice);
	free(share->now);
	free(share->base);
	free(share->scratch);
}

/* Room for @n counts in each of a share's arrays. */
static int share_grow(struct share *share, size_t n)
{
	if (array_grow(&share->now, n, sizeof(*share->now)) ||
	    array_grow(&share->base, n, sizeof(*share->base)) ||
	    array_grow(&share->scratch, n, sizeof(*share->scratch)))
		return PAPI_ENOMEM;
	share->now[n] = share->base[n] = (struct count){ 0 };
	return 0;
}

/* The share of component @c, made if it is not there. */
static int share_of(struct eventset *set, struct component *c, size_t *out)
{
	struct share share = { 0 };
	int err;

	for (size_t i = 0; i < set->shares_n; i++) {
		if (set->shares[i].slice->component == c) {
			*out = i;
			return 0;
		}
	}
	if (array_grow(&set->shares, set->shares_n, sizeof(*set->shares)))
		return PAPI_ENOMEM;
	err = slice_new(c, &share.slice);
	if (err)
		return err;
	share.slice->owner = set;
	share.slice->on_overflow = overflow_from_slice;
	*out = set->shares_n;
	set->shares[set->shares_n++] = share;
	return 0;
}

/* Forget the last share if nothing is in it. */
static void drop_empty_shares(struct eventset *set)
{
	for (size_t i = set->shares_n; i-- > 0;) {
		if (set->shares[i].slice->n > 0)
			continue;
		share_fini(&set->shares[i]);
		memmove(&set->shares[i], &set->shares[i + 1],
			(set->shares_n - i - 1) * sizeof(*set->shares));
		set->shares_n--;
		for (size_t k = 0; k < set->slots_n; k++)
			if (set->slots[k].share > i)
				set->slots[k].share--;
	}
}

/* A slot for @native, shared with entries that have it; users is counted. */
static int slot_of(struct eventset *set, struct native native, size_t *out)
{
	struct component *c = set->registry->components[native.component];
	struct slot slot = { .native = native, .users = 1 };
	struct slice *slice;
	int err;

	for (size_t i = 0; i < set->slots_n; i++) {
		if (set->slots[i].native.component == native.component &&
		    set->slots[i].native.event == native.event) {
			set->slots[i].users++;
			*out = i;
			return 0;
		}
	}
	if (array_grow(&set->slots, set->slots_n, sizeof(*set->slots)))
		return PAPI_ENOMEM;
	err = share_of(set, c, &slot.share);
	if (err)
		return err;
	slice = set->shares[slot.share].slice;
	slot.position = slice->n;
	slot.level = component_event(c, native.event)->kind == EVENT_LEVEL;
	err = share_grow(&set->shares[slot.share], slice->n);
	if (!err)
		err = slice_append(slice, native.event);
	if (err) {
		drop_empty_shares(set);
		return err;
	}
	*out = set->slots_n;
	set->slots[set->slots_n++] = slot;
	return 0;
}

/* One user less; the last one takes the event out of its slice. */
static void release_slot(struct eventset *set, size_t i)
{
	struct slot gone = set->slots[i];
	struct share *share = &set->shares[gone.share];

	if (--set->slots[i].users > 0)
		return;
	counting_close_share(share);
	slice_remove(share->slice, gone.position);
	memmove(&share->now[gone.position], &share->now[gone.position + 1],
		(share->slice->n - gone.position) * sizeof(*share->now));
	memmove(&share->base[gone.position], &share->base[gone.position + 1],
		(share->slice->n - gone.position) * sizeof(*share->base));

	memmove(&set->slots[i], &set->slots[i + 1],
		(set->slots_n - i - 1) * sizeof(*set->slots));
	set->slots_n--;
	for (size_t k = 0; k < set->slots_n; k++)
		if (set->slots[k].share == gone.share &&
		    set->slots[k].position > gone.position)
			set->slots[k].position--;
	for (size_t e = 0; e < set->n; e++)
		for (size_t k = 0; k < set->entries[e].recipe->n; k++)
			if (set->entries[e].slots[k] > i)
				set->entries[e].slots[k]--;
	drop_empty_shares(set);
}

/*
 * Release an entry's slots; they are renumbered as they go, so the entry must
 * be among the set's.
 */
static void release_entry_slots(struct eventset *set, struct entry *entry,
				size_t held)
{
	while (held > 0)
		release_slot(set, entry->slots[--held]);
}

static int find_entry(const struct eventset *set, int code, size_t *out)
{
	for (size_t i = 0; i < set->n; i++) {
		if (set->entries[i].recipe->code == code) {
			*out = i;
			return 0;
		}
	}
	return PAPI_ENOEVNT;
}

static int check_component(const struct eventset *set,
			   const struct recipe *recipe, struct diag *diag)
{
	for (size_t i = 0; i < recipe->n; i++) {
		const struct component *c =
			set->registry->components[recipe->natives[i].component];

		if (c->disabled)
			return diag_fail(diag, PAPI_ECMP_DISABLED, "%s: %s",
					 c->ops->name,
					 c->reason ? c->reason : "off");
	}
	return 0;
}

/* Give @entry a slot for each native; all or none. */
static int acquire_slots(struct eventset *set, struct entry *entry)
{
	const struct recipe *recipe = entry->recipe;

	for (size_t i = 0; i < recipe->n; i++) {
		int err = slot_of(set, recipe->natives[i], &entry->slots[i]);

		if (err) {
			release_entry_slots(set, entry, i);
			return err;
		}
	}
	return 0;
}

static bool is_plain(const struct recipe *recipe)
{
	return !recipe->eval && recipe->n > 0 &&
	       (!recipe->weights ||
		(recipe->n == 1 && recipe->weights[0] == 1));
}

static void note_shape(struct eventset *set)
{
	bool straight = set->shares_n == 1 && set->slots_n == set->n;

	for (size_t i = 0; i < set->n && straight; i++) {
		const struct slot *slot = &set->slots[set->entries[i].slots[0]];

		straight = set->entries[i].is_plain && slot->position == i &&
			   !slot->level;
	}
	set->is_straight = straight;
}

int eventset_add(struct eventset *set, const struct recipe *recipe,
		 struct diag *diag)
{
	struct entry entry = { .recipe = recipe, .is_plain = is_plain(recipe) };
	int err = legal[OP_ADD][set->state];
	size_t there;

	if (err)
		return diag_fail(diag, err, "the EventSet is running");
	if (find_entry(set, recipe->code, &there) == 0)
		return diag_fail(diag, PAPI_ECNFLCT,
				 "the event is already in the EventSet");
	err = check_component(set, recipe, diag);
	if (err)
		return err;
	if (array_grow(&set->entries, set->n, sizeof(*set->entries)))
		return PAPI_ENOMEM;
	err = PAPI_ENOMEM;
	entry.slots = calloc(recipe->n ? recipe->n : 1, sizeof(*entry.slots));
	entry.counts = calloc(recipe->n ? recipe->n : 1, sizeof(double));
	if (entry.slots && entry.counts)
		err = acquire_slots(set, &entry);
	if (err)
		goto free_entry;
	set->entries[set->n++] = entry;
	err = counting_open_all(set, diag);
	if (err)
		goto drop_entry;
	set->state = STATE_STOPPED;
	note_shape(set);
	return 0;

drop_entry:
	release_entry_slots(set, &set->entries[set->n - 1], recipe->n);
	set->n--;
	counting_open_all(set, NULL); /* as it was before, so it works */
free_entry:
	free(entry.slots);
	free(entry.counts);
	return err;
}

/* Take out entry @i without opening the rest again. */
static void drop_entry(struct eventset *set, size_t i)
{
	struct entry *entry = &set->entries[i];

	release_entry_slots(set, entry, entry->recipe->n);
	free(entry->slots);
	free(entry->counts);
	memmove(entry, entry + 1, (set->n - i - 1) * sizeof(*entry));
	set->n--;
	if (set->n == 0)
		set->state = STATE_EMPTY;
	note_shape(set);
}

int eventset_remove(struct eventset *set, int code)
{
	int err = legal[OP_REMOVE][set->state];
	size_t i;

	if (err)
		return err;
	err = find_entry(set, code, &i);
	if (err)
		return err;
	drop_entry(set, i);
	return counting_open_all(set, NULL);
}

int eventset_clear(struct eventset *set)
{
	int err = legal[OP_CLEAR][set->state];

	if (err)
		return err;
	overflow_stop(set);
	while (set->n > 0)
		drop_entry(set, set->n - 1);
	set->opt = default_options;
	set->handler = NULL;
	set->profiling = false;
	return 0;
}

int eventset_free(struct eventset *set)
{
	int err = legal[OP_FREE][set->state];

	if (err)
		return err;
	eventset_clear(set);
	ticker_free(set->ticker);
	free(set->entries);
	free(set->slots);
	free(set->shares);
	free(set);
	return 0;
}

/* Options. */

const struct eventset_options *eventset_options(const struct eventset *set)
{
	return &set->opt;
}

int eventset_set_options(struct eventset *set,
			 const struct eventset_options *options,
			 struct diag *diag)
{
	struct eventset_options before = set->opt;
	int err = legal[OP_OPTIONS][set->state];

	if (err)
		return diag_fail(diag, err, "the EventSet is running");
	counting_close_all(set);
	set->opt = *options;
	err = counting_open_all(set, diag);
	if (err) {
		set->opt = before;
		counting_open_all(set, NULL);
	}
	return err;
}

/* Overflow's part that changes what is open. */

static struct slice *slice_of_entry(struct eventset *set, size_t i,
				    size_t *position)
{
	const struct slot *slot = &set->slots[set->entries[i].slots[0]];

	*position = slot->position;
	return set->shares[slot->share].slice;
}

static bool any_threshold(const struct eventset *set)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->entries[i].threshold)
			return true;
	return false;
}

/* Ask the component of entry @i for interrupts, or no longer. */
static int set_interrupts(struct eventset *set, size_t i, uint64_t threshold,
			  struct diag *diag)
{
	const struct recipe *recipe = set->entries[i].recipe;
	struct slice *slice;
	size_t position;
	uint64_t before;
	int err;

	if (recipe->weights || recipe->eval)
		return diag_fail(
			diag, PAPI_EINVAL,
			"a derived event cannot interrupt on overflow");
	slice = slice_of_entry(set, i, &position);
	if (!(slice->component->ops->caps & CAP_OVERFLOW))
		return diag_fail(diag, PAPI_ENOSUPP,
				 "%s cannot interrupt on overflow",
				 slice->component->ops->name);
	before = slice->thresholds[position];
	slice->thresholds[position] = threshold;
	counting_close_all(set);
	err = counting_open_all(set, diag);
	if (err) {
		slice->thresholds[position] = before;
		counting_open_all(set, NULL);
	}
	return err;
}

int eventset_set_overflow(struct eventset *set, size_t entry,
			  uint64_t threshold, bool software,
			  overflow_handler handler, void *data,
			  struct diag *diag)
{
	struct entry *e;
	int err = legal[OP_OVERFLOW][set->state];

	if (err)
		return diag_fail(diag, err, "the EventSet is running or empty");
	if (entry >= set->n || (threshold && !handler))
		return PAPI_EINVAL;
	e = &set->entries[entry];
	if (!software || (e->threshold && !e->software_overflow)) {
		err = set_interrupts(set, entry, software ? 0 : threshold,
				     diag);
		if (err)
			return err;
	}
	e->threshold = threshold;
	e->software_overflow = software && threshold;
	if (threshold) {
		set->handler = handler;
		set->handler_data = data;
	} else if (!any_threshold(set)) {
		set->handler = NULL;
	}
	return 0;
}

int eventset_overflow_entries(const struct eventset *set, long long which,
			      int *entries, int *n)
{
	int found = 0;

	if (which == 0)
		return PAPI_EINVAL;
	for (size_t i = 0; i < set->n && i < 63; i++) {
		if (!((unsigned long long)which >> i & 1))
			continue;
		if (found == *n)
			break;
		entries[found++] = (int)i;
	}
	*n = found;
	return 0;
}
