/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts while a program runs: one line for each interval and event, as text
 * for people, or as CSV or JSON lines with the totals at the end. Lines are
 * written as they come, also into a file.
 */
#ifndef MEASURE_INTERVAL_H
#define MEASURE_INTERVAL_H

#include <stdio.h>

#include "console/console.h"
#include "measure/measure.h"
#include "report/writer.h"

/* Zeroed, it is closed. */
struct interval {
	void (*put)(struct interval *i, const struct measured *e,
		    long double value, const char *kind);
	struct measure *measure;
	FILE *to;
	bool owned;          /* to is a file of ours */
	double time_s;       /* of the lines being written */
	long double *before; /* what each event had counted so far */
	int err;             /* of the first reading that failed */
};

/*
 * Begin, in the format of @writer. 0, or an exit status after a message: not
 * every format can be written line by line.
 */
int interval_open(struct interval *i, const struct output *output,
		  const struct format *format, struct measure *measure);

/* Whether the lines take the place of the report. */
bool interval_is_all(const struct interval *i);

/* Read, and write what came since the last time. A watch's timer. */
void interval_fire(void *interval, uint64_t elapsed_ns);

/*
 * After the end: the rest, and unless it is text the totals. 0, or CMD_FAILED
 * after a message.
 */
int interval_finish(struct interval *i, const struct console *console,
		    uint64_t elapsed_ns);

void interval_close(struct interval *i);

#endif /* MEASURE_INTERVAL_H */
