/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Branch prediction: the simple predictors against textbook ones written anew
 * here, the closed form of the 2-bit counter, and what the elaborate one must
 * learn and cannot learn.
 */
#include <math.h>
#include <string.h>

#include "rig.h"
#include "simpmu/model/predict.h"

#define PC UINT64_C(0x400100)

static struct core *new_core(struct model **model, const struct params *params)
{
	*model = rig_new(params, PART_BRANCH, 1);
	return model_core(*model, 0);
}

static void branch(struct core *core, uint64_t pc, bool taken)
{
	struct branch b = { pc, pc - 64, pc + 2, BRANCH_COND, taken };

	model_branch(core, &b);
}

/* ---- textbook ---- */

struct book {
	uint32_t kind, base_bits, history_bits, local_bits;
	int counter[1 << 16];
	uint32_t local[1 << 12];
	uint32_t global;
};

static bool book_wrong(struct book *b, uint64_t pc, bool taken)
{
	uint64_t index = pc;
	uint32_t *local = &b->local[pc % (1u << b->local_bits)];
	bool wrong;

	if (b->kind == PREDICT_GSHARE)
		index = pc ^ (b->global % (1u << b->history_bits));
	if (b->kind == PREDICT_LOCAL)
		index = (pc * (1u << b->history_bits)) +
			*local % (1u << b->history_bits);
	index %= 1u << b->base_bits;
	wrong = (b->counter[index] > 1) != taken;
	if (taken)
		b->counter[index] += b->counter[index] < 3;
	else
		b->counter[index] -= b->counter[index] > 0;
	*local = *local * 2 + taken;
	b->global = b->global * 2 + taken;
	return wrong;
}

static void compare_with_book(uint32_t kind, uint32_t base, uint32_t history)
{
	struct book *book = calloc(1, sizeof(*book));
	struct params p = rig_params("p3");
	struct model *model;
	struct core *core;
	uint64_t wrong = 0, state = 4711;

	p.predictor = book->kind = kind;
	p.base_bits = book->base_bits = base;
	p.history_bits = book->history_bits = history;
	p.local_bits = book->local_bits = 5;
	for (size_t i = 0; i < 1 << 16; i++)
		book->counter[i] = 1;
	core = new_core(&model, &p);
	for (unsigned i = 0; i < 200000; i++) {
		uint64_t pc = PC + rig_random(&state) % 97 * 3;
		bool taken =
			(i / 7 + pc) % 5 < 3 || rig_random(&state) % 9 == 0;

		wrong += book_wrong(book, pc, taken);
		branch(core, pc, taken);
	}
	assert_int_equal(core->tallies[TALLY_BR_MISP], wrong);
	assert_in_range(wrong, 1000, 150000);
	model_free(model);
	free(book);
}

TEST(test_simple_predictors_equal_the_textbook)
{
	compare_with_book(PREDICT_BIMODAL, 14, 0);
	compare_with_book(PREDICT_BIMODAL, 3, 0);
	compare_with_book(PREDICT_GSHARE, 12, 9);
	compare_with_book(PREDICT_GSHARE, 13, 13);
	compare_with_book(PREDICT_LOCAL, 14, 4);
	compare_with_book(PREDICT_LOCAL, 10, 8);
}

/* ---- random directions ---- */

static double misses_if_one_in(const struct params *params, uint64_t k)
{
	struct model *model;
	struct core *core = new_core(&model, params);
	uint64_t state = 999, n = 400000;
	double rate;

	for (uint64_t i = 0; i < n; i++)
		branch(core, PC, rig_random(&state) % k == 0);
	rate = (double)core->tallies[TALLY_BR_MISP] / (double)n;
	model_free(model);
	return rate;
}

TEST(test_two_bit_counter_has_its_closed_form)
{
	struct params p = rig_params("p3");

	p.predictor = PREDICT_BIMODAL;
	for (uint64_t k = 2; k < 11; k++) {
		double j = (double)k - 1, want = j / (j * j + 1);

		if (fabs(misses_if_one_in(&p, k) - want) > 0.003)
			fail_msg("M(%d) is not %.4f", (int)k, want);
	}
}

