/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The x86 CPUID instruction, or what it said on a captured machine.
 *
 * For the machine itself (root "") the instruction is executed. Below another
 * root the answers come from a file called "cpuid", one line a leaf in the
 * form that "cpuid -r" prints:
 *
 *   0x80000005 0x00: eax=0xff40ff40 ebx=0xff40ff40 ecx=0x20080140 edx=...
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fs.h"

struct cpuid_regs {
	uint32_t eax;
	uint32_t ebx;
	uint32_t ecx;
	uint32_t edx;
};

/*
 * Ask for @leaf and @subleaf. False where there is no CPUID, or where the
 * range that @leaf is in (standard, hypervisor, extended) ends before it.
 */
bool cpuid_get(const struct fs *fs, uint32_t leaf, uint32_t subleaf,
	       struct cpuid_regs *regs);
