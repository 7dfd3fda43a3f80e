/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrong paths: the seven kernels of the 2018 paper as small programs of basic
 * blocks. Nothing here knows what the model should find; Table 1 must come
 * out of running them.
 */
#include <math.h>

#include "rig.h"

#define BLOCKS 8
#define BASE   UINT64_C(0x400000)
#define WIDTH  UINT64_C(0x1000) /* bytes set apart for a block */

/* What decides a conditional branch. */
enum rule {
	ALWAYS,
	NEVER,
	EVEN,
	RANDOM
};

/* A block: so many instructions, the last of them a branch. */
struct block {
	uint32_t count;
	enum branch_kind end;
	enum rule rule;
	int target; /* block it jumps to; falls into the next one */
	uint64_t loads;
};

static uint64_t address_of(int block)
{
	return BASE + (uint64_t)block * WIDTH;
}

static const struct code_run *decode(void *ctx, uint64_t address)
{
	static struct code_run run;
	const struct block *block = ctx;
	int i = (int)((address - BASE) / WIDTH);

	if (address < BASE || i >= BLOCKS || !block[i].count ||
	    address != address_of(i))
		return NULL;
	run = (struct code_run){
		.count = block[i].count,
		.load_mask = block[i].loads,
		.end = block[i].end,
		.end_pc = address + block[i].count * 4 - 4,
		.next = address_of(i + 1),
		.target = address_of(block[i].target),
	};
	return &run;
}

/* Counts per iteration of the kernel whose first block is the loop's. */
struct counts {
	double executed, retired, taken, jumps, mispredicted;
};

static bool decide(enum rule rule, unsigned iteration, uint64_t *state)
{
	if (rule == RANDOM)
		return rig_random(state) >> 20 & 1;
	return rule == ALWAYS || (rule == EVEN && iteration % 2 == 0);
}

static struct counts run_kernel(const struct params *params,
				struct block *block, unsigned n)
{
	struct model *model = rig_new(params, PART_BRANCH, 1);
	struct core *core = model_core(model, 0);
	uint64_t state = 2018, cond = 0, taken = 0, jumps = 0;
	unsigned iteration = 0;
	struct counts counts;
	int at = 0;

	model_set_decoder(model, decode, block);
	while (iteration < n) {
		const struct code_run *run = decode(block, address_of(at));
		struct branch b;

		assert_non_null(run);
		if (run->end == BRANCH_NONE) {
			at++;
			continue;
		}
		b = (struct branch){ run->end_pc, run->target, run->next,
				     run->end, true };
		if (run->end == BRANCH_COND) {
			b.taken = decide(block[at].rule, iteration, &state);
			cond++;
			taken += b.taken;
		} else {
			jumps++;
		}
		model_branch(core, &b);
		at = b.taken ? block[at].target : at + 1;
		iteration += at == 0;
	}
	counts = (struct counts){
		(double)(cond + core->tallies[TALLY_WP_BR_COND]) / n,
		(double)cond / n, (double)taken / n, (double)jumps / n,
		(double)core->tallies[TALLY_BR_MISP] / n
	};
	model_free(model);
	return counts;
}

/* RNG is what the paper's kernels put between branches: 66 instructions. */
#define RNG 66
#define RUN(n)                                                                 \
	{                                                                      \
		n, BRANCH_NONE, ALWAYS, 0, 0                                   \
	}
#define IF(n, rule, to)                                                        \
	{                                                                      \
		n, BRANCH_COND, rule, to, 0                                    \
	}
#define JMP(n, to)                                                             \
	{                                                                      \
		n, BRANCH_JUMP, ALWAYS, to, 0                                  \
	}

static const struct {
	struct block block[BLOCKS];
	struct counts want;
} table1[] = {
	/* an if that holds every second time; the loop's own branch */
	{ { IF(4, EVEN, 2), RUN(2), IF(3, ALWAYS, 0), RUN(4) },
	  { 2, 2, 1.5, 0, 0 } },
	{ { IF(4, NEVER, 2), RUN(2), IF(3, ALWAYS, 0), RUN(4) },
	  { 2, 2, 1, 0, 0 } },
	{ { IF(4, ALWAYS, 2), RUN(2), IF(3, ALWAYS, 0), RUN(4) },
	  { 2, 2, 2, 0, 0 } },
	/* a random if, with work behind it and without */
	{ { IF(RNG, RANDOM, 2), RUN(2), RUN(RNG - 2), IF(3, ALWAYS, 0),
	    RUN(4) },
	  { 2, 2, 1.5, 0, .5 } },
	{ { IF(RNG, RANDOM, 2), RUN(2), IF(3, ALWAYS, 0), RUN(4) },
	  { 2.5, 2, 1.5, 0, .5 } },
	{ { IF(4, NEVER, 2), JMP(2, 2), IF(3, ALWAYS, 0), RUN(4) },
	  { 2, 2, 1, 1, 0 } },
	{ { IF(3, ALWAYS, 0), RUN(4) }, { 1, 1, 1, 0, 0 } },
};

