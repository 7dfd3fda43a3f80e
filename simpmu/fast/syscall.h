/* SPDX-License-Identifier: BSD-3-Clause */
/* The guest's system calls. */
#ifndef SIMPMU_FAST_SYSCALL_H
#define SIMPMU_FAST_SYSCALL_H

#include <stdint.h>

struct thread;

/* Do what @t asks for; its state is that behind the instruction. */
void syscall_do(struct thread *t);

/* A signal comes first: @t is before the instruction again. */
void syscall_rewind(struct thread *t);

/* Memory in the low 2 GB, as mmap() would give it. */
int64_t syscall_map_low(uint64_t bytes, uint64_t prot, uint64_t flags,
			uint64_t fd, uint64_t offset);

#endif /* SIMPMU_FAST_SYSCALL_H */
