/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Taking turns on the counters, and what that costs in certainty.
 *
 * Events of one turn have the counters for a slice of the thread's
 * instructions, then those of the next turn. What an event does meanwhile is
 * unknown, as on a machine; its count is later scaled by enabled / running.
 *
 * The variance of a scaled count is added up gap by gap. If rates in slices
 * were independent with variance s^2, then sampling one slice of c clocks and
 * missing g until the next adds g (g + c) s^2, and the difference d between
 * neighbouring slices estimates s^2 as d^2 / 2. For a rate that drifts or
 * changes once, neighbours differ little and so does the error. One count
 * more or less in a slice is always possible: it is where the slice was cut.
 * A variance from few slices is itself uncertain: it is made larger such that
 * 1.645 standard errors cover 90 %, as Student's distribution says.
 *
 * Slices that are alike do not tell what happened between them: a burst that is
 * shorter than a slice may lie in none that was seen. Nothing but the machine
 * bounds it. So the error is always such that three of it cover a slice in
 * which the event happened once in every clock.
 */
#include "simpmu/pmu/pmu.h"

void turns_start(uint32_t id, struct pmu_member *member)
{
	struct pmu_set *set = set_get(id);

	member->turn = 0;
	member->slice_clock = 0;
	for (uint32_t i = 0; i < set->n; i++)
		member->state[i] = (struct pmu_turn_state){ 0 };
}

void turns_add(struct pmu_set *set, struct pmu_member *member, uint64_t clock,
	       const uint64_t *growth)
{
	for (uint32_t i = 0; i < set->n; i++) {
		struct pmu_turn_state *state = &member->state[i];

		set->sum[i].enabled_ns += clock;
		if (set->turn_of[i] == member->turn) {
			set->sum[i].value += growth[i];
			set->sum[i].running_ns += clock;
			state->slice_value += growth[i];
		} else if (state->slices) {
			state->gap += clock;
		} else {
			state->lead += clock;
		}
	}
	member->slice_clock += clock;
}

/* Variance that a gap of @gap clocks beside slices of @length adds. */
static double gap_variance(double gap, double length, double change)
{
	double least = 1.0 / length;
	double square = change * change;

	if (square < least * least)
		square = least * least;
	return gap * (gap + length) * square / 2.0;
}

static void end_slice(struct pmu_member *member, uint32_t i)
{
	struct pmu_turn_state *state = &member->state[i];
	double length = (double)member->slice_clock;
	double rate = (double)(int64_t)state->slice_value / length;

	if (state->slices) {
		state->change = rate - state->rate;
		state->variance +=
			gap_variance((double)state->gap, length, state->change);
	}
	if (state->slices == 1)
		state->variance += gap_variance((double)state->lead, length,
						state->change);
	state->rate = rate;
	state->length = length;
	state->slices++;
	state->gap = 0;
	state->slice_value = 0;
}

void turns_rotate(struct pmu_set *set, struct pmu_member *member)
{
	set_update_member(set, member);
	if (member->slice_clock)
		for (uint32_t i = 0; i < set->n; i++)
			if (set->turn_of[i] == member->turn)
				end_slice(member, i);
	member->turn = (member->turn + 1) % set->turns;
	member->slice_clock = 0;
}

/* (t / 1.645)^2, where t is Student's at 90 % for @slices - 1. */
static double inflation(uint32_t slices)
{
	static const double few[] = { 14.73, 3.15, 2.05, 1.68 };

	return slices - 2 < 4 ? few[slices - 2]
			      : 1.0 + 2.5 / (double)(slices - 1);
}

/* What one count of a signal adds to the event at most. */
static double largest_weight(const struct pmu_event *event)
{
	int32_t largest = 1;

	for (uint32_t i = 0; i < event->n; i++)
		if (event->terms[i].weight > largest)
			largest = event->terms[i].weight;
	return largest;
}

/* A burst that nobody saw: at most one slice full of the event. */
static double burst_variance(const struct pmu_set *set, uint32_t event,
			     double unseen)
{
	double most = unseen < (double)set->slice ? unseen : (double)set->slice;
	double error = most * largest_weight(set->events[event]) / 3.0;

	return error * error;
}

double turns_variance(const struct pmu_set *set,
		      const struct pmu_member *member, uint32_t event)
{
	const struct pmu_turn_state *state = &member->state[event];
	double unseen = (double)(state->gap + state->lead);
	double burst, all;

	if (set->turns == 1)
		return 0;
	if (state->slices >= 2)
		return inflation(state->slices) *
			       (state->variance +
				gap_variance((double)state->gap, state->length,
					     state->change)) +
		       burst_variance(set, event, (double)set->slice);
	/* One slice tells nothing of others: all the rest may be different. */
	burst = burst_variance(set, event, unseen);
	all = state->slices ? state->rate * unseen
			    : (double)(int64_t)state->slice_value;
	return all * all + burst;
}
