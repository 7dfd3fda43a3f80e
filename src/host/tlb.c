/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TLBs from CPUID; Linux tells of them nowhere else. Intel has three ways in
 * history: one-byte descriptors (leaf 2), and a list (leaf 0x18) which a
 * descriptor 0xfe points to. AMD has three leaves of packed fields.
 *
 * 4 MiB pages exist only in 32-bit mode without PAE. A 64-bit program never
 * meets one, so where "2M/4M" is said, 2 MiB is meant here.
 */
#include "host/cache.h"

#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "host/cpuid.h"

#define K4       (4ULL << 10)
#define M2       (2ULL << 20)
#define G1       (1ULL << 30)
#define FULL     CACHE_FULLY_ASSOCIATIVE
#define I        CACHE_INSTRUCTION
#define D        CACHE_DATA
#define U        CACHE_UNIFIED
#define MAX_SUBS 64

/* clang-format off */
/*
 * Leaf 2's descriptors that stand for TLBs; those that stand for two page
 * sizes have two rows. A second-level TLB is one that Intel calls "DTLB1",
 * "shared second-level" or backs a "uTLB". [Intel SDM vol. 2A, table 3-12]
 */
static const struct {
	unsigned char code;
	struct host_tlb tlb;
} descriptors[] = {
	{ 0x01, { 1, I, K4, 32, 4 } },
	{ 0x03, { 1, D, K4, 64, 4 } },
	{ 0x4f, { 1, I, K4, 32, 0 } },
	{ 0x50, { 1, I, K4, 64, 0 } },
	{ 0x51, { 1, I, K4, 128, 0 } },
	{ 0x52, { 1, I, K4, 256, 0 } },
	{ 0x55, { 1, I, M2, 7, FULL } },
	{ 0x57, { 1, D, K4, 16, 4 } },
	{ 0x59, { 1, D, K4, 16, FULL } },
	{ 0x5a, { 1, D, M2, 32, 4 } },
	{ 0x5b, { 1, D, K4, 64, 0 } },
	{ 0x5c, { 1, D, K4, 128, 0 } },
	{ 0x5d, { 1, D, K4, 256, 0 } },
	{ 0x61, { 1, I, K4, 48, FULL } },
	{ 0x63, { 1, D, M2, 32, 4 } },
	{ 0x63, { 1, D, G1, 4, 4 } },
	{ 0x64, { 1, D, K4, 512, 4 } },
	{ 0x6a, { 1, D, K4, 64, 8 } },
	{ 0x6b, { 2, D, K4, 256, 8 } },
	{ 0x6c, { 2, D, M2, 128, 8 } },
	{ 0x6d, { 2, D, G1, 16, FULL } },
	{ 0x76, { 1, I, M2, 8, FULL } },
	{ 0xa0, { 1, D, K4, 32, FULL } },
	{ 0xb0, { 1, I, K4, 128, 4 } },
	{ 0xb1, { 1, I, M2, 8, 4 } },
	{ 0xb2, { 1, I, K4, 64, 4 } },
	{ 0xb3, { 1, D, K4, 128, 4 } },
	{ 0xb4, { 2, D, K4, 256, 4 } },
	{ 0xb5, { 1, I, K4, 64, 8 } },
	{ 0xb6, { 1, I, K4, 128, 8 } },
	{ 0xba, { 2, D, K4, 64, 4 } },
	{ 0xc0, { 1, D, K4, 8, 4 } },
	{ 0xc1, { 2, U, K4, 1024, 8 } },
	{ 0xc1, { 2, U, M2, 1024, 8 } },
	{ 0xc2, { 1, D, K4, 16, 4 } },
	{ 0xc2, { 1, D, M2, 16, 4 } },
	{ 0xc3, { 2, U, K4, 1536, 6 } },
	{ 0xc3, { 2, U, M2, 1536, 6 } },
	{ 0xc3, { 2, U, G1, 16, 4 } },
	{ 0xc4, { 1, D, M2, 32, 4 } },
	{ 0xca, { 2, U, K4, 512, 4 } },
};
/* clang-format on */

static int add_descriptor(unsigned char code, struct host_caches *out)
{
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(descriptors); i++)
		if (descriptors[i].code == code)
			err = tlb_add(out, descriptors[i].tlb);
	return err;
}

/*
 * Four registers of descriptors; one with its top bit set holds none, and the
 * lowest byte of EAX is a repeat count, always 1 since the Pentium Pro.
 */
static int read_leaf2(const struct fs *fs, struct host_caches *out)
{
	struct cpuid_regs r;
	uint32_t regs[4];
	int err = 0;

	if (!cpuid_get(fs, 2, 0, &r))
		return 0;
	memcpy(regs, &r, sizeof(regs));
	regs[0] &= ~0xffU;
	for (int i = 0; i < 4; i++) {
		if (regs[i] & 1U << 31)
			continue;
		for (int byte = 0; !err && byte < 4; byte++)
			err = add_descriptor(regs[i] >> 8 * byte & 0xff, out);
	}
	return err;
}

