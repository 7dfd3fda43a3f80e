/* SPDX-License-Identifier: BSD-3-Clause */
/* A stand-in for NVIDIA's driver library: up to two devices, no kernels. */
#include <dlfcn.h>
#include <stdio.h>

#include "tests/gpu/fake/fake.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int cuInit(unsigned flags);
EXPORT int cuDeviceGetCount(int *n);
EXPORT int cuDeviceGet(int *device, int i);
EXPORT int cuDeviceGetName(char *name, int room, int device);
EXPORT int cuCtxGetCurrent(void **context);
EXPORT int cuCtxGetDevice(int *device);
EXPORT int cuCtxSynchronize(void);
EXPORT int cuCtxPushCurrent_v2(void *context);
EXPORT int cuCtxPopCurrent_v2(void **context);
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device);
EXPORT int cuDevicePrimaryCtxRelease_v2(int device);
EXPORT void fake_work(int device, uint64_t n);
EXPORT uint64_t fake_done(int device);
EXPORT int fake_contexts_made(void);
EXPORT void fake_on_created(void (*fn)(void *context));

/* A context is the address of its device's place here. */
static struct {
	uint64_t done;
	int held;
} devices[2];
static int made;

#define DEPTH 8
static _Thread_local void *stack[DEPTH];
static _Thread_local int depth;

typedef int (*inject_fn)(void);

/* As the real one does: load the library that the environment names. */
static void inject(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *library = path && *path ? dlopen(path, RTLD_NOW) : NULL;
	inject_fn start = NULL;

	if (path && *path && !library)
		fprintf(stderr, "fake cuda: %s\n", dlerror());
	if (library)
		*(void **)&start = dlsym(library, "InitializeInjection");
	if (start)
		start();
}

int cuInit(unsigned flags)
{
	static bool begun;

	(void)flags;
	if (fake_is("broken"))
		return 999;
	if (fake_is("none"))
		return 100;
	if (!begun) {
		begun = true;
		inject();
	}
	return 0;
}

int cuDeviceGetCount(int *n)
{
	*n = fake_is("two") ? 2 : 1;
	return 0;
}

int cuDeviceGet(int *device, int i)
{
	*device = i;
	return 0;
}

int cuDeviceGetName(char *name, int room, int device)
{
	if (fake_is(__func__))
		return 999;
	snprintf(name, (size_t)room, "Fake %d", device);
	return 0;
}

int cuCtxGetCurrent(void **context)
{
	*context = depth > 0 ? stack[depth - 1] : NULL;
	return 0;
}

int cuCtxGetDevice(int *device)
{
	if (depth == 0)
		return 201;
	*device = stack[depth - 1] == &devices[1];
	return 0;
}

int cuCtxSynchronize(void)
{
	return depth > 0 ? 0 : 201;
}

int cuCtxPushCurrent_v2(void *context)
{
	if (depth == DEPTH)
		return 1;
	stack[depth++] = context;
	return 0;
}

int cuCtxPopCurrent_v2(void **context)
{
	if (depth == 0)
		return 201;
	*context = stack[--depth];
	return 0;
}

static void (*created)(void *context);

void fake_on_created(void (*fn)(void *context))
{
	created = fn;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
	if (fake_is(__func__))
		return 999;
	*context = &devices[device];
	if (devices[device].held++ == 0) {
		made++;
		if (created)
			created(*context);
	}
	return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
	devices[device].held--;
	return 0;
}

void fake_work(int device, uint64_t n)
{
	devices[device].done += n;
}

uint64_t fake_done(int device)
{
	return devices[device].done;
}

int fake_contexts_made(void)
{
	return made;
}
