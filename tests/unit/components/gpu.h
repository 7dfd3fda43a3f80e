/* SPDX-License-Identifier: BSD-3-Clause */
/* A made-up machine with an NVIDIA driver, and stand-ins for its libraries. */
#pragma once

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/components/counting.h"

#define VERSION "proc/driver/nvidia/version"
#define CARD    "proc/driver/nvidia/gpus/0000:00:06.0/information"

/* A machine with a driver and one card; @fake is what FAKE_GPU says. */
static inline void gpu_probe(struct counting *c,
			     const struct component_ops *ops, const char *fake)
{
	setenv("ASSAY_CUDA_LIBRARIES", FAKE_GPU_LIBRARIES, 1);
	setenv("FAKE_GPU", fake, 1);
	counting_probe(c, ops, VERSION, "NVRM version: 580.00\n");
	component_free(c->component);
	machine_put(&c->machine, CARD, "Model: Fake\n");
	c->component = component_new(ops);
	assert_int_equal(component_probe(c->component, &c->machine.fs), 0);
}

/* A function of the driver's stand-in. */
static inline void *gpu_fake(const char *name)
{
	void *library = dlopen(FAKE_GPU_LIBRARIES "/libcuda.so.1", RTLD_NOW);
	void *address = library ? dlsym(library, name) : NULL;

	assert_non_null(address);
	return address;
}

static inline void gpu_work(int device, uint64_t n)
{
	void (*work)(int, uint64_t);

	*(void **)&work = gpu_fake("fake_work");
	work(device, n);
}

static inline int gpu_contexts_made(void)
{
	int (*contexts)(void);

	*(void **)&contexts = gpu_fake("fake_contexts_made");
	return contexts();
}
