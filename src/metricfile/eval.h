/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics applied to recorded counts: of a run, or a stream of records. */
#ifndef METRICFILE_EVAL_H
#define METRICFILE_EVAL_H

#include <stdio.h>

#include "measure/metrics.h"

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

#endif /* METRICFILE_EVAL_H */
