/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of events: what they count, what fits, what is switched on. */
#include <string.h>

#include "fake.h"
#include "tests/unit/testing.h"

static const unsigned plain[] = { TALLY_INS, TALLY_COUNT };
static const unsigned taken[] = { TALLY_INS, TALLY_BR_COND, TALLY_BR_TAKEN,
				  TALLY_COUNT };
static const unsigned fallen[] = { TALLY_INS, TALLY_BR_COND, TALLY_COUNT };

static void run(unsigned tid, const unsigned *what, int times)
{
	while (times-- > 0)
		fake_step(tid, what);
}

static int setup(void **state)
{
	(void)state;
	fake_reset(NULL);
	return 0;
}

TEST_WITH(test_only_what_lies_between_start_and_stop_counts, setup, NULL)
{
	static const char *const names[] = { "INST_RETIRED:ANY",
					     "BR_INST_RETIRED:COND_NTAKEN" };
	struct wire_open request = { 0 };
	struct wire_count counts[2];
	uint32_t id = fake_open(names, 2, &request);

	run(1, plain, 7);
	assert_int_equal(set_start(id), 0);
	run(1, plain, 10);
	run(1, taken, 5);
	run(1, fallen, 3);
	assert_int_equal(set_stop(id), 0);
	run(1, fallen, 100);
	set_read(id, counts);
	assert_int_equal(counts[0].value, 18);
	assert_int_equal(counts[1].value, 3);
	assert_int_equal(counts[0].enabled_ns, 18);
	assert_int_equal(counts[0].running_ns, 18);
}

TEST_WITH(test_counts_go_on_where_they_stopped, setup, NULL)
{
	static const char *const names[] = { "INST_RETIRED:ANY" };
	struct wire_open request = { 0 };
	struct wire_count count;
	uint32_t id = fake_open(names, 1, &request);

	for (int i = 0; i < 3; i++) {
		set_start(id);
		run(1, plain, 10);
		set_stop(id);
	}
	set_read(id, &count);
	assert_int_equal(count.value, 30);
	assert_int_equal(set_stop(id), WIRE_ENOTRUN);
	set_start(id);
	assert_int_equal(set_start(id), WIRE_EISRUN);
}

/* What one region has too few of is not taken from the next. */
TEST_WITH(test_a_region_owes_nothing, setup, NULL)
{
	static const char *const names[] = { "UOPS_RETIRED:CYCLES" };
	struct wire_open request = { 0 };
	struct wire_count count;
	uint32_t id = fake_open(names, 1, &request);

	for (int i = 0; i < 3; i++) {
		set_start(id);
		fake.totals[1][TALLY_STALL_RETIRE] += 10;
		set_stop(id);
		set_read(id, &count);
		assert_int_equal(count.value, 7 * i);
		set_start(id);
		fake.totals[1][TALLY_CYCLES] += 7;
		set_stop(id);
		set_read(id, &count);
		assert_int_equal(count.value, 7 * (i + 1));
	}
	set_start(id);
	set_forget(set_get(id));
	fake.totals[1][TALLY_CYCLES] += 2;
	set_stop(id);
	set_read(id, &count);
	assert_int_equal(count.value, 2);
}

TEST_WITH(test_several_sets_count_at_once, setup, NULL)
{
	static const char *const names[] = { "INST_RETIRED:ANY" };
	struct wire_open request = { 0 };
	struct wire_count a, b;
	uint32_t first = fake_open(names, 1, &request);
	uint32_t second = fake_open(names, 1, &request);

	set_start(first);
	run(1, plain, 10);
	set_start(second);
	run(1, plain, 5);
	set_stop(first);
	run(1, plain, 2);
	set_stop(second);
	set_read(first, &a);
	set_read(second, &b);
	assert_int_equal(a.value, 15);
	assert_int_equal(b.value, 7);
}

