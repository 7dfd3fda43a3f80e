/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files below a root. Everything that reads /proc or /sys goes through here,
 * so that tests can show it a captured machine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct fs {
	const char *root; /* "" is the machine itself; no slash at the end */
};

/* Whether @path can be read; errno is set if not. One system call. */
bool fs_exists(const struct fs *fs, const char *path);

/* Open @path (no leading slash) to read; NULL with errno set if it cannot. */
FILE *fs_open(const struct fs *fs, const char *path);

/*
 * The whole of a small file, NUL-terminated, without its last newline; to be
 * freed. NULL with errno set if it cannot be read.
 */
char *fs_read(const struct fs *fs, const char *path);

/* A whole number from a file's first line. PAPI_ESYS if there is none. */
int fs_read_long(const struct fs *fs, const char *path, long *out);

/*
 * Names in folder @path, sorted, without dot files; free each and the array
 * with fs_free_names(). 0 names if the folder is not there.
 */
int fs_list(const struct fs *fs, const char *path, char ***names, size_t *n);
void fs_free_names(char **names, size_t n);
