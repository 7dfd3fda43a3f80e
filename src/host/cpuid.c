/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUID, executed or read from a captured machine. */
#include "host/cpuid.h"

#include <stdio.h>

#define RANGE_MASK 0xffff0000U
#define HYPERVISOR 0x40000000U

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

static bool execute(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
	__cpuid_count(leaf, subleaf, regs->eax, regs->ebx, regs->ecx,
		      regs->edx);
	return true;
}
#else
static bool execute(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
	(void)leaf;
	(void)subleaf;
	(void)regs;
	return false;
}
#endif

static bool look_up(const struct fs *fs, uint32_t leaf, uint32_t subleaf,
		    struct cpuid_regs *regs)
{
	FILE *file = fs_open(fs, "cpuid");
	char line[256];
	bool found = false;

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file)) {
		struct cpuid_regs r;
		unsigned l, s;

		if (sscanf(line, " %x %x: eax=%x ebx=%x ecx=%x edx=%x", &l, &s,
			   &r.eax, &r.ebx, &r.ecx, &r.edx) == 6 &&
		    l == leaf && s == subleaf) {
			*regs = r;
			found = true;
		}
	}
	fclose(file);
	return found;
}

static bool ask(const struct fs *fs, uint32_t leaf, uint32_t subleaf,
		struct cpuid_regs *regs)
{
	if (fs->root[0] == '\0')
		return execute(leaf, subleaf, regs);
	return look_up(fs, leaf, subleaf, regs);
}

/*
 * A leaf past the end of its range answers with another leaf's data (Intel) or
 * zeros (AMD), so the end is asked for first. Without a hypervisor the whole
 * hypervisor range is past the end; leaf 1 tells whether there is one.
 */
static bool in_range(const struct fs *fs, uint32_t leaf)
{
	uint32_t range = leaf & RANGE_MASK;
	struct cpuid_regs first;

	if (range == HYPERVISOR) {
		if (!ask(fs, 1, 0, &first) || !(first.ecx & (1U << 31)))
			return false;
		/* Some hypervisors leave the end at 0: they have one leaf. */
		return leaf == range ||
		       (ask(fs, range, 0, &first) && leaf <= first.eax);
	}
	return ask(fs, range, 0, &first) && leaf <= first.eax;
}

bool cpuid_get(const struct fs *fs, uint32_t leaf, uint32_t subleaf,
	       struct cpuid_regs *regs)
{
	return in_range(fs, leaf) && ask(fs, leaf, subleaf, regs);
}
