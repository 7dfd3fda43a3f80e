/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The GPUs of this machine, as the cuda component knows them: their chips, the
 * context that each is counted in, and who counts on it now.
 *
 * A device is profiled by one at a time. Libraries are loaded when an event is
 * first asked for; a context is made only when one is to be counted and the
 * program has made none yet.
 */
#ifndef CUDA_GPU_H
#define CUDA_GPU_H

#include <pthread.h>
#include <stdbool.h>

#include "components/cuda/calls.h"
#include "core/component.h"

#define GPU_MOST 32

struct range;

struct gpu_device {
	char chip[32];       /* as CUPTI calls it: "GH100" */
	char model[64];      /* as the driver calls it: "NVIDIA H200" */
	void *primary;       /* the context that is held; NULL: none */
	const void *owner;   /* the slice that counts on it now; NULL: none */
	struct range *ready; /* that it is made ready for; NULL: none */
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
 * A context on @device: the current one if it is there, else the primary one,
 * which is what CUDA's run-time library uses.
 */
int gpu_context(struct gpu *gpu, int device, void **context, struct diag *diag);

/* For the component's shutdown; NULL is allowed. */
void gpu_free(struct gpu *gpu);

struct gpu *gpu_new(void);

#endif /* CUDA_GPU_H */