static void check_cell(size_t row, const char *what, double got, double want)
{
	if (fabs(got - want) > 0.01)
		fail_msg("bench%d: %s is %.3f, not %.2f", (int)row + 1, what,
			 got, want);
}

static void check_table(const struct params *params)
{
	for (size_t i = 0; i < sizeof(table1) / sizeof(*table1); i++) {
		struct block block[BLOCKS];
		struct counts got;

		memcpy(block, table1[i].block, sizeof(block));
		got = run_kernel(params, block, 100000);
		check_cell(i, "executed", got.executed,
			   table1[i].want.executed);
		check_cell(i, "retired", got.retired, table1[i].want.retired);
		check_cell(i, "taken", got.taken, table1[i].want.taken);
		check_cell(i, "jumps", got.jumps, table1[i].want.jumps);
		check_cell(i, "mispredicted", got.mispredicted,
			   table1[i].want.mispredicted);
	}
}

TEST(test_table_1_of_2018)
{
	static const uint32_t windows[] = { 9, 16, 32, 64 };
	struct params p = rig_params("icx");

	for (size_t i = 0; i < 4; i++) {
		p.wrong_path = windows[i];
		check_table(&p);
	}
}

TEST(test_window_too_short_or_too_long)
{
	struct params p = rig_params("icx");
	struct block block[BLOCKS];

	memcpy(block, table1[4].block, sizeof(block));
	p.wrong_path = 2;
	check_cell(4, "executed", run_kernel(&p, block, 50000).executed, 2);
	memcpy(block, table1[3].block, sizeof(block));
	p.wrong_path = 90;
	check_cell(3, "executed", run_kernel(&p, block, 50000).executed, 2.5);
}

TEST(test_loads_on_the_wrong_path)
{
	struct params p = rig_params("icx");
	struct block block[BLOCKS] = {
		{ 2, BRANCH_COND, RANDOM, 2, 0 },
		{ 40, BRANCH_NONE, ALWAYS, 0, 0x30000000f },
		{ 40, BRANCH_COND, ALWAYS, 0, 0x3 },
	};
	struct model *model = rig_new(&p, PART_BRANCH, 1);
	struct core *core = model_core(model, 0);
	uint64_t seed = 5, *s = core->tallies;

	model_set_decoder(model, decode, block);
	for (int i = 0; i < 1000; i++) {
		struct branch b = { address_of(0) + 4, address_of(2),
				    address_of(1), BRANCH_COND,
				    rig_random(&seed) >> 20 & 1 };

		model_branch(core, &b);
	}
	/* Taken by mistake: 2 loads of block 2 in 32 instructions; not taken
	 * by mistake: 4 of the 6 loads of block 1. */
	assert_int_equal(s[TALLY_WP_INS], 32 * s[TALLY_BR_MISP]);
	assert_int_equal(
		s[TALLY_WP_LOAD],
		4 * s[TALLY_BR_MISP_TAKEN] +
			2 * (s[TALLY_BR_MISP] - s[TALLY_BR_MISP_TAKEN]));
	assert_int_equal(s[TALLY_WP_BR_COND], 0);
	assert_true(s[TALLY_BR_MISP_TAKEN] > 100);
	model_free(model);
}

TEST(test_nothing_is_learnt_on_the_wrong_path)
{
	struct params p = rig_params("icx");
	struct block block[BLOCKS];
	struct counts with, without;

	memcpy(block, table1[4].block, sizeof(block));
	p.wrong_path = 32;
	with = run_kernel(&p, block, 50000);
	p.wrong_path = 0;
	without = run_kernel(&p, block, 50000);
	assert_true(with.mispredicted == without.mispredicted);
	assert_true(without.executed == without.retired);
}

RUN_ALL_TESTS