TEST_WITH(test_events_that_do_not_fit_conflict, setup, NULL)
{
	/* The test machine has 4 programmable counters and 2 fixed ones. */
	static const char *const five[] = { "L1D:LOAD", "L1D:STORE", "L1D:MISS",
					    "L1D:HIT", "L1D:EVICT" };
	struct wire_open request = { .n = 5 };
	uint32_t id;

	for (uint32_t i = 0; i < 5; i++)
		request.events[i] = fake_event(five[i]);
	assert_int_equal(set_open(&request, &id), WIRE_ECNFLCT);
	assert_non_null(strstr(request.why, "counters"));

	request.flags = WIRE_MULTIPLEX;
	assert_int_equal(set_open(&request, &id), 0);
	set_close(id);

	request.flags = 0;
	pmu.opt.unlimited = true;
	assert_int_equal(set_open(&request, &id), 0);
}

/* A set of the program's own, as requests make it. */
static uint32_t open_own(const char *const *names, uint32_t n, uint32_t flags)
{
	struct wire_open request = { .flags = flags };
	uint32_t id = fake_open(names, n, &request);

	set_get(id)->inside = true;
	return id;
}

TEST_WITH(test_sets_of_one_thread_share_its_counters, setup, NULL)
{
	static const char *const three[] = { "L1D:LOAD", "L1D:STORE",
					     "L1D:MISS" };
	static const char *const fixed[] = { "INST_RETIRED:ANY", "L1D:HIT" };
	uint32_t first = open_own(three, 3, 0), second = open_own(three, 3, 0);
	uint32_t third = open_own(fixed, 2, 0), other = open_own(three, 3, 0);

	set_remove_member(other, 1);
	set_add_member(other, 2);
	assert_int_equal(set_share_counters(first), 0);
	set_start(first);
	assert_int_equal(set_share_counters(second), WIRE_ECNFLCT);
	assert_int_equal(set_share_counters(third), 0); /* there is room */
	assert_int_equal(set_share_counters(other), 0); /* another thread */
	set_start(third);
	set_stop(first);
	assert_int_equal(set_share_counters(second), 0);
	set_start(second);
	assert_int_equal(set_share_counters(first), WIRE_ECNFLCT);
	set_get(second)->inside = false; /* an observer takes none of them */
	assert_int_equal(set_share_counters(first), 0);
	assert_int_equal(set_share_counters(99), WIRE_ENOEVST);
}

/* So that the sections of a process and of its threads count side by side. */
TEST_WITH(test_sets_that_ask_for_it_have_counters_together, setup, NULL)
{
	static const char *const three[] = { "L1D:LOAD", "L1D:STORE",
					     "L1D:MISS" };
	static const char *const others[] = { "L1D:LOAD", "L1D:HIT",
					      "L2_RQSTS:REFERENCES" };
	uint32_t first = open_own(three, 3, WIRE_SHARED);
	uint32_t second = open_own(three, 3, WIRE_SHARED);
	uint32_t third = open_own(others, 3, WIRE_SHARED);
	uint32_t alone = open_own(three, 3, 0);

	assert_int_equal(set_share_counters(first), 0);
	set_start(first);
	assert_int_equal(set_share_counters(second), 0);
	set_start(second);
	assert_int_equal(set_share_counters(alone), WIRE_ECNFLCT);
	/* one of its events is counted; one of the others finds no place */
	assert_int_equal(set_share_counters(third), WIRE_ECNFLCT);
}

TEST_WITH(test_sets_have_no_limit_in_number, setup, NULL)
{
	static const char *const one[] = { "INST_RETIRED:ANY" };
	uint32_t first = open_own(one, 1, 0), last = first;

	for (int i = 0; i < 1000; i++)
		last = open_own(one, 1, 0);
	assert_int_equal(last, first + 1000);
	assert_true(set_limit() > last);
	assert_non_null(set_get(first));
	set_close(first);
	assert_int_equal(open_own(one, 1, 0), first);
}

