/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads libnvidia-ml and resolves the calls; a missing one is named. Reading
 * sensors is left to the component.
 */
#include "components/nvml/calls.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/loading.h"
#include "base/strbuf.h"

#define NAME     "libnvidia-ml.so.1"
#define VARIABLE "ASSAY_CUDA_LIBRARIES"

static void *load(void)
{
	const char *folder = secure_getenv(VARIABLE);
	OWNED char *path = NULL;

	if (!folder || !*folder)
		return dlopen(NAME, RTLD_LAZY | RTLD_LOCAL);
	path = str_format("%s/" NAME, folder);
	return path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
}

int nvml_calls_open(struct nvml_calls *calls, struct diag *diag)
{
	memset(calls, 0, sizeof(*calls));
	if (loading_refused())
		return diag_fail(diag, PAPI_ENOSUPP, "%s", loading_refused());
	calls->library = load();
	if (!calls->library)
		return diag_fail(diag, PAPI_ENOSUPP,
				 "NVIDIA's management library " NAME
				 " cannot be loaded; it comes with the "
				 "driver, and " VARIABLE
				 " can name the directory it is in");
#define X(name, parameters)                                                    \
	*(void **)&calls->name = dlsym(calls->library, #name);
	NVML_CALLS(X)
#undef X
	if (!calls->nvmlInit_v2 || !calls->nvmlShutdown ||
	    !calls->nvmlDeviceGetCount_v2 ||
	    !calls->nvmlDeviceGetHandleByIndex_v2)
		return diag_fail(diag, PAPI_ENOSUPP,
				 NAME " is too old to be used");
	return 0;
}
