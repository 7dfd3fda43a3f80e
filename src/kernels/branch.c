/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Branches: the kernels of the Counter Inspection Toolkit's Figure 11, the
 * four variants that its release added, one that executes more on the wrong
 * path, and those of Figures 1, 6 and 9.
 *
 * They are C, so that people can read them, and are compiled without
 * optimisation: then an if jumps over its body when it does not hold, a loop
 * jumps back while it does, and what is executed is what is written here. The
 * build checks it in the machine code. All state is volatile, so that even an
 * optimiser would keep every branch.
 *
 * Random numbers come from L'Ecuyer's combined Tausworthe generator (four
 * components, 1999), which has no branches. Between the branches of a kernel
 * it also serves as distance: work that is longer than what a processor
 * executes ahead of a branch it has not resolved.
 */
#include <math.h>

#include "kernels/if_else.h"

/* Figure 1: true every other time, which any history of two branches shows. */
static void every_other(struct kernel_run *run)
{
	int64_t size = (int64_t)run->point.times;

	temp = 0;
	do {
		if (temp % 2 == 0)
			sum1 += 2;
		DISTANCE();
		temp++;
	} while (temp < size);
}

/* True for the first half of the times. */
static void half_then_not(struct kernel_run *run)
{
	int64_t size = (int64_t)run->point.times;

	temp = 0;
	do {
		if (temp < size / 2)
			sum2 += 2;
		DISTANCE();
		temp++;
	} while (temp < size);
}

static void always_true(struct kernel_run *run)
{
	int64_t size = (int64_t)run->point.times;

	temp = 0;
	sum2 = 0;
	do {
		sum2 += 2;
		if (temp < sum2)
			sum1 += 2;
		DISTANCE();
		temp++;
	} while (temp < size);
}

static void never_true(struct kernel_run *run)
{
	int64_t size = (int64_t)run->point.times;

	temp = 0;
	sum2 = 0;
	do {
		sum2 += 2;
		if (temp > sum2)
			sum1 += 2;
		DISTANCE();
		temp++;
	} while (temp < size);
}

/* A condition nobody can predict, with the loop's own branch far away. */
static void random_then_far(struct kernel_run *run)
{
	int64_t size = (int64_t)run->point.times;

	temp = 0;
	do {
		DISTANCE();
		sum2 += 2;
		if (result % 2 == 0)
			sum1 += 2;
		DISTANCE();
		temp++;
	} while (temp < size);
}

/* The same with the loop's branch near: it is executed on the wrong path. */
static void random_then_near(struct kernel_run *run)
{
	int64_t size = (int64_t)run->point.times;

	temp = 0;
	do {
		DISTANCE();
		sum2 += 2;
		if (result % 2 == 0)
			sum1 += 2;
		temp++;
	} while (temp < size);
}

static void jump_over(struct kernel_run *run)
{
	int64_t size = (int64_t)run->point.times;

	temp = 0;
	sum2 = 0;
	do {
		sum2 += 2;
		if (temp < sum2) {
			sum1 += 2;
			goto there;
		}
		DISTANCE();
	there:
		temp++;
		DISTANCE();
	} while (temp < size);
}

static void loop_only(struct kernel_run *run)
{
	int64_t size = (int64_t)run->point.times;

	temp = 0;
	do {
		sum2 += 2;
		temp++;
	} while (temp < size);
}

/* A nested condition that always holds, far from the random one. */
static void nested_true_far(struct kernel_run *run)
{
	int64_t size = (int64_t)run->point.times;

	temp = 0;
	sum2 = 0;
	do {
		DISTANCE();
		sum2 += 2;
		if (result % 2 == 0) {
			DISTANCE();
			if (temp < sum2)
				sum1 += 2;
			sum2 += 2;
		}
		DISTANCE();
		temp++;
	} while (temp < size);
}

static void nested_false_far(struct kernel_run *run)
{
	int64_t size = (int64_t)run->point.times;

	temp = 0;
	sum2 = 0;
	do {
		DISTANCE();
		sum2 += 2;
		if (result % 2 == 0) {
			DISTANCE();
			if (temp > sum2)
				sum1 += 2;
			sum2 += 2;
		}
		DISTANCE();
		temp++;
	} while (temp < size);
}

