/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much memory this process has, from /proc/self/status. Its counts are
 * batched per thread in recent kernels and may lag by some pages, which
 * smaps_rollup's do not, but that one walks the page tables: only the numbers
 * that nobody else has are taken from it.
 */
#include "host/process.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "host/text.h"

/* A line of /proc/self/status or smaps_rollup, "key:  n kB". */
struct field {
	const char *key;
	size_t offset;
};

#define FIELD(key_, member)                                                    \
	{                                                                      \
		.key = key_, .offset = offsetof(struct process_memory, member) \
	}

static const struct field status_fields[] = {
	FIELD("VmPeak", peak),    FIELD("VmSize", size),
	FIELD("VmRSS", resident), FIELD("VmHWM", high_water),
	FIELD("VmExe", text),     FIELD("VmLib", library),
	FIELD("VmData", heap),    FIELD("VmLck", locked),
	FIELD("VmStk", stack),    FIELD("VmPTE", page_table),
	FIELD("VmSwap", swap),
};

static const struct field rollup_fields[] = {
	FIELD("Pss", proportional),
	FIELD("AnonHugePages", huge),
};

static unsigned take_fields(const char *text, const struct field *fields,
			    size_t n, struct process_memory *m)
{
	unsigned found = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t *to = (void *)((char *)m + fields[i].offset);

		if (text_find_number(text, fields[i].key, to))
			found++;
	}
	return found;
}

int process_read_memory(const struct fs *fs, struct process_memory *out)
{
	struct process_memory m = { 0 };
	OWNED char *status = fs_read(fs, "proc/self/status");
	OWNED char *rollup = NULL;
	uint64_t file_kb = 0, shmem_kb = 0;
	unsigned found = 0;

	if (status) {
		found = take_fields(status, status_fields,
				    ARRAY_SIZE(status_fields), &m);
		text_find_number(status, "RssFile", &file_kb);
		text_find_number(status, "RssShmem", &shmem_kb);
		m.shared = file_kb + shmem_kb;
	}
	if (!found)
		return PAPI_ESYS;
	rollup = fs_read(fs, "proc/self/smaps_rollup");
	if (rollup)
		take_fields(rollup, rollup_fields, ARRAY_SIZE(rollup_fields),
			    &m);
	m.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	*out = m;
	return 0;
}
