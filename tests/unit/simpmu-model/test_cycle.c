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
	before = bench->core->signals[SIG_CYCLES];
	for (unsigned i = 0; i < n; i++)
		model_retire(bench->core, &bench->segment, NULL);
	return bench->core->signals[SIG_CYCLES] - before;
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

static void test_a_chain_of_adds_takes_one_cycle_each(void **state)
{
	static const char *const names[] = { "icx", "hsw-ep", "p3" };
	static const struct insn add[] = { OP(INSN_ALU, 0, 1, 0) };

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(cycles_of_code(names[i], add, 1, 1), 1);
		assert_int_equal(cycles_of_code(names[i], add, 1, 1000), 1000);
		assert_int_equal(cycles_of_code(names[i], add, 1, 123457),
				 123457);
	}
}

/* What is in flight has its cycles already: its stalls come with them. */
static void test_stalls_do_not_outlive_a_drain(void **state)
{
	static const struct insn divide[] = { OP(INSN_DIV, 0, 0, 0) };
	struct params params = rig_params("icx");
	struct bench bench = bench_new(&params, divide, 1);
	const uint64_t *s = bench.core->signals;
	uint64_t cycles, stalls = 0;

	(void)state;
	for (unsigned n = 1; n < 2000; n += 97) {
		for (unsigned i = 0; i < n; i++)
			model_retire(bench.core, &bench.segment, NULL);
		model_drain(bench.core);
		assert_true(s[SIG_STALL_ISSUE] <= s[SIG_CYCLES]);
		cycles = s[SIG_CYCLES];
		stalls = s[SIG_STALL_ISSUE];
		model_drain(bench.core);
		assert_int_equal(s[SIG_STALL_ISSUE], stalls);
		model_retire(bench.core, &bench.segment, NULL);
		assert_true(s[SIG_STALL_ISSUE] - stalls <=
			    s[SIG_CYCLES] - cycles);
	}
	assert_true(stalls > 1000);
	model_free(bench.model);
}

static void test_latencies_of_chains(void **state)
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

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		CHECK_AT(rows[i].line,
			 cycles_of_code("icx", &rows[i].insn, 1, 500) ==
				 500 * rows[i].cycles);
}

static void test_throughput_of_independent_code(void **state)
{
	struct insn alu[20], fp[20], load[20], mixed[20];

	(void)state;
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

static void test_units_that_are_not_pipelined(void **state)
{
	struct insn div[8];

	(void)state;
	for (uint8_t i = 0; i < 8; i++)
		div[i] = (struct insn)OP(INSN_FDIV_D, NONE, NONE, 16 + i);
	assert_int_equal(cycles_of_code("icx", div, 8, 500), 8 * 4 * 500);
}

static void test_a_misprediction_restarts_the_front_end(void **state)
{
	static const struct insn code[] = { OP(INSN_ALU, NONE, NONE, 0), JUMP };
	struct params params = rig_params("icx");
	struct bench bench = bench_new(&params, code, 2);
	uint64_t right = cycles_of(&bench, 1000), before, wrong;

	(void)state;
	before = bench.core->signals[SIG_CYCLES];
	for (int i = 0; i < 1000; i++) {
		bench.core->mispredicted = true;
		model_retire(bench.core, &bench.segment, NULL);
	}
	wrong = bench.core->signals[SIG_CYCLES] - before;
	/* issue, execute the branch, restart after 17 */
	assert_in_range(right, 400, 1000);
	assert_in_range(wrong, 18 * 1000 - 100, 18 * 1000 + 100);
	assert_in_range(bench.core->signals[SIG_STALL_BR], 16 * 1000,
			18 * 1000);
	model_free(bench.model);
}

static void test_misses_wait_by_level(void **state)
{
	static const struct insn chase[] = { LOAD(3, 3) };
	struct params params = rig_plain("icx");
	struct bench bench = bench_new(&params, chase, 1);
	uint64_t before = 0;

	(void)state;
	/* Each access another page of memory: page walk and DRAM each time. */
	for (uint64_t i = 0; i < 3000; i++) {
		if (i == 1000)
			before = bench.core->signals[SIG_CYCLES];
		model_load(bench.core, 0x400000, (i + 1) << 16, 8);
		model_retire(bench.core, &bench.segment, NULL);
	}
	before = bench.core->signals[SIG_CYCLES] - before;
	assert_int_equal(before, 2000 * (220 + 35));
	assert_int_equal(bench.core->signals[SIG_WALK_CYCLES], 3000 * 35);
	assert_true(bench.core->signals[SIG_STALL_DRAM] > before * 9 / 10);
	assert_true(bench.core->signals[SIG_STALL_MEM] >=
		    bench.core->signals[SIG_STALL_DRAM]);
	model_free(bench.model);
}

static void test_independent_misses_overlap(void **state)
{
	static const struct insn load[] = { LOAD(NONE, 3) };
	struct params params = rig_plain("icx");
	struct bench bench = bench_new(&params, load, 1);
	uint64_t before = 0;

	(void)state;
	for (uint64_t i = 0; i < 6000; i++) {
		if (i == 1000)
			before = bench.core->signals[SIG_CYCLES];
		model_load(bench.core, 0x400000, (i + 1) << 12, 8);
		model_retire(bench.core, &bench.segment, NULL);
	}
	before = bench.core->signals[SIG_CYCLES] - before;
	/* 128 loads in flight share one latency */
	assert_in_range(before, 5000 * 255 / 128 - 300, 5000 * 255 / 128 + 300);
	model_free(bench.model);
}

static void test_a_load_waits_for_the_store_before_it(void **state)
{
	static const struct insn code[] = { LOAD(NONE, 0),
					    OP(INSN_ALU, 0, NONE, 0),
					    STORE(NONE, 0) };
	static const uint64_t addrs[] = { 0x7000, 0x7000 };
	struct params params = rig_params("icx");
	struct bench bench = bench_new(&params, code, 3);
	uint64_t before = 0;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		if (i == 1000)
			before = bench.core->signals[SIG_CYCLES];
		model_retire(bench.core, &bench.segment, addrs);
	}
	/* forward 5, add 1, store 1 */
	before = bench.core->signals[SIG_CYCLES] - before;
	assert_in_range(before, 2000 * 6, 2000 * 7);
	model_free(bench.model);
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
static void test_table_and_single_steps_agree(void **state)
{
	struct params params = rig_params("icx");
	uint64_t seed = 4242;

	(void)state;
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
			cycle_note_access(slow.core, 0, LEVEL_L1, 0);
			model_retire(slow.core, &b, NULL);
			model_forget(fast.model, &a);
			model_forget(slow.model, &b);
			assert_int_equal(fast.core->signals[SIG_CYCLES],
					 slow.core->signals[SIG_CYCLES]);
		}
		assert_int_equal(fast.core->signals[SIG_STALL_ISSUE],
				 slow.core->signals[SIG_STALL_ISSUE]);
		assert_true(fast.core->signals[SIG_CYCLES] > 1000);
		model_free(fast.model);
		model_free(slow.model);
	}
}

