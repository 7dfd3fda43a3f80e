/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histograms of program addresses, in the manner of profil(2): PAPI_profil()
 * and PAPI_sprofil(). Adding to one is safe in a signal handler.
 */
#ifndef CORE_PROFIL_H
#define CORE_PROFIL_H

#include <papi.h>

struct profil; /* one EventSet's regions and flags */

/*
 * @regions is borrowed until profil_free(). @flags are PAPI_PROFIL_*.
 * PAPI_EINVAL: no regions, a scale outside 2..65536 (0 and 1 are off), or two
 * bucket sizes at once.
 */
int profil_new(PAPI_sprofil_t *regions, int n, int flags, struct profil **out);
void profil_free(struct profil *p);

/* Count @address; @weight is how much the event overshot, for WEIGHTED. */
void profil_add(struct profil *p, const void *address, unsigned weight);

#endif /* CORE_PROFIL_H */
