/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What LRU caches and TLBs must show by calculation alone: the ramp between
 * capacity and thrashing, the rescue by rotating passes, and the spread of
 * pages over colours.
 */
#include <math.h>

#include "rig.h"

#define BASE UINT64_C(0x40000000)

static void sweep(struct core *core, uint64_t count, uint64_t stride)
{
	for (uint64_t i = 0; i < count; i++)
		model_load(core, 0x1000, BASE + i * stride, 8);
}

/* Misses of one pass over @count units, once all passes are alike. */
static uint64_t misses_of_pass(const struct params *params, unsigned tally,
			       uint64_t count, uint64_t stride)
{
	struct model *model = rig_new(params, PART_DATA, 1);
	struct core *core = model_core(model, 0);
	uint64_t before;

	for (int i = 0; i < 4; i++)
		sweep(core, count, stride);
	before = core->tallies[tally];
	sweep(core, count, stride);
	before = core->tallies[tally] - before;
	model_free(model);
	return before;
}

/* N units in S sets of A ways: (N - SA)(A + 1) misses a pass from SA on, until
 * all N miss at S(A + 1). */
static uint64_t ramp(uint64_t n, uint64_t s, uint64_t a)
{
	if (n <= s * a)
		return 0;
	return n >= s * (a + 1) ? n : (n - s * a) * (a + 1);
}

static void check_l1d_ramp(const struct params *p)
{
	uint64_t sets = p->l1d.sets, ways = p->l1d.ways;
	uint64_t step = sets / 16 + 1;

	for (uint64_t n = sets * ways - step; n < sets * (ways + 2); n += step)
		assert_int_equal(misses_of_pass(p, TALLY_L1D_LOAD_MISS, n,
						p->line_bytes),
				 ramp(n, sets, ways));
}

TEST(test_l1d_ramp)
{
	static const uint32_t geometry[][2] = { { 64, 12 }, { 64, 8 },
						{ 100, 3 }, { 7, 11 },
						{ 1, 5 },   { 33, 1 } };

	for (size_t i = 0; i < sizeof(geometry) / sizeof(*geometry); i++) {
		struct params p = rig_plain("icx");

		p.l1d.sets = geometry[i][0];
		p.l1d.ways = geometry[i][1];
		check_l1d_ramp(&p);
	}
}

TEST(test_dtlb_ramp)
{
	struct params p = rig_plain("icx");

	for (uint64_t n = 60; n < 90; n++)
		assert_int_equal(
			misses_of_pass(&p, TALLY_DTLB_LOAD_MISS, n, 4096),
			ramp(n, 16, 4));
}

TEST(test_stlb_ramp)
{
	struct params p = rig_plain("icx");

	p.stlb.sets = 24;
	p.stlb.ways = 5;
	for (uint64_t n = 110; n < 160; n += 7)
		assert_int_equal(misses_of_pass(&p, TALLY_WALK_LOAD, n, 4096),
				 ramp(n, 24, 5));
}

TEST(test_l2_and_l3_ramp)
{
	struct params p = rig_plain("icx");

	p.l2.sets = 60;
	p.l2.ways = 20;
	p.l3_kind = L3_INCLUSIVE; /* a victim L3 sees evictions as uses too */
	p.l3.sets = 150;
	p.l3.ways = 12;
	for (uint64_t n = 1150; n < 1300; n += 20)
		assert_int_equal(misses_of_pass(&p, TALLY_L2_LOAD_MISS, n, 64),
				 ramp(n, 60, 20));
	for (uint64_t n = 1750; n < 2000; n += 30)
		assert_int_equal(misses_of_pass(&p, TALLY_L3_LOAD_MISS, n, 64),
				 ramp(n, 150, 12));
}

/*
 * The rotation figure: a buffer a few 4 KB blocks larger than L1, each pass
 * starting some blocks further than the last, eight passes and again.
 */
static double rotation(uint64_t blocks, uint64_t offset)
{
	struct params p = rig_plain("icx");
	struct model *model = rig_new(&p, PART_DATA, 1);
	struct core *core = model_core(model, 0);
	uint64_t misses = 0, lines = blocks * 64;

	for (uint64_t pass = 0; pass < 8 * 6; pass++) {
		uint64_t start = pass % 8 * offset * 64;

		if (pass == 8 * 2)
			misses = core->tallies[TALLY_L1D_LOAD_MISS];
		for (uint64_t i = 0; i < lines; i++)
			model_load(core, 0, BASE + (start + i) % lines * 64, 8);
	}
	misses = core->tallies[TALLY_L1D_LOAD_MISS] - misses;
	model_free(model);
	return (double)misses / (double)(lines * 8 * 4);
}

TEST(test_rotation)
{
	/* cycles an access with 5.00 a hit and 13.87 a miss */
	static const double want[4][4] = {
		{ 13.87, 6.11, 7.22, 7.22 },
		{ 13.87, 13.32, 7.22, 7.22 },
		{ 13.87, 13.35, 13.87, 7.22 },
		{ 13.87, 13.38, 13.87, 13.52 },
	};

	for (uint64_t row = 0; row < 4; row++)
		for (uint64_t offset = 0; offset < 4; offset++) {
			double got = 5 + 8.87 * rotation(13 + row, offset);

			if (fabs(got - want[row][offset]) > 0.006)
				fail_msg("%dK offset %d: %.3f, not %.2f",
					 (int)(52 + 4 * row), (int)offset, got,
					 want[row][offset]);
		}
}

/* Share of pages in a colour that has more than @ways of them, if @pages fall
 * into @colours at random. */
static double crowded(unsigned pages, unsigned colours, unsigned ways)
{
	double p = 1.0 / colours, term = pow(1 - p, pages), sum = 0;

	for (unsigned k = 0; k <= pages; k++) {
		if (k > ways)
			sum += term * k;
		term *= (double)(pages - k) / (k + 1) * p / (1 - p);
	}
	return sum * colours / pages;
}

TEST(test_hashed_pages_are_coloured_binomially)
{
	struct params p = rig_plain("icx");
	const unsigned pages = 112, runs = 150;
	double want, got = 0, spread;

	p.page_map = PAGE_HASHED;
	p.l2.sets = 1024; /* 16 colours of 64 lines */
	p.l2.ways = 8;
	p.l3_kind = L3_NONE;
	want = crowded(pages, 16, 8);
	for (unsigned run = 0; run < runs; run++) {
		struct model *model = rig_new(&p, PART_DATA, 1);
		struct core *core = model_core(model, 0);
		uint64_t from = (uint64_t)(run + 1) << 24, before = 0;

		for (int pass = 0; pass < 3; pass++) {
			before = core->tallies[TALLY_L2_LOAD_MISS];
			for (uint64_t i = 0; i < pages * 64; i++)
				model_load(core, 0, from + i * 64, 8);
		}
		got += (double)(core->tallies[TALLY_L2_LOAD_MISS] - before) /
		       (pages * 64);
		model_free(model);
	}
	got /= runs;
	spread = 4 * 0.12 / sqrt(runs);
	if (fabs(got - want) > spread)
		fail_msg("%.4f of the pages miss, binomial says %.4f", got,
			 want);
	assert_true(want > 0.2 && want < 0.6);
}

TEST(test_identity_map_has_no_colours)
{
	struct params p = rig_plain("icx");

	p.l2.sets = 1024;
	p.l2.ways = 8;
	assert_int_equal(misses_of_pass(&p, TALLY_L2_LOAD_MISS, 8192, 64), 0);
}

RUN_ALL_TESTS
