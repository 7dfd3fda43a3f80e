/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a hypervisor or a container stands between us and the machine. */
#pragma once

#include <stdbool.h>

#include "base/fs.h"

struct host_virt {
	bool present;        /* a hypervisor is below the kernel */
	char signature[32];  /* as it signs: "KVMKVMKVM"; "" if it does not */
	char hypervisor[32]; /* "KVM", "Hyper-V", ...; "" if not known */
	char product[128];   /* "Firecracker", "Amazon EC2 m5.large"; or "" */
	char container[32];  /* "docker", "podman", ...; "" if in none */
};

void virt_read(const struct fs *fs, struct host_virt *virt);
