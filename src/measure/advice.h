/* SPDX-License-Identifier: BSD-3-Clause */
/* What to do next, by what a report says. */
#ifndef MEASURE_ADVICE_H
#define MEASURE_ADVICE_H

#include "report/report.h"

/* Add notes to @r, most urgent first, few. 0 or PAPI_ENOMEM. */
int advice_add(struct report *r);

#endif /* MEASURE_ADVICE_H */
