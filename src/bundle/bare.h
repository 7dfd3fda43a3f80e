/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels run without being counted by the bundle: perf stat counts it. What
 * it prints is read by perf.c, with perf's lines between.
 */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "bundle/request.h"

/* The kernels of @request with their parameters, a line each, for bare_run().
 * 0, or a PAPI error with the sentence. */
int bare_list(const struct request *request, FILE *to, struct diag *diag);

/* Say which kernel and machine it is, then run it once. */
int bare_run(const char *unit, FILE *to, struct diag *diag);
