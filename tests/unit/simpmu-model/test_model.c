/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine as a whole: memory that runs out, parts switched while running,
 * page sizes, accesses that go past the caches, coherence invariants.
 */
#include "rig.h"

#define BASE UINT64_C(0x40000000)

/* ---- memory ---- */

static void *get_until(void *ctx, size_t bytes)
{
	unsigned *left = ctx;

	return (*left)-- ? rig_get(NULL, bytes) : NULL;
}

static void put_counted(void *ctx, void *mem, size_t bytes)
{
	(void)ctx;
	rig_put(NULL, mem, bytes);
}

static bool works_with(unsigned allocations)
{
	struct model_alloc alloc = { get_until, put_counted, &allocations };
	struct params p = rig_params("p3");
	struct model *model = model_new(&p, RIG_ALL, &alloc);
	bool ok = model && model_add_core(model) && model_add_core(model) &&
		  model_set_huge(model, 0, 1 << 24, true);

	model_free(model);
	return ok;
}

TEST(test_each_allocation_may_fail)
{
	unsigned n = 0;

	while (!works_with(n)) {
		n++;
		assert_true(n < 1000);
	}
	assert_true(n > 20);
}

/* ---- parts ---- */

TEST(test_parts_can_be_switched)
{
	struct params p = rig_plain("icx");
	struct model *model = rig_new(&p, 0, 1);
	struct core *core = model_core(model, 0);
	struct branch b = { 0x1000, 0x900, 0x1002, BRANCH_COND, true };

	assert_true(model_set_parts(model, PART_DATA));
	model_load(core, 0, BASE, 8);
	assert_int_equal(core->tallies[TALLY_L1D_LOAD_MISS], 1);
	assert_int_equal(core->tallies[TALLY_CYCLES], 0);
	assert_true(model_set_parts(model, PART_BRANCH));
	model_branch(core, &b);
	assert_int_equal(core->tallies[TALLY_BR_MISP], 1);
	assert_true(model_set_parts(model, PART_CYCLE));
	model_load(core, 0, BASE, 8);
	assert_int_equal(core->tallies[TALLY_L1D_LOAD_MISS], 1);
	assert_non_null(model_add_core(model));
	model_store(model_core(model, 1), 0, BASE, 8);
	assert_int_equal(core->tallies[TALLY_INVALIDATE], 1);
	model_free(model);
}

TEST(test_flush_makes_all_cold)
{
	struct params p = rig_plain("icx");
	struct model *model = rig_new(&p, PART_FETCH | PART_DATA, 2);
	struct core *core = model_core(model, 0);

	for (int pass = 1; pass <= 3; pass++) {
		for (uint64_t i = 0; i < 100; i++) {
			model_load(core, 0, BASE + i * 64, 8);
			model_fetch(core, 0x400000 + i * 64);
		}
		assert_int_equal(core->tallies[TALLY_L1D_LOAD_MISS],
				 100 * pass);
		assert_int_equal(core->tallies[TALLY_L1I_MISS], 100 * pass);
		assert_int_equal(core->tallies[TALLY_DRAM_READ], 200 * pass);
		assert_int_equal(core->tallies[TALLY_WALK_LOAD], 2 * pass);
		model_flush(model);
	}
	model_free(model);
}

TEST(test_lookups_follow_from_accesses)
{
	struct params p = rig_plain("icx");
	struct model *model = rig_new(&p, PART_DATA, 1);
	struct core *core = model_core(model, 0);
	uint64_t tallies[TALLY_COUNT] = { 0 };

	for (uint64_t i = 0; i < 64; i++)
		model_load(core, 0, BASE + i, 8); /* 7 cross the line */
	model_add_lookups(tallies, core, 64, 0, 10);
	assert_int_equal(core->tallies[TALLY_SPLIT_LOAD], 7);
	assert_int_equal(tallies[TALLY_L1D_LOAD], 71);
	assert_int_equal(tallies[TALLY_DTLB_LOAD], 71);
	assert_int_equal(tallies[TALLY_L1I_ACCESS], 10);
	model_free(model);
}

/* ---- pages ---- */

/* Walks of a sweep over @pages 4 KB pages. */
static uint64_t walks(struct core *core, unsigned pages)
{
	uint64_t before = core->tallies[TALLY_WALK_LOAD];

	for (uint64_t i = 0; i < pages; i++)
		model_load(core, 0, BASE + i * 4096, 8);
	return core->tallies[TALLY_WALK_LOAD] - before;
}

