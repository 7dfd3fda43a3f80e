/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics from counts: every one that the counted events allow. */
#ifndef MEASURE_DERIVE_H
#define MEASURE_DERIVE_H

#include "measure/count.h"
#include "measure/metrics.h"

/*
 * Add to @r the metrics of @group (NULL: all) whose events were all asked
 * for. One whose events have no value has none either, and the reason. Of two
 * with one formula the first is taken. 0 or PAPI_ENOMEM.
 */
int derive_metrics(const struct metrics *m, const char *group,
		   const struct counted *c, struct report *r);

/* The highest clock rate that the kernel may choose, in Hz, or NaN. */
double derive_clock_rate(void);

#endif /* MEASURE_DERIVE_H */
