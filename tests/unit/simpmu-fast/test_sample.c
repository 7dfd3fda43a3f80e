/* SPDX-License-Identifier: BSD-3-Clause */
/* What windows tell of a program whose cycles are known. */
#include "simpmu/fast/model/sample.h"

#include <math.h>

#include "../testing.h"

#define END (UINT64_C(12) << 20)

/* A program: cycles of the instruction @at, and whether it stands apart. */
typedef unsigned (*program_fn)(uint64_t at, bool *is_apart);

struct run {
	struct sampler sampler;
	struct estimate estimate;
	uint64_t tallies[TALLY_COUNT];
	uint64_t all; /* cycles it really took */
};

static void see(struct run *r, unsigned cycles, bool is_apart)
{
	struct sampler *s = &r->sampler;
	struct estimate *e = &r->estimate;
	uint64_t before[SAMPLE_TALLIES];

	if (is_apart && !sampler_is_exact(s)) {
		for (unsigned i = 0; i < SAMPLE_TALLIES; i++)
			before[i] = r->tallies[TALLY_CYCLES + i];
		r->tallies[TALLY_CYCLES] += cycles;
		estimate_add_apart(e, before, r->tallies, 1);
		return;
	}
	if (s->at < s->warm || s->at >= s->end) {
		estimate_update(e, r->tallies);
		e->is_counting = false;
		return;
	}
	if (!e->is_counting && s->at >= s->counted)
		estimate_begin(e, r->tallies);
	e->insns += e->is_counting;
	r->tallies[TALLY_CYCLES] += cycles;
}

static void run(struct run *r, program_fn program)
{
	*r = (struct run){ 0 };
	sampler_next(&r->sampler);
	for (; r->sampler.at < END; r->sampler.at++) {
		bool is_apart = false;
		unsigned cycles = program(r->sampler.at, &is_apart);

		if (sampler_is_over(&r->sampler)) {
			estimate_update(&r->estimate, r->tallies);
			estimate_end_unit(&r->estimate, &r->sampler);
			sampler_next(&r->sampler);
		}
		see(r, cycles, is_apart);
		r->all += cycles;
	}
	estimate_update(&r->estimate, r->tallies);
}

static double off(const struct run *r)
{
	uint64_t out[TALLY_COUNT] = { 0 };

	estimate_add(&r->estimate, &r->sampler, out);
	return (double)out[TALLY_CYCLES] / (double)r->all - 1;
}

static double sigma(const struct run *r)
{
	double out[SAMPLE_TALLIES] = { 0 };

	estimate_add_variance(&r->estimate, &r->sampler, out);
	return sqrt(out[0]) / (double)r->all;
}

static unsigned steady(uint64_t at, bool *is_apart)
{
	(void)at;
	(void)is_apart;
	return 3;
}

static unsigned phases(uint64_t at, bool *is_apart)
{
	(void)is_apart;
	return at / 300000 % 3 ? 1 : 5;
}

/* One instruction in ten is a string: 600 cycles. */
static unsigned strings(uint64_t at, bool *is_apart)
{
	*is_apart = at % 10 == 0;
	return *is_apart ? 600 : 1;
}

/* Long stretches in which all instructions stand apart. */
static unsigned only_strings(uint64_t at, bool *is_apart)
{
	*is_apart = at / 100000 % 2;
	return *is_apart ? 50 : 2;
}

TEST(test_a_steady_program_is_known_exactly)
{
	struct run r;

	run(&r, steady);
	assert_true(fabs(off(&r)) < 1e-6);
}

TEST(test_phases_are_within_their_error)
{
	struct run r;

	run(&r, phases);
	assert_true(sigma(&r) > 0);
	assert_true(fabs(off(&r)) < 3 * sigma(&r));
}

TEST(test_what_stands_apart_stands_for_nothing_else)
{
	struct run r;

	run(&r, strings);
	assert_true(fabs(off(&r)) < 0.001);
	run(&r, only_strings);
	assert_true(fabs(off(&r)) < 0.001);
}

TEST(test_unseen_instructions_take_what_those_of_the_window_did)
{
	struct estimate e = { .old_insns = 500, .old = { 1000 }, .seen = 4000 };

	assert_int_equal(estimate_unseen(&e, 4000), 0);
	assert_int_equal(estimate_unseen(&e, 4100), 200);
	e.old_insns = 0;
	assert_int_equal(estimate_unseen(&e, 4100), 0);
}

RUN_ALL_TESTS
