/* SPDX-License-Identifier: BSD-3-Clause */
/* What regions have recorded in this process, for whoever writes it down. */
#pragma once

#include <pthread.h>

#include "papi/hl_events.h"
#include "papi/regions.h"

/* Two metrics come before the events. */
enum {
	HL_CYCLES,
	HL_REAL_NS,
	HL_EVENTS,
};

/* One thread's recordings; they stay when the thread has ended. */
struct hl_record {
	pthread_mutex_t lock; /* guards all below */
	struct regions regions;
	long long *now; /* room for one reading */
	int set;        /* PAPI_NULL: not counting */
	unsigned epoch; /* of the library that set belongs to */
	int number;
	struct hl_record *next;
};

struct hl_recording {
	struct hl_events events;
	bool *levels; /* of all metrics */
	char cpu_name[128];
	int max_mhz;
	int min_mhz;
	struct hl_record *records; /* the newest first */
	int n_records;
	char *folder; /* where the output went; NULL: not written yet */
};

/*
 * Write all of it to papi_hl_output/rank_NNNNNN.json in @base, as a whole or
 * not at all. A folder with another program's result of the same rank is
 * renamed first; recording->folder is set. The caller holds the recording's
 * lock; each record's is taken here.
 */
int hl_output_write(struct hl_recording *recording, const char *base);

/* The same as a table, for PAPI_REPORT. */
void hl_output_report(struct hl_recording *recording);