TEST(test_huge_pages_need_fewer_walks)
{
	struct params p = rig_plain("icx");
	struct model *model = rig_new(&p, PART_DATA, 1);
	struct core *core = model_core(model, 0);

	assert_int_equal(walks(core, 1024), 1024);
	assert_int_equal(walks(core, 1024), 0); /* the STLB has 2048 */
	assert_true(model_set_huge(model, BASE, BASE + (4 << 20), true));
	assert_int_equal(walks(core, 1024), 2);
	assert_int_equal(core->tallies[TALLY_WALK_2M], 2);
	assert_int_equal(walks(core, 1024), 0);
	/* The first half becomes small again. */
	assert_true(model_set_huge(model, BASE, BASE + (2 << 20), false));
	assert_int_equal(walks(core, 1024), 512 + 1);
	/* No whole huge page inside: nothing changes. */
	assert_true(model_set_huge(model, BASE + 4096, BASE + (2 << 20), true));
	assert_int_equal(walks(core, 512), 0);
	model_free(model);
}

TEST(test_huge_pages_keep_the_filter_exact)
{
	struct params p = rig_plain("icx");
	struct model *fast = rig_new(&p, PART_DATA, 1);
	struct model *slow = rig_new(&p, PART_DATA, 1);
	struct core *a, *b;
	uint64_t seed = 9;

	for (int i = 0; i < 2; i++)
		model_set_huge(i ? fast : slow, BASE, BASE + (96u << 21), true);
	a = model_core(fast, 0);
	b = model_core(slow, 0);
	for (unsigned i = 0; i < 300000; i++) {
		uint64_t r = rig_random(&seed);
		uint64_t ea = BASE + (r % 120 << 21) + (r >> 32) % 4 * 64;

		model_load(a, 0, ea, 8);
		model_load_slow(b, 0, ea, 8);
	}
	assert_memory_equal(a->tallies, b->tallies, sizeof(a->tallies));
	assert_true(a->tallies[TALLY_DTLB_LOAD_MISS] > 100000);
	model_free(fast);
	model_free(slow);
}

/* ---- past the caches ---- */

TEST(test_non_temporal_stores_go_to_memory)
{
	struct params p = rig_plain("icx");
	struct model *model = rig_new(&p, PART_DATA, 2);
	struct core *core = model_core(model, 0);

	model_load(core, 0, BASE, 8);
	model_load(model_core(model, 1), 0, BASE, 8);
	for (uint64_t i = 0; i < 64; i += 8)
		model_store_nt(core, BASE + i, 8);
	assert_int_equal(core->tallies[TALLY_DRAM_WRITE], 1); /* combined */
	assert_int_equal(model_core(model, 1)->tallies[TALLY_INVALIDATE], 1);
	model_load(core, 0, BASE, 8);
	assert_int_equal(core->tallies[TALLY_L1D_LOAD_MISS], 2);
	assert_int_equal(core->tallies[TALLY_DRAM_READ], 2);
	model_free(model);
}

TEST(test_clflush_and_prefetch)
{
	struct params p = rig_plain("icx");
	struct model *model = rig_new(&p, PART_DATA, 1);
	struct core *core = model_core(model, 0);

	model_store(core, 0, BASE, 8);
	model_clflush(core, BASE);
	assert_int_equal(core->tallies[TALLY_DRAM_WRITE], 1);
	model_load(core, 0, BASE, 8);
	assert_int_equal(core->tallies[TALLY_L1D_LOAD_MISS], 1);
	model_prefetch(core, BASE + 64, PREFETCH_TO_L1);
	model_prefetch(core, BASE + 128, PREFETCH_TO_L2);
	model_load(core, 0, BASE + 64, 8);
	assert_int_equal(core->tallies[TALLY_L1D_LOAD_MISS], 1);
	model_load(core, 0, BASE + 128, 8);
	assert_int_equal(core->tallies[TALLY_L1D_LOAD_MISS], 2);
	assert_int_equal(core->tallies[TALLY_L2_LOAD_MISS], 1);
	assert_int_equal(core->tallies[TALLY_SWPF_L1_FILL], 1);
	assert_int_equal(core->tallies[TALLY_SWPF_L2_MISS], 2);
	/* those of prefetchers are other counts */
	assert_int_equal(core->tallies[TALLY_PF_L1_USED], 0);
	assert_int_equal(core->tallies[TALLY_PF_L2_USED], 0);
	model_free(model);
}

TEST(test_prefetch_for_writing_takes_the_line)
{
	struct params p = rig_plain("icx");
	struct model *model = rig_new(&p, PART_DATA, 2);
	struct core *core = model_core(model, 0), *other = model_core(model, 1);

	for (unsigned i = 0; i < 3; i++) /* absent here, then shared */
		model_load(other, 0, BASE + i * 64, 8);
	model_load(core, 0, BASE + 128, 8);
	model_prefetch(core, BASE, PREFETCH_TO_WRITE);
	model_prefetch(core, BASE + 64, PREFETCH_TO_L1);
	model_prefetch(core, BASE + 128, PREFETCH_TO_WRITE);
	assert_int_equal(other->tallies[TALLY_INVALIDATE], 2);
	assert_int_equal(core->tallies[TALLY_L1D_STORE_MISS], 0);
	model_store(core, 0, BASE, 8);
	model_store(core, 0, BASE + 128, 8);
	assert_int_equal(other->tallies[TALLY_INVALIDATE], 2);
	model_store(core, 0, BASE + 64, 8); /* only read ahead */
	assert_int_equal(other->tallies[TALLY_INVALIDATE], 3);
	assert_int_equal(core->tallies[TALLY_L1D_STORE_MISS], 0);
	model_free(model);
}

