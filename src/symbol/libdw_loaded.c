/* SPDX-License-Identifier: BSD-3-Clause */
/* libdw, found by the soname that the build saw (LIBDW); it brings libelf. */
#define LIBDW_BY_NAME
#include "symbol/libdw.h"

#include <dlfcn.h>
#include <pthread.h>

struct libdw libdw;
static bool is_loaded;

static void load(void)
{
	void *library = dlopen(LIBDW, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return;
	is_loaded = true;
#define FIND(name)                                                             \
	*(void **)&libdw.call_##name = dlsym(library, #name);                  \
	is_loaded = is_loaded && libdw.call_##name;
	LIBDW_CALLS(FIND)
}

bool libdw_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return is_loaded;
}
