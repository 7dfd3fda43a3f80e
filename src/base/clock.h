/* SPDX-License-Identifier: BSD-3-Clause */
/* Time in nanoseconds. Both may be called in a signal handler. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* Since some fixed moment. */
uint64_t clock_real_ns(void);

/* That this thread has run on a CPU. */
uint64_t clock_thread_ns(void);

#endif /* BASE_CLOCK_H */
