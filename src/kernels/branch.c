/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Branches: the kernels of the Counter Inspection Toolkit's Figure 11, the
 * four variants that its release added, one that amplifies what is executed
 * in vain, and Figure 9's.
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
#include "kernels/kernel.h"

static volatile uint32_t z1 = 1234567, z2 = 7654321, z3 = 2345671, z4 = 6543217;
static volatile int64_t temp, sum1, sum2;
static volatile uint32_t result;

/*
 * Expressions, not blocks: without optimisation some compilers jump from the
 * end of a block to what follows it.
 */
/* clang-format off */
#define RANDOM_NUMBER(out)                                                     \
	(z1 = ((z1 & 0xfffffffeU) << 18) ^ (((z1 << 6) ^ z1) >> 13),           \
	 z2 = ((z2 & 0xfffffff8U) << 2) ^ (((z2 << 2) ^ z2) >> 27),            \
	 z3 = ((z3 & 0xfffffff0U) << 7) ^ (((z3 << 13) ^ z3) >> 21),           \
	 z4 = ((z4 & 0xffffff80U) << 13) ^ (((z4 << 3) ^ z4) >> 12),           \
	 (out) = z1 ^ z2 ^ z3 ^ z4)

#define DISTANCE()                                                             \
	((void)(RANDOM_NUMBER(result), RANDOM_NUMBER(result),                  \
		RANDOM_NUMBER(result), RANDOM_NUMBER(result)))
/* clang-format on */

/* True for the first half of the times. */
static void half_then_not(uint64_t times)
{
	int64_t size = (int64_t)times;

	temp = 0;
	do {
		if (temp < size / 2)
			sum2 += 2;
		DISTANCE();
		temp++;
	} while (temp < size);
}

static void always_true(uint64_t times)
{
	int64_t size = (int64_t)times;

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

static void never_true(uint64_t times)
{
	int64_t size = (int64_t)times;

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
static void random_then_far(uint64_t times)
{
	int64_t size = (int64_t)times;

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
static void random_then_near(uint64_t times)
{
	int64_t size = (int64_t)times;

	temp = 0;
	do {
		DISTANCE();
		sum2 += 2;
		if (result % 2 == 0)
			sum1 += 2;
		temp++;
	} while (temp < size);
}

static void jump_over(uint64_t times)
{
	int64_t size = (int64_t)times;

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

static void loop_only(uint64_t times)
{
	int64_t size = (int64_t)times;

	temp = 0;
	do {
		sum2 += 2;
		temp++;
	} while (temp < size);
}

/* A nested condition that always holds, far from the random one. */
static void nested_true_far(uint64_t times)
{
	int64_t size = (int64_t)times;

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

static void nested_false_far(uint64_t times)
{
	int64_t size = (int64_t)times;

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
 * the if is left out: either wrong path executes one branch in vain.
 */
static void nested_true_near(uint64_t times)
{
	int64_t size = (int64_t)times;

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

static void nested_false_near(uint64_t times)
{
	int64_t size = (int64_t)times;

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
static void amplifier(uint64_t times)
{
	int64_t size = (int64_t)times;

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

void branch_rate(uint64_t times, unsigned k)
{
	int64_t size = (int64_t)times;
	volatile uint32_t one_in = k;

	temp = 0;
	do {
		DISTANCE();
		if (result % one_in == 0)
			sum2 += 2;
		temp++;
	} while (temp < size);
}

#define EXPECT(ce, cr, t, d, m)                                                \
	{                                                                      \
		[CONCEPT_BR_COND_EXEC] = (ce), [CONCEPT_BR_COND] = (cr),       \
		[CONCEPT_BR_TAKEN] = (t), [CONCEPT_BR_DIRECT] = (d),           \
		[CONCEPT_BR_MISP] = (m)                                        \
	}

const struct kernel branch_kernels[] = {
	{ "branch/1", "an if that holds for the first half of the times",
	  half_then_not, EXPECT(2, 2, 1.5, 0, 0), 0 },
	{ "branch/2", "an if that always holds", always_true,
	  EXPECT(2, 2, 1, 0, 0), 0 },
	{ "branch/3", "an if that never holds", never_true,
	  EXPECT(2, 2, 2, 0, 0), 0 },
	{ "branch/4", "a random if, far from the next branch", random_then_far,
	  EXPECT(2, 2, 1.5, 0, 0.5), 0.5 },
	{ "branch/5", "a random if, near the next branch", random_then_near,
	  EXPECT(2.5, 2, 1.5, 0, 0.5), 0.5 },
	{ "branch/6", "an if with a jump", jump_over, EXPECT(2, 2, 1, 1, 0),
	  0 },
	{ "branch/7", "a loop and nothing else", loop_only,
	  EXPECT(1, 1, 1, 0, 0), 0 },
	{ "branch/4a", "branch/4 with an if inside that always holds",
	  nested_true_far, EXPECT(2.5, 2.5, 1.5, 0, 0.5), 0.5 },
	{ "branch/4b", "branch/4 with an if inside that never holds",
	  nested_false_far, EXPECT(2.5, 2.5, 2, 0, 0.5), 0.5 },
	{ "branch/5a", "branch/5 with an if inside that always holds",
	  nested_true_near, EXPECT(3, 2.5, 1.5, 0, 0.5), 0.5 },
	{ "branch/5b", "branch/5 with an if inside that never holds",
	  nested_false_near, EXPECT(3, 2.5, 2, 0, 0.5), 0.5 },
	{ "branch/amplifier", "a random if before four that never hold",
	  amplifier, EXPECT(8, 6, 5.5, 0, 0.5), 0.5 },
};

const size_t branch_kernels_n =
	sizeof(branch_kernels) / sizeof(branch_kernels[0]);
