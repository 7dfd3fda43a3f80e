/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of libnvidia-ml (NVML) that are used here, declared anew and found
 * at run time: the library comes with the driver, its header does not.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"

#define NVML_OK            0
#define NVML_NOT_SUPPORTED 3
#define NVML_NO_PERMISSION 4

struct nvml_memory {
	unsigned long long total;
	unsigned long long free;
	unsigned long long used;
};

struct nvml_utilization {
	unsigned gpu;
	unsigned memory;
};

struct nvml_violation {
	unsigned long long reference;
	unsigned long long ns;
};

enum nvml_value_type {
	NVML_DOUBLE,
	NVML_UNSIGNED,
	NVML_UNSIGNED_LONG,
	NVML_UNSIGNED_LONG_LONG,
	NVML_LONG_LONG,
	NVML_INT,
};

struct nvml_field {
	unsigned id;
	unsigned scope;
	long long timestamp;
	long long latency;
	int type; /* enum nvml_value_type */
	int result;
	union {
		double d;
		unsigned u;
		unsigned long ul;
		unsigned long long ull;
		long long ll;
		int i;
	} value;
};

#define NVML_CALLS(X)                                                          \
	X(nvmlInit_v2, (void))                                                 \
	X(nvmlShutdown, (void))                                                \
	X(nvmlDeviceGetCount_v2, (unsigned *))                                 \
	X(nvmlDeviceGetHandleByIndex_v2, (unsigned, void **))                  \
	X(nvmlDeviceGetPowerUsage, (void *, unsigned *))                       \
	X(nvmlDeviceGetEnforcedPowerLimit, (void *, unsigned *))               \
	X(nvmlDeviceGetTotalEnergyConsumption, (void *, unsigned long long *)) \
	X(nvmlDeviceGetTemperature, (void *, int, unsigned *))                 \
	X(nvmlDeviceGetClockInfo, (void *, int, unsigned *))                   \
	X(nvmlDeviceGetMemoryInfo, (void *, struct nvml_memory *))             \
	X(nvmlDeviceGetUtilizationRates, (void *, struct nvml_utilization *))  \
	X(nvmlDeviceGetViolationStatus,                                        \
	  (void *, int, struct nvml_violation *))                              \
	X(nvmlDeviceGetPcieThroughput, (void *, int, unsigned *))              \
	X(nvmlDeviceGetPcieReplayCounter, (void *, unsigned *))                \
	X(nvmlDeviceGetFanSpeed, (void *, unsigned *))                         \
	X(nvmlDeviceGetFieldValues, (void *, int, struct nvml_field *))

/* A call that an old driver lacks is NULL, and its events are not there. */
struct nvml_calls {
#define X(name, parameters) int(*name) parameters;
	NVML_CALLS(X)
#undef X
	void *library;
};

/* PAPI_ENOSUPP, with a sentence, if the library is not there. */
int nvml_calls_open(struct nvml_calls *calls, struct diag *diag);
