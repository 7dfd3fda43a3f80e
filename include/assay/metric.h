/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics: formulas over event names, such as instructions per cycle.
 *
 * A metric is compiled once and evaluated many times. Compiling checks the
 * whole formula, so evaluating cannot fail: it gives a number, or NaN where
 * the formula divides by zero or a count is missing (NaN).
 *
 * A compiled metric never changes. Threads may share one without locking.
 * These calls need no PAPI_library_init().
 */
#ifndef ASSAY_METRIC_H
#define ASSAY_METRIC_H

#include <stddef.h>

#include <assay/api.h>

#ifdef __cplusplus
extern "C" {
#endif

struct assay_metric;

/* Why a formula was refused. Written only by a call that fails. */
struct assay_diag {
	size_t column;  /* of the offending token; 1 is the first byte */
	char text[256]; /* one sentence, no newline */
};

/*
 * Compile @formula: infix ("PAPI_TOT_INS / PAPI_TOT_CYC") or, if there is a
 * '|' in it, reverse Polish ("PAPI_TOT_INS|PAPI_TOT_CYC|/"). Names are event
 * names; one with an operator in it stands between quotes. Whether this
 * machine has the events is not looked at.
 *
 * On success returns 0 and gives the caller a metric in *@out, to be
 * released with assay_metric_free(). On error *@out is untouched, and *@diag
 * (which may be NULL) tells what to show the user. Errors:
 *
 *   PAPI_EINVAL   @formula is not well formed, or NULL
 *   PAPI_ENOMEM   out of memory
 */
ASSAY_API int assay_metric_compile(const char *formula,
				   struct assay_metric **out,
				   struct assay_diag *diag);

/* Release @metric. NULL is allowed. */
ASSAY_API void assay_metric_free(struct assay_metric *metric);

/* How many counts assay_metric_eval() reads: one per distinct event. */
ASSAY_API size_t assay_metric_event_count(const struct assay_metric *metric);

/* Name of event @i. Borrowed: valid until assay_metric_free(). */
ASSAY_API const char *assay_metric_event(const struct assay_metric *metric,
					 size_t i);

/* Apply the formula to @counts, in the order of assay_metric_event(). */
ASSAY_API double assay_metric_eval(const struct assay_metric *metric,
				   const double *counts);

#ifdef __cplusplus
}
#endif

#endif /* ASSAY_METRIC_H */
