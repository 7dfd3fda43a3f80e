/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of C++ functions. The C++ library knows how they are made, and is on
 * every machine that has C++ programs: it is asked if it is there.
 */

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "symbol/object.h"

typedef char *(*demangle_fn)(const char *name, char *buffer, size_t *length,
			     int *status);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static demangle_fn demangle;

static void look_up(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	void *function = library ? dlsym(library, "__cxa_demangle") : NULL;

	/* POSIX has it that a function's address fits; ISO C has no cast */
	memcpy(&demangle, &function, sizeof(demangle));
}

char *symbol_demangle(const char *name)
{
	int status;

	if (strncmp(name, "_Z", 2) != 0)
		return NULL;
	pthread_once(&once, look_up);
	return demangle ? demangle(name, NULL, NULL, &status) : NULL;
}
