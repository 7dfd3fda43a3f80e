/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is left for later comes out the same: two machines do the same random
 * things, one at once, one leaving for later what it may, a piece of queue at
 * a time, itself or on other threads. All tallies must agree whenever the
 * queues are empty.
 */
#include <pthread.h>

#include "simpmu/model/machine.h"
#include "steps.h"

#define STEPS  60000
#define PIECES 4

struct piece {
	struct queues queues;
	size_t branches, misses; /* words */
};

/* Who catches up: the test itself, a thread, or both. */
enum who {
	ALONE,
	THREAD,
	BOTH
};

/* The machine that leaves things for later, and who catches up. */
struct delayed {
	struct model *model;
	struct core *core;
	struct piece piece[PIECES];
	unsigned turns;
	enum who who;
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t change;
	unsigned given, done; /* pieces */
	bool stop;
};

/* Misses, or with cycles all but those. */
static void first_pass(struct delayed *d, const struct piece *p)
{
	if (d->core->later & PART_CYCLE)
		model_answer_stretches(d->core, p->queues.branches,
				       p->branches);
	else
		model_catch_up_misses(d->core, p->queues.misses, p->misses);
}

static void second_pass(struct delayed *d, const struct piece *p)
{
	if (d->core->later & PART_CYCLE)
		model_catch_up_stretches(d->core, p->queues.branches,
					 p->branches);
	else
		model_catch_up_branches(d->core, p->queues.branches,
					p->branches);
}

