/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys of the pipeline that are off unless a model sets them: cycles with and
 * without each, of code whose timing can be worked out by hand. */
#include "rig.h"
#include "simpmu/model/cycle.h"

#define NONE REG_NONE

/* clang-format off */
#define OP(class, a, b, d, e) { class, 4, 0, 0, { NONE, NONE },                \
				{ a, b, NONE }, { d, e } }
#define STORE(base, s)        { INSN_MOVE, 4, 0, 1, { base, NONE },            \
				{ s, NONE, NONE }, { NONE, NONE } }
#define LOAD(base, d)         { INSN_MOVE, 4, 1, 0, { base, NONE },            \
				{ NONE, NONE, NONE }, { d, NONE } }
#define POP(d)                { INSN_MOVE, 1, 1, 0, { REG_SP, NONE },          \
				{ REG_SP, NONE, NONE }, { d, REG_SP } }
#define RETURN                { INSN_BRANCH, 1, 1, 0, { REG_SP, NONE },        \
				{ REG_SP, NONE, NONE }, { REG_SP, NONE } }
#define LEA(base, d)          { INSN_LEA, 4, 0, 0, { base, NONE },             \
				{ NONE, NONE, NONE }, { d, NONE } }
#define JUMP                  { INSN_BRANCH, 2, 0, 0, { NONE, NONE },          \
				{ REG_FLAGS, NONE, NONE }, { NONE, NONE } }
/* clang-format on */

#define PASSES 1000

/* Cycles of PASSES passes over the code, on icx with @keys. */
static uint64_t cycles_with(const char *keys, const struct insn *insn,
			    uint32_t count, const uint64_t *addrs)
{
	struct segment segment = { .pc = 0x400000,
				   .count = count,
				   .insn = insn };
	struct params_error error = { 0 };
	struct params params;
	struct model *model;
	struct core *core;
	char text[256];
	uint64_t before;

	snprintf(text, sizeof(text), "include icx\nname = x\n%s\n", keys);
	if (!params_parse(&params, text, &error))
		fail_msg("line %u: %s", error.line, error.text);
	model = rig_new(&params, RIG_ALL, 1);
	core = model_core(model, 0);
	for (unsigned i = 0; i < 2000; i++)
		model_retire(core, &segment, addrs);
	before = core->tallies[TALLY_CYCLES];
	for (unsigned i = 0; i < PASSES; i++)
		model_retire(core, &segment, addrs);
	before = core->tallies[TALLY_CYCLES] - before;
	model_free(model);
	return before;
}

static void assert_cycles(const char *keys, const struct insn *insn,
			  uint32_t count, const uint64_t *addrs, double each)
{
	double cycles = (double)cycles_with(keys, insn, count, addrs) / PASSES;

	if (cycles < each * 0.99 - 0.01 || cycles > each * 1.01 + 0.01)
		fail_msg("%s: %.3f cycles, not %.3f", keys, cycles, each);
}

/* As cycles_with(), of @n pieces of code @apart, each with a taken branch. */
static double cycles_of_jumps(const char *keys, unsigned n, uint64_t apart)
{
	static const struct insn jump[] = { JUMP };
	struct segment *segments = calloc(n, sizeof(*segments));
	struct params_error error = { 0 };
	struct params params;
	struct model *model;
	struct core *core;
	char text[256];
	uint64_t before = 0;

	assert_non_null(segments);
	snprintf(text, sizeof(text), "include icx\nname = x\n%s\n", keys);
	if (!params_parse(&params, text, &error))
		fail_msg("line %u: %s", error.line, error.text);
	model = rig_new(&params, RIG_ALL, 1);
	core = model_core(model, 0);
	for (unsigned i = 0; i < 2 * PASSES; i++) {
		if (i == PASSES)
			before = core->tallies[TALLY_CYCLES];
		for (unsigned k = 0; k < n; k++) {
			segments[k].pc = 0x400000 + k * apart;
			segments[k].count = 1;
			segments[k].insn = jump;
			model_retire(core, &segments[k], NULL);
		}
	}
	before = core->tallies[TALLY_CYCLES] - before;
	model_free(model);
	free(segments);
	return (double)before / PASSES / n;
}

