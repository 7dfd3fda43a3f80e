/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What CUPTI's host side knows of a chip without touching a device: its
 * metrics, what they mean, and how a set of them is to be counted.
 */
#pragma once

#include "components/cuda/calls.h"

struct host {
	const struct calls *calls;
	void *object;
};

/* For the chip called @chip. Closing one that is not open is fine. */
int host_open(struct host *h, const struct calls *calls, const char *chip,
	      struct diag *diag);
void host_close(struct host *h);

/*
 * The names of metrics of @kind; borrowed until the host is closed. CUPTI 13.0
 * crashes when it is handed a name that is not among these and their parts, so
 * no name reaches it unchecked.
 */
int host_base_metrics(const struct host *h, int kind, const char *const **names,
		      size_t *n);

/* The endings that @base may have: ".sum", ".avg.per_second". Likewise. */
int host_endings(const struct host *h, int kind, const char *base,
		 const char *const **names, size_t *n);

/* What @metric means, and in what it counts; borrowed likewise. */
int host_describe(const struct host *h, const char *metric, const char **text,
		  const char **unit);

/* How to count @n metrics: an image to be freed, and the passes it takes. */
int host_configure(struct host *h, const char **metrics, size_t n,
		   uint8_t **config, size_t *bytes, size_t *passes);

/* The metrics' values in the first range of @data. */
int host_evaluate(const struct host *h, const uint8_t *data, size_t bytes,
		  const char **metrics, size_t n, double *values);