static void *run_thread(void *ctx)
{
	struct delayed *d = ctx;

	pthread_mutex_lock(&d->lock);
	for (;;) {
		const struct piece *p = &d->piece[d->done % PIECES];

		while (d->given == d->done && !d->stop)
			pthread_cond_wait(&d->change, &d->lock);
		if (d->given == d->done)
			break;
		pthread_mutex_unlock(&d->lock);
		if (d->who == THREAD)
			first_pass(d, p);
		second_pass(d, p);
		pthread_mutex_lock(&d->lock);
		d->done++;
		pthread_cond_signal(&d->change);
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

/* Until there are at most @most pieces left. */
static void wait_for(struct delayed *d, unsigned most)
{
	pthread_mutex_lock(&d->lock);
	while (d->given - d->done > most)
		pthread_cond_wait(&d->change, &d->lock);
	pthread_mutex_unlock(&d->lock);
}

static void write_to(struct delayed *d)
{
	const struct piece *p = &d->piece[d->given % PIECES];

	d->core->branches = p->queues.branches;
	d->core->misses = p->queues.misses;
}

static void give(struct delayed *d)
{
	struct piece *p = &d->piece[d->given % PIECES];

	p->branches = (size_t)(d->core->branches - p->queues.branches);
	p->misses = (size_t)(d->core->misses - p->queues.misses);
	if (d->who != THREAD)
		first_pass(d, p);
	if (d->who == ALONE)
		second_pass(d, p);
	pthread_mutex_lock(&d->lock);
	d->given++;
	d->done += d->who == ALONE;
	pthread_cond_signal(&d->change);
	pthread_mutex_unlock(&d->lock);
	wait_for(d, PIECES - 1);
	write_to(d);
}

static void catch_up(struct delayed *d)
{
	if (!d->core->later)
		return;
	give(d);
	wait_for(d, 0);
}

static void turn(void *ctx, struct core *core)
{
	struct delayed *d = ctx;

	assert_ptr_equal(core, d->core);
	d->turns++;
	give(d);
}

static uint64_t *new_queue(void)
{
	uint64_t *queue = aligned_alloc(QUEUE_BYTES, QUEUE_BYTES);

	assert_non_null(queue);
	return queue;
}

static void begin(struct delayed *d, const struct params *params,
		  unsigned parts, enum who who)
{
	*d = (struct delayed){ .model = rig_new(params, parts, 1), .who = who };
	d->core = model_core(d->model, 0);
	for (unsigned i = 0; i < PIECES; i++)
		d->piece[i].queues =
			(struct queues){ new_queue(), new_queue() };
	model_set_turn(d->model, turn, d);
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->change, NULL);
	if (who != ALONE)
		assert_int_equal(
			pthread_create(&d->thread, NULL, run_thread, d), 0);
}

static void end(struct delayed *d)
{
	if (d->who != ALONE) {
		pthread_mutex_lock(&d->lock);
		d->stop = true;
		pthread_cond_signal(&d->change);
		pthread_mutex_unlock(&d->lock);
		pthread_join(d->thread, NULL);
	}
	for (unsigned i = 0; i < PIECES; i++) {
		free(d->piece[i].queues.branches);
		free(d->piece[i].queues.misses);
	}
	model_free(d->model);
}

static void compare(const struct core *now, const struct core *later)
{
	for (unsigned s = TALLY_MODEL_FIRST; s < TALLY_COUNT; s++)
		if (now->tallies[s] != later->tallies[s])
			fail_msg("%s: %llu at once, %llu later",
				 rig_signal_name(s),
				 (unsigned long long)now->tallies[s],
				 (unsigned long long)later->tallies[s]);
}

#define NO_CYCLES (PART_BRANCH | PART_FETCH | PART_DATA)

/* @changes: how often the machine begins and stops to leave things. */
static unsigned run_as(const struct params *params, unsigned changes,
		       unsigned parts, enum who who)
{
	struct model *direct = rig_new(params, parts, 1);
	struct core *now = model_core(direct, 0);
	uint64_t state = 88172645463325252u;
	struct delayed d;
	struct code *code[2] = { NULL, NULL };
	struct code_run decoded[2];
	unsigned turns;

	begin(&d, params, parts, who);
	make_branches();
	if (parts & PART_CYCLE) {
		code[0] = make_code();
		code[1] = make_code();
	}
	model_set_decoder(direct, decode, &decoded[0]);
	model_set_decoder(d.model, decode, &decoded[1]);
	for (unsigned i = 0; i < STEPS; i++) {
		struct step step = random_step(&state, i);

		if (i % (STEPS / changes) == 0) {
			catch_up(&d);
			model_defer(d.core,
				    i / (STEPS / changes) % 2
					    ? 0
					    : model_deferrable(d.model),
				    d.piece[d.given % PIECES].queues);
			compare(now, d.core);
		}
		do_step(now, code[0], &step);
		do_step(d.core, code[1], &step);
	}
	catch_up(&d);
	model_merge(d.core);
	compare(now, d.core);
	assert_true(now->tallies[TALLY_L2_LOAD_MISS] > 0);
	assert_true(now->tallies[TALLY_WP_INS] > 0);
	turns = d.turns;
	end(&d);
	model_free(direct);
	free(code[0]);
	free(code[1]);
	return turns;
}

static unsigned run_parts(const struct params *params, unsigned changes,
			  unsigned parts)
{
	return run_as(params, changes, parts, ALONE);
}

static unsigned run(const struct params *params, unsigned changes)
{
	return run_parts(params, changes, NO_CYCLES);
}

/* What a sanitizer of threads looks at, too. */
TEST(test_threads)
{
	struct params params = rig_params("icx");

	run_as(&params, 7, NO_CYCLES, THREAD);
	run_as(&params, 7, NO_CYCLES, BOTH);
	run_as(&params, 7, RIG_ALL, THREAD);
	run_as(&params, 7, RIG_ALL, BOTH);
}

TEST(test_cycles)
{
	struct params params = rig_params("icx");

	assert_true(run_parts(&params, 1, RIG_ALL) > 2);
	run_parts(&params, 61, RIG_ALL);
	params.rob = 40; /* queues that are seldom full, and often */
	params.rs = 20;
	params.lq = 3;
	params.sq = 2;
	run_parts(&params, 5, RIG_ALL);
	params = rig_params("p3");
	run_parts(&params, 7, RIG_ALL);
	params = rig_params("hsw-ep"); /* which leaves nothing */
	run_parts(&params, 7, RIG_ALL);
}

TEST(test_icx)
{
	struct params params = rig_params("icx");

	assert_true(run(&params, 1) > 2);
	run(&params, 60); /* what L1D did not keep is found again */
}

TEST(test_all_prefetchers)
{
	struct params params = rig_params("icx");

	params.pf_next = params.pf_stride = 1;
	run(&params, 7);
}

TEST(test_other_policies)
{
	struct params params = rig_params("icx");

	params.l1d.replacement = params.l2.replacement = REPLACE_BIT_PLRU;
	params.page_map = PAGE_HASHED;
	params.dtlb.ways = 6;
	params.predictor = PREDICT_TAGE;
	run(&params, 7);
}

TEST(test_other_machines)
{
	struct params inclusive = rig_params("hsw-ep");
	struct params old = rig_params("p3");

	run(&inclusive, 7);
	run(&old, 7);
}

TEST(test_what_may_wait)
{
	struct params icx = rig_params("icx"), hsw = rig_params("hsw-ep");
	unsigned parts = PART_BRANCH | PART_FETCH | PART_DATA;
	struct model *model = rig_new(&icx, parts, 1);

	assert_int_equal(model_deferrable(model), PART_BRANCH | PART_DATA);
	assert_non_null(model_add_core(model));
	assert_int_equal(model_deferrable(model), 0);
	model_free(model);
	model = rig_new(&hsw, parts, 1); /* its L3 takes lines out of L1 */
	assert_int_equal(model_deferrable(model), PART_BRANCH);
	model_free(model);
	model = rig_new(&icx, RIG_ALL, 1);
	assert_int_equal(model_deferrable(model),
			 PART_BRANCH | PART_DATA | PART_CYCLE);
	model_free(model);
	model = rig_new(&hsw, RIG_ALL, 1);
	assert_int_equal(model_deferrable(model), 0);
	model_free(model);
}

/* What each mark was told, by number. */
static void take_mark(void *told, uint64_t number, const struct waited *waited)
{
	((struct waited *)told)[number] = *waited;
}

TEST(test_marks_tell_what_was_waited_for)
{
	static _Alignas(QUEUE_BYTES) uint64_t queue[QUEUE_WORDS];
	struct params icx = rig_params("icx");
	struct model *model = rig_new(&icx, PART_FETCH | PART_DATA, 1);
	struct core *core = model_core(model, 0);
	struct waited waited = { 0 }, told[3];

	model_defer(core, PART_DATA, (struct queues){ .misses = queue });
	model_load(core, 0x1000, 0x500000, 8);
	model_mark(core, 0);
	model_load(core, 0x1000, 0x500008, 8); /* the same line */
	model_mark(core, 1);
	model_fetch(core, 0x600000);
	model_mark(core, 2);
	model_catch_up_marked(core, queue, (size_t)(core->misses - queue),
			      &waited, take_mark, told);
	assert_int_equal(told[0].level, LEVEL_DRAM);
	assert_int_equal(told[0].delay, icx.walk_latency);
	assert_int_equal(told[0].code_level, LEVEL_L1);
	assert_true(told[0].lines.dram > 0);
	assert_int_equal(told[1].level, LEVEL_L1);
	assert_int_equal(told[1].delay, 0);
	assert_int_equal(told[2].level, LEVEL_L1);
	assert_int_equal(told[2].code_level, LEVEL_DRAM);
	assert_int_equal(told[2].code_delay, icx.walk_latency);
	model_free(model);
}

RUN_ALL_TESTS
