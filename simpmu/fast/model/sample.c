/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows, and what follows from them; see sample.h. */
#include "simpmu/fast/model/sample.h"

bool sample_all;

__extension__ typedef unsigned __int128 wide;

/* Mixes bits: neighbours give numbers that have nothing in common. */
static uint64_t draw(uint64_t seed)
{
	seed += UINT64_C(0x9e3779b97f4a7c15);
	seed = (seed ^ seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	seed = (seed ^ seed >> 27) * UINT64_C(0x94d049bb133111eb);
	return seed ^ seed >> 31;
}

/* Units differ in length: loops that take as long as a unit, or two of which
 * do, would be seen at some places more often than at others. */
static uint64_t unit_at(uint64_t at)
{
	uint64_t unit = SAMPLE_UNIT;

	for (uint64_t span = SAMPLE_SPAN; at >= span && span; span *= 2)
		unit *= 2;
	return unit / 2 + draw(~at) % unit;
}

void sampler_next(struct sampler *s)
{
	uint64_t unit = unit_at(s->at);
	const uint64_t detailed = SAMPLE_WARM + SAMPLE_WINDOW;

	s->start = s->at;
	if (!s->is_begun || sample_all) {
		s->is_begun = true;
		s->warm = s->counted = s->at;
		s->until = sample_all ? UINT64_MAX : s->at + SAMPLE_EXACT;
		s->end = s->until;
		return;
	}
	s->until = s->at + unit;
	s->warm = s->at + draw(s->at) % (unit - detailed);
	s->counted = s->warm + SAMPLE_WARM;
	s->end = s->counted + SAMPLE_WINDOW;
}

/* ---- estimates ---- */

void estimate_begin(struct estimate *e, const uint64_t *tallies)
{
	e->is_counting = true;
	for (unsigned i = 0; i < SAMPLE_TALLIES; i++)
		e->base[i] = tallies[TALLY_CYCLES + i] - e->counted[i];
}

void estimate_update(struct estimate *e, const uint64_t *tallies)
{
	for (unsigned i = 0; e->is_counting && i < SAMPLE_TALLIES; i++)
		e->counted[i] = tallies[TALLY_CYCLES + i] - e->base[i];
}

void estimate_add_apart(struct estimate *e, const uint64_t *before,
			const uint64_t *tallies, uint64_t insns)
{
	e->apart += insns;
	for (unsigned i = 0; i < SAMPLE_TALLIES; i++) {
		uint64_t growth = tallies[TALLY_CYCLES + i] - before[i];

		e->sum[i] += growth;
		e->estimated[i] += growth; /* what was around it is guessed */
		e->base[i] += growth;
	}
}

/* @counted in @insns instructions are so many in @all. */
static uint64_t scale(uint64_t counted, uint64_t insns, uint64_t all)
{
	if (insns == all || !insns)
		return counted;
	return (uint64_t)((wide)counted * all / insns);
}

uint64_t estimate_unseen(const struct estimate *e, uint64_t at)
{
	if (at <= e->seen || !e->old_insns)
		return 0;
	return scale(e->old[0], e->old_insns, at - e->seen);
}

/* Instructions of the unit that the window stands for, up to where @s is. */
static uint64_t sampled_insns(const struct estimate *e, const struct sampler *s)
{
	uint64_t all = s->at - s->start;

	return all > e->apart ? all - e->apart : 0;
}

static double squared_change(const struct estimate *e, unsigned i)
{
	double change = (double)e->counted[i] / (double)e->insns -
			(double)e->old[i] / (double)e->old_insns;

	return change * change;
}

/* The first of two neighbours has none before it: it counts with the second. */
static void add_change(struct estimate *e, double unit)
{
	double times = e->units == 2 ? 2 : 1;

	for (unsigned i = 0; e->units >= 2 && i < SAMPLE_TALLIES; i++) {
		e->change[i] = squared_change(e, i);
		e->variance[i] += times * unit * unit * e->change[i] / 2;
	}
}

void estimate_end_unit(struct estimate *e, const struct sampler *s)
{
	uint64_t unit = sampled_insns(e, s);
	bool is_exact = sampler_is_exact(s) && e->insns == unit;

	e->is_counting = false;
	if (!e->insns) /* nothing of it was seen: it is like the one before */
		for (unsigned i = 0; i < SAMPLE_TALLIES; i++)
			e->counted[i] = e->old[i];
	else if (!is_exact)
		add_change(e, (double)unit);
	if (!e->insns)
		e->insns = e->old_insns;
	for (unsigned i = 0; i < SAMPLE_TALLIES; i++) {
		uint64_t all = scale(e->counted[i], e->insns, unit);

		e->sum[i] += all;
		e->estimated[i] += is_exact ? 0 : all;
		if (!is_exact && all > e->most[i])
			e->most[i] = all;
		e->old[i] = e->counted[i];
		e->counted[i] = 0;
	}
	e->old_insns = e->insns;
	e->insns = e->apart = 0;
	e->units++;
}

void estimate_add(const struct estimate *e, const struct sampler *s,
		  uint64_t out[TALLY_COUNT])
{
	uint64_t unit = sampled_insns(e, s);
	bool is_seen = e->insns >= SAMPLE_WINDOW / 2 || !e->units;

	for (unsigned i = 0; i < SAMPLE_TALLIES; i++)
		out[TALLY_CYCLES + i] +=
			e->sum[i] +
			(is_seen ? scale(e->counted[i], e->insns, unit)
				 : scale(e->old[i], e->old_insns, unit));
}

void estimate_add_variance(const struct estimate *e, const struct sampler *s,
			   double out[SAMPLE_TALLIES])
{
	double unit = e->units ? (double)sampled_insns(e, s) : 0;

	for (unsigned i = 0; i < SAMPLE_TALLIES; i++) {
		double bias = SAMPLE_BIAS * (double)e->estimated[i];
		double most = (double)e->most[i];

		out[i] += e->variance[i] + unit * unit * e->change[i] / 2 +
			  bias * bias + most * most;
	}
}
