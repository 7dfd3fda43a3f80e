/* SPDX-License-Identifier: BSD-3-Clause */
/* Cycles of code whose timing can be worked out by hand. */
#include "rig.h"
#include "simpmu/model/cycle.h"

#define NONE REG_NONE

/* clang-format off */
#define OP(class, a, b, d) { class, 4, 0, 0, { NONE, NONE }, { a, b, NONE },   \
			     { d, NONE } }
#define LOAD(base, d)      { INSN_MOVE, 4, 1, 0, { base, NONE },               \
			     { NONE, NONE, NONE }, { d, NONE } }
#define STORE(base, s)     { INSN_MOVE, 4, 0, 1, { base, NONE },               \
			     { s, NONE, NONE }, { NONE, NONE } }
#define JUMP               { INSN_BRANCH, 2, 0, 0, { NONE, NONE },             \
			     { REG_FLAGS, NONE, NONE }, { NONE, NONE } }
/* clang-format on */

struct bench {
	struct model *model;
	struct core *core;
	struct segment segment;
};

static struct bench bench_new(const struct params *params,
			      const struct insn *insn, uint32_t count)
{
	struct bench bench = { .segment = { 0x400000, count, insn } };

	bench.model = rig_new(params, RIG_ALL, 1);
	bench.core = model_core(bench.model, 0);
	return bench;
}

/* Cycles that @n more passes take, after enough to fill the machine. */
static uint64_t cycles_of(struct bench *bench, unsigned n)
{
	uint64_t before;

	for (unsigned i = 0; i < 2000; i++)
		model_retire(bench->core, &bench->segment, NULL);
	before = bench->core->tallies[TALLY_CYCLES];
	for (unsigned i = 0; i < n; i++)
		model_retire(bench->core, &bench->segment, NULL);
	return bench->core->tallies[TALLY_CYCLES] - before;
}

static uint64_t cycles_of_code(const char *name, const struct insn *insn,
			       uint32_t count, unsigned n)
{
	struct params params = rig_params(name);
	struct bench bench = bench_new(&params, insn, count);
	uint64_t cycles = cycles_of(&bench, n);

	model_free(bench.model);
	return cycles;
}

TEST(test_a_chain_of_adds_takes_one_cycle_each)
{
	static const char *const names[] = { "icx", "hsw-ep", "p3" };
	static const struct insn add[] = { OP(INSN_ALU, 0, 1, 0) };

	for (int i = 0; i < 3; i++) {
		assert_int_equal(cycles_of_code(names[i], add, 1, 1), 1);
		assert_int_equal(cycles_of_code(names[i], add, 1, 1000), 1000);
		assert_int_equal(cycles_of_code(names[i], add, 1, 123457),
				 123457);
	}
}

/* What is in flight has its cycles already: its stalls come with them. */
TEST(test_stalls_do_not_outlive_a_drain)
{
	static const struct insn divide[] = { OP(INSN_DIV, 0, 0, 0) };
	struct params params = rig_params("icx");
	struct bench bench = bench_new(&params, divide, 1);
	const uint64_t *s = bench.core->tallies;
	uint64_t cycles, stalls = 0;

	for (unsigned n = 1; n < 2000; n += 97) {
		for (unsigned i = 0; i < n; i++)
			model_retire(bench.core, &bench.segment, NULL);
		model_drain(bench.core);
		assert_true(s[TALLY_STALL_ISSUE] <= s[TALLY_CYCLES]);
		cycles = s[TALLY_CYCLES];
		stalls = s[TALLY_STALL_ISSUE];
		model_drain(bench.core);
		assert_int_equal(s[TALLY_STALL_ISSUE], stalls);
		model_retire(bench.core, &bench.segment, NULL);
		assert_true(s[TALLY_STALL_ISSUE] - stalls <=
			    s[TALLY_CYCLES] - cycles);
	}
	assert_true(stalls > 1000);
	model_free(bench.model);
}

