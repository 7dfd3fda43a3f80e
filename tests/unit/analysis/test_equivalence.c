/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which events count the same, multiples or sums of each other, within errors.
 */
#include <math.h>

#include "analysis/equivalence.h"
#include "tests/unit/testing.h"

enum {
	EVENTS = 7,
	KERNELS = 4
};

TEST(test_families)
{
	static const double slope[EVENTS][KERNELS] = {
		{ 2, 1, 0, 5 },     { 2, 1, 0, 5 }, /* the same */
		{ 6, 3, 0, 15 },                    /* three times */
		{ 1, 0.5, 0, 2.5 },                 /* half */
		{ 2, 1, 0.5, 5 },                   /* another one */
		{ 0, 0, 0, 0 },     { 0, 0, 0, 0 }, /* nothing */
	};
	static const double error[EVENTS][KERNELS];
	struct kin kin[EVENTS];

	equivalence_find(slope[0], error[0], EVENTS, KERNELS, 1e-4, NULL, kin);
	assert_true(kin[0].head == 0 && kin[1].head == 0 && kin[1].scale == 1);
	assert_true(kin[2].head == 0 && kin[2].scale == 3);
	assert_true(kin[3].head == 0 && kin[3].scale == 0.5);
	assert_true(kin[4].head == 4);
	assert_true(kin[5].head == 5 && kin[6].head == 6);
}

TEST(test_errors_decide)
{
	static const double slope[2][KERNELS] = { { 2, 1, 0, 5 },
						  { 2.1, 0.9, 0.1, 5.1 } };
	static const double none[2][KERNELS];
	double error[2][KERNELS];
	struct kin kin[2];

	equivalence_find(slope[0], none[0], 2, KERNELS, 1e-4, NULL, kin);
	assert_true(kin[1].head == 1);
	for (int i = 0; i < 2 * KERNELS; i++)
		error[i / KERNELS][i % KERNELS] = 0.1;
	equivalence_find(slope[0], error[0], 2, KERNELS, 1e-4, NULL, kin);
	assert_true(kin[1].head == 0 && kin[1].scale == 1);
}

/* Three in a hundred off, 64 times may be 62 or 66 times: it is not known. */
TEST(test_a_factor_has_to_be_known)
{
	static const double same[2][KERNELS] = { { 1, 1, 0, 0 },
						 { 64, 64, 0, 0 } };
	static const double near[2][KERNELS] = { { 1, 1, 0, 0 },
						 { 61, 66, 0, 0 } };
	static const double three[2][KERNELS] = { { 1, 1, 0, 0 },
						  { 2.95, 3.05, 0, 0 } };
	static const double error[2][KERNELS] = { { 0 }, { 3, 3, 0, 0 } };
	static const double little[2][KERNELS] = { { 0 }, { .1, .1, 0, 0 } };
	struct kin kin[2];

	equivalence_find(near[0], error[0], 2, KERNELS, 1e-3, NULL, kin);
	assert_true(kin[1].head == 1);
	equivalence_find(same[0], error[0], 2, KERNELS, 1e-3, NULL, kin);
	assert_true(kin[1].head == 0 && kin[1].scale == 64);
	equivalence_find(three[0], little[0], 2, KERNELS, 1e-3, NULL, kin);
	assert_true(kin[1].head == 0 && kin[1].scale == 3);
	equivalence_find(three[0], error[0], 2, KERNELS, 1e-3, NULL, kin);
	assert_true(kin[1].head == 1);
}

TEST(test_exact_multiples)
{
	static const double one[KERNELS] = { 0.1, NAN, 3, 0 };
	static const double three[KERNELS] = { 0.3, NAN, 9, 0 };
	static const double about[KERNELS] = { 0.3, NAN, 9.001, 0 };
	static const double less[KERNELS] = { 0.3, 1, 9, 0 };
	static const double nothing[KERNELS];

	assert_true(equivalence_is_exact(one, one, KERNELS, 1));
	assert_true(equivalence_is_exact(three, one, KERNELS, 3));
	assert_false(equivalence_is_exact(three, one, KERNELS, 2));
	assert_false(equivalence_is_exact(about, one, KERNELS, 3));
	assert_false(equivalence_is_exact(less, one, KERNELS, 3));
	assert_false(equivalence_is_exact(nothing, nothing, KERNELS, 1));
}

