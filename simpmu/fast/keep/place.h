/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The directory that translations are kept in: $XDG_CACHE_HOME/assay/fast, else
 * ~/.cache/assay/fast. What is not the user's own, or what others may write, is
 * not used. Files appear complete or not at all; the oldest are removed when
 * there are too many.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What the kernel tells of a file, as far as it is looked at. */
struct place_file {
	uint64_t device, inode, bytes;
	int64_t changed[4]; /* modified and changed, seconds and nanoseconds */
	uint32_t mode, user;
};

bool place_stat(int64_t fd, struct place_file *out);

/* Choose @directory, which is made when something is written; NULL: the one
 * that the environment @environment says. False: there is none. */
bool place_choose(const char *directory, char **environment);

/* Open the file of @key to read: its descriptor, or negative. It counts as
 * used now. */
int64_t place_open(uint64_t key, struct place_file *out);

/* Open a file for @key that nobody sees yet: its descriptor, or negative. Then
 * it replaces the one of @key, or, if !@is_done, is removed; it is closed. */
int64_t place_create(uint64_t key);
void place_finish(int64_t fd, uint64_t key, bool is_done);