TEST(test_latencies_of_chains)
{
	static const struct {
		int line;
		struct insn insn;
		unsigned cycles;
	} rows[] = {
		{ __LINE__, OP(INSN_MUL, 0, 0, 0), 3 },
		{ __LINE__, OP(INSN_FADD, 16, 17, 16), 4 },
		{ __LINE__, OP(INSN_FMA, 16, 17, 16), 4 },
		{ __LINE__, OP(INSN_FDIV_D, 16, 17, 16), 14 },
		{ __LINE__, OP(INSN_FSQRT_D, 16, NONE, 16), 18 },
		{ __LINE__, OP(INSN_DIV, 0, 1, 0), 14 },
		{ __LINE__, LOAD(3, 3), 5 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		CHECK_AT(rows[i].line,
			 cycles_of_code("icx", &rows[i].insn, 1, 500) ==
				 500 * rows[i].cycles);
}

TEST(test_throughput_of_independent_code)
{
	struct insn alu[20], fp[20], load[20], mixed[20];

	for (uint8_t i = 0; i < 20; i++) {
		alu[i] = (struct insn)OP(INSN_ALU, NONE, NONE, i % 16);
		fp[i] = (struct insn)OP(INSN_FMUL, NONE, NONE, 16 + i % 16);
		load[i] = (struct insn)LOAD(NONE, i % 16);
		mixed[i] = i % 5 == 4 ? load[i] : alu[i];
	}
	/* 4 integer ports, 2 FP, 2 loads; 4 + 1 fill the width of 5 */
	assert_int_equal(cycles_of_code("icx", alu, 20, 1000), 5000);
	assert_int_equal(cycles_of_code("icx", fp, 20, 1000), 10000);
	assert_int_equal(cycles_of_code("icx", load, 20, 1000), 10000);
	assert_int_equal(cycles_of_code("icx", mixed, 20, 1000), 4000);
}

TEST(test_units_that_are_not_pipelined)
{
	struct insn div[8];

	for (uint8_t i = 0; i < 8; i++)
		div[i] = (struct insn)OP(INSN_FDIV_D, NONE, NONE, 16 + i);
	assert_int_equal(cycles_of_code("icx", div, 8, 500), 8 * 4 * 500);
}

TEST(test_a_misprediction_restarts_the_front_end)
{
	static const struct insn code[] = { OP(INSN_ALU, NONE, NONE, 0), JUMP };
	struct params params = rig_params("icx");
	struct bench bench = bench_new(&params, code, 2);
	uint64_t right = cycles_of(&bench, 1000), before, wrong;

	before = bench.core->tallies[TALLY_CYCLES];
	for (int i = 0; i < 1000; i++) {
		bench.core->mispredicted = true;
		model_retire(bench.core, &bench.segment, NULL);
	}
	wrong = bench.core->tallies[TALLY_CYCLES] - before;
	/* issue, execute the branch, restart after 17 */
	assert_in_range(right, 400, 1000);
	assert_in_range(wrong, 18 * 1000 - 100, 18 * 1000 + 100);
	assert_in_range(bench.core->tallies[TALLY_STALL_BR], 16 * 1000,
			18 * 1000);
	model_free(bench.model);
}

TEST(test_misses_wait_by_level)
{
	static const struct insn chase[] = { LOAD(3, 3) };
	struct params params = rig_plain("icx");
	struct bench bench = bench_new(&params, chase, 1);
	uint64_t before = 0;

	/* Each access another page of memory: page walk and DRAM each time. */
	for (uint64_t i = 0; i < 3000; i++) {
		if (i == 1000)
			before = bench.core->tallies[TALLY_CYCLES];
		model_load(bench.core, 0x400000, (i + 1) << 16, 8);
		model_retire(bench.core, &bench.segment, NULL);
	}
	before = bench.core->tallies[TALLY_CYCLES] - before;
	assert_int_equal(before, 2000 * (220 + 35));
	assert_int_equal(bench.core->tallies[TALLY_WALK_CYCLES], 3000 * 35);
	assert_true(bench.core->tallies[TALLY_STALL_DRAM] > before * 9 / 10);
	assert_true(bench.core->tallies[TALLY_STALL_MEM] >=
		    bench.core->tallies[TALLY_STALL_DRAM]);
	model_free(bench.model);
}

TEST(test_independent_misses_overlap)
{
	static const struct insn load[] = { LOAD(NONE, 3) };
	struct params params = rig_plain("icx");
	struct bench bench = bench_new(&params, load, 1);
	uint64_t before = 0;

	for (uint64_t i = 0; i < 6000; i++) {
		if (i == 1000)
			before = bench.core->tallies[TALLY_CYCLES];
		model_load(bench.core, 0x400000, (i + 1) << 12, 8);
		model_retire(bench.core, &bench.segment, NULL);
	}
	before = bench.core->tallies[TALLY_CYCLES] - before;
	/* 128 loads in flight share one latency */
	assert_in_range(before, 5000 * 255 / 128 - 300, 5000 * 255 / 128 + 300);
	model_free(bench.model);
}

TEST(test_a_load_waits_for_the_store_before_it)
{
	static const struct insn code[] = { LOAD(NONE, 0),
					    OP(INSN_ALU, 0, NONE, 0),
					    STORE(NONE, 0) };
	static const uint64_t addrs[] = { 0x7000, 0x7000 };
	struct params params = rig_params("icx");
	struct bench bench = bench_new(&params, code, 3);
	uint64_t before = 0;

	for (int i = 0; i < 3000; i++) {
		if (i == 1000)
			before = bench.core->tallies[TALLY_CYCLES];
		model_retire(bench.core, &bench.segment, addrs);
	}
	/* forward 5, add 1, store 1 */
	before = bench.core->tallies[TALLY_CYCLES] - before;
	assert_in_range(before, 2000 * 6, 2000 * 7);
	model_free(bench.model);
}

/* Two cores run @code in turns of 20 passes, on words @apart bytes from each
 * other. Returns the cycles of 200 turns of the first. */
static uint64_t cycles_of_two(const struct insn *code, uint32_t count,
			      uint64_t apart)
{
	struct params params = rig_plain("icx");
	struct segment one = { 0x400000, count, code, .piece = false };
	struct segment segment[2] = { one, one };
	struct model *model = rig_new(&params, RIG_ALL, 2);
	const uint64_t *cycles = &model_core(model, 0)->tallies[TALLY_CYCLES];
	uint64_t before = 0;

	for (unsigned turn = 0; turn < 2 * 300; turn++) {
		unsigned who = turn % 2;
		struct core *core = model_core(model, who);
		uint64_t at = 0x7000 + who * apart, addrs[] = { at, at };

		if (turn == 2 * 100)
			before = *cycles;
		for (unsigned i = 0; i < 20; i++) {
			uint64_t pc = 0x400000;

			for (uint32_t k = 0; k < count; k++, pc += 4) {
				if (code[k].loads)
					model_load(core, pc, at, 8);
				if (code[k].stores)
					model_store(core, pc, at, 8);
			}
			model_retire(core, &segment[who], addrs);
		}
	}
	before = *cycles - before;
	model_free(model);
	return before;
}

/*
 * A line that another core has taken was taken after the stores to it were
 * made, so its way back is not hidden behind them: each of the 200 turns takes
 * 70 + 40 cycles longer, less the 5 of forwarding from the last store where
 * there is a load.
 */
TEST(test_a_contended_line_is_waited_for)
{
	static const struct insn add[] = { LOAD(NONE, 0),
					   OP(INSN_ALU, 0, NONE, 0),
					   STORE(NONE, 0) };
	static const struct insn store[] = { STORE(NONE, 0) };
	uint64_t more;

	more = cycles_of_two(add, 3, 8) - cycles_of_two(add, 3, 64);
	assert_in_range(more, 200 * 105 - 20, 200 * 105 + 20);
	more = cycles_of_two(store, 1, 8) - cycles_of_two(store, 1, 64);
	assert_in_range(more, 200 * 110 - 200, 200 * 110 + 20);
}

/* Any instructions at all. */
static void random_code(struct insn *code, size_t count, uint64_t *seed)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t r = rig_random(seed);
		struct insn op =
			OP((uint8_t)(r % INSN_CLASSES), (uint8_t)(r >> 8 & 31),
			   (uint8_t)(r >> 16 & 31), (uint8_t)(r >> 24 & 31));

		op.loads = r >> 32 & 1;
		op.stores = r >> 33 & 1;
		code[i] = op;
	}
}

