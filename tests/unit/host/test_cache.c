/* SPDX-License-Identifier: BSD-3-Clause */
/* Caches and TLBs of the captured machines, and CPUID descriptors. */
#include "host/cache.h"

#include "base/array.h"
#include "tests/unit/host/machine.h"

#define FULL CACHE_FULLY_ASSOCIATIVE
#define KIB  1024ULL
#define MIB  (1024 * KIB)
#define GIB  (1024 * MIB)

TEST(test_caches_of_each_machine)
{
	static const struct {
		int line;
		const char *machine;
		unsigned level;
		enum cache_kind kind;
		uint64_t bytes;
		unsigned line_bytes, ways, shared;
	} rows[] = {
		{ __LINE__, "epyc-genoa-firecracker", 1, CACHE_DATA, 32 * KIB,
		  64, 8, 1 },
		{ __LINE__, "epyc-genoa-firecracker", 3, CACHE_UNIFIED,
		  32 * MIB, 64, 16, 2 },
		{ __LINE__, "zen3-2s-8n", 1, CACHE_INSTRUCTION, 32 * KIB, 64, 8,
		  2 },
		{ __LINE__, "zen3-2s-8n", 2, CACHE_UNIFIED, 512 * KIB, 64, 8,
		  2 },
		{ __LINE__, "zen3-2s-8n", 3, CACHE_UNIFIED, 32 * MIB, 64, 16,
		  8 },
		{ __LINE__, "neoverse-n1", 1, CACHE_DATA, 64 * KIB, 64, 4, 1 },
		{ __LINE__, "power9-2s", 3, CACHE_UNIFIED, 10 * MIB, 128, 20,
		  8 },
		/* from CPUID leaf 4 */
		{ __LINE__, "icelake-sp", 1, CACHE_DATA, 48 * KIB, 64, 12, 0 },
		{ __LINE__, "icelake-sp", 2, CACHE_UNIFIED, 1280 * KIB, 64, 20,
		  0 },
		{ __LINE__, "icelake-sp", 3, CACHE_UNIFIED, 48 * MIB, 64, 12,
		  0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct host_cache *c;
		struct host_caches all;
		struct machine m;

		machine_open(&m, rows[i].machine);
		CHECK_AT(rows[i].line, caches_read(&m.fs, &all) == 0);
		CHECK_AT(rows[i].line, all.n_caches == 4);
		c = cache_find(&all, rows[i].level, rows[i].kind);
		CHECK_AT(rows[i].line, c != NULL);
		CHECK_AT(rows[i].line, c->bytes == rows[i].bytes);
		CHECK_AT(rows[i].line, c->line_bytes == rows[i].line_bytes);
		CHECK_AT(rows[i].line, c->ways == rows[i].ways);
		CHECK_AT(rows[i].line, c->shared_cpus == rows[i].shared);
		caches_fini(&all);
		machine_close(&m);
	}
}

static const struct host_tlb *find_tlb(const struct host_caches *all,
				       const struct host_tlb *want)
{
	for (size_t i = 0; i < all->n_tlbs; i++) {
		const struct host_tlb *t = &all->tlbs[i];

		if (t->level == want->level && t->kind == want->kind &&
		    t->page_bytes == want->page_bytes &&
		    t->entries == want->entries && t->ways == want->ways)
			return t;
	}
	return NULL;
}

TEST(test_tlbs_of_each_machine)
{
	static const struct {
		int line;
		const char *machine;
		size_t n;
		struct host_tlb tlb;
	} rows[] = {
		/* AMD: leaves 0x80000005, 6 and 0x19 */
		{ __LINE__,
		  "epyc-genoa-firecracker",
		  8,
		  { 1, CACHE_DATA, 4 * KIB, 72, FULL } },
		{ __LINE__,
		  "epyc-genoa-firecracker",
		  8,
		  { 1, CACHE_INSTRUCTION, 2 * MIB, 64, FULL } },
		{ __LINE__,
		  "epyc-genoa-firecracker",
		  8,
		  { 2, CACHE_DATA, 2 * MIB, 3072, 6 } },
		{ __LINE__,
		  "epyc-genoa-firecracker",
		  8,
		  { 2, CACHE_INSTRUCTION, 4 * KIB, 512, 4 } },
		{ __LINE__,
		  "zen3-2s-8n",
		  11,
		  { 2, CACHE_DATA, 4 * KIB, 2048, 8 } },
		{ __LINE__,
		  "zen3-2s-8n",
		  11,
		  { 1, CACHE_INSTRUCTION, GIB, 64, FULL } },
		/* Intel: leaf 0x18 */
		{ __LINE__,
		  "icelake-sp",
		  12,
		  { 1, CACHE_INSTRUCTION, 4 * KIB, 128, 8 } },
		{ __LINE__,
		  "icelake-sp",
		  12,
		  { 1, CACHE_INSTRUCTION, 2 * MIB, 16, FULL } },
		{ __LINE__,
		  "icelake-sp",
		  12,
		  { 1, CACHE_DATA, 4 * KIB, 64, 4 } },
		{ __LINE__,
		  "icelake-sp",
		  12,
		  { 2, CACHE_UNIFIED, GIB, 1024, 8 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct host_caches all;
		struct machine m;

		machine_open(&m, rows[i].machine);
		CHECK_AT(rows[i].line, caches_read(&m.fs, &all) == 0);
		CHECK_AT(rows[i].line, all.n_tlbs == rows[i].n);
		CHECK_AT(rows[i].line, find_tlb(&all, &rows[i].tlb) != NULL);
		caches_fini(&all);
		machine_close(&m);
	}
}

/*
 * A Skylake's descriptors: 0xb5 and 0x76 instructions, 0x63 and 0x03 data,
 * 0xc3 second level. The register with its top bit set holds none.
 */
TEST(test_descriptors_of_leaf_2)
{
	static const struct host_tlb want[] = {
		{ 1, CACHE_INSTRUCTION, 4 * KIB, 64, 8 },
		{ 1, CACHE_INSTRUCTION, 2 * MIB, 8, FULL },
		{ 1, CACHE_DATA, 4 * KIB, 64, 4 },
		{ 1, CACHE_DATA, 2 * MIB, 32, 4 },
		{ 1, CACHE_DATA, GIB, 4, 4 },
		{ 2, CACHE_UNIFIED, 4 * KIB, 1536, 6 },
		{ 2, CACHE_UNIFIED, 2 * MIB, 1536, 6 },
		{ 2, CACHE_UNIFIED, GIB, 16, 4 },
	};
	struct host_caches all;
	struct machine m;

	machine_init(&m);
	machine_put(&m, "cpuid",
		    "0x00000000 0x00: eax=0x00000016 ebx=0x756e6547 "
		    "ecx=0x6c65746e edx=0x49656e69\n"
		    "0x00000002 0x00: eax=0x76036301 ebx=0x00f0b5ff "
		    "ecx=0x80b5b5b5 edx=0x00c30000\n");
	assert_int_equal(caches_read(&m.fs, &all), 0);
	assert_int_equal(all.n_tlbs, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_non_null(find_tlb(&all, &want[i]));
	caches_fini(&all);
	machine_close(&m);
}

TEST(test_silence_and_garbage_give_nothing)
{
	static const struct {
		const char *path;
		const char *text;
	} rows[] = {
		{ "proc/nothing", "" },
		{ "cpuid", "" },
		{ "cpuid", "0x0 0x0: eax=zz\n\xff\n" },
		{ "sys/devices/system/cpu/cpu0/cache/index0/level", "1" },
		{ "sys/devices/system/cpu/cpu0/cache/index0/type", "Data" },
		{ "sys/devices/system/cpu/cpu0/cache/index9/type", "?" },
		{ "sys/devices/system/cpu/cpu0/cache/uevent", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct host_caches all;
		struct machine m;

		machine_init(&m);
		machine_put(&m, rows[i].path, rows[i].text);
		assert_int_equal(caches_read(&m.fs, &all), 0);
		assert_int_equal(all.n_caches, 0);
		assert_int_equal(all.n_tlbs, 0);
		caches_fini(&all);
		machine_close(&m);
	}
}

RUN_ALL_TESTS
