/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines that move from level to level: what they cost with and without each
 * key, for accesses whose timing can be worked out by hand. */
#include "rig.h"
#include "simpmu/model/cycle.h"

#define NONE   REG_NONE
#define PASSES 2000

/* clang-format off */
static const struct insn loads[] = {
	{ INSN_MOVE, 4, 1, 0, { 3, NONE }, { NONE, NONE, NONE }, { 5, NONE } },
	{ INSN_MOVE, 4, 1, 0, { 3, NONE }, { NONE, NONE, NONE }, { 6, NONE } },
	{ INSN_MOVE, 4, 1, 0, { 3, NONE }, { NONE, NONE, NONE }, { 7, NONE } },
	{ INSN_MOVE, 4, 1, 0, { 3, NONE }, { NONE, NONE, NONE }, { 8, NONE } },
};
/* the next address comes with the second load */
static const struct insn chain[] = {
	{ INSN_MOVE, 4, 1, 0, { 3, NONE }, { NONE, NONE, NONE }, { 5, NONE } },
	{ INSN_MOVE, 4, 1, 0, { 3, NONE }, { NONE, NONE, NONE }, { 3, NONE } },
};
static const struct insn vectors[] = {
	{ INSN_VEC, 4, 1, 0, { 3, NONE }, { NONE, NONE, NONE }, { 17, NONE } },
	{ INSN_VEC, 4, 1, 0, { 3, NONE }, { NONE, NONE, NONE }, { 18, NONE } },
	{ INSN_VEC, 4, 1, 0, { 3, NONE }, { NONE, NONE, NONE }, { 19, NONE } },
	{ INSN_VEC, 4, 1, 0, { 3, NONE }, { NONE, NONE, NONE }, { 20, NONE } },
};
static const struct insn chase[] = {
	{ INSN_MOVE, 4, 1, 0, { 3, NONE }, { NONE, NONE, NONE }, { 3, NONE } },
};
static const struct insn store[] = {
	{ INSN_MOVE, 4, 0, 1, { 3, NONE }, { 5, NONE, NONE }, { NONE, NONE } },
};
/* clang-format on */

/* What each pass over the code has to wait for. */
struct pass {
	enum level level; /* of its first access, to a line of its own */
	struct lines lines;
	uint32_t past;  /* lines that it writes past the caches */
	uint32_t delay; /* of translating its first access */
};

/* Cycles of a pass, in hundredths. */
static uint64_t hundredths_of(const struct params *params,
			      const struct insn *insn, uint32_t count,
			      struct pass pass)
{
	struct segment segment = { .pc = 0x400000,
				   .count = count,
				   .insn = insn };
	struct model *model = rig_new(params, RIG_ALL, 1);
	struct core *core = model_core(model, 0);
	struct lines past = { .written = (uint16_t)pass.past };
	uint64_t before = 0;

	for (unsigned i = 0; i < 2 * PASSES; i++) {
		uint64_t line = UINT64_C(0x800000) + i * 64;
		uint64_t addrs[] = { line, line + 16, line + 32, line + 48 };

		if (i == PASSES)
			before = core->tallies[TALLY_CYCLES];
		if (pass.level != LEVEL_L1 || pass.delay)
			cycle_note_access(core, 0x400000, pass.level,
					  pass.delay, pass.lines);
		if (pass.past)
			cycle_note_past(core, past);
		model_retire(core, &segment, addrs);
	}
	before = core->tallies[TALLY_CYCLES] - before;
	model_free(model);
	return (before * 100 + PASSES / 2) / PASSES;
}

TEST(test_loads_of_a_line_that_is_on_its_way_run_twice)
{
	struct params params = rig_params("icx");
	struct pass l1 = { .level = LEVEL_L1 }, l2 = { .level = LEVEL_L2 };

	assert_int_equal(params.ports[UNIT_LOAD], 2);
	assert_in_range(hundredths_of(&params, loads, 4, l2), 199, 202);
	params.replay = 1;
	assert_in_range(hundredths_of(&params, loads, 4, l1), 199, 202);
	assert_in_range(hundredths_of(&params, loads, 4, l2), 395, 405);
}