/* icx, with its own predictor and with a pure TAGE. */
static const uint32_t elaborate[] = { PREDICT_HYBRID, PREDICT_TAGE };

static struct params icx_with(uint32_t predictor)
{
	static const uint32_t history[] = { 5, 9, 15, 25, 44, 76, 130, 194 };
	struct params p = rig_params("icx");

	if (predictor == PREDICT_HYBRID)
		return p;
	p.predictor = predictor;
	p.tage_tables = 8;
	memcpy(p.tage_history, history, sizeof(history));
	return p;
}

TEST(test_elaborate_ones_are_close_to_the_best_on_noise)
{
	for (uint64_t k = 2; k < 16; k++) {
		struct params p = icx_with(elaborate[k / 8]);
		double j = (double)(k % 8) - 1;
		double rate;

		if (k % 8 < 2)
			continue;
		rate = misses_if_one_in(&p, k % 8);
		assert_true(rate > 1.0 / (j + 1) - 0.01);
		assert_true(rate < j / (j * j + 1) + 0.005);
	}
}

/* ---- loops and patterns ---- */

/* Mispredictions an exit of an inner loop of @trips, once learnt. */
static double misses_an_exit(struct params p, unsigned trips)
{
	struct model *model;
	struct core *core = new_core(&model, &p);
	uint64_t before = 0;
	double rate;

	for (unsigned i = 0; i < 3000; i++) {
		if (i == 1500)
			before = core->tallies[TALLY_BR_MISP];
		for (unsigned j = 1; j <= trips; j++)
			branch(core, PC, j < trips);
		branch(core, PC + 32, true);
	}
	rate = (double)(core->tallies[TALLY_BR_MISP] - before) / 1500;
	model_free(model);
	return rate;
}

TEST(test_constant_loops)
{
	struct params p = rig_params("p3");

	/* The loop of ten of 2005: once an exit on the old machine. */
	assert_true(misses_an_exit(p, 10) == 1);
	for (unsigned trips = 7; trips < 40; trips += 3)
		assert_true(misses_an_exit(p, trips) == 1);
	assert_true(misses_an_exit(p, 4) == 0);
	for (int i = 0; i < 2; i++) {
		p = icx_with(elaborate[i]);
		for (unsigned trips = 2; trips <= 129;
		     trips += trips < 16 ? 1 : 12)
			assert_true(misses_an_exit(p, trips) < 0.001);
		for (unsigned trips = 200; trips < 1000; trips += 97)
			assert_true(misses_an_exit(p, trips) == 1);
	}
}

static double misses_on_pattern(struct params p, unsigned period)
{
	struct model *model;
	struct core *core = new_core(&model, &p);
	uint8_t *pattern = malloc(period);
	uint64_t state = 12345, before = 0;
	unsigned n = period * 32 < 100000 ? 100000 : period * 32;
	double rate;

	for (unsigned i = 0; i < period; i++)
		pattern[i] = rig_random(&state) & 1;
	for (unsigned i = 0; i < n; i++) {
		if (i == n / 2)
			before = core->tallies[TALLY_BR_MISP];
		branch(core, PC, pattern[i % period]);
	}
	rate = (double)(core->tallies[TALLY_BR_MISP] - before) / (n - n / 2);
	model_free(model);
	free(pattern);
	return rate;
}

TEST(test_only_short_patterns_are_learnt)
{
	for (int i = 0; i < 2; i++) {
		struct params p = icx_with(elaborate[i]);

		for (unsigned period = 2; period <= 1024; period *= 2)
			assert_true(misses_on_pattern(p, period) < 0.005);
		assert_true(misses_on_pattern(p, 65536) > 0.3);
	}
}

/* What the hybrid is for: noise is left to gshare, which costs less to model;
 * loops that only longer histories see are not. */
TEST(test_hybrid_asks_tables_where_they_help)
{
	struct params p = icx_with(PREDICT_HYBRID);
	struct model *model;
	struct core *core = new_core(&model, &p);
	uint64_t seed = 5;
	unsigned asked = 0;

	for (unsigned i = 0; i < 20000; i++) {
		branch(core, PC, rig_random(&seed) & 1);
		asked += !core->predictor->judge[judge_index(PC)].rest;
	}
	assert_in_range(asked, 100, 9000);
	for (unsigned i = 0; i < 200000; i++)
		branch(core, PC + 64, i % 100 != 0);
	assert_int_equal(core->predictor->judge[judge_index(PC + 64)].rest, 0);
	model_free(model);
}

