/* SPDX-License-Identifier: BSD-3-Clause */
/* A program run while its samples are taken. */
#ifndef RECORD_RUN_H
#define RECORD_RUN_H

#include "measure/attach.h"
#include "record/record.h"

struct record_run {
	struct pmu *pmu;
	const struct record_events *events;
	bool stacks;
	struct gather *gather; /* its profile gets all there is to know */
	/* internal */
	struct assay_recorder *recorder;
	int failed; /* what a take gave, other than 0 */
};

/* 0 with the program's status in the profile, or a status after a message. */
int record_run(const struct console *console, struct record_run *run,
	       char **argv);

/* Likewise for a process that runs already. */
int record_attach(const struct console *console, struct record_run *run,
		  const struct attach *attach);

#endif /* RECORD_RUN_H */