/* Where all events count the same run, errors are no excuse. */
TEST(test_exact_kernels)
{
	static const double slope[2][KERNELS] = { { 200, 100, 0, 500 },
						  { 200.1, 100, 0, 500 } };
	static const double error[2][KERNELS] = { { 1, 1, 1, 1 },
						  { 1, 1, 1, 1 } };
	unsigned char exact[KERNELS] = { 0, 1, 1, 1 };
	struct kin kin[2];

	equivalence_find(slope[0], error[0], 2, KERNELS, 1e-3, exact, kin);
	assert_true(kin[1].head == 0 && kin[1].scale == 1);
	exact[0] = 1;
	equivalence_find(slope[0], error[0], 2, KERNELS, 1e-3, exact, kin);
	assert_true(kin[1].head == 1);
}

/* ---- sums ---- */

enum {
	MANY = 40,
	PARTS = 4
};

/* Events 0 and 1 are plain, 2 is their sum, 3 counts in one kernel only. */
static void make_sums(double slope[PARTS][MANY])
{
	for (int k = 0; k < MANY; k++) {
		slope[0][k] = k % 5;
		slope[1][k] = k % 3 ? 0 : 0.125 * k;
		slope[2][k] = slope[0][k] + slope[1][k];
		slope[3][k] = k == 7;
	}
}

static int find_sum(double slope[PARTS][MANY], double error[PARTS][MANY],
		    size_t event, size_t part[2])
{
	unsigned char barred[PARTS] = { 0 };

	barred[event] = 1;
	return equivalence_find_sum(slope[0], error[0], PARTS, MANY, event,
				    barred, part);
}

TEST(test_exact_sums)
{
	double slope[PARTS][MANY], error[PARTS][MANY] = { { 0 } };
	size_t part[2];
	unsigned char barred[PARTS] = { 0, 1, 1, 0 };

	make_sums(slope);
	assert_true(find_sum(slope, error, 2, part));
	assert_true(part[0] == 0 && part[1] == 1);
	assert_false(find_sum(slope, error, 0, part));
	assert_false(equivalence_find_sum(slope[0], error[0], PARTS, MANY, 2,
					  barred, part));
	/* what counts in one kernel is a part, too */
	slope[2][7] += 1;
	assert_false(find_sum(slope, error, 2, part));
	for (int k = 0; k < MANY; k++)
		slope[2][k] = slope[0][k] + slope[3][k];
	assert_true(find_sum(slope, error, 2, part));
	assert_true(part[0] == 0 && part[1] == 3);
}

/* A part that was counted nowhere is none. */
TEST(test_parts_of_sums_are_seen)
{
	double slope[PARTS][MANY], error[PARTS][MANY] = { { 0 } };
	size_t part[2];

	make_sums(slope);
	for (int k = 0; k < MANY; k++) {
		slope[2][k] = slope[0][k];
		slope[1][k] = slope[3][k] = 0;
	}
	assert_false(find_sum(slope, error, 2, part));
}

/* In a few kernels counts may differ, by what is known to be chance. */
TEST(test_sums_but_for_chance)
{
	double slope[PARTS][MANY], error[PARTS][MANY] = { { 0 } };
	size_t part[2];

	make_sums(slope);
	slope[2][4] += 0.2;
	assert_false(find_sum(slope, error, 2, part));
	error[1][4] = 0.05;
	assert_true(find_sum(slope, error, 2, part));
	for (int k = 0; k < MANY; k += 4) { /* but not in many */
		slope[2][k] += 0.2;
		error[1][k] = 0.1;
	}
	assert_false(find_sum(slope, error, 2, part));
}

/* What could not be measured says nothing. */
TEST(test_sums_without_some_kernels)
{
	double slope[PARTS][MANY], error[PARTS][MANY] = { { 0 } };
	size_t part[2];

	make_sums(slope);
	slope[0][3] = slope[2][5] = NAN;
	assert_true(find_sum(slope, error, 2, part));
	for (int k = 0; k < MANY; k++)
		slope[2][k] = NAN;
	assert_false(find_sum(slope, error, 2, part));
}

RUN_ALL_TESTS
