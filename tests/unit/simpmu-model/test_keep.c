/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine that is brought back to where it was kept does the same again: all
 * tallies grow by the same numbers each time, to the last cycle.
 */
#include "steps.h"

#define BEFORE 30000
#define STEPS  20000
#define CORES  2

struct grown {
	uint64_t by[CORES][TALLY_COUNT];
};

/* Steps number @from to @to of those that come from *@random. */
static void do_steps(struct model *model, struct code *code, uint64_t *random,
		     unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		struct step step = random_step(random, i);

		do_step(model_core(model, i / 7 % model_core_count(model)),
			code, &step);
	}
}

static void copy_signals(struct model *model, struct grown *g)
{
	for (unsigned i = 0; i < model_core_count(model); i++)
		memcpy(g->by[i], model_core(model, i)->tallies,
		       sizeof(g->by[i]));
}

static struct grown growth(struct model *model, struct code *code,
			   uint64_t random)
{
	struct grown before = { 0 }, after = { 0 };

	copy_signals(model, &before);
	do_steps(model, code, &random, BEFORE, BEFORE + STEPS);
	copy_signals(model, &after);
	for (unsigned i = 0; i < CORES; i++)
		for (unsigned s = 0; s < TALLY_COUNT; s++)
			after.by[i][s] -= before.by[i][s];
	return after;
}

static void compare(const struct grown *first, const struct grown *again)
{
	for (unsigned i = 0; i < CORES; i++)
		for (unsigned s = 0; s < TALLY_COUNT; s++)
			if (first->by[i][s] != again->by[i][s])
				fail_msg("core %u, %s: %llu, then %llu", i,
					 rig_signal_name(s),
					 (unsigned long long)first->by[i][s],
					 (unsigned long long)again->by[i][s]);
}

static void run(const struct params *params, unsigned cores)
{
	struct model *model = rig_new(params, RIG_ALL, cores);
	uint64_t random = 88172645463325252u;
	struct code_run decoded;
	struct grown first, again;
	struct code *code;

	make_branches();
	code = make_code();
	model_set_decoder(model, decode, &decoded);
	do_steps(model, code, &random, 0, BEFORE);
	assert_true(model_keep(model));
	first = growth(model, code, random);
	assert_true(first.by[0][TALLY_CYCLES] > STEPS / 10);
	assert_true(first.by[0][TALLY_DRAM_READ] > 0);
	assert_true(first.by[0][TALLY_BR_MISP] > 0);
	again = growth(model, code, random);
	/* or nothing would have to be brought back */
	assert_int_not_equal(first.by[0][TALLY_CYCLES],
			     again.by[0][TALLY_CYCLES]);
	for (unsigned i = 0; i < 3; i++) {
		if (i == 1)
			model_flush(model);
		assert_true(model_bring_back(model));
		again = growth(model, code, random);
		compare(&first, &again);
	}
	model_free(model);
	free(code);
}

TEST(test_machines)
{
	struct params params = rig_params("icx");

	run(&params, 1);
	run(&params, 2);
	params.pf_next = params.pf_stride = 1;
	params.l1d.replacement = params.l2.replacement = REPLACE_BIT_PLRU;
	params.page_map = PAGE_HASHED;
	params.predictor = PREDICT_TAGE;
	run(&params, 1);
	params = rig_params("hsw-ep");
	run(&params, 1);
	run(&params, 2);
	params = rig_params("p3");
	run(&params, 1);
}

/* An L3 whose stamps do not fit a byte. */
TEST(test_many_ways)
{
	struct params params = rig_params("icx");

	params.l3.sets = 100; /* not a multiple of what is copied at a time */
	params.l3.ways = 256;
	run(&params, 1);
}

TEST(test_the_newest_is_brought_back)
{
	struct params params = rig_plain("icx");
	struct model *model = rig_new(&params, PART_DATA, 1);
	struct core *core = model_core(model, 0);
	const uint64_t *misses = &core->tallies[TALLY_L1D_LOAD_MISS];

	assert_true(model_keep(model)); /* empty */
	model_load(core, 0, 0x10000, 8);
	assert_true(model_bring_back(model));
	model_load(core, 0, 0x10000, 8);
	assert_int_equal(*misses, 2);
	assert_true(model_keep(model));
	model_flush(model);
	assert_true(model_bring_back(model));
	model_load(core, 0, 0x10000, 8);
	assert_int_equal(*misses, 2);
	model_free(model);
}

TEST(test_another_machine_is_not_brought_back)
{
	struct params params = rig_params("icx");
	struct model *model = rig_new(&params, PART_DATA, 1);

	assert_false(model_bring_back(model)); /* nothing was kept */
	assert_true(model_keep(model));
	assert_true(model_set_parts(model, PART_DATA));
	assert_true(model_bring_back(model)); /* the same parts as before */
	assert_non_null(model_add_core(model));
	assert_false(model_bring_back(model));
	assert_true(model_keep(model));
	assert_true(model_set_parts(model, RIG_ALL));
	assert_false(model_bring_back(model));
	model_free(model);
}

static void *get_until(void *ctx, size_t bytes)
{
	unsigned *left = ctx;

	return *left && (*left)-- ? rig_get(NULL, bytes) : NULL;
}

static void put(void *ctx, void *mem, size_t bytes)
{
	(void)ctx;
	rig_put(NULL, mem, bytes);
}

/* Keep with memory for @pieces more, until that is enough. */
static bool keeps_with(unsigned pieces)
{
	unsigned left = 1000;
	struct model_alloc alloc = { get_until, put, &left };
	struct params params = rig_params("icx");
	struct model *model = model_new(&params, RIG_ALL, &alloc);
	bool kept;

	assert_non_null(model);
	assert_non_null(model_add_core(model));
	left = pieces;
	kept = model_keep(model);
	assert_int_equal(model_bring_back(model), kept);
	left = 1000;
	assert_true(model_keep(model));
	assert_true(model_bring_back(model));
	model_free(model);
	return kept;
}

TEST(test_no_memory)
{
	unsigned pieces = 0;

	while (!keeps_with(pieces)) {
		pieces++;
		assert_true(pieces < 1000);
	}
	assert_true(pieces > 10);
}

RUN_ALL_TESTS
