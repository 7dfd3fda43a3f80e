/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Power, energy, clocks, temperature, memory and load of NVIDIA GPUs, read
 * from the driver's management library. They belong to the machine: whoever
 * runs on a GPU is in them. An event is there if its GPU answered once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "components/components.h"
#include "components/nvml/readings.h"

#define VERSION "proc/driver/nvidia/version"
#define MOST    32 /* GPUs */

struct nvml {
	struct nvml_calls calls;
	bool open;
	void *devices[MOST];
};

struct nvml_slice {
	uint64_t started_ns;
	uint64_t ran_ns;
};

/* An event's id: the GPU's number and, below it, the row. */
#define ROW_BITS 16

static int nvml_probe(struct component *c, const struct fs *fs)
{
	/* who names the libraries has them: not every driver is in /proc */
	const char *folder = secure_getenv("ASSAY_CUDA_LIBRARIES");

	if (!fs_exists(fs, VERSION) && !(folder && *folder))
		return component_disable(
			c, "NVIDIA's driver is not loaded: there is no "
			   "/" VERSION);
	c->priv = calloc(1, sizeof(struct nvml));
	return c->priv ? 0 : PAPI_ENOMEM;
}

static int add_readings(struct component *c, unsigned device)
{
	const struct nvml *nvml = c->priv;
	int err = 0;

	for (size_t i = 0; !err && i < readings_n; i++) {
		const struct reading *r = &readings[i];
		struct event *event;
		uint64_t value;

		if (r->read(&nvml->calls, nvml->devices[device], r->which,
			    &value))
			continue;
		err = component_add_event(c, &event, r->text, "gpu%u:%s",
					  device, r->name);
		if (err)
			break;
		event->unit = r->unit;
		event->kind = r->kind;
		event->id = (uint64_t)device << ROW_BITS | i;
	}
	return err;
}

static int nvml_list(struct component *c)
{
	struct nvml *nvml = c->priv;
	struct diag diag = { .text = "" };
	unsigned n = 0;
	int err = nvml_calls_open(&nvml->calls, &diag);
	int result;

	if (err)
		return component_disable(c, "%s", diag.text);
	result = nvml->calls.nvmlInit_v2();
	if (result)
		return component_disable(c,
					 "NVIDIA's management library does not "
					 "start (error %d)",
					 result);
	nvml->open = true;
	result = nvml->calls.nvmlDeviceGetCount_v2(&n);
	if (result || n == 0)
		return component_disable(
			c, "NVIDIA's driver shows no GPU to this process");
	for (unsigned i = 0; !err && i < n && i < MOST; i++)
		if (!nvml->calls.nvmlDeviceGetHandleByIndex_v2(
			    i, &nvml->devices[i]))
			err = add_readings(c, i);
	return err;
}

static int nvml_open(struct slice *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->thresholds[i])
			return slice_fail(
				s, PAPI_ENOSUPP,
				"GPU readings cannot raise interrupts");
	return 0;
}

static void nvml_close(struct slice *s)
{
	memset(s->priv, 0, sizeof(struct nvml_slice));
}

static int read_all(struct slice *s, uint64_t ns, struct count *counts)
{
	const struct nvml *nvml = s->component->priv;

	for (size_t i = 0; i < s->n; i++) {
		const struct event *event =
			component_event(s->component, s->events[i]);
		const struct reading *r =
			&readings[event->id & ((1u << ROW_BITS) - 1)];
		uint64_t value = 0;
		int result = r->read(&nvml->calls,
				     nvml->devices[event->id >> ROW_BITS],
				     r->which, &value);

		if (result)
			return slice_fail(
				s,
				result == NVML_NO_PERMISSION ? PAPI_EPERM
							     : PAPI_ESYS,
				"%s could not be read (NVML error %d)",
				event->name, result);
		counts[i] = (struct count){ .value = value,
					    .enabled_ns = ns,
					    .running_ns = ns };
	}
	return 0;
}

static int nvml_start(struct slice *s, struct count *counts)
{
	struct nvml_slice *mine = s->priv;
	int err = read_all(s, mine->ran_ns, counts);

	mine->started_ns = clock_real_ns();
	return err;
}

static int nvml_read(struct slice *s, struct count *counts)
{
	const struct nvml_slice *mine = s->priv;

	return read_all(s, mine->ran_ns + clock_real_ns() - mine->started_ns,
			counts);
}

/*
 * What grows between a stop and the next start is not the set's: the core
 * takes differences from each start on.
 */
static int nvml_stop(struct slice *s, struct count *counts)
{
	struct nvml_slice *mine = s->priv;
	int err = nvml_read(s, counts);

	mine->ran_ns += clock_real_ns() - mine->started_ns;
	return err;
}

static void nvml_shutdown(struct component *c)
{
	struct nvml *nvml = c->priv;

	if (nvml && nvml->open)
		nvml->calls.nvmlShutdown();
	free(nvml);
	c->priv = NULL;
}

const struct component_ops nvml_component = {
	.name = "nvml",
	.summary = "power, energy, clocks and memory of NVIDIA GPUs (NVML)",
	.scope = SCOPE_SYSTEM,
	.slice_bytes = sizeof(struct nvml_slice),
	.probe = nvml_probe,
	.list = nvml_list,
	.open = nvml_open,
	.close = nvml_close,
	.start = nvml_start,
	.read = nvml_read,
	.stop = nvml_stop,
	.shutdown = nvml_shutdown,
};
