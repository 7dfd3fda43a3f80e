/* SPDX-License-Identifier: BSD-3-Clause */
/* Prefetchers: each alone on its pattern, and the two published figures. */
#include <math.h>

#include "rig.h"

#define BASE UINT64_C(0x40000000)

static void load_line(struct core *core, uint64_t line)
{
	model_load(core, 0x1000, BASE + line * 64, 8);
}

TEST(test_adjacent_line_completes_the_pair)
{
	struct params p = rig_plain("icx");
	struct model *model;
	struct core *core;

	p.pf_adjacent = 1;
	model = rig_new(&p, PART_DATA, 1);
	core = model_core(model, 0);
	for (uint64_t line = 0; line < 1000; line++)
		load_line(core, line ^ 1); /* the upper one first */
	assert_int_equal(core->tallies[TALLY_L2_LOAD], 1000);
	assert_int_equal(core->tallies[TALLY_L2_LOAD_MISS], 500);
	assert_int_equal(core->tallies[TALLY_PF_L2_ISSUED], 500);
	assert_int_equal(core->tallies[TALLY_PF_L2_USED], 500);
	assert_int_equal(core->tallies[TALLY_PF_L2_MISS], 500);
	assert_int_equal(core->tallies[TALLY_DRAM_READ], 1000);
	model_free(model);
}

TEST(test_streamer_follows_a_page_both_ways)
{
	struct params p = rig_plain("icx");

	p.pf_stream = 1;
	for (int down = 0; down < 2; down++) {
		struct model *model = rig_new(&p, PART_DATA, 1);
		struct core *core = model_core(model, 0);

		for (uint64_t i = 0; i < 64; i++)
			load_line(core, down ? 63 - i : i);
		/* 6 to train; the 7th fetches ahead but misses itself */
		assert_int_equal(core->tallies[TALLY_L2_LOAD_MISS], 7);
		assert_int_equal(core->tallies[TALLY_PF_L2_ISSUED], 57);
		assert_int_equal(core->tallies[TALLY_PF_L2_USED], 57);
		model_free(model);
	}
}

/* Lines of a page in an order of large steps, which visits each. */
TEST(test_a_window_keeps_the_streamer_from_learning_chases)
{
	for (uint32_t window = 0; window <= 4; window += 4) {
		for (uint64_t step = 1; step < 64; step += 22) {
			struct params p = rig_plain("icx");
			bool is_learnt = !window || step == 1;
			struct model *model;
			struct core *core;

			p.pf_stream = 1;
			p.pf_stream_window = window;
			model = rig_new(&p, PART_DATA, 1);
			core = model_core(model, 0);
			for (uint64_t i = 0; i < 64; i++)
				load_line(core, i * step % 64);
			if (is_learnt)
				assert_true(core->tallies[TALLY_PF_L2_ISSUED]);
			else
				assert_int_equal(
					core->tallies[TALLY_PF_L2_ISSUED], 0);
			model_free(model);
		}
	}
}

/* A stream goes on into the next page in its own direction. */
TEST(test_a_window_lets_streams_cross_pages)
{
	for (int down = 0; down < 2; down++) {
		struct params p = rig_plain("icx");
		struct model *model;
		struct core *core;

		p.pf_stream = p.pf_stream_cross = 1;
		p.pf_stream_window = 4;
		p.pf_stream_train = 2;
		model = rig_new(&p, PART_DATA, 1);
		core = model_core(model, 0);
		for (uint64_t i = 0; i < 256; i++)
			load_line(core, down ? 255 - i : i);
		/* 2 to train, and the one that fetches ahead */
		assert_int_equal(core->tallies[TALLY_L2_LOAD_MISS], 3);
		model_free(model);
	}
}

TEST(test_next_line_and_stride_fill_l1)
{
	for (int stride = 0; stride < 2; stride++) {
		struct params p = rig_plain("icx");
		struct model *model;
		struct core *core;

		(void)state;
		p.pf_next = !stride;
		p.pf_stride = (uint32_t)stride;
		model = rig_new(&p, PART_DATA, 1);
		core = model_core(model, 0);
		for (uint64_t i = 0; i < 20; i++)
			load_line(core, i * (stride ? 3 : 1));
		/* next: only the first misses; stride: first, and three
		 * equal steps to be sure */
		assert_int_equal(core->tallies[TALLY_L1D_LOAD_MISS],
				 stride ? 4 : 1);
		assert_int_equal(core->tallies[TALLY_PF_L1_USED],
				 stride ? 16 : 19);
		model_free(model);
	}
}

