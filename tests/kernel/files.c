/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of the modelled machine below /proc and /sys, for programs that
 * look there by themselves: what is about processors, PMUs and permissions
 * is read from its tree.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/kernel/calls.h"
#include "tests/kernel/kernel.h"

#define EXPORT __attribute__((visibility("default")))

static char tree[128];

void mk_files_init(const char *root)
{
	snprintf(tree, sizeof(tree), "%s", root);
}

static bool is_ours(const char *path)
{
	static const char *const ours[] = {
		"/proc/cpuinfo",
		"/proc/sys/kernel/perf_",
		"/proc/sys/kernel/nmi_watchdog",
		"/sys/bus/event_source",
		"/sys/devices/system/cpu",
		"/sys/devices/system/node",
		"/sys/hypervisor",
		"/sys/class/dmi",
		"/proc/device-tree",
	};

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]) && tree[0]; i++)
		if (strncmp(path, ours[i], strlen(ours[i])) == 0)
			return true;
	return false;
}

/* @path, or where the machine has it. */
static const char *moved(const char *path, char *room, size_t size)
{
	if (!is_ours(path))
		return path;
	snprintf(room, size, "%s%s", tree, path);
	return room;
}

EXPORT FILE *fopen(const char *path, const char *mode)
{
	static FILE *(*real)(const char *, const char *);
	char room[1024];

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "fopen64");
	return real(moved(path, room, sizeof(room)), mode);
}

EXPORT FILE *plain_fopen(const char *path, const char *mode) __asm__("fopen")
	__attribute__((alias("fopen64"), malloc));

EXPORT int open(const char *path, int flags, ...)
{
	char room[1024];
	va_list more;
	int mode;

	va_start(more, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, int) : 0;
	va_end(more);
	return (int)raw_call(SYS_openat, AT_FDCWD,
			     (long)moved(path, room, sizeof(room)), flags, mode,
			     0, 0);
}

EXPORT int plain_open(const char *path, int flags, ...) __asm__("open")
	__attribute__((alias("open64"), nonnull(1)));

EXPORT DIR *opendir(const char *path)
{
	static DIR *(*real)(const char *);
	char room[1024];

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "opendir");
	return real(moved(path, room, sizeof(room)));
}

/* What it finds is named as if the tree were the root. */
EXPORT int glob(const char *pattern, int flags,
		int (*on_error)(const char *, int), glob_t *found)
{
	static int (*real)(const char *, int, int (*)(const char *, int),
			   glob_t *);
	size_t root = is_ours(pattern) ? strlen(tree) : 0;
	char room[1024];
	int err;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "glob64");
	err = real(moved(pattern, room, sizeof(room)), flags, on_error, found);
	for (size_t i = 0; !err && i < found->gl_pathc; i++) {
		char *path = found->gl_pathv[i];

		memmove(path, path + root, strlen(path + root) + 1);
	}
	return err;
}

EXPORT int access(const char *path, int mode)
{
	char room[1024];

	return (int)raw_call(SYS_access, (long)moved(path, room, sizeof(room)),
			     mode, 0, 0, 0, 0);
}