TEST_WITH(test_turns_are_taken_on_what_others_leave, setup, NULL)
{
	static const char *const three[] = { "L1D:LOAD", "L1D:STORE",
					     "L1D:MISS" };
	static const char *const four[] = { "L1D:LOAD", "L1D:STORE", "L1D:MISS",
					    "L1D:HIT" };
	uint32_t plain_set = open_own(three, 3, 0), all = open_own(four, 4, 0);
	uint32_t turns = open_own(four, 4, WIRE_MULTIPLEX);

	assert_int_equal(set_share_counters(turns), 0);
	assert_int_equal(set_get(turns)->turns, 1);
	set_start(plain_set);
	assert_int_equal(set_share_counters(turns), 0);
	assert_int_equal(set_get(turns)->turns, 4); /* one counter is left */
	set_start(turns);
	set_stop(plain_set);
	assert_int_equal(set_share_counters(plain_set), 0);
	assert_int_equal(set_share_counters(all), WIRE_ECNFLCT);
	set_stop(turns);
	set_start(all);
	assert_int_equal(set_share_counters(turns), WIRE_ECNFLCT);
	set_stop(all);
	assert_int_equal(set_share_counters(turns), 0);
	assert_int_equal(set_get(turns)->turns, 1);
}

TEST_WITH(test_fixed_counters_take_what_only_fits_there, setup, NULL)
{
	/* One can move to its fixed counter to make room for the fifth. */
	static const char *const names[] = { "INST_RETIRED:ANY", "L1D:LOAD",
					     "L1D:STORE", "L1D:MISS",
					     "L1D:HIT" };
	struct wire_open request = { 0 };

	fake_open(names, 5, &request);
}

TEST_WITH(test_unknown_event_is_refused, setup, NULL)
{
	struct wire_open request = { .n = 1, .events = { 100000 } };
	uint32_t id;

	assert_int_equal(set_open(&request, &id), WIRE_ENOEVNT);
	request.n = WIRE_EVENTS + 1;
	assert_int_equal(set_open(&request, &id), WIRE_EINVAL);
}

TEST_WITH(test_only_the_parts_asked_for_are_on, setup, NULL)
{
	static const char *const ins[] = { "INST_RETIRED:ANY" };
	static const char *const data[] = { "L1D:MISS" };
	static const char *const cycles[] = { "CPU_CLK_UNHALTED:CORE" };
	static const char *const pages[] = { "PAGE_TOUCHES:ANY" };
	struct wire_open request = { 0 };
	uint32_t first = fake_open(ins, 1, &request), second;

	set_start(first);
	assert_int_equal(fake.parts, 0);
	assert_int_equal(fake.selections, 0);
	set_stop(first);

	second = fake_open(data, 1, &request);
	assert_int_equal(fake.parts, PART_DATA);
	fake_open(pages, 1, &request);
	assert_int_equal(fake.parts, PART_DATA | ENGINE_PAGES);
	set_close(second);
	assert_int_equal(fake.parts, PART_DATA | ENGINE_PAGES);
	set_start(first);
	assert_int_equal(fake.parts, ENGINE_PAGES);

	fake_open(cycles, 1, &request);
	assert_int_equal(fake.parts & 0xf,
			 PART_BRANCH | PART_FETCH | PART_DATA | PART_CYCLE);
}

TEST_WITH(test_threads_count_with_a_set_that_is_inherited, setup, NULL)
{
	static const char *const names[] = { "INST_RETIRED:ANY" };
	struct wire_open request = { .flags = WIRE_INHERIT };
	struct wire_open alone = { 0 };
	struct wire_count count;
	uint32_t all = fake_open(names, 1, &request);
	uint32_t own = fake_open(names, 1, &alone);

	set_start(all);
	set_start(own);
	run(1, plain, 10);
	pmu_hooks.thread_create(2, 1);
	pmu_hooks.thread_start(2, 1);
	run(2, plain, 5);
	pmu_hooks.thread_create(3, 2);
	pmu_hooks.thread_start(3, 2);
	run(3, plain, 3);
	pmu_hooks.thread_exit(3);
	set_stop(all);
	set_stop(own);
	set_read(all, &count);
	assert_int_equal(count.value, 18);
	set_read(own, &count);
	assert_int_equal(count.value, 10);
}

