/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a bundle does where it is run: it learns what can be counted, makes the
 * plan for that machine and counts it, unit by unit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "bundle/request.h"
#include "classify/classify.h"
#include "process/process.h"

struct drive_event {
	char *name;
	char *reason; /* why it cannot be counted; NULL: it can */
};

struct drive {
	const struct request *request;
	struct process worker; /* runs kernels, see lab/worker.h */
	struct drive_event *events;
	size_t n_events;
	size_t *wanted; /* numbers of events that can be counted */
	size_t n_wanted;
	size_t *set_sizes;
	size_t n_sets;
	struct strbuf sets; /* their lines */
	struct strbuf hello, where;
	bool simulated;
	struct kernel_machine machine;
	struct classify_plan plan;
	bool *done; /* [unit][set] */
};

/*
 * Start the process that counts and learn what there is: events, sets, plan.
 * 0, or a PAPI error with the sentence.
 */
int drive_start(struct drive *drive, const struct request *request,
		struct diag *diag);

/* The lines of the file up to "counts". */
void drive_header(const struct drive *drive, struct strbuf *to);

/*
 * Count unit @unit; if @set is not DRIVE_ALL, that set alone. The lines are
 * added to @to. 0, or a PAPI error with the sentence: no unit can be run.
 */
#define DRIVE_ALL ((size_t)-1)
int drive_unit(struct drive *drive, size_t unit, size_t set, struct strbuf *to,
	       struct diag *diag);

void drive_end(struct drive *drive);
