/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What MIDR_EL1's implementer and part numbers stand for, as the makers'
 * technical reference manuals and the Linux kernel's cputype.h give them.
 */
#include "host/cpu.h"

#include "base/array.h"

static const struct {
	unsigned implementer;
	unsigned part;
	const char *name;
} parts[] = {
	{ 0x41, 0xd03, "Cortex-A53" },
	{ 0x41, 0xd04, "Cortex-A35" },
	{ 0x41, 0xd05, "Cortex-A55" },
	{ 0x41, 0xd06, "Cortex-A65" },
	{ 0x41, 0xd07, "Cortex-A57" },
	{ 0x41, 0xd08, "Cortex-A72" },
	{ 0x41, 0xd09, "Cortex-A73" },
	{ 0x41, 0xd0a, "Cortex-A75" },
	{ 0x41, 0xd0b, "Cortex-A76" },
	{ 0x41, 0xd0c, "Neoverse-N1" },
	{ 0x41, 0xd0d, "Cortex-A77" },
	{ 0x41, 0xd40, "Neoverse-V1" },
	{ 0x41, 0xd41, "Cortex-A78" },
	{ 0x41, 0xd44, "Cortex-X1" },
	{ 0x41, 0xd46, "Cortex-A510" },
	{ 0x41, 0xd47, "Cortex-A710" },
	{ 0x41, 0xd48, "Cortex-X2" },
	{ 0x41, 0xd49, "Neoverse-N2" },
	{ 0x41, 0xd4a, "Neoverse-E1" },
	{ 0x41, 0xd4b, "Cortex-A78C" },
	{ 0x41, 0xd4d, "Cortex-A715" },
	{ 0x41, 0xd4e, "Cortex-X3" },
	{ 0x41, 0xd4f, "Neoverse-V2" },
	{ 0x41, 0xd80, "Cortex-A520" },
	{ 0x41, 0xd81, "Cortex-A720" },
	{ 0x41, 0xd82, "Cortex-X4" },
	{ 0x41, 0xd83, "Neoverse-V3AE" },
	{ 0x41, 0xd84, "Neoverse-V3" },
	{ 0x41, 0xd8e, "Neoverse-N3" },
	{ 0x42, 0x516, "ThunderX2" },
	{ 0x43, 0x0a1, "ThunderX" },
	{ 0x43, 0x0af, "ThunderX2" },
	{ 0x43, 0x0b8, "ThunderX3" },
	{ 0x46, 0x001, "A64FX" },
	{ 0x48, 0xd01, "TaiShan-v110" },
	{ 0x48, 0xd02, "TaiShan-v120" },
	{ 0x4e, 0x004, "Carmel" },
	{ 0x50, 0x000, "X-Gene" },
	{ 0x51, 0x800, "Falkor-V1" },
	{ 0x51, 0xc00, "Falkor" },
	{ 0x61, 0x022, "Apple M1 Icestorm" },
	{ 0x61, 0x023, "Apple M1 Firestorm" },
	{ 0x61, 0x032, "Apple M2 Blizzard" },
	{ 0x61, 0x033, "Apple M2 Avalanche" },
	{ 0xc0, 0xac3, "Ampere-1" },
	{ 0xc0, 0xac4, "Ampere-1a" },
};

const char *arm_part_name(unsigned implementer, unsigned part)
{
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i].implementer == implementer &&
		    parts[i].part == part)
			return parts[i].name;
	return NULL;
}
