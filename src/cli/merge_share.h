/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `mpirun -np N assay merge`: ranks share the files. The command knows its rank
 * by what the launcher left in the environment, and needs no MPI: ranks meet in
 * a directory beside the output. Files are taken in chunks; a rank claims one
 * by a link that only one can make, and leaves it there merged. Rank 0 puts the
 * chunks together in their order, so the result is the same for any number of
 * ranks. A rank that never comes claims nothing, and nobody waits for it.
 */
#ifndef CLI_MERGE_SHARE_H
#define CLI_MERGE_SHARE_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/task.h"
#include "taskfile/taskfile.h"

struct merge_share {
	long rank;
	char *directory;
};

/*
 * Meet the other ranks of @task for the @n files @paths, which are to become
 * @output. PAPI_ENOCMP: rank 0 is not there, or was done already.
 */
int merge_share_open(struct merge_share *share, const struct task *task,
		     const char *output, char *const *paths, size_t n,
		     struct diag *diag);

/* Whether chunk @number is this rank's to merge. */
bool merge_share_claim(const struct merge_share *share, size_t number);

/* Leave chunk @number for rank 0; @part NULL: it could not be merged. */
int merge_share_put(const struct merge_share *share, size_t number,
		    struct taskfile_merge *part, struct diag *diag);

/* Wait for chunk @number, whoever merges it, and add it to @merge. */
int merge_share_get(const struct merge_share *share, size_t number,
		    struct taskfile_merge *merge, struct diag *diag);

/* Leave; rank 0 removes what lies there of @chunks chunks. */
void merge_share_close(struct merge_share *share, size_t chunks);

#endif /* CLI_MERGE_SHARE_H */
