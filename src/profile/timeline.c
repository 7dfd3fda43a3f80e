/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When samples were taken: a histogram over time for each thread, stack and
 * event. A recording may last for days, so the number of bins is bounded, not
 * their width: they are made twice as wide, two becoming one, when the
 * recording goes on behind the last, or when bins are too many in all.
 */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/profile.h"

#define MOST_ENTRIES 262144 /* of all histograms; some 2 MB of a file */
#define FEWEST_BINS  64     /* that are kept for the sake of that */

/* Add @n to the bin, most often the last one. */
static int add_to_bins(struct profile_bins *bins, size_t bin, uint64_t n,
		       size_t *entries)
{
	size_t at = bins->n;

	while (at > 0 && bins->items[at - 1].bin > bin)
		at--;
	if (at > 0 && bins->items[at - 1].bin == bin) {
		bins->items[at - 1].n += n;
		return 0;
	}
	if (array_grow(&bins->items, bins->n, sizeof(*bins->items)))
		return PAPI_ENOMEM;
	memmove(bins->items + at + 1, bins->items + at,
		(bins->n - at) * sizeof(*bins->items));
	bins->items[at] = (struct profile_bin){ bin, n };
	bins->n++;
	(*entries)++;
	return 0;
}

static void halve(struct profile_bins *bins)
{
	size_t kept = 0;

	for (size_t i = 0; i < bins->n; i++) {
		struct profile_bin half = bins->items[i];

		half.bin /= 2;
		if (kept && bins->items[kept - 1].bin == half.bin)
			bins->items[kept - 1].n += half.n;
		else
			bins->items[kept++] = half;
	}
	bins->n = kept;
}

static void widen(struct profile *p)
{
	struct profile_timeline *t = &p->timeline;

	t->step *= 2;
	t->bins = (t->bins + 1) / 2;
	t->entries = 0;
	for (size_t i = 0; i < p->n_samples; i++)
		for (size_t e = 0; p->samples[i].times && e < p->n_events;
		     e++) {
			halve(&p->samples[i].times[e]);
			t->entries += p->samples[i].times[e].n;
		}
}

int profile_add_to_bin(struct profile *p, const struct profile_place *place,
		       size_t bin, uint64_t n)
{
	struct profile_timeline *t = &p->timeline;
	struct profile_sample *sample;
	int err = profile_add_samples(p, place->thread, place->stack,
				      place->event, n);
	size_t row;

	if (err || n == 0)
		return err;
	pairs_find(&p->sample_rows, place->thread, place->stack, &row);
	sample = &p->samples[row];
	if (!sample->times)
		sample->times = calloc(p->n_events, sizeof(*sample->times));
	if (!sample->times)
		return PAPI_ENOMEM;
	if (t->bins < bin + 1)
		t->bins = bin + 1;
	return add_to_bins(&sample->times[place->event], bin, n, &t->entries);
}

int profile_add_at(struct profile *p, const struct profile_place *place,
		   uint64_t time)
{
	struct profile_timeline *t = &p->timeline;

	if (!t->step)
		t->step = 1;
	while (time / t->step >= PROFILE_BINS ||
	       (t->entries >= MOST_ENTRIES && t->bins > FEWEST_BINS))
		widen(p);
	return profile_add_to_bin(p, place, (size_t)(time / t->step), 1);
}
