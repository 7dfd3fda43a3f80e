/* SPDX-License-Identifier: BSD-3-Clause */
/* Sections: nesting, recursion, cost, and calls that make no sense. */
#include "hpm/section.h"
#include "tests/unit/testing.h"

static const struct hpm_place here = { "here.c", 10 };
static const struct hpm_place there = { "here.c", 20 };

/* Quantity 0 is a clock that the test moves, 1 counts instructions. */
static int64_t clock_now, count_now;

/* Inside a pair of calls 3 instructions are seen, around it 8. */
static int64_t inside[] = { 0, 3 }, full[] = { 0, 8 }, spread[] = { 0, 0 };
/* A pair for the process costs more. */
static int64_t wide_inside[] = { 0, 30 }, wide_full[] = { 0, 80 };
static const struct cost costs[SECTION_KINDS] = {
	[SECTION_PROCESS] = { 2, wide_inside, wide_full, spread, true, 0 },
	[SECTION_THREAD] = { 2, inside, full, spread, true, 0 },
};

static void enter(struct sections *s, int id)
{
	int64_t *reads;

	count_now += full[1] - inside[1]; /* before the read */
	reads = sections_enter(s, SECTION_THREAD, id, "label", &here);
	assert_non_null(reads);
	reads[0] = clock_now;
	reads[1] = count_now;
}

static enum stop_result leave(struct sections *s, int id)
{
	int64_t now[2];

	count_now += inside[1];
	now[0] = clock_now;
	now[1] = count_now;
	return sections_leave(s, SECTION_THREAD, id, &there,
			      &(struct reading){ .now = now }, costs);
}

static void work(int64_t n)
{
	count_now += n;
	clock_now += 10 * n;
}

static const struct section *section(const struct sections *s, int id)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->list[i].id == id)
			return &s->list[i];
	fail_msg("no section %d", id);
	return NULL;
}

TEST(test_cost_is_taken_off_along_the_nesting)
{
	struct sections s;

	sections_init(&s, 2);
	for (int round = 0; round < 1000; round++) {
		enter(&s, 1);
		work(100);
		enter(&s, 2);
		work(10);
		enter(&s, 3);
		work(1);
		assert_int_equal(leave(&s, 3), STOP_OK);
		enter(&s, 3);
		work(1);
		assert_int_equal(leave(&s, 3), STOP_OK);
		assert_int_equal(leave(&s, 2), STOP_OK);
		work(100);
		assert_int_equal(leave(&s, 1), STOP_OK);
	}
	assert_int_equal(section_inclusive(section(&s, 1), 1, costs), 212000);
	assert_int_equal(section_exclusive(section(&s, 1), 1, costs), 200000);
	assert_int_equal(section_inclusive(section(&s, 2), 1, costs), 12000);
	assert_int_equal(section_exclusive(section(&s, 2), 1, costs), 10000);
	assert_int_equal(section_inclusive(section(&s, 3), 1, costs), 2000);
	assert_int_equal(section(&s, 3)->count, 2000);
	assert_int_equal(section(&s, 1)->tallies[1].min, 212);
	assert_int_equal(section(&s, 1)->tallies[1].max, 212);
	assert_true(section_stddev(section(&s, 1), 1) == 0);
	assert_true(section(&s, 1)->tallies[1].mean == 212);
	/* the raw sums are still there */
	assert_int_equal(section(&s, 3)->tallies[1].inclusive, 8000);
	assert_int_equal(section(&s, 2)->parent, 0);
	assert_int_equal(section(&s, 1)->parent, -1);
	sections_fini(&s);
}

TEST(test_recursion_counts_inclusive_once)
{
	struct sections s;

	sections_init(&s, 2);
	for (int depth = 0; depth < 50; depth++) {
		enter(&s, 1);
		work(10);
	}
	for (int depth = 0; depth < 50; depth++)
		assert_int_equal(leave(&s, 1), STOP_OK);
	assert_int_equal(section(&s, 1)->count, 50);
	assert_int_equal(section_inclusive(section(&s, 1), 1, costs), 500);
	assert_int_equal(section_exclusive(section(&s, 1), 1, costs), 500);
	assert_int_equal(section_inclusive(section(&s, 1), 0, costs), 5000);
	sections_fini(&s);
}

TEST(test_wrong_stops_are_named_and_survived)
{
	struct sections s;

	sections_init(&s, 2);
	assert_int_equal(leave(&s, 7), STOP_UNKNOWN);
	enter(&s, 1);
	enter(&s, 2);
	enter(&s, 3);
	assert_int_equal(sections_open_at(&s, 2)->id, 3);
	assert_int_equal(leave(&s, 1), STOP_CROSSED);
	assert_null(sections_open_at(&s, 0));
	assert_int_equal(section(&s, 3)->count, 1);
	assert_int_equal(leave(&s, 3), STOP_UNKNOWN);
	enter(&s, 1);
	assert_int_equal(leave(&s, 1), STOP_OK);
	sections_fini(&s);
}

TEST(test_kinds_do_not_mix)
{
	const int64_t now[2] = { 0, 0 };
	struct sections s;

	sections_init(&s, 2);
	enter(&s, 1);
	assert_int_equal(sections_leave(&s, SECTION_PROCESS, 1, &there,
					&(struct reading){ .now = now }, costs),
			 STOP_UNKNOWN);
	assert_int_equal(leave(&s, 1), STOP_OK);
	sections_fini(&s);
}

TEST(test_each_kind_has_its_own_cost)
{
	int64_t now[2] = { 0, 0 };
	struct sections s;
	int64_t *reads;

	sections_init(&s, 2);
	reads = sections_enter(&s, SECTION_PROCESS, 1, "label", &here);
	reads[0] = clock_now;
	reads[1] = count_now;
	for (int i = 0; i < 4; i++) {
		enter(&s, 2);
		work(100);
		leave(&s, 2);
	}
	work(50);
	now[0] = clock_now;
	now[1] = count_now + wide_inside[1];
	assert_int_equal(sections_leave(&s, SECTION_PROCESS, 1, &there,
					&(struct reading){ .now = now }, costs),
			 STOP_OK);
	assert_int_equal(section_inclusive(section(&s, 1), 1, costs), 450);
	assert_int_equal(section_exclusive(section(&s, 1), 1, costs), 50);
	assert_int_equal(section_inclusive(section(&s, 2), 1, costs), 400);
	sections_fini(&s);
}

TEST(test_spread_of_unequal_activations)
{
	struct sections s;

	sections_init(&s, 2);
	for (int i = 1; i <= 3; i++) {
		enter(&s, 1);
		work(10 * i);
		leave(&s, 1);
	}
	assert_int_equal(section(&s, 1)->tallies[1].min, 10);
	assert_int_equal(section(&s, 1)->tallies[1].max, 30);
	assert_true(section(&s, 1)->tallies[1].mean == 20);
	assert_true(section_stddev(section(&s, 1), 1) == 10);
	sections_fini(&s);
}

RUN_ALL_TESTS
