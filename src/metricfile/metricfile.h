/* SPDX-License-Identifier: BSD-3-Clause */
/* What `assay metrics` can do; each takes what follows its word. */
#pragma once

#include <stdio.h>

#include "console/console.h"
#include "measure/metrics.h"
#include "measure/pmu.h"

/* Metrics applied to recorded counts: of a run, or a stream of records. */

/* Where records come from, and what is made of them. */
struct record_stream {
	const struct metric_set *set;
	const char *path; /* for messages */
	FILE *from;
	double clock_hz; /* for "#"; NaN: not known */
	bool json;       /* else CSV is written */
	size_t records;  /* that there were */
	struct diag *diag;
};

/*
 * Read CSV, a line of event names and then a record a line, and write the
 * values of all metrics record by record. Memory does not grow with the
 * records. PAPI_EINVAL if the input is malformed, PAPI_ESYS if reading or
 * writing failed, PAPI_ENOMEM; the stream's diag has the sentence.
 */
int record_stream_write(struct record_stream *s, FILE *to);

/* Whether the names mean the same event: "sim::L1D:HIT" is "L1D:HIT". */
bool record_same_event(const char *a, const char *b);

/* call->options of the verb. */
struct metrics_options {
	const char *cpu; /* --cpu: whose sections hold; NULL: the PMU's here */
	const char *machine; /* --machine: a file of constants */
};

/* What an action has at hand. */
struct metrics_call {
	const struct console *console;
	struct output output;
	const struct pmu_choice *pmu;
	const struct metrics_options *options;
	bool strict; /* an event that cannot be counted is a failure */
};

/* Each returns the exit status. */
int metrics_check(const struct metrics_call *call, int argc, char **argv);
int metrics_convert(const struct metrics_call *call, int argc, char **argv);
int metrics_eval(const struct metrics_call *call, int argc, char **argv);
int metrics_events(const struct metrics_call *call, int argc, char **argv);
int metrics_groups(const struct metrics_call *call, int argc, char **argv);
int metrics_list(const struct metrics_call *call, int argc, char **argv);

/*
 * Say what is wrong with a file: "FILE:LINE:COLUMN: sentence", and the line
 * with a caret below the place. @text is the file's, NULL if it was not read.
 * CMD_USAGE for a fault in it, CMD_FAILED if it could not be read.
 */
int metrics_say_fault(const struct console *console, int err, const char *text,
		      const struct diag *diag);

/*
 * The metrics of @path alone, for the machine that --cpu, --pmu and --machine
 * name. 0, or a status after a message; metrics_fini() in any case.
 */
int metrics_open_file(const struct metrics_call *call, const char *path,
		      struct metrics *m, struct constants *constants);

/* The name of the PMU whose sections hold, into @pmu. 0 or a status. */
int metrics_pmu_name(const struct metrics_call *call, char *pmu,
		     size_t capacity);
