/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calling the user's handler when a count has grown by another threshold:
 * from a component's interrupt, or from a timer that looks at the count.
 */

#include "base/context.h"
#include "core/eventset_inside.h"

static void call_handler(struct eventset *set, uint64_t which, void *address,
			 void *context)
{
	if (which && set->handler)
		set->handler(set->id, address, (long long)which, context,
			     set->handler_data);
}

/* Bits of a slice's events become bits of the set's entries. */
void overflow_from_slice(struct slice *s, uint64_t which, void *address,
			 void *context)
{
	struct eventset *set = s->owner;
	uint64_t entries = 0;

	for (size_t i = 0; i < set->n && i < 63; i++) {
		const struct entry *e = &set->entries[i];
		const struct slot *slot = &set->slots[e->slots[0]];

		if (e->threshold && !e->software_overflow &&
		    set->shares[slot->share].slice == s &&
		    slot->position < 64 && (which >> slot->position & 1))
			entries |= 1ULL << i;
	}
	call_handler(set, entries, address, context);
}

/* Whether entry @i has reached its deadline; then it gets a new one. */
static bool is_due(struct eventset *set, size_t i)
{
	struct entry *e = &set->entries[i];
	long long threshold = (long long)e->threshold;
	long long value;

	if (!e->software_overflow)
		return false;
	value = value_integer(set, i);
	if (value < e->deadline)
		return false;
	e->overshoot = (uint64_t)(value - e->deadline);
	e->deadline += ((value - e->deadline) / threshold + 1) * threshold;
	return true;
}

static void on_tick(void *data, void *context)
{
	struct eventset *set = data;
	uint64_t which = 0;

	if (set->busy || set->state != STATE_RUNNING || counting_refresh(set))
		return;
	for (size_t i = 0; i < set->n && i < 63; i++)
		if (is_due(set, i))
			which |= 1ULL << i;
	call_handler(set, which, context_address(context), context);
}

int overflow_start(struct eventset *set)
{
	bool wanted = false;

	for (size_t i = 0; i < set->n; i++) {
		struct entry *e = &set->entries[i];

		e->deadline = (long long)e->threshold;
		e->overshoot = 0;
		wanted |= e->software_overflow;
	}
	if (!wanted)
		return 0;
	if (!set->ticker) {
		int err = ticker_new(on_tick, set, &set->ticker);

		if (err)
			return err;
	}
	return ticker_start(set->ticker,
			    set->opt.check_ns ? set->opt.check_ns
					      : EVENTSET_CHECK_NS,
			    set->opt.check_real);
}

void overflow_stop(struct eventset *set)
{
	if (set->ticker)
		ticker_stop(set->ticker);
}

uint64_t eventset_threshold(const struct eventset *set, size_t entry,
			    uint64_t *overshoot)
{
	*overshoot = set->entries[entry].overshoot;
	return set->entries[entry].threshold;
}
