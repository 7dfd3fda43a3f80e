/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that is known of one event or metric: the result of `assay
 * explain`.
 */
#ifndef SURVEY_EXPLANATION_H
#define SURVEY_EXPLANATION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/texts.h"
#include "measure/metrics.h"
#include "report/writer.h"

/* A growing list of names; the explanation has their texts. */
struct names {
	const char **items;
	size_t n;
};

struct explanation {
	const char *name;
	const char *kind; /* "preset", "native event", "metric", ... */
	const char *text;
	const char *unit; /* "" for a plain count */
	const char
		*formula; /* how it is made of its natives; "" if it is one */
	const char *threshold; /* what verdicts go by; NULL if there are none */
	const char *component; /* that counts it; "" if none does */
	bool simulated;   /* it, or an event it needs, on the simulated PMU */
	const char *note; /* what its definition adds; "" if nothing */
	char *measured;   /* what assay classify found it to count; or NULL */
	char *validated;  /* what assay validate found of it; or NULL */
	struct names natives;
	struct names same;   /* other names of the same count */
	struct names within; /* presets that it is a part of */
	bool available;
	const char *reason; /* why not; else NULL */
	struct texts texts; /* of all but what was measured and validated */
};

/* PAPI_ENOEVNT if there is no event @name; PAPI_ENOMEM. */
int explanation_make(struct explanation *x, const char *name);

/* The same for a metric of @m. */
int explanation_of_metric(struct explanation *x, const struct metrics *m,
			  const char *name);
void explanation_fini(struct explanation *x);

/* Both are write_fn: @what is a struct explanation. */
int explanation_write_text(const void *what, const struct report_style *style,
			   FILE *to);
int explanation_describe(const void *what, struct json *j);

#endif /* SURVEY_EXPLANATION_H */
