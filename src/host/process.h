/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of this process: how much, and what is mapped where. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/fs.h"

/* All in KiB, but for the page. */
struct process_memory {
	uint64_t peak; /* highest size so far */
	uint64_t size;
	uint64_t resident;
	uint64_t high_water; /* highest resident so far */
	uint64_t shared;     /* resident and backed by a file or shared */
	uint64_t text;
	uint64_t library;
	uint64_t heap; /* private writable data: heap, .data and .bss */
	uint64_t locked;
	uint64_t stack;
	uint64_t page_table;
	uint64_t swap;
	uint64_t proportional; /* resident, shared pages divided by sharers */
	uint64_t huge;         /* resident in transparent huge pages */
	uint64_t page_bytes;
};

/* PAPI_ESYS if /proc does not tell. What one file lacks is 0. */
int process_read_memory(const struct fs *fs, struct process_memory *out);

/* One program file in memory. Ranges are [start, end); empty ones are 0, 0. */
struct process_object {
	char *path; /* owned */
	uintptr_t text_start;
	uintptr_t text_end;
	uintptr_t data_start;
	uintptr_t data_end;
	uintptr_t bss_start; /* the anonymous memory that follows the data */
	uintptr_t bss_end;
};

struct process_objects {
	char *executable;             /* its path; "" if not known; owned */
	struct process_object *items; /* the executable first, if it is there */
	size_t n;
};

/*
 * Files of which code is mapped, by /proc/self/maps. PAPI_ESYS if that cannot
 * be read, PAPI_ENOMEM.
 */
int process_read_objects(const struct fs *fs, struct process_objects *out);
void process_fini_objects(struct process_objects *objects);
