/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `mpirun -np N assay merge`: ranks share the files. The command knows its rank
 * by what the launcher left in the environment, and needs no MPI: ranks meet in
 * a directory beside the output. Files are taken in chunks; a rank claims one
 * by a link that only one can make, and leaves it there merged. Rank 0 puts the
 * chunks together in their order, so the result is the same for any number of
 * ranks. A rank that never comes claims nothing, and nobody waits for it.
 */
#ifndef TASKFILE_SHARE_H
#define TASKFILE_SHARE_H

#include <stdbool.h>
#include <stddef.h>

#include "taskfile/taskfile.h"

struct taskfile_share {
	long rank;
	char *directory;
};

/*
 * Meet the other ranks, of which this is @rank, for the @n files @paths, which
 * are to become
 * @output. PAPI_ENOCMP: rank 0 is not there, or was done already.
 */
int taskfile_share_open(struct taskfile_share *share, long rank,
			const char *output, char *const *paths, size_t n,
			struct diag *diag);

/* Whether chunk @number is this rank's to merge. */
bool taskfile_share_claim(const struct taskfile_share *share, size_t number);

/* Leave chunk @number for rank 0; @part NULL: it could not be merged. */
int taskfile_share_put(const struct taskfile_share *share, size_t number,
		       struct taskfile_merge *part, struct diag *diag);

/* Wait for chunk @number, whoever merges it, and add it to @merge. */
int taskfile_share_get(const struct taskfile_share *share, size_t number,
		       struct taskfile_merge *merge, struct diag *diag);

/* Leave; rank 0 removes what lies there of @chunks chunks. */
void taskfile_share_close(struct taskfile_share *share, size_t chunks);

#endif /* TASKFILE_SHARE_H */
