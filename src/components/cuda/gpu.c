/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the devices, and the context of each on which a profiler is switched
 * on. Metrics are left to metrics.c, counting to the component.
 */
#include "components/cuda/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gpu *gpu_new(void)
{
	struct gpu *gpu = calloc(1, sizeof(*gpu));

	if (gpu)
		pthread_mutex_init(&gpu->lock, NULL);
	return gpu;
}

void gpu_free(struct gpu *gpu)
{
	if (!gpu)
		return;
	for (int i = 0; i < gpu->n; i++)
		if (gpu->devices[i].primary)
			gpu->calls.cuDevicePrimaryCtxRelease_v2(i);
	calls_close(&gpu->calls);
	pthread_mutex_destroy(&gpu->lock);
	free(gpu);
}

static int name_device(struct gpu *gpu, int i)
{
	struct cupti_chip_name block =
		CUPTI_BLOCK(cupti_chip_name, name, .device = (size_t)i);
	struct gpu_device *d = &gpu->devices[i];
	int device;
	int result = gpu->calls.cuptiDeviceGetChipName(&block);

	if (result || !block.name)
		return diag_fail(&gpu->diag, PAPI_ENOSUPP,
				 "CUPTI cannot identify the chip of GPU %d: %s",
				 i, calls_why(result));
	snprintf(d->chip, sizeof(d->chip), "%s", block.name);
	if (gpu->calls.cuDeviceGet(&device, i) ||
	    gpu->calls.cuDeviceGetName(d->model, sizeof(d->model), device))
		d->model[0] = '\0';
	return 0;
}

static int find_devices(struct gpu *gpu)
{
	int result = gpu->calls.cuInit(0);
	int n = 0;
	int err = 0;

	if (result == CU_SUCCESS)
		result = gpu->calls.cuDeviceGetCount(&n);
	if (result == CU_NO_DEVICE || (result == CU_SUCCESS && n == 0))
		return diag_fail(&gpu->diag, PAPI_ENOSUPP,
				 "the driver shows no GPU to this process");
	if (result != CU_SUCCESS)
		return diag_fail(
			&gpu->diag, PAPI_ENOSUPP,
			"NVIDIA's driver does not start (cuInit error %d)",
			result);
	result = gpu->calls.cuptiProfilerInitialize(
		&CUPTI_BLOCK(cupti_init, priv, .priv = NULL));
	if (result)
		return diag_fail(&gpu->diag, calls_code(result),
				 "CUPTI's profiler does not start: %s",
				 calls_why(result));
	for (int i = 0; !err && i < n && i < GPU_MOST; i++) {
		err = name_device(gpu, i);
		gpu->n += !err;
	}
	return err;
}

int gpu_lock(struct component *c, struct gpu **out, struct diag *diag)
{
	struct gpu *gpu = c->priv;

	pthread_mutex_lock(&gpu->lock);
	if (!gpu->tried) {
		gpu->tried = true;
		gpu->err = calls_open(&gpu->calls, &gpu->diag);
		if (!gpu->err)
			gpu->err = find_devices(gpu);
	}
	if (gpu->err) {
		int err = gpu->err;

		if (diag)
			*diag = gpu->diag;
		pthread_mutex_unlock(&gpu->lock);
		return err;
	}
	*out = gpu;
	return 0;
}

void gpu_unlock(struct gpu *gpu)
{
	pthread_mutex_unlock(&gpu->lock);
}

/* The current context and its device. */
static bool current(struct gpu *gpu, void **context, int *device)
{
	*context = NULL;
	return gpu->calls.cuCtxGetCurrent(context) == CU_SUCCESS && *context &&
	       gpu->calls.cuCtxGetDevice(device) == CU_SUCCESS;
}

int gpu_current_device(struct gpu *gpu)
{
	void *context;
	int device;

	return current(gpu, &context, &device) && device < gpu->n ? device : 0;
}

/* The current context if it is on @device, else the primary one. */
static int find_context(struct gpu *gpu, int device, void **context,
			struct diag *diag)
{
	struct gpu_device *d = &gpu->devices[device];
	int on;
	int result;

	if (current(gpu, context, &on) && on == device)
		return 0;
	if (!d->primary) {
		result = gpu->calls.cuDevicePrimaryCtxRetain(&d->primary,
							     device);
		if (result != CU_SUCCESS) {
			d->primary = NULL;
			return diag_fail(diag, PAPI_ESYS,
					 "cannot create a context on GPU %d "
					 "(driver error %d)",
					 device, result);
		}
	}
	*context = d->primary;
	return 0;
}

void gpu_drop_profiler(struct gpu *gpu, int device)
{
	struct gpu_device *d = &gpu->devices[device];

	if (d->profiler)
		gpu->calls.cuptiRangeProfilerDisable(&CUPTI_BLOCK(
			cupti_profiler, profiler, .profiler = d->profiler));
	d->profiler = NULL;
	d->profiled = NULL;
	d->ready = NULL;
}

static int enable(struct gpu *gpu, struct gpu_device *d, void *context)
{
	struct cupti_enable block =
		CUPTI_BLOCK(cupti_enable, profiler, .context = context);
	void *popped;
	int result;

	gpu->calls.cuCtxPushCurrent_v2(context);
	result = gpu->calls.cuptiRangeProfilerEnable(&block);
	gpu->calls.cuCtxPopCurrent_v2(&popped);
	if (result)
		return result;
	d->profiler = block.profiler;
	d->profiled = context;
	return CUPTI_OK;
}

int gpu_profiler(struct gpu *gpu, int device, const void *range,
		 void **profiler, void **context, struct diag *diag)
{
	struct gpu_device *d = &gpu->devices[device];
	int err = find_context(gpu, device, context, diag);
	int result = CUPTI_OK;

	if (err)
		return err;
	if (d->profiled != *context || d->ready != range)
		gpu_drop_profiler(gpu, device);
	if (!d->profiler)
		result = enable(gpu, d, *context);
	if (result)
		return diag_fail(diag, calls_code(result),
				 "the GPU's counters cannot be used: %s (CUPTI "
				 "error %d)",
				 calls_why(result), result);
	d->ready = range;
	*profiler = d->profiler;
	return 0;
}
