/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that are not written when the sections end, but kept for a library
 * that puts those of all tasks together (libhpm_mpi). Most programs call
 * hpmTerminate() before MPI_Finalize(). What nobody takes is written when the
 * program ends.
 */
#ifndef HPM_HOLD_H
#define HPM_HOLD_H

#include <hpm.h>
#include <limits.h>
#include <stddef.h>

#include "hpm/state.h"

struct hpm_held {
	char *text; /* a whole performance file */
	size_t size;
	char path[PATH_MAX]; /* its name, if it were written */
	char program[128];
	struct hpm_held *next;
};

/* From now on keep files. For another library of ours. */
ASSAY_API void hpm_hold(void);

/*
 * The next file that is kept, to be released by hpm_release(); NULL if there
 * is none. Sections that have not ended are ended by it.
 */
ASSAY_API struct hpm_held *hpm_take(void);
ASSAY_API void hpm_release(struct hpm_held *held);

/* Write @held to its file. */
ASSAY_API void hpm_write_held(const struct hpm_held *held);

/* Keep the file of @state; false: it is to be written. */
bool hold_keep(struct hpm_state *state);

/* The first that is kept, or NULL. */
struct hpm_held *hold_first(void);

/* They belong to the parent process. */
void hold_abandon(void);

#endif /* HPM_HOLD_H */
