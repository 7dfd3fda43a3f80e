/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Readings are levels, as they were at the moment of reading, or grow from the
 * moment that the driver was loaded.
 *
 * nvmlDeviceGetPowerUsage() is the mean of the last second on Ampere (but for
 * GA100) and later chips: a load of half a second never shows its height
 * there. The field POWER_INSTANT is what flows now. [NVML's reference manual,
 * "Field Value Enums"]
 */
#include "components/nvml/readings.h"

#include "base/array.h"

/* Fields of nvmlDeviceGetFieldValues(). */
#define FIELD_MEMORY_TEMPERATURE 82
#define FIELD_POWER_AVERAGE      185
#define FIELD_POWER_INSTANT      186

/* Scopes of the power fields. */
#define SCOPE_GPU        0
#define SCOPE_GPU_MEMORY 2

#define CLOCK_GRAPHICS   0
#define CLOCK_SM         1
#define CLOCK_MEMORY     2

#define POLICY_POWER     0
#define POLICY_THERMAL   1

#define PCIE_SENT        0
#define PCIE_RECEIVED    1

/* By address: an argument's value may be taken before the call beside it. */
static int store_reading(int result, const unsigned *number, uint64_t *value)
{
	if (result == NVML_OK)
		*value = *number;
	return result;
}

static int read_energy(const struct nvml_calls *calls, void *device, int which,
		       uint64_t *value)
{
	unsigned long long mj = 0;
	int result;

	(void)which;
	if (!calls->nvmlDeviceGetTotalEnergyConsumption)
		return NVML_NOT_SUPPORTED;
	result = calls->nvmlDeviceGetTotalEnergyConsumption(device, &mj);
	if (result == NVML_OK)
		*value = mj;
	return result;
}

static int read_power(const struct nvml_calls *calls, void *device, int which,
		      uint64_t *value)
{
	unsigned mw = 0;

	(void)which;
	if (!calls->nvmlDeviceGetPowerUsage)
		return NVML_NOT_SUPPORTED;
	return store_reading(calls->nvmlDeviceGetPowerUsage(device, &mw), &mw,
			     value);
}

static int read_limit(const struct nvml_calls *calls, void *device, int which,
		      uint64_t *value)
{
	unsigned mw = 0;

	(void)which;
	if (!calls->nvmlDeviceGetEnforcedPowerLimit)
		return NVML_NOT_SUPPORTED;
	return store_reading(
		calls->nvmlDeviceGetEnforcedPowerLimit(device, &mw), &mw,
		value);
}

/* A field's value, whatever its type; negative ones are 0. */
static uint64_t field_value(const struct nvml_field *field)
{
	switch (field->type) {
	case NVML_DOUBLE:
		return field->value.d > 0 ? (uint64_t)field->value.d : 0;
	case NVML_UNSIGNED:
		return field->value.u;
	case NVML_UNSIGNED_LONG:
		return field->value.ul;
	case NVML_LONG_LONG:
		return field->value.ll > 0 ? (uint64_t)field->value.ll : 0;
	case NVML_INT:
		return field->value.i > 0 ? (uint64_t)field->value.i : 0;
	default:
		return field->value.ull;
	}
}

/* @which: the field's number and, in the bits above 16, its scope. */
static int read_field(const struct nvml_calls *calls, void *device, int which,
		      uint64_t *value)
{
	struct nvml_field field = { .id = (unsigned)which & 0xffff,
				    .scope = (unsigned)which >> 16 };
	int result;

	if (!calls->nvmlDeviceGetFieldValues)
		return NVML_NOT_SUPPORTED;
	result = calls->nvmlDeviceGetFieldValues(device, 1, &field);
	if (result == NVML_OK)
		result = field.result;
	if (result == NVML_OK)
		*value = field_value(&field);
	return result;
}

static int read_temperature(const struct nvml_calls *calls, void *device,
			    int which, uint64_t *value)
{
	unsigned degrees = 0;

	if (!calls->nvmlDeviceGetTemperature)
		return NVML_NOT_SUPPORTED;
	return store_reading(
		calls->nvmlDeviceGetTemperature(device, which, &degrees),
		&degrees, value);
}

static int read_clock(const struct nvml_calls *calls, void *device, int which,
		      uint64_t *value)
{
	unsigned mhz = 0;

	if (!calls->nvmlDeviceGetClockInfo)
		return NVML_NOT_SUPPORTED;
	return store_reading(calls->nvmlDeviceGetClockInfo(device, which, &mhz),
			     &mhz, value);
}

static int read_memory(const struct nvml_calls *calls, void *device, int which,
		       uint64_t *value)
{
	struct nvml_memory memory = { 0 };
	int result;

	if (!calls->nvmlDeviceGetMemoryInfo)
		return NVML_NOT_SUPPORTED;
	result = calls->nvmlDeviceGetMemoryInfo(device, &memory);
	if (result == NVML_OK)
		*value = which == 0   ? memory.used
			 : which == 1 ? memory.free
				      : memory.total;
	return result;
}

