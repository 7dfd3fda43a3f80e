/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of an input as a file, for parsers that take a path. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The path of a file in memory that holds @data, until the next call. */
static inline const char *input_path(const uint8_t *data, size_t size)
{
	static char path[32];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("input", 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (fd < 0 || ftruncate(fd, 0) ||
	    pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	return path;
}

/* Where output goes that nobody looks at. */
static inline FILE *nowhere(void)
{
	static FILE *to;

	if (!to)
		to = fopen("/dev/null", "w");
	return to ? to : stderr;
}