/* EDX type: 1 data, 2 instruction, 3 unified, 4 loads only, 5 stores only. */
static unsigned leaf18_kind(uint32_t edx)
{
	static const unsigned kinds[] = { 0, D, I, U, D, D };
	unsigned type = edx & 0x1f;

	return type < ARRAY_SIZE(kinds) ? kinds[type] : 0;
}

/*
 * One TLB of leaf 0x18: EBX page sizes 3:0 (4K, 2M, 4M, 1G), ways 31:16; ECX
 * sets; EDX type, level 7:5, fully associative 8. [SDM vol. 2A, leaf 18H]
 */
static int add_leaf18(const struct cpuid_regs *r, struct host_caches *out)
{
	static const uint64_t pages[] = { K4, M2, 0, G1 };
	struct host_tlb tlb = {
		.level = r->edx >> 5 & 7,
		.entries = (r->ebx >> 16) * r->ecx,
		.ways = r->edx & 1U << 8 ? FULL : r->ebx >> 16,
	};
	unsigned kind = leaf18_kind(r->edx);
	int err = 0;

	if (!kind || !tlb.level)
		return 0;
	tlb.kind = (enum cache_kind)kind;
	for (unsigned i = 0; !err && i < ARRAY_SIZE(pages); i++) {
		tlb.page_bytes = pages[i];
		if (r->ebx & 1U << i && pages[i])
			err = tlb_add(out, tlb);
	}
	return err;
}

static int read_leaf18(const struct fs *fs, struct host_caches *out)
{
	struct cpuid_regs r;
	uint32_t last;
	int err = 0;

	if (!cpuid_get(fs, 0x18, 0, &r))
		return 0;
	last = r.eax < MAX_SUBS ? r.eax : MAX_SUBS;
	for (uint32_t i = 0; !err && i <= last; i++)
		if (cpuid_get(fs, 0x18, i, &r))
			err = add_leaf18(&r, out);
	return err;
}

/*
 * AMD's four-bit code for ways; 0 is "no such TLB", 9 "ask another leaf",
 * which tells of caches only. [AMD APM vol. 3, table E-4]
 */
static unsigned amd_ways(uint32_t code)
{
	static const unsigned ways[16] = {
		[1] = 1,   [2] = 2,    [3] = 3,    [4] = 4,   [5] = 6,
		[6] = 8,   [8] = 16,   [10] = 32,  [11] = 48, [12] = 64,
		[13] = 96, [14] = 128, [15] = FULL
	};

	return ways[code & 0xf];
}

/* Fields of leaves 0x80000006 and 0x80000019: ways 15:12, entries 11:0. */
static int add_amd_pair(uint32_t reg, unsigned level, uint64_t page,
			struct host_caches *out)
{
	int err = 0;

	for (int shift = 0; !err && shift <= 16; shift += 16) {
		uint32_t field = reg >> shift & 0xffff;

		if (field >> 12)
			err = tlb_add(out,
				      (struct host_tlb){
					      .level = level,
					      .kind = shift ? D : I,
					      .page_bytes = page,
					      .entries = field & 0xfff,
					      .ways = amd_ways(field >> 12) });
	}
	return err;
}

/* Leaf 0x80000005: ways 15:8 (0xff: full), entries 7:0. */
static int add_amd_l1(uint32_t reg, uint64_t page, struct host_caches *out)
{
	int err = 0;

	for (int shift = 0; !err && shift <= 16; shift += 16) {
		unsigned ways = reg >> (shift + 8) & 0xff;

		err = tlb_add(out,
			      (struct host_tlb){ .level = 1,
						 .kind = shift ? D : I,
						 .page_bytes = page,
						 .entries = reg >> shift & 0xff,
						 .ways = ways == 0xff ? FULL
								      : ways });
	}
	return err;
}

static int read_amd(const struct fs *fs, struct host_caches *out)
{
	struct cpuid_regs r;
	int err = 0;

	if (cpuid_get(fs, 0x80000005U, 0, &r)) {
		err = add_amd_l1(r.eax, M2, out);
		if (!err)
			err = add_amd_l1(r.ebx, K4, out);
	}
	if (!err && cpuid_get(fs, 0x80000006U, 0, &r)) {
		err = add_amd_pair(r.eax, 2, M2, out);
		if (!err)
			err = add_amd_pair(r.ebx, 2, K4, out);
	}
	if (!err && cpuid_get(fs, 0x80000019U, 0, &r)) {
		err = add_amd_pair(r.eax, 1, G1, out);
		if (!err)
			err = add_amd_pair(r.ebx, 2, G1, out);
	}
	return err;
}

/* AMD leaves leaf 2 at 0; Intel leaves 0x80000005 reserved. */
int tlb_read_cpuid(const struct fs *fs, struct host_caches *out)
{
	struct cpuid_regs r;
	int err;

	if (!cpuid_get(fs, 0, 0, &r))
		return 0;
	if (r.ebx == 0x756e6547) { /* "Genu"ineIntel */
		err = read_leaf2(fs, out);
		if (!err)
			err = read_leaf18(fs, out);
		return err;
	}
	return read_amd(fs, out);
}
