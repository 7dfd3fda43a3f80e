/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The context, the code and the memory are made once and stay: making them
 * takes longer than all kernels, and the process ends with its experiment.
 */
#include "kernels/gpu/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef GPU_KERNELS
#include "kernels/gpu-kernels.h"

/* What nvcc made, as it is. */
__asm__(".pushsection .rodata\n"
	".balign 16\n"
	"gpu_image:\n"
	".incbin \"" GPU_IMAGE "\"\n"
	".byte 0\n"
	".popsection\n");
extern const char gpu_image[] __asm__("gpu_image");
static const char *const image = gpu_image;
#else
static const char *const image = NULL;
#endif

#define CALLS(X)                                                               \
	X(cuInit, (unsigned))                                                  \
	X(cuDeviceGetCount, (int *))                                           \
	X(cuDevicePrimaryCtxRetain, (void **, int))                            \
	X(cuCtxSetCurrent, (void *))                                           \
	X(cuCtxSynchronize, (void))                                            \
	X(cuModuleLoadData, (void **, const void *))                           \
	X(cuModuleGetFunction, (void **, void *, const char *))                \
	X(cuMemAlloc_v2, (unsigned long long *, size_t))                       \
	X(cuMemFree_v2, (unsigned long long))                                  \
	X(cuMemsetD8_v2, (unsigned long long, unsigned char, size_t))          \
	X(cuLaunchKernel,                                                      \
	  (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
	   unsigned, void *, void **, void **))

static struct {
#define X(name, parameters) int(*name) parameters;
	CALLS(X)
#undef X
	bool tried;
	const char *why_not; /* NULL: it is there */
	void *context;
	void *module;
	unsigned long long memory;
	size_t bytes;
} driver;

static void *load(void)
{
	const char *folder = secure_getenv("ASSAY_CUDA_LIBRARIES");
	char *path = NULL;
	void *library;

	if (!folder || !*folder)
		return dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
	if (asprintf(&path, "%s/libcuda.so.1", folder) < 0)
		return NULL;
	library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	free(path);
	return library;
}

static const char *find_driver(void)
{
	void *library;
	int n = 0;

	if (!image)
		return "assay was built without nvcc, the compiler for GPUs";
	library = load();
	if (!library)
		return "NVIDIA's driver is not installed";
#define X(name, parameters)                                                    \
	*(void **)&driver.name = dlsym(library, #name);                        \
	if (!driver.name)                                                      \
		return "NVIDIA's driver lacks " #name;
	CALLS(X)
#undef X
	/* else the first launch of each kernel brings its code along */
	setenv("CUDA_MODULE_LOADING", "EAGER", 0);
	if (driver.cuInit(0) || driver.cuDeviceGetCount(&n) || n == 0)
		return "the driver shows no GPU to this process";
	return NULL;
}

bool driver_is_there(void)
{
	if (!driver.tried)
		driver.why_not = find_driver();
	driver.tried = true;
	return !driver.why_not;
}

const char *driver_why_not(void)
{
	return driver_is_there() ? "" : driver.why_not;
}

static bool open_context(void)
{
	if (driver.module)
		return driver.cuCtxSetCurrent(driver.context) == 0;
	return driver.cuDevicePrimaryCtxRetain(&driver.context, 0) == 0 &&
	       driver.cuCtxSetCurrent(driver.context) == 0 &&
	       driver.cuModuleLoadData(&driver.module, image) == 0;
}

static bool need_memory(size_t bytes)
{
	if (bytes <= driver.bytes)
		return true;
	if (driver.bytes)
		driver.cuMemFree_v2(driver.memory);
	driver.bytes = 0;
	if (driver.cuMemAlloc_v2(&driver.memory, bytes))
		return false;
	driver.bytes = bytes;
	return true;
}

bool driver_prepare(size_t bytes)
{
	return driver_is_there() && open_context() && need_memory(bytes) &&
	       (bytes == 0 ||
		driver.cuMemsetD8_v2(driver.memory, 0, bytes) == 0) &&
	       driver.cuCtxSynchronize() == 0;
}

bool driver_run(const char *name, uint32_t turns, size_t bytes)
{
	return driver_run_blocks(name, DRIVER_BLOCKS, turns, bytes);
}

bool driver_run_blocks(const char *name, unsigned blocks, uint32_t turns,
		       size_t bytes)
{
	void *parameters[] = { &turns, &driver.memory, &bytes };
	void *function;

	return driver.module &&
	       driver.cuModuleGetFunction(&function, driver.module, name) ==
		       0 &&
	       driver.cuLaunchKernel(function, blocks, 1, 1, DRIVER_THREADS, 1,
				     1, 0, NULL, parameters, NULL) == 0 &&
	       driver.cuCtxSynchronize() == 0;
}