TEST(test_unused_prefetches_are_counted)
{
	struct params p = rig_plain("icx");
	struct model *model;
	struct core *core;
	uint64_t lines;

	p.pf_adjacent = 1;
	p.l2.sets = 64;
	p.l2.ways = 16;
	lines = 64 * 16;
	model = rig_new(&p, PART_DATA, 1);
	core = model_core(model, 0);
	for (uint64_t i = 0; i < 4 * lines; i += 2)
		load_line(core, i);
	assert_int_equal(core->tallies[TALLY_PF_L2_ISSUED], 2 * lines);
	assert_int_equal(core->tallies[TALLY_PF_L2_USED], 0);
	assert_int_equal(core->tallies[TALLY_PF_L2_UNUSED], 3 * lines / 2);
	model_free(model);
}

/* ---- the figures: random chases in blocks of pages ---- */

struct chase {
	const char *model;
	bool adjacent, stream;
	size_t unit;
	size_t pages; /* in a block */
};

static size_t shuffle_block(uint32_t *order, size_t n, uint64_t *state)
{
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	for (size_t i = n - 1; i > 0; i--) {
		size_t j = rig_random(state) % (i + 1);
		uint32_t t = order[i];

		order[i] = order[j];
		order[j] = t;
	}
	return n;
}

/* Hit ratio of L2: each unit of a large buffer once, block after block. */
static double l2_hits(const struct chase *chase)
{
	struct params p = rig_plain(chase->model);
	struct model *model;
	struct core *core;
	size_t block = chase->pages * 4096, n = block / chase->unit;
	uint32_t *order = malloc(n * sizeof(*order));
	uint64_t state = 77, base = BASE;
	double ratio;

	p.pf_adjacent = chase->adjacent;
	p.pf_stream = chase->stream;
	model = rig_new(&p, PART_DATA, 1);
	core = model_core(model, 0);
	for (; base < BASE + (16u << 20); base += block) {
		shuffle_block(order, n, &state);
		for (size_t i = 0; i < n; i++)
			model_load(core, 0x1000, base + order[i] * chase->unit,
				   8);
	}
	ratio = 1 - (double)core->tallies[TALLY_L2_LOAD_MISS] /
			    (double)core->tallies[TALLY_L2_LOAD];
	model_free(model);
	free(order);
	return ratio;
}

static void expect_hits(int line, const struct chase *chase, double want,
			double tolerance)
{
	double got = l2_hits(chase);

	if (fabs(got - want) > tolerance)
		fail_msg("row at line %d: hit ratio %.3f, not %.2f", line, got,
			 want);
}

TEST(test_unit_size_figure)
{
	static const struct {
		int line;
		struct chase chase;
		double want, tolerance;
	} rows[] = {
		{ __LINE__, { "hsw-ep", 1, 0, 64, 16 }, .50, .005 },
		{ __LINE__, { "hsw-ep", 1, 0, 128, 16 }, 0, 0 },
		{ __LINE__, { "hsw-ep", 1, 0, 256, 16 }, 0, 0 },
		{ __LINE__, { "hsw-ep", 1, 1, 64, 16 }, .615, .055 },
		{ __LINE__, { "hsw-ep", 1, 1, 128, 16 }, .265, .125 },
		{ __LINE__, { "hsw-ep", 1, 1, 256, 16 }, 0, .001 },
		{ __LINE__, { "icx", 1, 1, 512, 16 }, 0, .001 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect_hits(rows[i].line, &rows[i].chase, rows[i].want,
			    rows[i].tolerance);
}

TEST(test_pages_per_block_figure)
{
	static const struct {
		int line;
		size_t pages;
		double want, tolerance;
	} rows[] = {
		{ __LINE__, 1, .29, .01 },  { __LINE__, 4, .29, .01 },
		{ __LINE__, 16, .29, .01 }, { __LINE__, 32, .29, .01 },
		{ __LINE__, 36, .14, .01 }, { __LINE__, 48, .04, .03 },
		{ __LINE__, 64, 0, .01 },   { __LINE__, 256, 0, .001 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct chase chase = { "icx", true, true, 128,
					     rows[i].pages };

		expect_hits(rows[i].line, &chase, rows[i].want,
			    rows[i].tolerance);
	}
}

RUN_ALL_TESTS
