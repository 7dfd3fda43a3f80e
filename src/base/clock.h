/* SPDX-License-Identifier: BSD-3-Clause */
/* Time in nanoseconds. Both may be called in a signal handler. */
#pragma once

#include <stdint.h>

/* Since some fixed moment. */
uint64_t clock_real_ns(void);

/* That this thread has run on a CPU. */
uint64_t clock_thread_ns(void);