/*
 * A nested condition right behind the random one, the loop's branch near where
 * the if is left out: either wrong path executes one branch.
 */
static void nested_true_near(struct kernel_run *run)
{
	int64_t size = (int64_t)run->point.times;

	temp = 0;
	sum2 = 0;
	do {
		DISTANCE();
		sum2 += 2;
		if (result % 2 == 0) {
			if (temp < sum2)
				sum1 += 2;
			DISTANCE();
		}
		temp++;
	} while (temp < size);
}

static void nested_false_near(struct kernel_run *run)
{
	int64_t size = (int64_t)run->point.times;

	temp = 0;
	sum2 = 0;
	do {
		DISTANCE();
		sum2 += 2;
		if (result % 2 == 0) {
			if (temp > sum2)
				sum1 += 2;
			DISTANCE();
		}
		temp++;
	} while (temp < size);
}

/* Four conditions that never hold, right behind one that is random. */
static void amplifier(struct kernel_run *run)
{
	int64_t size = (int64_t)run->point.times;

	temp = 0;
	sum2 = 0;
	do {
		DISTANCE();
		if (result % 2 == 0)
			sum1 += 2;
		if (temp < 0)
			sum1++;
		if (temp < -1)
			sum1++;
		if (temp < -2)
			sum1++;
		if (temp < -3)
			sum1++;
		DISTANCE();
		temp++;
	} while (temp < size);
}

/* Figure 9: one in k conditions is true. */
static void one_in_k(struct kernel_run *run)
{
	int64_t size = (int64_t)run->point.times;
	volatile uint32_t one_in = run->point.k;

	temp = 0;
	do {
		DISTANCE();
		if (result % one_in == 0)
			sum2 += 2;
		temp++;
	} while (temp < size);
}

/*
 * Figure 3 of the 2005 paper: an inner loop of k iterations, whose end a simple
 * predictor gets wrong each time.
 */
static void inner_loop(struct kernel_run *run)
{
	int64_t size = (int64_t)run->point.times;
	int64_t turns = run->point.k;
	int64_t i, j;

	i = 0;
	do {
		j = 0;
		do {
			j++;
		} while (j < turns);
		i++;
	} while (i < size);
}

/* What one in k costs, but for what depends on the predictor. */
static void predict_rate(const struct kernel_point *point,
			 const struct kernel_machine *machine,
			 struct kernel_term *terms)
{
	double p = 1.0 / point->k;
	double sd = sqrt(p * (1 - p));

	(void)machine;
	terms[0] = (struct kernel_term){ CONCEPT_BR_COND, 2, 0 };
	terms[1] = (struct kernel_term){ CONCEPT_BR_TAKEN, 2 - p, sd };
	terms[2] = (struct kernel_term){ CONCEPT_BR_COND_EXEC, NAN, 0 };
	terms[3] = (struct kernel_term){ CONCEPT_BR_TAKEN_EXEC, NAN, 0 };
	terms[4] = (struct kernel_term){ CONCEPT_BR_MISP, NAN, 0 };
	terms[5] = (struct kernel_term){ CONCEPT_BR_MISP_TAKEN, NAN, 0 };
}

/*
 * The end of a loop is foreseen if it is within the predictor's history. Near
 * its end, learning may take longer than the kernel runs: nothing is said.
 */
static void predict_loop(const struct kernel_point *point,
			 const struct kernel_machine *machine,
			 struct kernel_term *terms)
{
	double missed = point->k * 8 <= machine->history  ? 0
			: point->k > 2 * machine->history ? 1
							  : NAN;

	terms[0] = (struct kernel_term){ CONCEPT_BR_COND, point->k + 1.0, 0 };
	terms[1] = (struct kernel_term){ CONCEPT_BR_TAKEN, point->k, 0 };
	terms[2] = (struct kernel_term){ CONCEPT_BR_MISP, missed, 0 };
	terms[3] = (struct kernel_term){ CONCEPT_BR_COND_EXEC, NAN, 0 };
	terms[4] = (struct kernel_term){ CONCEPT_BR_TAKEN_EXEC, NAN, 0 };
}