/* A segment that ends in an access with a note is passed over one by one; the
 * same without is run by its table. A note that says "L1, no delay" must make
 * no difference. */
TEST(test_table_and_single_steps_agree)
{
	struct params params = rig_params("icx");
	uint64_t seed = 4242;

	for (int round = 0; round < 40; round++) {
		struct insn code[8][12];
		struct bench fast, slow;

		for (int i = 0; i < 8; i++)
			random_code(code[i], 12, &seed);
		fast = bench_new(&params, code[0], 12);
		slow = bench_new(&params, code[0], 12);
		for (unsigned i = 0; i < 400; i++) {
			unsigned k = (unsigned)(rig_random(&seed) % 8);
			struct segment a = { 0x400000, 12, code[k], false,
					     NULL };
			struct segment b = a;

			model_retire(fast.core, &a, NULL);
			cycle_note_access(slow.core, 0, LEVEL_L1, 0,
					  (struct lines){ 0 });
			model_retire(slow.core, &b, NULL);
			model_forget(fast.model, &a);
			model_forget(slow.model, &b);
			assert_int_equal(fast.core->tallies[TALLY_CYCLES],
					 slow.core->tallies[TALLY_CYCLES]);
		}
		assert_int_equal(fast.core->tallies[TALLY_STALL_ISSUE],
				 slow.core->tallies[TALLY_STALL_ISSUE]);
		assert_true(fast.core->tallies[TALLY_CYCLES] > 1000);
		model_free(fast.model);
		model_free(slow.model);
	}
}

