/* SPDX-License-Identifier: BSD-3-Clause */
/* The library is found by the soname that the build saw (MICROHTTPD). */
#include "view/microhttpd.h"

#include <dlfcn.h>
#include <pthread.h>

struct microhttpd microhttpd;
static bool is_loaded;

static void load(void)
{
	void *library = dlopen(MICROHTTPD, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return;
	is_loaded = true;
#define FIND(name)                                                             \
	*(void **)&microhttpd.call_##name = dlsym(library, #name);             \
	is_loaded = is_loaded && microhttpd.call_##name;
	MICROHTTPD_CALLS(FIND)
}

bool microhttpd_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return is_loaded;
}
