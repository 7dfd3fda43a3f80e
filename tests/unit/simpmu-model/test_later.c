/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is left for later comes out the same: two machines do the same random
 * things, one at once, one leaving for later what it may, a piece of queue at
 * a time, itself or on other threads. All signals must agree whenever the
 * queues are empty.
 */
#include <pthread.h>

#include "rig.h"

#include "simpmu/model/stretch.h"

#define STEPS    60000
#define BRANCHES 512
#define REGION   (UINT64_C(4) << 20)

#define PIECES   4

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

/* ---- things to do ---- */

static struct branch branches[2][BRANCHES]; /* not taken, taken */

static void make_branches(void)
{
	static const enum branch_kind others[] = { BRANCH_JUMP, BRANCH_CALL,
						   BRANCH_RETURN,
						   BRANCH_IND_JUMP,
						   BRANCH_IND_CALL };

	for (unsigned i = 0; i < BRANCHES; i++) {
		struct branch b = { .pc = 0x400000 + 37 * i,
				    .kind = BRANCH_COND,
				    .taken = true };

		b.next = b.pc + 2;
		b.target = b.pc - 64 + i % 128;
		if (i % 4 == 3)
			b.kind = others[i / 4 % 5];
		branches[0][i] = branches[1][i] = b;
		branches[0][i].taken = false;
	}
}

/* ---- stretches of code, with cycles ---- */

#define INSNS    5
#define OPERANDS 4

/* Each machine has its own: it keeps there what it worked out. */
struct code {
	struct stretch stretch[BRANCHES];
	struct insn insn[BRANCHES][INSNS];
	struct stretch_operand operand[BRANCHES][OPERANDS];
};

static struct insn random_insn(uint64_t *state, unsigned *room)
{
	uint64_t r = rig_random(state);
	struct insn insn = { .class = (uint8_t)(r % INSN_CLASSES),
			     .length = 4,
			     .addr = { r >> 8 & 7, REG_NONE },
			     .src = { r >> 12 & 15, REG_NONE, REG_NONE },
			     .dst = { r >> 16 & 15, REG_FLAGS } };

	insn.loads = *room && (r >> 20 & 1);
	*room -= insn.loads;
	insn.stores = *room && !(r >> 21 & 3);
	*room -= insn.stores;
	return insn;
}

static void make_stretch(struct code *code, unsigned i, uint64_t *state)
{
	struct stretch *s = &code->stretch[i];
	unsigned room = OPERANDS;

	*s = (struct stretch){ .branch = { branches[0][i], branches[1][i] } };
	if (i % 16 == 4)
		s->branch[0].kind = s->branch[1].kind = BRANCH_NONE;
	s->segment.pc = 0x500000 + 64 * i;
	s->segment.count = i % 32 == 5 ? 0 : 1 + i % INSNS;
	s->segment.insn = code->insn[i];
	for (unsigned k = 0; k < INSNS; k++) {
		code->insn[i][k] = random_insn(state, &room);
		if (k < s->segment.count)
			s->operands += code->insn[i][k].loads +
				       code->insn[i][k].stores;
	}
	s->operand = code->operand[i];
	for (unsigned k = 0; k < s->operands; k++) {
		code->operand[i][k].root = (i + k) % (STRETCH_ROOTS + 1);
		code->operand[i][k].offset = rig_random(state) % 64;
	}
	s->roots = s->operands ? STRETCH_ROOTS : 0;
}

static struct code *make_code(void)
{
	struct code *code = aligned_alloc(64, sizeof(*code));
	uint64_t state = 4101842887655102017u;

	assert_non_null(code);
	memset(code, 0, sizeof(*code));
	for (unsigned i = 0; i < BRANCHES; i++)
		make_stretch(code, i, &state);
	return code;
}

/* Code on wrong paths: runs that depend on nothing but the address. @ctx: where
 * the machine that asks has the answer. */
static const struct code_run *decode(void *ctx, uint64_t address)
{
	struct code_run *run = ctx;

	*run = (struct code_run){ .count = 1 + (uint32_t)(address % 9),
				  .load_mask = address,
				  .store_mask = address >> 3,
				  .end = address % 5 ? BRANCH_COND
						     : BRANCH_NONE,
				  .end_pc = address + 20,
				  .next = address + 22,
				  .target = address ^ 0x58 };
	return run;
}

struct step {
	unsigned what;
	uint64_t address;
	unsigned size;
	unsigned branch;
	bool taken;
	uint64_t target;
};

static struct step random_step(uint64_t *state, unsigned i)
{
	uint64_t r = rig_random(state), s = rig_random(state);
	struct step step = { .what = r % 32 };

	step.address = 0x10000000 + s % REGION;
	if (r >> 8 & 1) /* a few hot lines, a walk through pages, or anything */
		step.address = 0x10000000 + s % 4096;
	else if (r >> 9 & 1)
		step.address = 0x20000000 + (uint64_t)i * 40 % REGION;
	step.size = 1u << (r >> 16) % 6;
	step.branch = (unsigned)((r >> 24) % BRANCHES);
	step.taken = step.branch % 3 ? r >> 40 & 1 : step.branch % 2;
	step.target = 0x400000 + (s >> 32) % 16;
	return step;
}

