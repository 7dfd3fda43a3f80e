/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The metrics of a file, for whoever has counts and wants values: recorded
 * runs, reports, models. What a file defines in terms of its own definitions
 * is put together, so that each metric is a formula over names from outside:
 * events, and inputs such as wall_s, which the caller knows.
 */
#pragma once

#include "metric/defs.h"
#include "metric/names.h"

struct metric {
	const struct def *def;   /* borrowed from the file */
	struct formula *formula; /* over the set's names */
	size_t *slots;           /* of the names that it uses */
	size_t n_slots;
};

struct metric_set {
	const struct defs *defs;
	struct metric *metrics;
	size_t n;
	struct name_list names; /* that any of them uses; "#" is the clock rate
				   in Hz */
	struct map by_name;     /* -> metrics */
};

/*
 * The metrics of @defs, which must outlive the set, for a machine whose PMU is
 * one of @cpus (NULL-terminated; NULL: none known). Of several with one name
 * the last one holds. PAPI_EINVAL if one is defined by itself.
 */
int metric_set_new(const struct defs *defs, const char *const *cpus,
		   struct metric_set **out, struct diag *diag);
void metric_set_free(struct metric_set *set);

/* The metric called @name, or NULL. */
const struct metric *metric_set_find(const struct metric_set *set,
				     const char *name);

/* Its value for @counts, one for each of the set's names; NaN: none. */
double metric_eval(const struct metric *metric, const double *counts);