TEST_WITH(test_a_thread_counts_whose_parent_ends_before_it_begins, setup, NULL)
{
	static const char *const names[] = { "INST_RETIRED:ANY" };
	struct wire_open request = { .flags = WIRE_INHERIT };
	struct wire_count count;
	uint32_t all = fake_open(names, 1, &request), later;

	set_start(all);
	run(1, plain, 10);
	pmu_hooks.thread_create(2, 1);
	later = fake_open(names, 1, &request); /* has thread 1 only */
	set_start(later);
	pmu_hooks.thread_exit(1);
	pmu_hooks.thread_start(2, 1);
	run(2, plain, 5);
	pmu_hooks.thread_create(3, 2);
	pmu_hooks.thread_exit(3); /* it could not be made */
	set_stop(all);
	set_stop(later);
	set_read(all, &count);
	assert_int_equal(count.value, 15);
	set_read(later, &count);
	assert_int_equal(count.value, 0);
}

/* How often a read of set @id asks the engine for the totals of a thread. */
static unsigned asked_for(uint32_t id, uint64_t value)
{
	unsigned before = fake.asked;
	struct wire_count count;

	set_read(id, &count);
	assert_int_equal(count.value, value);
	return fake.asked - before;
}

TEST_WITH(test_a_read_looks_only_at_threads_that_ran, setup, NULL)
{
	static const char *const names[] = { "INST_RETIRED:ANY" };
	struct wire_open request = { .flags = WIRE_INHERIT };
	uint32_t all = fake_open(names, 1, &request);

	set_start(all);
	for (unsigned tid = 2; tid <= 1000; tid++) {
		pmu_hooks.thread_create(tid, 1);
		pmu_hooks.thread_start(tid, 1);
		run(tid, plain, 1);
	}
	run(1, plain, 1);
	assert_true(asked_for(all, 1000) >= 1000);
	run(1, plain, 1);
	assert_int_equal(asked_for(all, 1001), 1);
	run(500, plain, 3);
	run(7, plain, 2);
	run(1, plain, 1);
	assert_true(asked_for(all, 1007) <= 4);
	/* a line was taken from a thread that waits */
	fake.totals[9][TALLY_INS] += 5;
	fake.disturbances++;
	assert_int_equal(asked_for(all, 1012), 1000);
	pmu_hooks.thread_exit(7);
	run(1000, plain, 1);
	asked_for(all, 1013);
	pmu_hooks.thread_exit(1000);
	run(1, plain, 1);
	assert_int_equal(asked_for(all, 1014), 1);
}

/* A thread that reads and ends leaves what others do then to the next read. */
TEST_WITH(test_a_thread_that_ends_hides_nobody, setup, NULL)
{
	static const char *const names[] = { "INST_RETIRED:ANY" };
	struct wire_open request = { .flags = WIRE_INHERIT };
	uint32_t all = fake_open(names, 1, &request);

	set_start(all);
	run(1, plain, 4);
	pmu_hooks.thread_create(2, 1);
	pmu_hooks.thread_start(2, 1);
	run(2, plain, 2);
	asked_for(all, 6);
	pmu_hooks.thread_exit(2);
	run(1, plain, 5);
	asked_for(all, 11);
}

TEST_WITH(test_weights_use_the_line_size_of_the_model, setup, NULL)
{
	static const unsigned fill[] = { TALLY_DRAM_READ, TALLY_COUNT };
	static const char *const names[] = { "DRAM:READ_BYTES" };
	struct wire_open request = { 0 };
	struct wire_count count;
	uint32_t id = fake_open(names, 1, &request);

	set_start(id);
	run(1, fill, 3);
	set_stop(id);
	set_read(id, &count);
	assert_int_equal(count.value, 96);
}

TEST_WITH(test_noise_disturbs_counts_but_not_the_truth, setup, NULL)
{
	static const char *const names[] = { "INST_RETIRED:ANY" };
	struct wire_open request = { 0 };
	struct wire_count count;
	uint32_t id;

	pmu.opt.noise = 100;
	id = fake_open(names, 1, &request);
	set_start(id);
	run(1, plain, 1000);
	set_stop(id);
	set_read(id, &count);
	assert_int_not_equal(count.value, 1000);
	assert_in_range(count.value, 900, 1100);
	assert_int_equal(set_get(id)->truth[0], 1000);
}

RUN_ALL_TESTS
