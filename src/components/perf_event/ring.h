/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring buffer that the kernel writes an event's samples into. */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PE_RECORD_WORDS 8

struct pe_ring {
	struct perf_event_mmap_page *page; /* NULL: there is none */
	const char *data;
	size_t bytes; /* of the data; a power of two */
};

/* A record's beginning: what follows its header, cut at the room here. */
struct pe_record {
	uint32_t type; /* PERF_RECORD_* */
	size_t n;      /* words */
	uint64_t words[PE_RECORD_WORDS];
};

/* Map @pages (a power of two) of @fd. False: @ring has none. */
bool pe_ring_open(struct pe_ring *ring, int fd, size_t pages);

/* Unmap; in the child of a fork (@stale) the kernel has done so. */
void pe_ring_close(struct pe_ring *ring, bool stale);

/*
 * Whether there may have been no room for a record of up to @bytes. The kernel
 * tells of those only when there is room again.
 */
bool pe_ring_is_full(const struct pe_ring *ring, size_t bytes);

/* Take the oldest record out. False: empty. Safe in a signal handler. */
bool pe_ring_next(struct pe_ring *ring, struct pe_record *out);
