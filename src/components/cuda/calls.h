/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of libcuda and libcupti that are used here, found at run time.
 * Nothing is loaded before calls_open(), and no call makes a CUDA context.
 */
#pragma once

#include "base/err.h"
#include "components/cuda/abi.h"

/* One line for each: type of result, library, name in it, parameters. */
#define CUDA_CALLS(X)                                                          \
	X(cuda, cuInit, (unsigned))                                            \
	X(cuda, cuDeviceGetCount, (int *))                                     \
	X(cuda, cuDeviceGet, (int *, int))                                     \
	X(cuda, cuDeviceGetName, (char *, int, int))                           \
	X(cuda, cuCtxGetCurrent, (void **))                                    \
	X(cuda, cuCtxGetDevice, (int *))                                       \
	X(cuda, cuCtxSynchronize, (void))                                      \
	X(cuda, cuCtxPushCurrent_v2, (void *))                                 \
	X(cuda, cuCtxPopCurrent_v2, (void **))                                 \
	X(cuda, cuDevicePrimaryCtxRetain, (void **, int))                      \
	X(cuda, cuDevicePrimaryCtxRelease_v2, (int))                           \
	X(cupti, cuptiProfilerInitialize, (struct cupti_init *))               \
	X(cupti, cuptiDeviceGetChipName, (struct cupti_chip_name *))           \
	X(cupti, cuptiProfilerHostInitialize, (struct cupti_host_init *))      \
	X(cupti, cuptiProfilerHostDeinitialize, (struct cupti_host_end *))     \
	X(cupti, cuptiProfilerHostGetBaseMetrics,                              \
	  (struct cupti_base_metrics *))                                       \
	X(cupti, cuptiProfilerHostGetSubMetrics, (struct cupti_sub_metrics *)) \
	X(cupti, cuptiProfilerHostGetMetricProperties,                         \
	  (struct cupti_properties *))                                         \
	X(cupti, cuptiProfilerHostEvaluateToGpuValues,                         \
	  (struct cupti_evaluate *))                                           \
	X(cupti, cuptiProfilerHostConfigAddMetrics,                            \
	  (struct cupti_add_metrics *))                                        \
	X(cupti, cuptiProfilerHostGetConfigImageSize,                          \
	  (struct cupti_config_size *))                                        \
	X(cupti, cuptiProfilerHostGetConfigImage, (struct cupti_config *))     \
	X(cupti, cuptiProfilerHostGetNumOfPasses, (struct cupti_passes *))     \
	X(cupti, cuptiRangeProfilerEnable, (struct cupti_enable *))            \
	X(cupti, cuptiRangeProfilerDisable, (struct cupti_profiler *))         \
	X(cupti, cuptiRangeProfilerGetCounterDataSize,                         \
	  (struct cupti_data_size *))                                          \
	X(cupti, cuptiRangeProfilerCounterDataImageInitialize,                 \
	  (struct cupti_data_init *))                                          \
	X(cupti, cuptiRangeProfilerSetConfig, (struct cupti_set_config *))     \
	X(cupti, cuptiRangeProfilerStart, (struct cupti_profiler *))           \
	X(cupti, cuptiRangeProfilerPushRange, (struct cupti_push *))           \
	X(cupti, cuptiRangeProfilerPopRange, (struct cupti_profiler *))        \
	X(cupti, cuptiRangeProfilerStop, (struct cupti_stop *))                \
	X(cupti, cuptiRangeProfilerDecodeData, (struct cupti_decode *))        \
	X(cupti, cuptiSubscribe, (void **, cupti_callback_fn, void *))         \
	X(cupti, cuptiEnableCallback, (uint32_t, void *, int, uint32_t))

struct calls {
#define X(library, name, parameters) int(*name) parameters;
	CUDA_CALLS(X)
#undef X
	void *cuda;
	void *cupti;
};

/*
 * Load both libraries and find all calls. PAPI_ENOSUPP, with a sentence that
 * names what is missing and how to make it found.
 */
int calls_open(struct calls *calls, struct diag *diag);

/* The libraries stay loaded: threads of theirs may run. */
void calls_close(struct calls *calls);

/* What CUPTI's result @result means to a user, as the end of a sentence. */
const char *calls_why(int result);

/* The PAPI code for CUPTI's result @result. */
int calls_code(int result);