/* Null and what is above the program. */
TEST(test_prefetch_of_nothing_is_none)
{
	struct params p = rig_plain("icx");
	struct model *model = rig_new(&p, PART_DATA, 1);
	struct core *core = model_core(model, 0);

	model_prefetch(core, 0, PREFETCH_TO_L1);
	model_prefetch(core, UINT64_C(0xffff800000000000), PREFETCH_TO_L2);
	assert_int_equal(core->tallies[TALLY_SWPF_L1_FILL], 0);
	assert_int_equal(core->tallies[TALLY_SWPF_L2], 0);
	assert_int_equal(core->tallies[TALLY_DRAM_READ], 0);
	model_free(model);
}

/* ---- bit-PLRU ---- */

/* Lines of one set with their bits, as in a textbook. */
struct plru_set {
	uint64_t line[5];
	bool bit[5];
};

/* The way of @line; else the first empty one; else the first without bit. */
static int plru_way(const struct plru_set *set, uint64_t line, bool *hit)
{
	*hit = true;
	for (int i = 0; i < 5; i++)
		if (set->line[i] == line)
			return i;
	*hit = false;
	for (int i = 0; i < 5; i++)
		if (!set->line[i])
			return i;
	for (int i = 0; i < 5; i++)
		if (!set->bit[i])
			return i;
	return 0;
}

static bool plru_hits(struct plru_set *set, uint64_t line)
{
	bool hit, all = true;
	int way = plru_way(set, line, &hit);

	set->line[way] = line;
	set->bit[way] = true;
	for (int i = 0; i < 5; i++)
		all &= set->bit[i];
	for (int i = 0; all && i < 5; i++)
		set->bit[i] = i == way;
	return hit;
}

TEST(test_bit_plru_equals_the_textbook)
{
	struct params p = rig_plain("icx");
	struct model *model;
	struct core *core;
	struct plru_set set[7] = { 0 };
	uint64_t seed = 17, misses = 0;

	p.l1d.sets = 7;
	p.l1d.ways = 5;
	p.l1d.replacement = REPLACE_BIT_PLRU;
	model = rig_new(&p, PART_DATA, 1);
	core = model_core(model, 0);
	for (unsigned i = 0; i < 200000; i++) {
		uint64_t n = BASE / 64 + rig_random(&seed) % (i % 90 + 30);

		misses += !plru_hits(&set[n % 7], n);
		model_load(core, 0, n * 64, 8);
		assert_int_equal(core->tallies[TALLY_L1D_LOAD_MISS], misses);
	}
	model_free(model);
}

/* Pages that no TLB holds: what their walks take in all. */
static uint64_t cycles_of_walks(const struct params *params, unsigned pages)
{
	struct model *model = rig_new(params, RIG_ALL, 1);
	struct core *core = model_core(model, 0);
	uint64_t cycles = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		cycles = core->tallies[TALLY_WALK_CYCLES];
		for (unsigned i = 0; i < pages; i++)
			model_load(core, 0x400000,
				   UINT64_C(0x10000000) + i * UINT64_C(4096) +
					   i % 64 * 64,
				   8);
		cycles = core->tallies[TALLY_WALK_CYCLES] - cycles;
	}
	model_free(model);
	return cycles;
}

/* A table of 4,096 pages is 512 lines, which L2 keeps beside those pages'; that
 * of 400,000 is not in L2, nor are those of the host. */
TEST(test_walks_read_tables_by_way_of_the_caches)
{
	struct params params = rig_params("icx");
	uint64_t fixed = params.walk_latency;

	assert_int_equal(cycles_of_walks(&params, 4096), 4096 * fixed);
	params.walk_reads = 2;
	assert_in_range(cycles_of_walks(&params, 4096), 4096 * fixed,
			4096 * fixed * 11 / 10);
	/* one entry in eight is the first of its line, in either table */
	assert_true(cycles_of_walks(&params, 400000) >
		    400000 * fixed +
			    90000 * (params.l3.latency - params.l2.latency));
	params.walk_reads = 0;
	assert_int_equal(cycles_of_walks(&params, 400000), 400000 * fixed);
}

RUN_ALL_TESTS
