/* SPDX-License-Identifier: BSD-3-Clause */
/* The guest's system calls. */
#pragma once

#include <stdint.h>

struct thread;

/* Do what @t asks for; its state is that behind the instruction. */
void syscall_do(struct thread *t);

/* A signal comes first: @t is before the instruction again. */
void syscall_rewind(struct thread *t);
