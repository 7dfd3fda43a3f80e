/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of the cuda component: a metric of CUPTI's with an ending that says
 * how the chip's many units are put together, and on which GPU.
 *
 *   dram__bytes_read                    its usual ending, here .sum
 *   dram__bytes_read.max                of the unit that counted most
 *   dram__bytes_read.sum:device=1       on the second GPU
 *   dram__bytes_read:stat=sum:device=1  the same, as PAPI writes it
 */
#pragma once

#include "components/cuda/gpu.h"

/* In an event's data. */
struct metric {
	int device;   /* -1: that of the current context */
	double scale; /* values are CUPTI's times this, rounded */
	char unit[56];
	char name[]; /* as CUPTI knows it, with its ending */
};

/* Add all metrics of the first GPU's chip, each with its usual ending. */
int gpu_metrics_list(struct component *c);

/* Add event @i with every other ending that it may have. */
int gpu_metrics_list_endings(struct component *c, size_t i);

/* Add the event called @name, which has an ending or a device. */
int gpu_metrics_find(struct component *c, const char *name, size_t *i,
		     struct diag *diag);
