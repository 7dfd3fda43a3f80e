/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small readings from files below a root: one line, one number, one field of a
 * "key : value" file, a list of CPUs. A file that is not there or holds
 * something else is an answer ("not known"), not an error.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fs.h"

/* Copy @text without the blanks around it, cut to @size bytes. */
void text_copy(char *to, size_t size, const char *text);

/* The first line of a file into @to. False, and "" there, if there is none. */
bool text_read(const struct fs *fs, char *to, size_t size,
	       const char *path_format, ...)
	__attribute__((format(printf, 4, 5)));

/* A whole number at the start of a file. */
bool text_read_number(const struct fs *fs, uint64_t *out,
		      const char *path_format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The value of the first line "@key : value" of @text, where blanks around
 * the key and the colon do not matter. False, and "" in @to, if there is none.
 */
bool text_find_field(const char *text, const char *key, char *to, size_t size);

/* The same as a number, in decimal or with 0x. */
bool text_find_number(const char *text, const char *key, uint64_t *out);

/*
 * Walk over a list such as "0-3,8": each call gives the next CPU and moves
 * *@list on. False at the end, or at text that is not a list.
 */
struct cpulist {
	const char *at;
	unsigned long next;
	unsigned long last;
	bool inside;
};
bool cpulist_next(struct cpulist *list, unsigned *cpu);