static int read_utilization(const struct nvml_calls *calls, void *device,
			    int which, uint64_t *value)
{
	struct nvml_utilization rates = { 0 };
	int result;

	if (!calls->nvmlDeviceGetUtilizationRates)
		return NVML_NOT_SUPPORTED;
	result = calls->nvmlDeviceGetUtilizationRates(device, &rates);
	return store_reading(result, which == 0 ? &rates.gpu : &rates.memory,
			     value);
}

static int read_violation(const struct nvml_calls *calls, void *device,
			  int which, uint64_t *value)
{
	struct nvml_violation time = { 0 };
	int result;

	if (!calls->nvmlDeviceGetViolationStatus)
		return NVML_NOT_SUPPORTED;
	result = calls->nvmlDeviceGetViolationStatus(device, which, &time);
	if (result == NVML_OK)
		*value = time.ns;
	return result;
}

static int read_pcie(const struct nvml_calls *calls, void *device, int which,
		     uint64_t *value)
{
	unsigned kb = 0;

	if (!calls->nvmlDeviceGetPcieThroughput)
		return NVML_NOT_SUPPORTED;
	return store_reading(
		calls->nvmlDeviceGetPcieThroughput(device, which, &kb), &kb,
		value);
}

static int read_replays(const struct nvml_calls *calls, void *device, int which,
			uint64_t *value)
{
	unsigned n = 0;

	(void)which;
	if (!calls->nvmlDeviceGetPcieReplayCounter)
		return NVML_NOT_SUPPORTED;
	return store_reading(calls->nvmlDeviceGetPcieReplayCounter(device, &n),
			     &n, value);
}

static int read_fan(const struct nvml_calls *calls, void *device, int which,
		    uint64_t *value)
{
	unsigned percent = 0;

	(void)which;
	if (!calls->nvmlDeviceGetFanSpeed)
		return NVML_NOT_SUPPORTED;
	return store_reading(calls->nvmlDeviceGetFanSpeed(device, &percent),
			     &percent, value);
}

const struct reading readings[] = {
	{ "energy", "energy used by the whole board", "mJ", EVENT_RUNNING,
	  read_energy, 0 },
	{ "power", "power drawn by the whole board, mean of the last second",
	  "mW", EVENT_LEVEL, read_power, 0 },
	{ "power:instant", "power drawn by the whole board, now", "mW",
	  EVENT_LEVEL, read_field, FIELD_POWER_INSTANT | SCOPE_GPU << 16 },
	{ "power:memory", "power drawn by the memory, mean of the last second",
	  "mW", EVENT_LEVEL, read_field,
	  FIELD_POWER_AVERAGE | SCOPE_GPU_MEMORY << 16 },
	{ "power:limit", "power limit of the board", "mW", EVENT_LEVEL,
	  read_limit, 0 },
	{ "temperature", "temperature of the chip", "C", EVENT_LEVEL,
	  read_temperature, 0 },
	{ "temperature:memory", "temperature of the memory", "C", EVENT_LEVEL,
	  read_field, FIELD_MEMORY_TEMPERATURE },
	{ "clock:sm", "multiprocessor clock", "MHz", EVENT_LEVEL, read_clock,
	  CLOCK_SM },
	{ "clock:graphics", "graphics clock", "MHz", EVENT_LEVEL, read_clock,
	  CLOCK_GRAPHICS },
	{ "clock:memory", "memory clock", "MHz", EVENT_LEVEL, read_clock,
	  CLOCK_MEMORY },
	{ "memory:used", "memory in use", "bytes", EVENT_LEVEL, read_memory,
	  0 },
	{ "memory:free", "free memory", "bytes", EVENT_LEVEL, read_memory, 1 },
	{ "memory:total", "total memory", "bytes", EVENT_LEVEL, read_memory,
	  2 },
	{ "utilization:gpu",
	  "share of the last sampling period in which a kernel ran", "%",
	  EVENT_LEVEL, read_utilization, 0 },
	{ "utilization:memory",
	  "share of the last sampling period in which memory was read or "
	  "written",
	  "%", EVENT_LEVEL, read_utilization, 1 },
	{ "throttled:power", "time with clocks reduced by the power limit",
	  "ns", EVENT_RUNNING, read_violation, POLICY_POWER },
	{ "throttled:thermal",
	  "time with clocks reduced by heat (thermal "
	  "throttling)",
	  "ns", EVENT_RUNNING, read_violation, POLICY_THERMAL },
	{ "pcie:sent", "PCIe traffic to the host, mean of 20 ms", "kB/s",
	  EVENT_LEVEL, read_pcie, PCIE_SENT },
	{ "pcie:received", "PCIe traffic from the host, mean of 20 ms", "kB/s",
	  EVENT_LEVEL, read_pcie, PCIE_RECEIVED },
	{ "pcie:replays", "PCIe packets retransmitted", "", EVENT_RUNNING,
	  read_replays, 0 },
	{ "fan", "fan speed, in percent of its maximum", "%", EVENT_LEVEL,
	  read_fan, 0 },
};

const size_t readings_n = ARRAY_SIZE(readings);
