/* SPDX-License-Identifier: BSD-3-Clause */
/* assay model power --fit: a power model from samples of counters and watts. */
#ifndef PERFMODEL_FIT_H
#define PERFMODEL_FIT_H

#include "console/console.h"

struct fit_options {
	const char *path;     /* of the samples, in CSV */
	const char *response; /* the column to be explained; NULL: by name */
	unsigned folds;       /* of the cross-validation; 0: as many as usual */
	double ridge;
};

/* Fit and show. The exit status. */
int model_fit(const struct output *output, const struct fit_options *o);

#endif /* PERFMODEL_FIT_H */