TEST(test_branches_not_taken_lately_take_longer)
{
	const char *near = "[pipeline]\ntaken_time = 100\ntaken_near = 64\n"
			   "taken_far_time = 300";

	assert_float_equal(cycles_of_jumps(near, 8, 34), 1, 0.02);
	assert_float_equal(cycles_of_jumps(near, 512, 34), 3, 0.1);
	/* wherever they lie, as many are near as the model says */
	assert_float_equal(cycles_of_jumps(near, 60, 32), 1, 0.02);
	assert_float_equal(cycles_of_jumps(near, 60, 4096), 1, 0.02);
	assert_float_equal(cycles_of_jumps(near, 66, 32), 3, 0.02);
	assert_float_equal(
		cycles_of_jumps("[pipeline]\ntaken_time = 100", 512, 34), 1,
		0.02);
}

/* Cycles of each of many jumps whose lines of code come from L2. */
static double cycles_of_fetches(const char *keys, bool mispredicted)
{
	static const struct insn jump[] = { JUMP };
	struct segment segment = { .pc = 0x400000, .count = 1, .insn = jump };
	struct fate fate = { .mispredicted = mispredicted };
	struct params_error error = { 0 };
	struct params params;
	struct model *model;
	struct core *core;
	char text[256];
	uint64_t cycles;

	snprintf(text, sizeof(text), "include icx\nname = x\n%s\n", keys);
	if (!params_parse(&params, text, &error))
		fail_msg("line %u: %s", error.line, error.text);
	model = rig_new(&params, RIG_ALL, 1);
	core = model_core(model, 0);
	for (unsigned i = 0; i < PASSES; i++) {
		cycle_note_fetch(core, LEVEL_L2, 0);
		cycle_prepare(core, &segment);
		cycle_retire(core, &segment, NULL, fate);
	}
	cycles = core->tallies[TALLY_CYCLES];
	model_free(model);
	return (double)cycles / PASSES;
}

TEST(test_lines_of_code_may_be_waited_for_at_a_time)
{
	/* of icx, L2 takes 14 cycles; a slot is a fifth of one */
	assert_float_equal(cycles_of_fetches("", false), 14.2, 0.1);
	assert_float_equal(cycles_of_fetches("[l1i]\nmisses = 1", false), 14,
			   0.1);
	assert_float_equal(cycles_of_fetches("[l1i]\nmisses = 7", false), 2,
			   0.1);
	/* behind a misprediction, 17 cycles, nothing was asked for before */
	assert_float_equal(cycles_of_fetches("[l1i]\nmisses = 7", true),
			   cycles_of_fetches("", true), 1);
}

TEST(test_fewer_units_may_shift)
{
	static const struct insn shift[] = {
		OP(INSN_SHIFT, 1, NONE, 2, NONE),
	};
	static const struct insn both[] = {
		OP(INSN_SHIFT, 1, NONE, 2, NONE),
		OP(INSN_ALU, 1, NONE, 3, NONE),
		OP(INSN_ALU, 1, NONE, 4, NONE),
	};

	assert_cycles("", shift, 1, NULL, 0.25);
	assert_cycles("[ports]\nshift = 2", shift, 1, NULL, 0.5);
	/* they take the place of additions, too */
	assert_cycles("[ports]\nshift = 2", both, 3, NULL, 0.75);
	assert_cycles("[ports]\nshift = 1", both, 3, NULL, 1);
}

