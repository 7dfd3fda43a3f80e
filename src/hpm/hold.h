/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that are kept for a library that puts those of all tasks together
 * (libhpm_mpi). Most programs call hpmTerminate() before MPI_Finalize(). A file
 * is written as ever, so that a task that dies in between takes nothing with
 * it; who has put them all together removes it.
 */
#pragma once

#include <hpm.h>
#include <limits.h>
#include <stddef.h>

#include "hpm/state.h"

struct hpm_held {
	char *text; /* a whole performance file */
	size_t size;
	char path[PATH_MAX]; /* where it was written */
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

/* Write the file of the sections so far, as one that is not complete: the
 * program is about to be ended. */
ASSAY_API void hpm_write_now(void);

/* Keep the file of @state, if files are kept and there is memory for it. */
void hold_keep(struct hpm_state *state);

/* Whether files are kept: then each task's has a name of its own. */
bool hold_is_on(void);

/* The first that is kept, or NULL. */
struct hpm_held *hold_first(void);

/* They belong to the parent process. */
void hold_abandon(void);