/* Nothing of these happens in any of them. */
#define NONE (1u << FAMILY_FP | 1u << FAMILY_SYSTEM | 1u << FAMILY_SHARE)

/*
 * Executed, retired and taken conditional branches, direct jumps and
 * mispredictions per iteration; branches on the wrong path may be taken as
 * well.
 */
/* clang-format off */
#define ROW(is, id, words, function, ce, cr, t, te, d, m, chance)              \
	{                                                                      \
		.name = "branch/" id, .text = words, .role = ROLE_##is,        \
		.prepare = seed, .run = function, .none = NONE,                \
		.expect = EXPECT(\
			{ CONCEPT_BR_COND_EXEC, ce, chance },                  \
			{ CONCEPT_BR_COND, cr, (cr) == 2.5 ? 0.5 : 0 },        \
			{ CONCEPT_BR_TAKEN, t, chance },                       \
			{ CONCEPT_BR_TAKEN_EXEC, te, chance },                 \
			{ CONCEPT_BR_MISP, m, chance },                        \
			{ CONCEPT_BR_MISP_TAKEN, (m) > 0 ? NAN : 0, 0 },       \
			{ CONCEPT_BR_DIRECT, d, 0 }),                                                             \
	}

static const struct kernel rows[] = {
	ROW(PAPER, "1", "an if that is true in the first half of the iterations",
	    half_then_not, 2, 2, 1.5, 1.5, 0, 0, 0),
	ROW(PAPER, "2", "an if that is always true", always_true,
	    2, 2, 1, 1, 0, 0, 0),
	ROW(PAPER, "3", "an if that is never true", never_true,
	    2, 2, 2, 2, 0, 0, 0),
	ROW(PAPER, "4", "a random if, far from the next branch", random_then_far,
	    2, 2, 1.5, 1.5, 0, 0.5, 0.5),
	ROW(PAPER, "5", "a random if, near the next branch", random_then_near,
	    2.5, 2, 1.5, 2, 0, 0.5, 0.5),
	ROW(PAPER, "6", "an if with a jump", jump_over,
	    2, 2, 1, 1, 1, 0, 0),
	ROW(PAPER, "7", "a loop and nothing else", loop_only,
	    1, 1, 1, 1, 0, 0, 0),
	ROW(HELD_OUT, "4a", "branch/4 with an inner if that is always true",
	    nested_true_far, 2.5, 2.5, 1.5, 1.5, 0, 0.5, 0.5),
	ROW(ANY, "4b", "branch/4 with an inner if that is never true",
	    nested_false_far, 2.5, 2.5, 2, 2, 0, 0.5, 0.5),
	ROW(ANY, "5a", "branch/5 with an inner if that is always true",
	    nested_true_near, 3, 2.5, 1.5, NAN, 0, 0.5, 0.5),
	ROW(HELD_OUT, "5b", "branch/5 with an inner if that is never true",
	    nested_false_near, 3, 2.5, 2, NAN, 0, 0.5, 0.5),
	ROW(ANY, "amplifier", "a random if before four that are never true",
	    amplifier, 8, 6, 5.5, NAN, 0, 0.5, 0.5),
	/* not for telling events apart, since it depends on the predictor */
	ROW(FIGURE, "figure1", "an if that is true every other iteration",
	    every_other, NAN, 2, 1.5, NAN, 0, NAN, 0),
	IF_ELSE_ROW("branch/else", "a random if with an else, not optimised"),
	{
		.name = "branch/rate",
		.text = "an if that is true once in k iterations, at random",
		.uses = USES_K,
		.prepare = seed,
		.run = one_in_k,
		.none = NONE,
		.predict = predict_rate,
		.times = { 1000, 2000, 4000 },
		.k = { 2, 3, 4, 5, 6, 8, 12, 16 },
	},
	{
		.name = "branch/loop",
		.text = "an inner loop of k iterations",
		.uses = USES_K,
		.run = inner_loop,
		.none = NONE,
		.predict = predict_loop,
		.times = { 32, 64, 128 },
		.k = { 10, 100, 1000 },
	},
};
/* clang-format on */

KERNEL_TABLE(kernels_branch, rows);
