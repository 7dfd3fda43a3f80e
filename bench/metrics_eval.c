/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metrics_eval FILE METRIC REPEATS: evaluate a metric of a file over counts
 * that change. Prints nanoseconds an evaluation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "metric/set.h"

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	const struct metric *metric;
	struct metric_set *set;
	struct diag diag = { 0 };
	struct defs *defs;
	double *counts, sum = 0, start;
	long repeats;
	size_t length;
	char *text;

	if (argc < 4 || file_read(argv[1], &text, &length, &diag) ||
	    defs_parse(argv[1], text, length, &defs, &diag) ||
	    metric_set_new(defs, NULL, &set, &diag)) {
		fprintf(stderr, "metrics_eval: %s\n", diag.text);
		return 2;
	}
	metric = metric_set_find(set, argv[2]);
	counts = calloc(set->names.n + 1, sizeof(*counts));
	repeats = atol(argv[3]);
	if (!metric || !counts)
		return 2;
	for (size_t i = 0; i < set->names.n; i++)
		counts[i] = 1000.0 * (double)(i + 1);
	start = now_ns();
	for (long i = 0; i < repeats; i++) {
		counts[0] += 1;
		sum += metric_eval(metric, counts);
	}
	if (repeats)
		printf("%.3f\n", (now_ns() - start) / (double)repeats);
	free(counts);
	metric_set_free(set);
	defs_free(defs);
	free(text);
	return sum < 0; /* so that it is not left out */
}
