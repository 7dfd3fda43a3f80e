/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How sure an estimate is when events take turns on the counters.
 *
 * An event that counted c in the part f of the time is estimated as c / f.
 * That is a sample survey: of all turns in the enabled time, k were looked at.
 * If rates r of single turns have the variance S^2, the estimate of the sum
 * over the time E has the variance
 *
 *     E^2 (1 - f) S^2 / k
 *
 * [simple random sampling without replacement]. The kernel's turns are not
 * random but regular, which is better when a program's phases are longer than
 * a round of turns, and worse only when they are in step with it.
 *
 * S^2 is seen by sampling: each event is in a group led by a clock that, every
 * SLICE_NS of counting, writes the group's counts into a ring buffer. Nobody
 * is interrupted; the ring is read when the counters are. When it is full, the
 * rest of the time is taken to be like what it holds.
 *
 * A few equal turns do not prove that all are equal. So S^2 starts from one
 * turn in PRIOR_WEIGHT that deviates by the whole mean. Where there is no ring
 * (inherited events; no memory to lock) the reads are the samples, and before
 * there are two of them a turn is taken to deviate by the whole mean.
 */
#include "components/perf_event/spread.h"

#include <stdlib.h>

#define SLICE_NS     4000000ULL /* one turn: the kernel's default is 4 ms */
#define RING_PAGES   4          /* 340 samples */
#define PRIOR_WEIGHT 0.1

struct perf_event_attr pe_spread_clock(const struct slice *s)
{
	(void)s;
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = SLICE_NS,
		.sample_type = PERF_SAMPLE_READ,
		.read_format = PE_GROUP_FORMAT,
		/* only wake up when full: there is nobody to wake */
		.watermark = 1,
		.wakeup_watermark = UINT32_MAX,
	};
}

void pe_spread_add(struct pe_spread *sp, uint64_t value, uint64_t running_ns)
{
	double rate, deviation;

	if (running_ns <= sp->running_ns || value < sp->value)
		return;
	rate = (double)(value - sp->value) /
	       (double)(running_ns - sp->running_ns);
	sp->value = value;
	sp->running_ns = running_ns;
	sp->n += 1;
	deviation = rate - sp->mean;
	sp->mean += deviation / sp->n;
	sp->squares += deviation * (rate - sp->mean);
}

static double variance_of_turns(const struct pe_spread *sp, double mean)
{
	double prior = mean * mean;

	if (sp->n < 2)
		return prior;
	return (sp->squares + PRIOR_WEIGHT * prior) /
	       (sp->n - 1 + PRIOR_WEIGHT);
}

double pe_spread_more(struct pe_spread *sp, const struct count *now)
{
	double enabled = (double)(now->enabled_ns - sp->done.enabled_ns);
	double running = (double)(now->running_ns - sp->done.running_ns);
	double value = (double)(now->value - sp->done.value);
	double mean, turns;

	if (enabled <= running) {
		sp->done = *now;
		return 0;
	}
	/* Not a whole turn in this time: the long-run mean is all there is. */
	mean = running > 0 ? value / running : sp->mean;
	turns = running / (double)SLICE_NS;
	if (turns < 1)
		turns = 1;
	sp->done = *now;
	return enabled * (enabled - running) * variance_of_turns(sp, mean) /
	       turns;
}

static void drain(struct pe_spread *sp)
{
	struct pe_record r;

	/* What PE_GROUP_FORMAT gives: n, enabled, running, clock, value */
	while (pe_ring_next(&sp->ring, &r))
		if (r.type == PERF_RECORD_SAMPLE && r.n == 5 && r.words[0] == 2)
			pe_spread_add(sp, r.words[4], r.words[2]);
}

void pe_spread_update(struct pe_slice *ps)
{
	for (size_t i = 0; i < ps->n; i++) {
		struct pe_spread *sp = &ps->spread[i];
		struct count *now = &ps->now[i];

		if (sp->ring.page)
			drain(sp);
		else
			pe_spread_add(sp, now->value, now->running_ns);
		now->variance += pe_spread_more(sp, now);
	}
}

int pe_spread_open(struct pe_slice *ps)
{
	ps->spread = calloc(ps->n, sizeof(*ps->spread));
	if (!ps->spread)
		return PAPI_ENOMEM;
	for (size_t k = 0; k < ps->n_groups; k++) {
		const struct pe_group *g = &ps->groups[k];
		struct pe_spread *sp = &ps->spread[g->members[0]];

		if (!g->clocked || sp->ring.page)
			continue;
		if (!pe_ring_open(&sp->ring, g->clock_fd, RING_PAGES))
			pe_ring_open(&sp->ring, g->clock_fd, 1);
	}
	return 0;
}

void pe_spread_close(struct pe_slice *ps)
{
	for (size_t i = 0; ps->spread && i < ps->n; i++)
		pe_ring_close(&ps->spread[i].ring, pe_slice_is_stale(ps));
	free(ps->spread);
	ps->spread = NULL;
}
