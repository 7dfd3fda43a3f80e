/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The guest's memory: where it lies, and the system calls that change it.
 *
 * The kernel gives every process other addresses, and what a program executes
 * depends on them: on how strings are aligned, on where hash tables put
 * pointers. So the engine chooses all addresses of the guest itself, the same
 * in every run. It does not ask the kernel for a fixed layout, because
 * containers refuse that.
 */
#pragma once

#include <stdint.h>

/* mmap, munmap, mremap, mprotect, brk with the guest's registers. */
int64_t memory_call(const uint64_t *reg);

/* Memory in the low 2 GB, as mmap() would give it. */
int64_t memory_map_low(uint64_t bytes, uint64_t prot, uint64_t flags,
		       uint64_t fd, uint64_t offset);

/* Map @bytes of a stack that grows by itself; its end, 0 if that is taken. */
uint64_t memory_map_stack(uint64_t bytes, int prot);
