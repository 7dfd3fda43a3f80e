/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The GPUs of this machine, as the cuda component knows them: their chips, the
 * context that each is counted in, and who counts on it now.
 *
 * A device is profiled by one at a time. Libraries are loaded when an event is
 * first asked for; a context is made only when one is to be counted and the
 * program has made none yet.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "components/cuda/calls.h"
#include "core/component.h"

#define GPU_MOST 32

struct gpu_device {
	char chip[32];     /* as CUPTI calls it: "GH100" */
	char model[64];    /* as the driver calls it: "NVIDIA H200" */
	void *primary;     /* the context that is held; NULL: none */
	const void *owner; /* the slice that counts on it now; NULL: none */
	void *profiler;    /* CUPTI's, enabled in context profiled; or NULL */
	void *profiled;
	const void *ready; /* the range that it is configured for */
};

struct gpu {
	pthread_mutex_t lock; /* guards all below, and CUPTI's calls */
	bool tried;           /* to load the libraries */
	int err;              /* how that went */
	struct diag diag;
	struct calls calls;
	int n;
	struct gpu_device devices[GPU_MOST];
};

/* The component's GPUs, with the lock; the libraries are loaded if need be. */
int gpu_lock(struct component *c, struct gpu **out, struct diag *diag);
void gpu_unlock(struct gpu *gpu);

/* The device of the current context; 0 if there is none. */
int gpu_current_device(struct gpu *gpu);

/*
 * A profiler on @device for @range, and the context that it is for: the
 * current one if that is there, else the primary one, which is what CUDA's
 * run-time library uses. Enabling one takes 140 ms on an H200, so it stays for
 * the next start, until its range is closed. For another range it
 * is made anew: given a second configuration, CUPTI 13.0 counts nothing, or
 * gives what the range before had counted (seen on an H200).
 */
int gpu_profiler(struct gpu *gpu, int device, const void *range,
		 void **profiler, void **context, struct diag *diag);

/* Let go of it, as after an error: the next one is new. */
void gpu_drop_profiler(struct gpu *gpu, int device);

/* For the component's shutdown; NULL is allowed. */
void gpu_free(struct gpu *gpu);

struct gpu *gpu_new(void);