/* A value that is stored and loaded again, and one that is added to. */
TEST(test_forwarding_takes_parts_of_a_cycle)
{
	static const struct insn copy[] = { STORE(3, 0), LOAD(3, 0) };
	static const uint64_t both[] = { 0x700000, 0x700000 };

	assert_cycles("[pipeline]\nforward_time = 440", copy, 2, both, 4.4);
	assert_cycles("[pipeline]\nforward_time = 650", copy, 2, both, 6.5);
	/* without it the store itself takes a cycle */
	assert_cycles("[pipeline]\nforward = 6", copy, 2, both, 7);
}

/* Without it each pop waits for the load of the one before. */
TEST(test_stack_engine)
{
	static const struct insn pop[] = { POP(0) };

	assert_cycles("", pop, 1, NULL, 5);
	assert_cycles("[pipeline]\nstack_engine = on", pop, 1, NULL, 0.5);
}

/* A load into the stack pointer is no step on the stack. */
TEST(test_stack_engine_leaves_loads_alone)
{
	static const struct insn load[] = { LOAD(REG_SP, REG_SP) };

	assert_cycles("[pipeline]\nstack_engine = on", load, 1, NULL, 5);
}

TEST(test_fused_branches_take_one_slot)
{
	static const struct insn code[] = {
		OP(INSN_NOP, NONE, NONE, NONE, NONE),
		OP(INSN_NOP, NONE, NONE, NONE, NONE),
		OP(INSN_NOP, NONE, NONE, NONE, NONE),
		OP(INSN_NOP, NONE, NONE, NONE, NONE),
		OP(INSN_ALU, 1, 2, REG_FLAGS, NONE),
		JUMP,
	};
	/* a move in between keeps them apart */
	static const struct insn apart[] = {
		OP(INSN_NOP, NONE, NONE, NONE, NONE),
		OP(INSN_NOP, NONE, NONE, NONE, NONE),
		OP(INSN_NOP, NONE, NONE, NONE, NONE),
		OP(INSN_ALU, 1, 2, REG_FLAGS, NONE),
		OP(INSN_MOVE, 1, NONE, 3, NONE),
		JUMP,
	};

	assert_cycles("", code, 6, NULL, 6 / 5.0);
	assert_cycles("[pipeline]\nfuse = on", code, 6, NULL, 1);
	assert_cycles("[pipeline]\nfuse = on", apart, 6, NULL, 6 / 5.0);
}

/* The code's end is not where it goes on: it ends with a taken branch. */
TEST(test_taken_branches_follow_at_a_distance)
{
	static const struct insn jump[] = { JUMP };

	assert_cycles("", jump, 1, NULL, 0.5);
	assert_cycles("[pipeline]\ntaken_time = 100", jump, 1, NULL, 1);
	assert_cycles("[pipeline]\ntaken_time = 250", jump, 1, NULL, 2.5);
}

/* The rig's code starts at a multiple of 64; nops of four bytes. */
TEST(test_blocks_of_code_follow_at_a_distance)
{
	const struct insn nop = OP(INSN_NOP, NONE, NONE, NONE, NONE);
	const char *keys = "[pipeline]\ntaken_time = 100\nfetch_block = 16\n"
			   "block_time = 300";
	struct insn code[6] = { nop, nop, nop, nop, nop, nop };
	struct params params;

	assert_cycles("[pipeline]\ntaken_time = 100", code, 5, NULL, 1);
	assert_cycles(keys, code, 4, NULL, 1);
	assert_cycles(keys, code, 5, NULL, 4);
	assert_false(params_parse(&params,
				  "include icx\nname = x\n[pipeline]\n"
				  "taken_time = 100\nfetch_block = 48\n",
				  NULL));
	assert_false(params_parse(&params,
				  "include icx\nname = x\n[pipeline]\n"
				  "fetch_block = 64\n",
				  NULL));
}

