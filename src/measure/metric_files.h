/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of share/metrics, compiled in. */
#ifndef MEASURE_METRIC_FILES_H
#define MEASURE_METRIC_FILES_H

struct embedded {
	const char *file; /* its name, as in "hpm.txt"; NULL ends the array */
	const char *text;
};

extern const struct embedded metric_files[];

#endif /* MEASURE_METRIC_FILES_H */
