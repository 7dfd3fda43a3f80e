/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables on their way to a file and back. Each part of the translator names
 * what it has by the same function for both directions (block_keep(), ...):
 * first numbers, then the memory that they are the sizes of.
 *
 * A file has a page of header, then all parts, each from a multiple of eight
 * bytes on, memory from the start of a page. A sum over all tells a file that
 * is not as it was written.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMAGE_LANES 4

struct image {
	bool is_loading, has_failed;
	int64_t fd;
	uint64_t at;           /* offset in the file */
	uint64_t bytes;        /* of the file, when loading */
	const uint8_t *mapped; /* the file, when loading */
	uint64_t sum[IMAGE_LANES];
};

/* Number @value of @bytes bytes; when loading it must be below @limit. */
void image_number(struct image *i, uint32_t *value, uint32_t limit);
/* Memory at @at, the start of a page: written, or replaced by the file's. */
void image_memory(struct image *i, void *at, uint64_t bytes);
/* The same, but copied: for memory that has large pages. */
void image_copy(struct image *i, void *at, uint64_t bytes);

/* Begin to write to @fd behind a page of header; the sum of all written. */
void image_begin(struct image *i, int64_t fd);
uint64_t image_sum(const struct image *i);

/* Map the file @fd, whose parts have the sum @sum: false if they have not, or
 * there is no memory. Let go of what is left of the mapping. */
bool image_open(struct image *i, int64_t fd, uint64_t bytes);
bool image_is_whole(struct image *i, uint64_t sum);
void image_close(struct image *i);

/* A sum over words, for keys. */
uint64_t image_mix(uint64_t sum, const void *data, size_t bytes);
