/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the two libraries, in the user's directory first, and resolves every
 * call before any is used. What the calls are used for is left to gpu.c and
 * host.c.
 */
#include "components/cuda/calls.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/loading.h"
#include "base/strbuf.h"

/* Where the libraries are looked for first; also how tests show others. */
#define VARIABLE "ASSAY_CUDA_LIBRARIES"

/* Newest first: the layouts in abi.h only ever grow at the end. */
static const char *const cupti_names[] = {
	"libcupti.so.13",
	"libcupti.so.12",
	"libcupti.so",
};

/* Folders that hold CUPTI and are often not known to the linker. */
static const char *const cupti_folders[] = {
	"/usr/local/cuda/extras/CUPTI/lib64",
	"/usr/local/cuda/lib64",
	"/usr/local/cuda/targets/x86_64-linux/lib",
	"/usr/local/cuda/targets/sbsa-linux/lib",
};

static void *load_from(const char *folder, const char *below, const char *name)
{
	OWNED char *path = str_format("%s%s/%s", folder, below, name);
	void *library = path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;

	return library;
}

/* The user's folder; NULL if none is named, or if it lacks @name. */
static void *load_chosen(const char *name, bool *chosen)
{
	const char *folder = secure_getenv(VARIABLE);

	*chosen = folder && *folder;
	return *chosen ? load_from(folder, "", name) : NULL;
}

static void *load_cuda(void)
{
	bool chosen;
	void *library = load_chosen("libcuda.so.1", &chosen);

	if (library || chosen)
		return library;
	return dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
}

static void *load_cupti_called(const char *name)
{
	const char *home = secure_getenv("CUDA_HOME");
	bool chosen;
	void *library = load_chosen(name, &chosen);

	if (!library && !chosen)
		library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
	if (!library && !chosen && home && *home) {
		library = load_from(home, "/extras/CUPTI/lib64", name);
		if (!library)
			library = load_from(home, "/lib64", name);
	}
	for (size_t i = 0; !library && !chosen && i < ARRAY_SIZE(cupti_folders);
	     i++)
		library = load_from(cupti_folders[i], "", name);
	return library;
}

static void *load_cupti(void)
{
	void *library = NULL;

	for (size_t i = 0; !library && i < ARRAY_SIZE(cupti_names); i++)
		library = load_cupti_called(cupti_names[i]);
	return library;
}

/* The first call that is missing, or NULL. */
static const char *find_calls(struct calls *calls)
{
	const char *missing = NULL;

#define X(library, name, parameters)                                           \
	*(void **)&calls->name = dlsym(calls->library, #name);                 \
	if (!calls->name && !missing)                                          \
		missing = #name;
	CUDA_CALLS(X)
#undef X
	return missing;
}

int calls_open(struct calls *calls, struct diag *diag)
{
	const char *missing;

	memset(calls, 0, sizeof(*calls));
	if (loading_refused())
		return diag_fail(diag, PAPI_ENOSUPP, "%s", loading_refused());
	calls->cuda = load_cuda();
	if (!calls->cuda)
		return diag_fail(diag, PAPI_ENOSUPP,
				 "NVIDIA's driver library libcuda.so.1 cannot "
				 "be loaded; " VARIABLE
				 " can name the directory it is in");
	calls->cupti = load_cupti();
	if (!calls->cupti)
		return diag_fail(diag, PAPI_ENOSUPP,
				 "CUPTI (libcupti.so.13) cannot be loaded; it "
				 "comes with the CUDA toolkit, and " VARIABLE
				 " or LD_LIBRARY_PATH can name its directory");
	missing = find_calls(calls);
	if (missing)
		return diag_fail(diag, PAPI_ENOSUPP,
				 "CUPTI or the driver is too old: it has no "
				 "%s, which CUDA 12.6 and later have",
				 missing);
	return 0;
}

void calls_close(struct calls *calls)
{
	memset(calls, 0, sizeof(*calls));
}

static const struct {
	int result;
	int code;
	const char *why;
} results[] = {
	{ CUPTI_BAD_PARAMETER, PAPI_EINVAL, "CUPTI rejected a parameter" },
	{ 7, PAPI_ECNFLCT, "another tool or EventSet is profiling the device" },
	{ CUPTI_NO_MEMORY, PAPI_ENOMEM, "out of memory" },
	{ 14, PAPI_ENOSUPP, "the driver's version does not match this CUPTI" },
	{ 15, PAPI_ENOSUPP, "CUPTI could not be initialised" },
	{ 17, PAPI_ENOEVNT, "the chip has no such metric" },
	{ CUPTI_BUSY, PAPI_ECNFLCT, "another process is profiling the device" },
	{ 27, PAPI_ENOSUPP, "the device or driver does not support it" },
	{ 33, PAPI_ENOSUPP, "a virtual GPU cannot be profiled" },
	{ CUPTI_NO_PRIVILEGE, PAPI_EPERM,
	  "only root may read the GPU's counters; NVreg_"
	  "RestrictProfilingToAdminUsers=0, an option of the kernel module "
	  "nvidia, allows all users" },
	{ CUPTI_VIRTUAL_NO_PRIVILEGE, PAPI_EPERM,
	  "the virtual GPU's owner has not allowed profiling" },
	{ 38, PAPI_ENOSUPP, "the chip is too old for this CUPTI" },
	{ 39, PAPI_ECNFLCT, "another tool has subscribed to CUPTI" },
	{ 41, PAPI_ENOSUPP, "confidential computing forbids profiling" },
	{ 43, PAPI_ENOSUPP, "a part of a GPU (MIG) cannot be profiled" },
	{ 46, PAPI_ENOSUPP, "CUPTI does not know this chip" },
};

const char *calls_why(int result)
{
	for (size_t i = 0; i < ARRAY_SIZE(results); i++)
		if (results[i].result == result)
			return results[i].why;
	return "CUPTI reported an internal error";
}

int calls_code(int result)
{
	for (size_t i = 0; i < ARRAY_SIZE(results); i++)
		if (results[i].result == result)
			return results[i].code;
	return PAPI_ESYS;
}