/* ---- settled branches ---- */

TEST(test_settled_branches_may_be_left_out)
{
	struct params p = rig_params("icx");
	struct model *a_model, *b_model;
	struct core *a = new_core(&a_model, &p), *b = new_core(&b_model, &p);
	uint64_t seed = 31, skipped = 0;

	for (unsigned i = 0; i < 500000; i++) {
		uint64_t pc = PC + rig_random(&seed) % 40 * 5;
		bool taken = pc % 3 != 0;

		if (pc % 7 == 0)
			taken = rig_random(&seed) & 1;
		else if (rig_random(&seed) % 2000 == 0)
			taken = !taken;
		branch(a, pc, taken);
		if (b->bias[bias_index(pc)] == bias_key(pc, taken))
			skipped++;
		else
			branch(b, pc, taken);
	}
	assert_memory_equal(a->tallies, b->tallies, sizeof(a->tallies));
	assert_memory_equal(a->bias, b->bias, sizeof(a->bias));
	assert_in_range(skipped, 200000, 500000);
	model_free(a_model);
	model_free(b_model);
}

/* ---- targets ---- */

static void jump(struct core *core, enum branch_kind kind, uint64_t pc,
		 uint64_t target)
{
	struct branch b = { pc, target, pc + 5, kind, true };

	model_branch(core, &b);
}

/* Call @depth functions deep and return from all. */
static void nest(struct core *core, unsigned depth)
{
	for (unsigned i = 0; i < depth; i++)
		jump(core, BRANCH_CALL, 0x1000 + i * 64, 0x9000);
	while (depth--)
		jump(core, BRANCH_RETURN, 0x9010, 0x1005 + depth * 64);
}

TEST(test_return_stack_forgets_the_oldest)
{
	static const char *const names[] = { "icx", "p3" };

	for (int i = 0; i < 2; i++) {
		struct params p = rig_params(names[i]);
		struct model *model;
		struct core *core = new_core(&model, &p);

		nest(core, p.ras_depth);
		assert_int_equal(core->tallies[TALLY_BR_MISP_RET], 0);
		nest(core, p.ras_depth + 5);
		assert_int_equal(core->tallies[TALLY_BR_MISP_RET], 5);
		model_free(model);
	}
}

static uint64_t misses_on_targets(const char *name, unsigned period)
{
	struct params p = rig_params(name);
	struct model *model;
	struct core *core = new_core(&model, &p);
	uint64_t before = 0;

	for (unsigned i = 0; i < 4000; i++) {
		if (i == 2000)
			before = core->tallies[TALLY_BR_MISP_IND];
		jump(core, BRANCH_IND_JUMP, PC, 0x5000 + i % period * 0x130);
	}
	before = core->tallies[TALLY_BR_MISP_IND] - before;
	model_free(model);
	return before;
}

TEST(test_indirect_targets)
{
	assert_int_equal(misses_on_targets("p3", 1), 0);
	assert_int_equal(misses_on_targets("p3", 3), 2000);
	assert_int_equal(misses_on_targets("icx", 1), 0);
	assert_int_equal(misses_on_targets("icx", 3), 0);
	assert_int_equal(misses_on_targets("icx", 7), 0);
}

TEST(test_btb_knows_what_it_has_seen)
{
	struct params p = rig_params("icx");
	struct model *model;
	struct core *core = new_core(&model, &p);

	for (int pass = 0; pass < 3; pass++)
		for (uint64_t i = 0; i < 1000; i++)
			jump(core, BRANCH_JUMP, 0x1000 + i * 4, 0x9000);
	assert_int_equal(core->tallies[TALLY_BTB_MISS], 1000);
	assert_int_equal(core->btb[btb_index(core, 0x1000)], 0x1001);
	model_free(model);
}

RUN_ALL_TESTS
