/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Address histograms.
 *
 * As in profil(2), a region's scale is a binary fraction: 65536 gives one
 * bucket to every two bytes of program text, 32768 to every four. What falls
 * outside every region is not counted anywhere. A bucket stops at its largest
 * number instead of wrapping to 0.
 */
#include "core/profil.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/wide.h"

#define BUCKET_FLAGS                                                           \
	(PAPI_PROFIL_BUCKET_16 | PAPI_PROFIL_BUCKET_32 | PAPI_PROFIL_BUCKET_64)
/* A bucket for each address; 65536 is one for two of them. */
#define PROFIL_FINEST 0x20000

#define ALL_FLAGS                                                              \
	(PAPI_PROFIL_RANDOM | PAPI_PROFIL_WEIGHTED | PAPI_PROFIL_COMPRESS |    \
	 BUCKET_FLAGS | PAPI_PROFIL_FORCE_SW | PAPI_PROFIL_DATA_EAR |          \
	 PAPI_PROFIL_INST_EAR)

struct profil {
	PAPI_sprofil_t *regions; /* the caller's */
	int n;
	int flags;
	atomic_uint_fast64_t chance; /* state of the random choice */
};

static int check_region(const PAPI_sprofil_t *region)
{
	if (region->pr_scale > PROFIL_FINEST)
		return PAPI_EINVAL;
	if (region->pr_scale >= 2 && (!region->pr_base || !region->pr_size))
		return PAPI_EINVAL;
	return 0;
}

int profil_new(PAPI_sprofil_t *regions, int n, int flags, struct profil **out)
{
	int buckets = flags & BUCKET_FLAGS;
	struct profil *p;

	if (!regions || n <= 0 || (flags & ~ALL_FLAGS) ||
	    (buckets & (buckets - 1)))
		return PAPI_EINVAL;
	for (int i = 0; i < n; i++)
		if (check_region(&regions[i]))
			return PAPI_EINVAL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return PAPI_ENOMEM;
	p->regions = regions;
	p->n = n;
	p->flags = flags;
	atomic_init(&p->chance, 0x9e3779b97f4a7c15U);
	*out = p;
	return 0;
}

void profil_free(struct profil *p)
{
	free(p);
}

/* The region that starts last at or before @address, or NULL. */
static PAPI_sprofil_t *region_of(const struct profil *p, uintptr_t address)
{
	PAPI_sprofil_t *best = NULL;

	for (int i = 0; i < p->n; i++) {
		PAPI_sprofil_t *region = &p->regions[i];
		uintptr_t start = (uintptr_t)region->pr_off;

		if (region->pr_scale >= 2 && start <= address &&
		    (!best || start >= (uintptr_t)best->pr_off))
			best = region;
	}
	return best;
}

/* A number from 0 to 65535 that looks random (splitmix64); no lock. */
static unsigned draw(struct profil *p)
{
	uint64_t z = atomic_fetch_add(&p->chance, 0x9e3779b97f4a7c15U);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
	z = (z ^ z >> 27) * 0x94d049bb133111ebU;
	return (unsigned)(z >> 48);
}

/*
 * How much to add to a bucket that holds @held: RANDOM leaves out one sample
 * in four, COMPRESS leaves out more the fuller a bucket is, WEIGHTED adds up
 * to 255 by how far the count overshot.
 */
static unsigned increment(struct profil *p, uint64_t held, unsigned weight)
{
	if ((p->flags & PAPI_PROFIL_RANDOM) && draw(p) < 16384)
		return 0;
	if ((p->flags & PAPI_PROFIL_COMPRESS) && draw(p) < held)
		return 0;
	if (!(p->flags & PAPI_PROFIL_WEIGHTED) || weight < 1)
		return 1;
	return weight > 255 ? 255 : weight;
}

unsigned profil_weight(uint64_t overshoot, uint64_t threshold)
{
	uint64_t weight;

	if (overshoot <= 1)
		return 1;
	if (overshoot > threshold)
		return 255;
	weight = (uint64_t)((uwide)overshoot * 255 / threshold);
	return weight ? (unsigned)weight : 1;
}

static size_t bucket_bytes(const struct profil *p)
{
	if (p->flags & PAPI_PROFIL_BUCKET_64)
		return 8;
	return p->flags & PAPI_PROFIL_BUCKET_32 ? 4 : 2;
}

#define ADD_TO_BUCKET(type, base, index, max)                                  \
	do {                                                                   \
		type *bucket = (type *)(base) + (index);                       \
		type held = __atomic_load_n(bucket, __ATOMIC_RELAXED);         \
		uint64_t more = increment(p, held, weight);                    \
		type capacity = (type)((max)-held);                            \
                                                                               \
		if (more > capacity)                                           \
			more = capacity;                                       \
		__atomic_fetch_add(bucket, (type)more, __ATOMIC_RELAXED);      \
	} while (0)

void profil_add(struct profil *p, const void *address, unsigned weight)
{
	PAPI_sprofil_t *region = region_of(p, (uintptr_t)address);
	uwide offset;
	uint64_t index;

	if (!region)
		return;
	offset = (uintptr_t)address - (uintptr_t)region->pr_off;
	index = (uint64_t)(offset * region->pr_scale >> 17);
	if (!region->pr_off && region->pr_scale == 2)
		index = 0; /* everything in one bucket, by convention */
	if (index >= region->pr_size / bucket_bytes(p))
		return;
	switch (bucket_bytes(p)) {
	case 2:
		ADD_TO_BUCKET(uint16_t, region->pr_base, index, UINT16_MAX);
		break;
	case 4:
		ADD_TO_BUCKET(uint32_t, region->pr_base, index, UINT32_MAX);
		break;
	default:
		ADD_TO_BUCKET(uint64_t, region->pr_base, index, UINT64_MAX);
	}
}
