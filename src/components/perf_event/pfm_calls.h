/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of libpfm4 that are made. Its tables are 1 MB of pointers, which
 * the dynamic linker fills in: 1.3 ms of CPU time at the start of every
 * program. So the shared libraries and the command load it when a name is
 * first looked up in it. Archives and static programs are linked with it.
 */
#pragma once

#include <perfmon/pfmlib_perf_event.h>

#define PFM_CALLS(X)                                                           \
	X(pfm_initialize)                                                      \
	X(pfm_strerror)                                                        \
	X(pfm_get_event_info)                                                  \
	X(pfm_get_event_next)                                                  \
	X(pfm_get_event_attr_info)                                             \
	X(pfm_get_pmu_info)                                                    \
	X(pfm_get_os_event_encoding)

#define PFM_POINTER(name) __typeof__(&name) name;
struct pfm_calls {
	PFM_CALLS(PFM_POINTER)
};

/* Defined where libpfm4 is linked (pfm_linked.c), and only there. */
extern const struct pfm_calls pfm_linked __attribute__((weak));