static void do_branch(struct core *core, const struct step *step)
{
	const struct branch *b = &branches[step->taken][step->branch];
	bool later = core->later & PART_BRANCH;

	if (b->kind == BRANCH_COND && later)
		later_cond(core, b);
	else if (b->kind == BRANCH_COND)
		model_cond(core, b);
	else if (later)
		later_other(core, b, step->target);
	else
		model_other(core, b, step->target);
}

static void retire_now(struct core *core, const struct stretch *s,
		       const uint64_t *root)
{
	uint64_t addrs[OPERANDS];

	for (unsigned i = 0; i < s->operands; i++)
		addrs[i] = root[s->operand[i].root] + s->operand[i].offset;
	if (s->segment.count)
		model_retire(core, &s->segment, addrs);
}

static void do_stretch(struct core *core, struct code *code,
		       const struct step *step)
{
	struct stretch *s = &code->stretch[step->branch];
	const uint64_t root[] = { step->address, 0x30000000, step->target, 0 };
	const struct branch *b = &s->branch[step->taken];
	uint64_t way = step->branch % 3 ? step->target : 0;

	/* all notes and none: as if the accesses had been its own */
	if (s->segment.count && step->size & 3)
		model_load(core, s->segment.pc, step->address, step->size);
	if (core->later & PART_CYCLE) {
		stretch_prepare(core, s);
		later_stretch(core, s,
			      b->kind == BRANCH_COND ? step->taken : way, root);
		return;
	}
	if (b->kind == BRANCH_COND)
		model_cond(core, b);
	else if (b->kind != BRANCH_NONE)
		model_other(core, b, way ? way : b->target);
	retire_now(core, s, root);
}

static void do_step(struct core *core, struct code *code,
		    const struct step *step)
{
	uint64_t at = step->address;

	switch (step->what) {
	case 0:
		model_store_nt(core, at, step->size);
		break;
	case 1:
		model_clflush(core, at);
		break;
	case 2:
		model_prefetch(core, at, PREFETCH_TO_L1 + step->size % 3);
		break;
	case 3:
	case 4:
	case 5:
		model_fetch(core, 0x400000 + at % (64 << 10));
		break;
	default:
		if (step->what < 14 && code)
			do_stretch(core, code, step);
		else if (step->what < 14)
			do_branch(core, step);
		else if (step->what < 22)
			model_store(core, at & 4095, at, step->size);
		else
			model_load(core, at & 4095, at, step->size);
	}
}

static void compare(const struct core *now, const struct core *later)
{
	for (unsigned s = SIG_MODEL_FIRST; s < SIG_COUNT; s++)
		if (now->signals[s] != later->signals[s])
			fail_msg("%s: %llu at once, %llu later",
				 rig_signal_name(s),
				 (unsigned long long)now->signals[s],
				 (unsigned long long)later->signals[s]);
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
	assert_true(now->signals[SIG_L2_LOAD_MISS] > 0);
	assert_true(now->signals[SIG_WP_INS] > 0);
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
static void test_threads(void **state)
{
	struct params params = rig_params("icx");

	(void)state;
	run_as(&params, 7, NO_CYCLES, THREAD);
	run_as(&params, 7, NO_CYCLES, BOTH);
	run_as(&params, 7, RIG_ALL, THREAD);
	run_as(&params, 7, RIG_ALL, BOTH);
}

static void test_cycles(void **state)
{
	struct params params = rig_params("icx");

	(void)state;
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

static void test_icx(void **state)
{
	struct params params = rig_params("icx");

	(void)state;
	assert_true(run(&params, 1) > 2);
	run(&params, 60); /* what L1D did not keep is found again */
}

static void test_all_prefetchers(void **state)
{
	struct params params = rig_params("icx");

	(void)state;
	params.pf_next = params.pf_stride = 1;
	run(&params, 7);
}

static void test_other_policies(void **state)
{
	struct params params = rig_params("icx");

	(void)state;
	params.l1d.replacement = params.l2.replacement = REPLACE_BIT_PLRU;
	params.page_map = PAGE_HASHED;
	params.dtlb.ways = 6;
	params.predictor = PREDICT_TAGE;
	run(&params, 7);
}

static void test_other_machines(void **state)
{
	struct params inclusive = rig_params("hsw-ep");
	struct params old = rig_params("p3");

	(void)state;
	run(&inclusive, 7);
	run(&old, 7);
}

static void test_what_may_wait(void **state)
{
	struct params icx = rig_params("icx"), hsw = rig_params("hsw-ep");
	unsigned parts = PART_BRANCH | PART_FETCH | PART_DATA;
	struct model *model = rig_new(&icx, parts, 1);

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_icx),
		cmocka_unit_test(test_all_prefetchers),
		cmocka_unit_test(test_other_policies),
		cmocka_unit_test(test_other_machines),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_what_may_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