TEST(test_cycles_add_up)
{
	struct insn code[24];
	struct params params = rig_params("icx");
	struct bench bench;
	uint64_t seed = 77, *s;

	random_code(code, 24, &seed);
	bench = bench_new(&params, code, 24);
	cycles_of(&bench, 5000);
	s = bench.core->tallies;
	assert_int_equal(s[TALLY_ISSUED], 24 * 7000);
	assert_int_equal(s[TALLY_SLOTS], 5 * s[TALLY_CYCLES]);
	assert_true(s[TALLY_STALL_ISSUE] < s[TALLY_CYCLES]);
	assert_true(s[TALLY_STALL_RETIRE] < s[TALLY_CYCLES]);
	assert_true(s[TALLY_STALL_RETIRE] + s[TALLY_FULL_RETIRE] <=
		    s[TALLY_CYCLES]);
	assert_true(s[TALLY_STALL_MEM] + s[TALLY_STALL_FP] +
			    s[TALLY_STALL_STORE] + s[TALLY_STALL_FE] +
			    s[TALLY_STALL_BR] <=
		    s[TALLY_STALL_ISSUE]);
	assert_true(s[TALLY_IDLE_LS] < s[TALLY_CYCLES]);
	assert_true(s[TALLY_IDLE_FP] < s[TALLY_CYCLES]);
	assert_true(s[TALLY_IDLE_INT] < s[TALLY_CYCLES]);
	assert_true(s[TALLY_IDLE_BR] < s[TALLY_CYCLES]);
	model_free(bench.model);
}

/*
 * Cycles are counted as instructions retire, those with issue and those without
 * as instructions issue: after a drain both must come to the same, whatever
 * ran, and no cycle may issue more than the machine is wide.
 */
TEST(test_cycles_are_with_issue_or_without)
{
	static const char *const models[] = { "icx", "hsw-ep", "p3" };
	uint64_t seed = 99;

	for (unsigned round = 0; round < 30; round++) {
		struct params params = rig_params(models[round % 3]);
		struct insn code[16];
		struct bench bench;
		const uint64_t *s;

		random_code(code, 16, &seed);
		bench = bench_new(&params, code, 16);
		s = bench.core->tallies;
		for (unsigned i = 0; i < 500; i++) {
			bench.core->mispredicted = i % 3 == 0;
			bench.core->wrong_path =
				(uint16_t)(rig_random(&seed) % 200);
			model_retire(bench.core, &bench.segment, NULL);
		}
		/* what issued last was on no wrong path: all is retired */
		model_retire(bench.core, &bench.segment, NULL);
		model_drain(bench.core);
		assert_int_equal(s[TALLY_ISSUE_CYCLES] + s[TALLY_STALL_ISSUE],
				 s[TALLY_CYCLES]);
		assert_true(s[TALLY_ISSUED] > 16 * 501);
		assert_true(s[TALLY_ISSUED] <=
			    s[TALLY_ISSUE_CYCLES] * params.issue_width);
		assert_true(s[TALLY_FULL_ISSUE] <= s[TALLY_ISSUE_CYCLES]);
		model_free(bench.model);
	}
}

