/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From counts to values: scale what was counted part of the time, derive, and
 * say how good the result is. Pure: it reads the set and changes nothing.
 */
#include <limits.h>
#include <math.h>

#include "base/wide.h"
#include "core/eventset_inside.h"

/* What a native event did since the last start or reset. */
struct delta {
	uint64_t value;
	uint64_t enabled_ns;
	uint64_t running_ns;
	double variance;
	enum count_sum summed;
};

static struct delta delta_of(const struct eventset *set, size_t slot_index)
{
	const struct slot *slot = &set->slots[slot_index];
	const struct share *share = &set->shares[slot->share];
	const struct count *now = &share->now[slot->position];
	const struct count *base = &share->base[slot->position];

	return (struct delta){
		.value = slot->level ? now->value : now->value - base->value,
		.enabled_ns = now->enabled_ns - base->enabled_ns,
		.running_ns = now->running_ns - base->running_ns,
		.variance = fmax(now->variance - base->variance, 0.0),
		.summed = share->slice->sums[slot->position],
	};
}

static bool is_scaled(const struct delta *d)
{
	return d->running_ns < d->enabled_ns;
}

static bool never_ran(const struct delta *d)
{
	return (d->running_ns == 0 && d->enabled_ns > 0) ||
	       d->summed == COUNT_BLIND || d->summed == COUNT_UNTOLD;
}

/* value * enabled / running, rounded to nearest, without loss on the way. */
static uint64_t scale(const struct delta *d)
{
	uwide product;

	if (!is_scaled(d) || d->summed)
		return d->value;
	if (d->running_ns == 0)
		return 0;
	product = (uwide)d->value * d->enabled_ns;
	return (uint64_t)((product + d->running_ns / 2) / d->running_ns);
}

static long long clamp_to_ll(wide value)
{
	if (value > LLONG_MAX)
		return LLONG_MAX;
	if (value < LLONG_MIN)
		return LLONG_MIN;
	return (long long)value;
}

static long long round_to_ll(double value)
{
	if (isnan(value))
		return 0;
	if (value >= 0x1p63)
		return LLONG_MAX;
	if (value < -0x1p63)
		return LLONG_MIN;
	return llround(value);
}

/* Exact: the sum of the weighted, scaled counts. */
static wide weigh(const struct eventset *set, const struct entry *entry)
{
	const struct recipe *recipe = entry->recipe;
	wide sum = 0;

	for (size_t i = 0; i < recipe->n; i++) {
		struct delta d = delta_of(set, entry->slots[i]);
		int weight = recipe->weights ? recipe->weights[i] : i == 0;

		sum += (wide)scale(&d) * weight;
	}
	return sum;
}

/* The formula's value, with count number @shifted moved @by so much. */
static double evaluate(const struct eventset *set, const struct entry *entry,
		       size_t shifted, double by)
{
	const struct recipe *recipe = entry->recipe;
	double *counts = entry->counts;

	for (size_t i = 0; i < recipe->n; i++) {
		struct delta d = delta_of(set, entry->slots[i]);

		counts[i] = never_ran(&d) ? NAN : (double)scale(&d);
	}
	if (shifted < recipe->n)
		counts[shifted] += by;
	return recipe->eval(recipe->program, counts);
}

/*
 * What most entries are, and what a read must be quick for: one event that
 * counted all the time. Nothing is scaled then, and 64 bits are enough. False
 * if it is not so.
 */
static inline bool read_plain(const struct eventset *set,
			      const struct entry *entry, long long *out)
{
	const struct slot *slot = &set->slots[entry->slots[0]];
	const struct share *share = &set->shares[slot->share];
	const struct count *now = &share->now[slot->position];
	const struct count *base = &share->base[slot->position];
	uint64_t value = slot->level ? now->value : now->value - base->value;

	return now->running_ns - base->running_ns >=
		       now->enabled_ns - base->enabled_ns &&
	       !__builtin_add_overflow(value, entry->offset, out);
}

long long value_integer(const struct eventset *set, size_t i)
{
	const struct entry *entry = &set->entries[i];
	long long value;

	if (entry->is_plain && read_plain(set, entry, &value))
		return value;
	value = entry->recipe->eval
			? round_to_ll(evaluate(set, entry, SIZE_MAX, 0))
			: clamp_to_ll(weigh(set, entry));
	if (value < 0 && entry->recipe->is_count)
		value = 0;
	return clamp_to_ll((wide)value + entry->offset);
}

/*
 * Standard error of a value, from the variances of its counts: to first
 * order, each count's own contribution, found by moving it by its error.
 */
static double error_of(const struct eventset *set, const struct entry *entry,
		       double value)
{
	const struct recipe *recipe = entry->recipe;
	double variance = 0;

	for (size_t i = 0; i < recipe->n; i++) {
		struct delta d = delta_of(set, entry->slots[i]);
		double part;

		if (d.variance == 0)
			continue;
		if (recipe->eval) {
			part = evaluate(set, entry, i, sqrt(d.variance)) -
			       value;
		} else {
			part = sqrt(d.variance) *
			       (recipe->weights ? recipe->weights[i] : i == 0);
		}
		variance += part * part;
	}
	return sqrt(variance);
}

/* The least time of any native, and whether one was scaled or never ran. */
static bool summarise(const struct eventset *set, const struct entry *entry,
		      struct value *value)
{
	bool missing = false;

	value->running_ns = UINT64_MAX;
	for (size_t i = 0; i < entry->recipe->n; i++) {
		const struct slot *slot = &set->slots[entry->slots[i]];
		struct delta d = delta_of(set, entry->slots[i]);

		if (d.enabled_ns > value->enabled_ns)
			value->enabled_ns = d.enabled_ns;
		if (d.running_ns < value->running_ns)
			value->running_ns = d.running_ns;
		value->scaled |= is_scaled(&d) || d.variance > 0;
		missing |= never_ran(&d);
		value->untold |= d.summed == COUNT_UNTOLD;
		value->source = set->shares[slot->share].slice->component;
	}
	return !missing;
}

static struct value value_of(const struct eventset *set, size_t i)
{
	const struct entry *entry = &set->entries[i];
	struct value value = { 0 };

	if (!summarise(set, entry, &value)) {
		value.real = value.error = NAN;
		return value;
	}
	value.too_large = !entry->recipe->eval &&
			  weigh(set, entry) + entry->offset > LLONG_MAX;
	if (value.too_large) {
		value.real = value.error = NAN;
		return value;
	}
	value.real = entry->recipe->eval ? evaluate(set, entry, SIZE_MAX, 0)
					 : (double)weigh(set, entry);
	value.error = error_of(set, entry, value.real);
	if (value.real < 0 && entry->recipe->is_count) {
		value.real = 0;
		value.clamped = true;
	}
	value.real += (double)entry->offset;
	value.integer = value_integer(set, i);
	return value;
}

void eventset_values(const struct eventset *set, struct value *values)
{
	for (size_t i = 0; i < set->n; i++)
		values[i] = value_of(set, i);
}
