/* SPDX-License-Identifier: BSD-3-Clause */
/* The guest's execve and execveat: which file is meant. */
#pragma once

#include <stdint.h>

struct thread;

/* Do them; they return if they fail. */
int64_t exec_call(struct thread *t);
int64_t exec_at_call(struct thread *t);
