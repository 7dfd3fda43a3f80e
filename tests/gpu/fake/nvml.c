/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stand-in for NVML: one GPU (two if asked for) that draws 200 W at all
 * times, so that its energy grows by 200 J each time it is asked for, as if a
 * second had passed. It has no fan and, as older drivers, no PCIe counters.
 */
#include "components/nvml/calls.h"
#include "tests/gpu/fake/fake.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int nvmlInit_v2(void);
EXPORT int nvmlShutdown(void);
EXPORT int nvmlDeviceGetCount_v2(unsigned *n);
EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **device);
EXPORT int nvmlDeviceGetPowerUsage(void *device, unsigned *mw);
EXPORT int nvmlDeviceGetTotalEnergyConsumption(void *device,
					       unsigned long long *mj);
EXPORT int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *c);
EXPORT int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz);
EXPORT int nvmlDeviceGetMemoryInfo(void *device, struct nvml_memory *memory);
EXPORT int nvmlDeviceGetUtilizationRates(void *device,
					 struct nvml_utilization *rates);
EXPORT int nvmlDeviceGetFanSpeed(void *device, unsigned *percent);
EXPORT int nvmlDeviceGetFieldValues(void *device, int n,
				    struct nvml_field *fields);

static unsigned long long energy_mj;
static int devices[2];

int nvmlInit_v2(void)
{
	return fake_is("broken") ? 9 : NVML_OK;
}

int nvmlShutdown(void)
{
	return NVML_OK;
}

int nvmlDeviceGetCount_v2(unsigned *n)
{
	*n = fake_is("none") ? 0 : fake_is("two") ? 2 : 1;
	return NVML_OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **device)
{
	*device = &devices[i];
	return NVML_OK;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *mw)
{
	(void)device;
	if (fake_is("lost"))
		return 15;
	if (fake_is("forbidden"))
		return NVML_NO_PERMISSION;
	*mw = 200000;
	return NVML_OK;
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *mj)
{
	(void)device;
	energy_mj += 200000;
	*mj = energy_mj;
	return NVML_OK;
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *c)
{
	(void)device;
	*c = sensor == 0 ? 40 : 0;
	return NVML_OK;
}

int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz)
{
	static const unsigned clocks[] = { 1900, 1980, 3201 };

	(void)device;
	*mhz = clocks[clock];
	return NVML_OK;
}

int nvmlDeviceGetMemoryInfo(void *device, struct nvml_memory *memory)
{
	(void)device;
	*memory =
		(struct nvml_memory){ .total = 1000, .free = 600, .used = 400 };
	return NVML_OK;
}

int nvmlDeviceGetUtilizationRates(void *device, struct nvml_utilization *rates)
{
	(void)device;
	*rates = (struct nvml_utilization){ .gpu = 70, .memory = 30 };
	return NVML_OK;
}

int nvmlDeviceGetFanSpeed(void *device, unsigned *percent)
{
	(void)device;
	(void)percent;
	return NVML_NOT_SUPPORTED;
}

int nvmlDeviceGetFieldValues(void *device, int n, struct nvml_field *fields)
{
	(void)device;
	for (int i = 0; i < n; i++) {
		fields[i].result = NVML_OK;
		fields[i].type = NVML_UNSIGNED;
		if (fields[i].id == 186 && fields[i].scope == 0)
			fields[i].value.u = 201000;
		else
			fields[i].result = NVML_NOT_SUPPORTED;
	}
	return NVML_OK;
}
