/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histograms of program addresses, in the manner of profil(2): PAPI_profil()
 * and PAPI_sprofil(). Adding to one is safe in a signal handler.
 */
#pragma once

#include <papi.h>
#include <stdint.h>

struct profil; /* one EventSet's regions and flags */

/*
 * @regions is borrowed until profil_free(). @flags are PAPI_PROFIL_*.
 * PAPI_EINVAL: no regions, a scale outside 2..0x20000 (0 and 1 are off), or two
 * bucket sizes at once.
 */
int profil_new(PAPI_sprofil_t *regions, int n, int flags, struct profil **out);
void profil_free(struct profil *p);

/*
 * What a sample weighs with PAPI_PROFIL_WEIGHTED, 1 to 255: by how much the
 * count was beyond its threshold when it was looked at, in 255ths of the
 * threshold. Interrupts come at the threshold, so theirs is 0: they weigh 1.
 */
unsigned profil_weight(uint64_t overshoot, uint64_t threshold);

/* Count @address; @weight is for WEIGHTED. */
void profil_add(struct profil *p, const void *address, unsigned weight);
