/* SPDX-License-Identifier: BSD-3-Clause */
/* Which files say something else in every run; for both engines, which have no
 * C library. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

static inline bool varies_begins(const char *path, const char *with)
{
	while (*with && *path == *with) {
		path++;
		with++;
	}
	return !*with;
}

/*
 * Whether the file at @path may say something else in the next run: what is in
 * /proc does, memory and times for instance, but for a few files. Mappings
 * (maps) are the same: engines choose the addresses.
 */
static inline bool varies_path(const char *path)
{
	static const char *const same[] = {
		"cmdline",   "devices",        "filesystems",  "mounts",
		"sys/",      "version",        "self/auxv",    "self/cgroup",
		"self/cmd",  "self/comm",      "self/environ", "self/exe",
		"self/maps", "self/mountinfo", "self/mounts",  "self/limits",
	};

	if (!varies_begins(path, "/proc/"))
		return false;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (varies_begins(path + 6, same[i]))
			return varies_begins(path, "/proc/sys/kernel/random/");
	return true;
}