TEST(test_returns_may_take_longer)
{
	static const struct insn ret[] = { RETURN };
	static const struct insn jump[] = { JUMP };
	const char *keys = "[pipeline]\nstack_engine = on\ntaken_time = 100\n"
			   "call_time = 300";

	assert_cycles("[pipeline]\nstack_engine = on\ntaken_time = 100", ret, 1,
		      NULL, 1);
	assert_cycles(keys, ret, 1, NULL, 3);
	assert_cycles(keys, jump, 1, NULL, 1);
}

TEST(test_stores_leave_the_queue_at_a_rate)
{
	static const struct insn store[] = { STORE(3, 0) };
	static const struct insn vector[] = { STORE(3, REG_VEC + 1) };

	assert_cycles("", store, 1, NULL, 1);
	assert_cycles("[pipeline]\ncommit_time = 50", store, 1, NULL, 0.5);
	assert_cycles("[pipeline]\ncommit_time = 50\ncommit_vec_time = 200",
		      store, 1, NULL, 0.5);
	assert_cycles("[pipeline]\ncommit_time = 50\ncommit_vec_time = 200",
		      vector, 1, NULL, 2);
}

TEST(test_address_computations_wait)
{
	static const struct insn lea[] = { LEA(0, 0) };

	assert_cycles("", lea, 1, NULL, 0.25);
	assert_cycles("[pipeline]\nlea_waits = on", lea, 1, NULL, 1);
	assert_cycles("[pipeline]\nlea_waits = on\n[latency]\nlea = 2", lea, 1,
		      NULL, 2);
}

TEST(test_renamed_stores_cost_nothing)
{
	static const uint64_t addrs[] = { 0x7000, 0x7000 };
	static const struct insn same[] = {
		STORE(3, 0),
		LOAD(3, 0),
		OP(INSN_ALU, 0, 1, 0, NONE),
	};
	static const struct insn other[] = {
		STORE(3, 0),
		LOAD(5, 0),
		OP(INSN_ALU, 0, 1, 0, NONE),
	};
	const char *on = "[pipeline]\nrename_stores = on\n[latency]\nmove = 0";

	/* 5 for forwarding, 1 for the addition, 1 for the store's move */
	assert_cycles("", same, 3, addrs, 7);
	assert_cycles(on, same, 3, addrs, 1);
	assert_cycles(on, other, 3, addrs, 6);
}

TEST(test_loads_and_stores_may_share_ports)
{
	static const uint64_t addrs[] = { 0x7000, 0x8000 };
	static const struct insn code[] = { LOAD(3, 0), STORE(5, 1) };

	assert_cycles("[pipeline]\ncommit_time = 50", code, 2, addrs, 0.5);
	assert_cycles("[pipeline]\ncommit_time = 50\n[ports]\nmemory = 3", code,
		      2, addrs, 2 / 3.0);
	assert_cycles("[pipeline]\ncommit_time = 50\n[ports]\nmemory = 1", code,
		      2, addrs, 2);
}

TEST(test_vectors_are_forwarded_in_their_own_time)
{
	static const uint64_t addrs[] = { 0x7000, 0x7000 };
	static const struct insn code[] = {
		STORE(3, REG_VEC),
		LOAD(3, REG_VEC),
	};
	const char *keys = "[latency]\nmove = 0\n[pipeline]\n"
			   "rename_stores = on\nforward_vec = 9";

	assert_cycles("[latency]\nmove = 0", code, 2, addrs, 5);
	assert_cycles(keys, code, 2, addrs, 9);
}

TEST(test_vectors_may_have_units_of_their_own)
{
	static const struct insn vec[] = { OP(INSN_VEC, 16, NONE, 17, NONE) };
	struct params params;
	struct params_error error = { 0 };

	assert_cycles("", vec, 1, NULL, 0.5);
	assert_cycles("[ports]\nvec = 4\n[unit]\nvec = vec", vec, 1, NULL,
		      0.25);
	assert_false(params_parse(
		&params, "include icx\nname = x\n[unit]\nvec = vec\n", &error));
}

RUN_ALL_TESTS