static void test_cycles_add_up(void **state)
{
	struct insn code[24];
	struct params params = rig_params("icx");
	struct bench bench;
	uint64_t seed = 77, *s;

	(void)state;
	random_code(code, 24, &seed);
	bench = bench_new(&params, code, 24);
	cycles_of(&bench, 5000);
	s = bench.core->signals;
	assert_int_equal(s[SIG_ISSUED], 24 * 7000);
	assert_int_equal(s[SIG_SLOTS], 5 * s[SIG_CYCLES]);
	assert_true(s[SIG_STALL_ISSUE] < s[SIG_CYCLES]);
	assert_true(s[SIG_STALL_RETIRE] < s[SIG_CYCLES]);
	assert_true(s[SIG_STALL_RETIRE] + s[SIG_FULL_RETIRE] <= s[SIG_CYCLES]);
	assert_true(s[SIG_STALL_MEM] + s[SIG_STALL_FP] + s[SIG_STALL_STORE] +
			    s[SIG_STALL_FE] + s[SIG_STALL_BR] <=
		    s[SIG_STALL_ISSUE]);
	assert_true(s[SIG_IDLE_LS] < s[SIG_CYCLES]);
	assert_true(s[SIG_IDLE_FP] < s[SIG_CYCLES]);
	assert_true(s[SIG_IDLE_INT] < s[SIG_CYCLES]);
	assert_true(s[SIG_IDLE_BR] < s[SIG_CYCLES]);
	model_free(bench.model);
}

/*
 * Cycles are counted as instructions retire, those with issue and those without
 * as instructions issue: after a drain both must come to the same, whatever
 * ran, and no cycle may issue more than the machine is wide.
 */
static void test_cycles_are_with_issue_or_without(void **state)
{
	static const char *const models[] = { "icx", "hsw-ep", "p3" };
	uint64_t seed = 99;

	(void)state;
	for (unsigned round = 0; round < 30; round++) {
		struct params params = rig_params(models[round % 3]);
		struct insn code[16];
		struct bench bench;
		const uint64_t *s;

		random_code(code, 16, &seed);
		bench = bench_new(&params, code, 16);
		s = bench.core->signals;
		for (unsigned i = 0; i < 500; i++) {
			bench.core->mispredicted = i % 3 == 0;
			bench.core->wrong_path =
				(uint16_t)(rig_random(&seed) % 200);
			model_retire(bench.core, &bench.segment, NULL);
		}
		/* what issued last was on no wrong path: all is retired */
		model_retire(bench.core, &bench.segment, NULL);
		model_drain(bench.core);
		assert_int_equal(s[SIG_ISSUE_CYCLES] + s[SIG_STALL_ISSUE],
				 s[SIG_CYCLES]);
		assert_true(s[SIG_ISSUED] > 16 * 501);
		assert_true(s[SIG_ISSUED] <=
			    s[SIG_ISSUE_CYCLES] * params.issue_width);
		assert_true(s[SIG_FULL_ISSUE] <= s[SIG_ISSUE_CYCLES]);
		model_free(bench.model);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_chain_of_adds_takes_one_cycle_each),
		cmocka_unit_test(test_stalls_do_not_outlive_a_drain),
		cmocka_unit_test(test_latencies_of_chains),
		cmocka_unit_test(test_throughput_of_independent_code),
		cmocka_unit_test(test_units_that_are_not_pipelined),
		cmocka_unit_test(test_a_misprediction_restarts_the_front_end),
		cmocka_unit_test(test_misses_wait_by_level),
		cmocka_unit_test(test_independent_misses_overlap),
		cmocka_unit_test(test_a_load_waits_for_the_store_before_it),
		cmocka_unit_test(test_table_and_single_steps_agree),
		cmocka_unit_test(test_cycles_add_up),
		cmocka_unit_test(test_cycles_are_with_issue_or_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
