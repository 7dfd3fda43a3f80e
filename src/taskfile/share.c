/* SPDX-License-Identifier: BSD-3-Clause */
/* Claims are symbolic links, which are made whole and only once, also on NFS.
 */

#include "taskfile/taskfile.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "taskfile/inside.h"

#define PATIENCE_NS 10000000000u /* for rank 0 to come */
#define POLL_NS     5000000

/* One number for the files and where they go: merges that differ never meet. */
static uint64_t fingerprint(const char *output, char *const *paths, size_t n)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a */

	for (size_t i = 0; i <= n; i++) {
		const char *text = i < n ? paths[i] : output;

		for (; *text; text++)
			hash = (hash ^ (unsigned char)*text) * 1099511628211u;
		hash *= 1099511628211u;
	}
	return hash;
}

static char *directory_for(const char *output, char *const *paths, size_t n)
{
	const char *slash = strrchr(output, '/');
	struct strbuf name = { 0 };

	if (slash)
		strbuf_addn(&name, output, (size_t)(slash + 1 - output));
	strbuf_add(&name, ".assay-merge.");
	taskfile_job_add(&name);
	strbuf_addf(&name, ".%016llx",
		    (unsigned long long)fingerprint(output, paths, n));
	return strbuf_take(&name);
}

static void pause_briefly(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = POLL_NS }, NULL);
}

static int wait_for_rank_0(const char *directory)
{
	uint64_t until = clock_real_ns() + PATIENCE_NS;

	while (access(directory, F_OK)) {
		if (clock_real_ns() > until)
			return PAPI_ENOCMP;
		pause_briefly();
	}
	return 0;
}

int taskfile_share_open(struct taskfile_share *share, long rank,
			const char *output, char *const *paths, size_t n,
			struct diag *diag)
{
	int err = 0;

	share->rank = rank;
	share->directory = directory_for(output, paths, n);
	if (!share->directory)
		return diag_fail(diag, PAPI_ENOMEM, "out of memory");
	if (share->rank > 0)
		err = wait_for_rank_0(share->directory);
	else if (mkdir(share->directory, 0777))
		err = diag_fail(
			diag, PAPI_ESYS,
			"cannot create the directory %s, in which ranks share "
			"their work: %s",
			share->directory, strerror(errno));
	if (err) {
		free(share->directory);
		share->directory = NULL;
	}
	return err;
}

/* The file @kind of chunk @number; to be freed. */
static char *name_of(const struct taskfile_share *share, const char *kind,
		     size_t number)
{
	return str_format("%s/%s.%zu", share->directory, kind, number);
}

bool taskfile_share_claim(const struct taskfile_share *share, size_t number)
{
	OWNED char *name = name_of(share, "claim", number);
	char rank[24];

	snprintf(rank, sizeof(rank), "%ld", share->rank);
	return name && symlink(rank, name) == 0;
}

static int write_part(const char *path, struct taskfile_merge *part,
		      struct diag *diag)
{
	struct outfile *file;
	int err = outfile_open(path, &file, diag);

	if (err)
		return err;
	if (part) {
		struct taskfile_sink sink =
			taskfile_writer(outfile_stream(file));

		err = taskfile_merge_give(part, &sink);
		taskfile_write_end(outfile_stream(file));
	}
	if (err) {
		outfile_abort(file);
		return diag_fail(diag, err, "out of memory");
	}
	return outfile_commit(file, diag);
}

int taskfile_share_put(const struct taskfile_share *share, size_t number,
		       struct taskfile_merge *part, struct diag *diag)
{
	OWNED char *name = name_of(share, part ? "part" : "failed", number);

	return name ? write_part(name, part, diag)
		    : diag_fail(diag, PAPI_ENOMEM, "out of memory");
}

int taskfile_share_get(const struct taskfile_share *share, size_t number,
		       struct taskfile_merge *merge, struct diag *diag)
{
	OWNED char *part = name_of(share, "part", number);
	OWNED char *failed = name_of(share, "failed", number);
	int err = part && failed ? 0 : PAPI_ENOMEM;

	while (!err && access(part, F_OK)) {
		if (!access(failed, F_OK))
			err = diag_fail(diag, PAPI_ESYS,
					"another rank could not merge its "
					"files");
		else
			pause_briefly();
	}
	if (!err)
		err = taskfile_merge_add(merge, part, diag);
	return err;
}

static void remove_all(const struct taskfile_share *share, size_t number)
{
	static const char *const kinds[] = { "claim", "part", "failed" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		OWNED char *name = name_of(share, kinds[i], number);

		if (name)
			unlink(name);
	}
}

/* A rank that comes late finds nothing to claim there any more. */
static void withdraw(struct taskfile_share *share)
{
	char *aside = str_format("%s.done", share->directory);

	if (aside && rename(share->directory, aside) == 0) {
		free(share->directory);
		share->directory = aside;
		return;
	}
	free(aside);
}

void taskfile_share_close(struct taskfile_share *share, size_t chunks)
{
	if (share->rank == 0) {
		withdraw(share);
		for (size_t i = 0; i < chunks; i++)
			remove_all(share, i);
		rmdir(share->directory);
	}
	free(share->directory);
	share->directory = NULL;
}
