/* SPDX-License-Identifier: BSD-3-Clause */
/* Which processor this is: maker, family, model, name, clock. */
#pragma once

#include <stdbool.h>

#include "base/fs.h"

enum host_vendor {
	HOST_VENDOR_UNKNOWN,
	HOST_VENDOR_INTEL,
	HOST_VENDOR_AMD,
	HOST_VENDOR_IBM,
	HOST_VENDOR_ARM,
	HOST_VENDOR_OTHER, /* known by name only */
};

/* What cannot be found out is 0, "" or HOST_VENDOR_UNKNOWN. */
struct host_cpu {
	enum host_vendor vendor;
	char vendor_name[64]; /* "GenuineIntel", "AuthenticAMD", "ARM", "IBM" */
	char name[128];       /* "AMD EPYC 7543 32-Core Processor", "POWER9" */
	/*
	 * x86: CPUID's display family, model and stepping. arm64: the
	 * architecture (8), MIDR's part and revision. POWER: 0, and version
	 * and revision from the PVR.
	 */
	unsigned family;
	unsigned model;
	unsigned stepping;
	unsigned implementer; /* arm64: who designed it; 0x41 is Arm */
	unsigned variant;     /* arm64: the r of "r3p1"; POWER: the 2 of 2.3 */
	unsigned microcode;   /* x86: the revision loaded; 0: not known */
	bool hybrid;          /* cores of more than one kind */
	double max_mhz; /* highest and lowest that the kernel may choose; */
	double min_mhz; /* the present clock where it does not say */
};

int cpu_read(const struct fs *fs, struct host_cpu *cpu);

/* "Neoverse-N1" for arm64's @implementer and @part, or NULL. */
const char *arm_part_name(unsigned implementer, unsigned part);
