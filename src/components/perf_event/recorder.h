/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples of other processes. The kernel gives a ring buffer to events that
 * are inherited only if they are bound to a CPU, so each event is opened on
 * every CPU, and all events of a CPU share a ring. What comes out of several
 * rings is put in the order of time before it is handed on.
 */
#pragma once

#include <linux/perf_event.h>

#include "core/component.h"

struct pe_recorder_ring {
	struct perf_event_mmap_page *page;
	const char *data;
	size_t bytes; /* of the data; a power of two */
};

/* A record that was read, and waits until all before it are. */
struct pe_held {
	uint64_t time;
	size_t at; /* in the bytes */
};

/* An event of a thread on a CPU. */
struct pe_recorded {
	uint64_t id; /* by which the kernel names it in records */
	size_t event;
	int fd;
};

/* In struct slice's priv. */
struct pe_recording {
	struct pe_recorded *opened; /* ascending by identity */
	size_t n;
	size_t cpus;                    /* that there may be */
	struct pe_recorder_ring *rings; /* by CPU; of some there is none */
	size_t n_rings;

	struct pe_held *held;
	size_t n_held;
	char *bytes; /* of held records */
	size_t used, capacity;
};

extern const struct recorder_ops pe_recorder;

/* The rings' contents, in recorder_read.c. */
int pe_recorder_take(struct slice *s, assay_record_fn fn, void *context);

/* Registers in the order of the kernel's mask, as DWARF numbers them. */
extern const uint64_t pe_register_mask;
#if defined(__x86_64__) || defined(__aarch64__)
#define PE_KNOWS_REGISTERS
#endif

struct pe_recording *pe_recording_of(const struct slice *s);
