/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading counters in user space, where CPU and kernel allow it. */
#pragma once

#include "components/perf_event/slice.h"

/* Whether events of @s should be opened for it. */
bool pe_fast_wanted(const struct slice *s);

/* arm64: ask for it in @attr; the kernel may refuse the event then. */
void pe_fast_set_attr(struct perf_event_attr *attr);

/* Map the pages of an open slice; what cannot be read so has none. */
void pe_fast_open(struct pe_slice *ps);
void pe_fast_close(struct pe_slice *ps);

/* Read all counters into ps->now. False: not possible just now. */
bool pe_fast_read(struct pe_slice *ps);

/* A number for the calling thread that no other thread ever has. */
unsigned long pe_thread(void);
