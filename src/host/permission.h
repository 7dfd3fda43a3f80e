/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel lets this process count, as far as it can be read. */
#pragma once

#include <stdbool.h>

#include "base/fs.h"

#define PERMISSION_UNKNOWN (-9)

/* A number that cannot be read is PERMISSION_UNKNOWN. */
struct host_permission {
	/*
	 * kernel.perf_event_paranoid: -1 everything, 0 no raw tracepoints, 1
	 * no whole CPUs, 2 no kernel, 3 (Debian) or 4 (Ubuntu) nothing. Not
	 * there: the kernel was built without perf events.
	 */
	int paranoid;
	bool is_root;
	bool cap_perfmon;   /* enough for everything since Linux 5.8 */
	bool cap_sys_admin; /* what it was before */
	bool no_new_privs;
	int seccomp;      /* 0 off, 1 strict, 2 a filter that may refuse */
	int nmi_watchdog; /* 1: it holds a counter of every CPU */
	int user_access;  /* arm64's kernel.perf_user_access */
	int rdpmc;        /* x86's: 0 never, 1 mapped events, 2 always */
	int max_sample_rate;
	int mlock_kb;      /* for ring buffers, a user */
	char lockdown[24]; /* "none", "integrity", ...; "" if not built in */
};

void permission_read(const struct fs *fs, struct host_permission *out);
