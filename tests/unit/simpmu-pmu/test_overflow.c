/* SPDX-License-Identifier: BSD-3-Clause */
/* Thresholds: how often and where they are crossed. */
#include "fake.h"
#include "tests/unit/testing.h"

static const unsigned plain[] = { TALLY_INS, TALLY_COUNT };
static const unsigned taken[] = { TALLY_INS, TALLY_BR_COND, TALLY_BR_TAKEN,
				  TALLY_COUNT };
static const unsigned fallen[] = { TALLY_INS, TALLY_BR_COND, TALLY_COUNT };

static int setup(void **state)
{
	(void)state;
	fake_reset(NULL);
	return 0;
}

static unsigned take_all(uint32_t id)
{
	struct pmu_set *set = set_get(id);
	unsigned n = 0;

	while (set->taken != set->queued) {
		set->taken++;
		n++;
	}
	return n;
}

TEST_WITH(test_every_threshold_is_signalled_once, setup, NULL)
{
	static const char *const names[] = { "INST_RETIRED:ANY" };
	static const struct {
		int line;
		unsigned n, threshold;
	} rows[] = {
		{ __LINE__, 1000, 7 },    { __LINE__, 1000, 1 },
		{ __LINE__, 999, 1000 },  { __LINE__, 1000, 1000 },
		{ __LINE__, 12345, 100 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wire_open request = { .thresholds = {
						     rows[i].threshold } };
		uint32_t id;

		fake_reset(NULL);
		id = fake_open(names, 1, &request);
		set_start(id);
		for (unsigned k = 0; k < rows[i].n; k++) {
			fake_step(1, plain);
			take_all(id);
		}
		set_stop(id);
		CHECK_AT(rows[i].line,
			 fake.tallies == rows[i].n / rows[i].threshold);
	}
}

TEST_WITH(test_address_is_the_instruction_that_crossed, setup, NULL)
{
	static const char *const names[] = { "INST_RETIRED:ANY",
					     "BR_INST_RETIRED:COND" };
	struct wire_open request = { .thresholds = { 0, 3 }, .signal = 40 };
	uint32_t id = fake_open(names, 2, &request);
	struct pmu_set *set = set_get(id);

	set_start(id);
	for (int i = 1; i <= 30; i++)
		fake_step(1, i % 5 ? plain : taken);
	set_stop(id);
	/* Every fifth of 4 bytes each is a branch; the third is the 15th. */
	assert_int_equal(set->queued, 2);
	assert_int_equal(set->queue[0].address, 15 * 4);
	assert_int_equal(set->queue[1].address, 30 * 4);
	assert_int_equal(set->queue[0].which, 2);
	assert_int_equal(fake.last_signal.signo, 40);
	assert_int_equal(fake.last_signal.fd, id);
}

TEST_WITH(test_differences_cross_where_they_really_do, setup, NULL)
{
	static const char *const names[] = { "BR_INST_RETIRED:COND_NTAKEN" };
	struct wire_open request = { .thresholds = { 10 } };
	uint32_t id = fake_open(names, 1, &request);
	struct pmu_set *set = set_get(id);
	unsigned fell = 0;
	uint64_t expected[20];
	unsigned n = 0;

	set_start(id);
	for (unsigned i = 0; i < 1000; i++) {
		bool falls = i * 2654435761u % 7 == 0;

		fake_step(1, falls ? fallen : taken);
		if (falls && ++fell % 10 == 0 && n < 20)
			expected[n++] = fake.pc;
	}
	set_stop(id);
	assert_true(n > 5);
	assert_int_equal(fake.tallies, n);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(set->queue[i].address, expected[i]);
}

TEST_WITH(test_stopping_and_starting_begins_anew, setup, NULL)
{
	static const char *const names[] = { "INST_RETIRED:ANY" };
	struct wire_open request = { .thresholds = { 10 } };
	uint32_t id = fake_open(names, 1, &request);

	for (int i = 0; i < 5; i++) {
		set_start(id);
		for (int k = 0; k < 9; k++)
			fake_step(1, plain);
		set_stop(id);
	}
	assert_int_equal(fake.tallies, 0);
}

TEST_WITH(test_skid_delays_the_signal, setup, NULL)
{
	static const char *const names[] = { "INST_RETIRED:ANY" };
	struct wire_open request = { .thresholds = { 10 } };
	uint32_t id;

	pmu.opt.skid = 3;
	id = fake_open(names, 1, &request);
	set_start(id);
	for (int k = 0; k < 12; k++)
		fake_step(1, plain);
	assert_int_equal(fake.tallies, 0);
	fake_step(1, plain);
	assert_int_equal(fake.tallies, 1);
	assert_int_equal(set_get(id)->queue[0].address, 13 * 4);
}

TEST_WITH(test_traps_run_out, setup, NULL)
{
	static const char *const names[] = { "INST_RETIRED:ANY" };
	struct wire_open request = { .thresholds = { 10 } };
	uint32_t id;

	for (int i = 0; i < ENGINE_TRAPS; i++)
		fake_open(names, 1, &request);
	assert_int_equal(set_open(&request, &id), WIRE_ECNFLCT);
	set_close(1);
	assert_int_equal(set_open(&request, &id), 0);
}

RUN_ALL_TESTS
