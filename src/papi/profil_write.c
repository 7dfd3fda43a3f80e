/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histograms of PAPI_profil() as a file; docs/formats/histogram.md. What is
 * mapped goes with them: addresses mean nothing in another process.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <assay/record.h>

#include "base/file.h"
#include "papi/error.h"

#define BUCKETS                                                                \
	(PAPI_PROFIL_BUCKET_16 | PAPI_PROFIL_BUCKET_32 | PAPI_PROFIL_BUCKET_64)

static size_t bucket_bytes(int flags)
{
	if (flags & PAPI_PROFIL_BUCKET_64)
		return 8;
	return flags & PAPI_PROFIL_BUCKET_32 ? 4 : 2;
}

static uint64_t bucket_at(const PAPI_sprofil_t *region, size_t i, size_t bytes)
{
	switch (bytes) {
	case 8:
		return ((const uint64_t *)region->pr_base)[i];
	case 4:
		return ((const uint32_t *)region->pr_base)[i];
	default:
		return ((const uint16_t *)region->pr_base)[i];
	}
}

static void put_region(const PAPI_sprofil_t *region, int flags, FILE *to)
{
	size_t bytes = bucket_bytes(flags);
	size_t n = region->pr_base ? region->pr_size / bytes : 0;

	fprintf(to, "region %" PRIxPTR " %u %zu\n", (uintptr_t)region->pr_off,
		region->pr_scale, n);
	for (size_t i = 0; i < n; i++) {
		uint64_t count = bucket_at(region, i, bytes);

		if (count)
			fprintf(to, "%zu %" PRIu64 "\n", i, count);
	}
}

/* "START-END PERMISSIONS OFFSET DEVICE INODE PATH", as in proc(5). */
static void put_map(char *line, FILE *to)
{
	unsigned long long start, end, offset;
	char may[8];
	int path = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %n", &start, &end, may,
		   &offset, &path) != 4 ||
	    may[2] != 'x')
		return;
	fprintf(to, "map %llx %llx %llx%s%s\n", start, end, offset,
		path && line[path] ? " " : "", path ? line + path : "");
}

static int put_maps(FILE *to)
{
	FILE *from = fopen("/proc/self/maps", "re");
	OWNED char *line = NULL;
	size_t capacity = 0;

	if (!from)
		return PAPI_ESYS;
	while (getline(&line, &capacity, from) > 0)
		put_map(line, to);
	fclose(from);
	return 0;
}

static int put_all(FILE *to, const PAPI_sprofil_t *regions, int n, int flags)
{
	char program[PATH_MAX] = "";
	ssize_t length =
		readlink("/proc/self/exe", program, sizeof(program) - 1);
	int err;

	program[length > 0 ? length : 0] = '\0';
	fprintf(to, "program %s\n", program);
	err = put_maps(to);
	for (int i = 0; !err && i < n; i++)
		put_region(&regions[i], flags, to);
	return err;
}

static bool are_sound(const PAPI_sprofil_t *regions, int n, int flags)
{
	int size = flags & BUCKETS;

	if (!regions || n < 1 || (size & (size - 1)))
		return false;
	for (int i = 0; i < n; i++)
		if (regions[i].pr_size && !regions[i].pr_base)
			return false;
	return true;
}

int assay_profil_write(const char *path, const PAPI_sprofil_t *regions, int n,
		       int flags, const char *event, uint64_t threshold)
{
	struct diag diag = { .text = "" };
	struct outfile *file;
	int err;

	if (!path || !event || !*event || strchr(event, '\n') ||
	    threshold == 0 || !are_sound(regions, n, flags))
		return error_set(PAPI_EINVAL);
	err = outfile_open(path, &file, &diag);
	if (err)
		return error_from(err, &diag);
	fprintf(outfile_stream(file),
		"assay histogram 1\nevent %" PRIu64 " %s\n", threshold, event);
	err = put_all(outfile_stream(file), regions, n, flags);
	if (err) {
		outfile_abort(file);
		return error_say(err, "/proc/self/maps cannot be read");
	}
	return error_from(outfile_commit(file, &diag), &diag);
}
