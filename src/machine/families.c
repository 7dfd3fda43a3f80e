/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processor families and what their makers publish of them (AMD's software
 * optimization guides, Intel's optimization reference manual, talks at Hot
 * Chips). The scheduler's entries are those of all queues together. The first
 * row that fits is taken.
 */
#include "machine/families.h"

#include <string.h>

#include "base/array.h"

#define AMD   "AuthenticAMD"
#define INTEL "GenuineIntel"

static const struct family families[] = {
	{ AMD, 0x17, 0x00, 0x2f, "Zen", 8, 192, 120, 72, 44, 22, "victim" },
	{ AMD, 0x17, 0x30, 0xff, "Zen 2", 8, 224, 128, 72, 48, 22, "victim" },
	{ AMD, 0x19, 0x10, 0x1f, "Zen 4", 8, 320, 160, 88, 64, 24, "victim" },
	{ AMD, 0x19, 0x60, 0xaf, "Zen 4", 8, 320, 160, 88, 64, 24, "victim" },
	{ AMD, 0x19, 0x00, 0xff, "Zen 3", 8, 256, 160, 72, 64, 24, "victim" },
	{ AMD, 0x1a, 0x00, 0xff, "Zen 5", 8, 448, 240, 202, 104, 24, "victim" },
	{ INTEL, 6, 0x3c, 0x3c, "Haswell", 4, 192, 60, 72, 42, 10,
	  "inclusive" },
	{ INTEL, 6, 0x3f, 0x3f, "Haswell", 4, 192, 60, 72, 42, 10,
	  "inclusive" },
	{ INTEL, 6, 0x3d, 0x3d, "Broadwell", 4, 192, 60, 72, 42, 10,
	  "inclusive" },
	{ INTEL, 6, 0x45, 0x47, "Haswell", 4, 192, 60, 72, 42, 10,
	  "inclusive" },
	{ INTEL, 6, 0x4f, 0x4f, "Broadwell", 4, 192, 60, 72, 42, 10,
	  "inclusive" },
	{ INTEL, 6, 0x56, 0x56, "Broadwell", 4, 192, 60, 72, 42, 10,
	  "inclusive" },
	{ INTEL, 6, 0x55, 0x55, "Skylake server", 4, 224, 97, 72, 56, 12,
	  "victim" },
	{ INTEL, 6, 0x4e, 0x5e, "Skylake", 4, 224, 97, 72, 56, 12,
	  "inclusive" },
	{ INTEL, 6, 0x8e, 0x8e, "Skylake", 4, 224, 97, 72, 56, 12,
	  "inclusive" },
	{ INTEL, 6, 0x9e, 0x9e, "Skylake", 4, 224, 97, 72, 56, 12,
	  "inclusive" },
	{ INTEL, 6, 0xa5, 0xa6, "Skylake", 4, 224, 97, 72, 56, 12,
	  "inclusive" },
	{ INTEL, 6, 0x6a, 0x6c, "Ice Lake server", 8, 352, 160, 128, 72, 12,
	  "victim" },
	{ INTEL, 6, 0x7d, 0x7e, "Ice Lake", 8, 352, 160, 128, 72, 12,
	  "inclusive" },
	{ INTEL, 6, 0x8c, 0x8d, "Tiger Lake", 8, 352, 160, 128, 72, 12,
	  "victim" },
	{ INTEL, 6, 0xa7, 0xa7, "Rocket Lake", 8, 352, 160, 128, 72, 12,
	  "inclusive" },
	{ INTEL, 6, 0x8f, 0x8f, "Sapphire Rapids", 8, 512, 205, 192, 114, 16,
	  "victim" },
	{ INTEL, 6, 0xcf, 0xcf, "Emerald Rapids", 8, 512, 205, 192, 114, 16,
	  "victim" },
	{ INTEL, 6, 0xad, 0xae, "Granite Rapids", 8, 512, 205, 192, 114, 16,
	  "victim" },
	{ INTEL, 6, 0x97, 0x9a, "Alder Lake", 8, 512, 205, 192, 114, 16,
	  "victim" },
	{ INTEL, 6, 0xb7, 0xbf, "Raptor Lake", 8, 512, 205, 192, 114, 16,
	  "victim" },
};

const struct family *family_of(const struct machine *m)
{
	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		const struct family *f = &families[i];

		if (m->vendor && strcmp(m->vendor, f->vendor) == 0 &&
		    m->family == f->family && m->model >= f->first &&
		    m->model <= f->last)
			return f;
	}
	return NULL;
}