/* Cycles that each of many independent loads takes that @level answers and that
 * have @lines moved, in hundredths. */
static uint64_t hundredths_of_a_load(const struct params *params,
				     enum level level, struct lines lines)
{
	static const struct insn load[] = { LOAD(3, 5) };
	struct bench bench = bench_new(params, load, 1);
	const uint64_t *s = bench.core->tallies;
	uint64_t before = 0;

	for (unsigned i = 0; i < 4000; i++) {
		if (i == 2000)
			before = s[TALLY_CYCLES];
		cycle_note_access(bench.core, 0x400000, level, 0, lines);
		model_retire(bench.core, &bench.segment, NULL);
	}
	before = s[TALLY_CYCLES] - before;
	model_free(bench.model);
	return (before * 100 + 1000) / 2000;
}

TEST(test_lines_that_are_waited_for_are_limited)
{
	struct params params = rig_params("icx");
	struct lines lines = { .l3 = 1, .dram = 1 };

	/* as many as the load queue has: the buffers limit them */
	assert_in_range(hundredths_of_a_load(&params, LEVEL_DRAM, lines), 160,
			180);
	params.l1d_misses = 10;
	assert_int_equal(hundredths_of_a_load(&params, LEVEL_DRAM, lines),
			 params.dram_latency * 10);
	params.l1d_misses = 1;
	assert_int_equal(hundredths_of_a_load(&params, LEVEL_L2, lines),
			 params.l2.latency * 100);
	assert_true(hundredths_of_a_load(&params, LEVEL_L1, lines) <= 50);
}

TEST(test_levels_give_one_line_after_another)
{
	struct params params = rig_params("icx");
	struct lines none = { 0 }, l3 = { .l3 = 1 };
	struct lines both = { .l3 = 1, .dram = 1 };
	struct lines more = { .l3 = 3, .dram = 2 };

	params.l2_line_time = 200;
	params.l3_line_time = 325;
	params.dram_line_time = 910;
	params.l2_misses = 48;
	assert_int_equal(hundredths_of_a_load(&params, LEVEL_L2, none), 200);
	assert_int_equal(hundredths_of_a_load(&params, LEVEL_L3, l3), 325);
	assert_int_equal(hundredths_of_a_load(&params, LEVEL_DRAM, both), 910);
	/* prefetched lines take their time, too */
	assert_int_equal(hundredths_of_a_load(&params, LEVEL_DRAM, more), 1820);
	assert_int_equal(hundredths_of_a_load(&params, LEVEL_L2, both), 910);
	assert_int_equal(hundredths_of_a_load(&params, LEVEL_L1, both), 910);
	/* without a limit on what is on its way nobody waits for them */
	params.l2_misses = 0;
	assert_int_equal(hundredths_of_a_load(&params, LEVEL_L2, both), 200);
}

/* Time passes and nothing is counted; what follows takes no longer than it
 * would otherwise, and no less than it needs to issue, but for what had issued
 * and not retired before. */
TEST(test_cycles_that_pass_are_not_counted)
{
	static const struct insn code[] = { OP(INSN_ALU, NONE, NONE, 0) };
	struct params params = rig_params("icx");
	struct bench bench = bench_new(&params, code, 1);
	uint64_t cycles = cycles_of(&bench, 4000), before, now;

	before = bench.core->tallies[TALLY_CYCLES];
	for (unsigned i = 0; i < 100; i++) {
		now = bench.core->tallies[TALLY_CYCLES];
		cycle_pass(bench.core, 12345);
		assert_int_equal(bench.core->tallies[TALLY_CYCLES], now);
		for (unsigned n = 0; n < 40; n++)
			model_retire(bench.core, &bench.segment, NULL);
	}
	now = bench.core->tallies[TALLY_CYCLES] - before;
	assert_in_range(now, (4000 - 2 * params.rob) / params.issue_width,
			cycles + 1);
	model_free(bench.model);
}

RUN_ALL_TESTS
