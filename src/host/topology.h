/* SPDX-License-Identifier: BSD-3-Clause */
/* How many CPUs, cores, sockets and memory nodes, and who belongs to whom. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/fs.h"

struct host_node {
	unsigned id; /* the kernel's; there may be gaps */
	uint64_t memory_kb;
	unsigned cpus; /* 0: memory only */
};

struct host_topology {
	unsigned cpus;    /* online, as the scheduler counts */
	unsigned threads; /* hardware threads of a core, the most */
	unsigned cores;   /* of a socket, the most */
	unsigned sockets;
	uint64_t memory_kb; /* of the whole machine */
	struct host_node *nodes;
	size_t n_nodes;     /* at least 1 */
	unsigned *cpu_ids;  /* the kernel's numbers of the online CPUs */
	unsigned *cpu_node; /* position in nodes of each CPU of cpu_ids */
};

/*
 * Read it from sysfs, or from /proc where there is no /sys. 0 or PAPI_ENOMEM;
 * counts that cannot be found out are 1.
 */
int topology_read(const struct fs *fs, struct host_topology *out);
void topology_fini(struct host_topology *t);
