/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What machine this is: processor, topology, caches, hypervisor, kernel.
 *
 * All of it is plain data, read when asked for and never changed later. It is
 * read below a root, so a captured machine can be looked at as well as this
 * one. What this process may do is in permission.h, its memory in process.h.
 */
#pragma once

#include "base/fs.h"
#include "host/cache.h"
#include "host/cpu.h"
#include "host/topology.h"
#include "host/virt.h"

struct host {
	struct host_cpu cpu;
	struct host_topology topology;
	struct host_caches caches;
	struct host_virt virt;
	char kernel[96]; /* its release, "6.1.0-18-amd64" */
	char arch[32];   /* "x86_64", "aarch64", ...; "" if captured */
};

/* 0 or PAPI_ENOMEM; free with host_fini(). */
int host_read(const struct fs *fs, struct host *out);
void host_fini(struct host *host);
