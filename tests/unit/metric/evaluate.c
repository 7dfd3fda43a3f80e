/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Evaluate formulas from standard input, one a line, with counts given as
 * NAME=VALUE; an empty line is no value. For differential.py.
 */
#include <assay/metric.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double count_of(const char *name, char **given)
{
	size_t n = strlen(name);

	for (; *given; given++)
		if (strncmp(*given, name, n) == 0 && (*given)[n] == '=')
			return strtod(*given + n + 1, NULL);
	return (double)NAN;
}

int main(int argc, char **argv)
{
	char *line = NULL;
	size_t room = 0;

	(void)argc;
	while (getline(&line, &room, stdin) > 0) {
		struct assay_metric *metric;
		struct assay_diag diag;
		double counts[8], value;

		line[strcspn(line, "\n")] = '\0';
		if (assay_metric_compile(line, &metric, &diag)) {
			fprintf(stderr, "%s\n%*s: %s\n", line, (int)diag.column,
				"^", diag.text);
			return 1;
		}
		for (size_t i = 0; i < assay_metric_event_count(metric); i++)
			counts[i] = count_of(assay_metric_event(metric, i),
					     argv + 1);
		value = assay_metric_eval(metric, counts);
		if (isnan(value))
			puts("");
		else
			printf("%.17g\n", value);
		assay_metric_free(metric);
	}
	free(line);
	return 0;
}
