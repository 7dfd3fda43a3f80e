/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In place of libc's calls, for programs that are linked statically: one that
 * loads libraries gets a second libc, which may be of another version and
 * crash.
 */
#include <dlfcn.h>
#include <stddef.h>

void *dlopen(const char *file, int mode)
{
	(void)file, (void)mode;
	return NULL;
}

void *dlsym(void *restrict library, const char *restrict name)
{
	(void)library, (void)name;
	return NULL;
}

int dlclose(void *library)
{
	(void)library;
	return -1;
}

char *dlerror(void)
{
	static char why[] = "a static program cannot load libraries";

	return why;
}
