/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running the kernels of kernels.cu: NVIDIA's driver, loaded at run time, and
 * the code that nvcc made of them, which is part of the program. All use the
 * first GPU's primary context, in which they are counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Threads of every launch: the same on all chips, so that counts are. */
#define DRIVER_BLOCKS  256
#define DRIVER_THREADS 128 /* of a block */
#define DRIVER_WARPS   (DRIVER_BLOCKS * DRIVER_THREADS / 32)

/* Whether there is a GPU, a driver, and code for it. */
bool driver_is_there(void);

/* Why not, as a sentence's end. */
const char *driver_why_not(void);

/* Make the context current, and @bytes of memory all zeros. */
bool driver_prepare(size_t bytes);

/* Run function @name over @turns turns and @bytes of memory; wait for it. */
bool driver_run(const char *name, uint32_t turns, size_t bytes);

/* The same with another number of blocks, for loads of other sizes. */
bool driver_run_blocks(const char *name, unsigned blocks, uint32_t turns,
		       size_t bytes);