/* Without the key only the load that missed waits. */
TEST(test_a_load_is_done_when_the_line_has_come)
{
	struct params params = rig_params("icx");
	struct pass l3 = { .level = LEVEL_L3 };

	assert_int_equal(hundredths_of(&params, chain, 2, l3),
			 100 * params.l1d.latency);
	params.replay = 1;
	assert_int_equal(hundredths_of(&params, chain, 2, l3),
			 100 * params.l3.latency);
}

TEST(test_stores_to_a_line_that_L1D_asks_for_take_longer)
{
	struct params params = rig_params("icx");
	struct pass l2 = { .level = LEVEL_L2 };

	assert_in_range(hundredths_of(&params, store, 1, l2), 99, 101);
	params.store_line_time = 150;
	assert_in_range(hundredths_of(&params, store, 1, l2), 248, 252);
}

TEST(test_lines_that_are_written_take_the_time_of_others)
{
	struct params params = rig_params("icx");
	struct pass l2 = { .level = LEVEL_L2, .lines = { .back = 1 } };
	struct pass far = { .level = LEVEL_DRAM,
			    .lines = { .l3 = 1, .dram = 1, .written = 1 } };

	params.l2_line_time = 200;
	params.dram_line_time = 910;
	assert_in_range(hundredths_of(&params, loads, 1, l2), 199, 201);
	assert_in_range(hundredths_of(&params, loads, 1, far), 909, 911);
	params.l2_write_time = 180;
	params.dram_write_time = 450;
	assert_in_range(hundredths_of(&params, loads, 1, l2), 379, 381);
	assert_in_range(hundredths_of(&params, loads, 1, far), 1359, 1361);
}

TEST(test_lines_past_the_caches_wait_for_memory)
{
	struct params params = rig_params("icx");
	struct pass past = { .level = LEVEL_L1, .past = 1 };

	assert_in_range(hundredths_of(&params, store, 1, past), 99, 101);
	params.past_time = 2500;
	assert_in_range(hundredths_of(&params, store, 1, past), 2490, 2510);
}

TEST(test_vectors_are_loaded_by_as_many_ports_as_the_model_says)
{
	struct params params = rig_params("icx");
	struct pass l1 = { .level = LEVEL_L1 };

	params.ports[UNIT_LOAD] = 4;
	params.issue_width = 4;
	params.insn[INSN_VEC].unit = UNIT_NONE;
	assert_int_equal(params.vector_loads, 0);
	assert_int_equal(hundredths_of(&params, vectors, 4, l1), 100);
	params.vector_loads = 2;
	assert_int_equal(hundredths_of(&params, vectors, 4, l1), 200);
	params.vector_loads = 1;
	assert_int_equal(hundredths_of(&params, vectors, 4, l1), 400);
	/* others are loaded by all of them */
	assert_int_equal(hundredths_of(&params, loads, 4, l1), 100);
}

TEST(test_translation_overlaps_with_a_miss)
{
	struct params params = rig_params("icx");
	struct pass hit = { .level = LEVEL_L1, .delay = 7 };
	struct pass miss = { .level = LEVEL_L2, .delay = 7 };
	uint64_t l1 = 100 * params.l1d.latency, l2 = 100 * params.l2.latency;

	assert_int_equal(hundredths_of(&params, chase, 1, hit), l1 + 700);
	assert_int_equal(hundredths_of(&params, chase, 1, miss), l2 + 700);
	params.stlb_overlap = 5;
	assert_int_equal(hundredths_of(&params, chase, 1, hit), l1 + 700);
	assert_int_equal(hundredths_of(&params, chase, 1, miss), l2 + 200);
	params.stlb_overlap = 9;
	assert_int_equal(hundredths_of(&params, chase, 1, miss), l2);
}

RUN_ALL_TESTS
