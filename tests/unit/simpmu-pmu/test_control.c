/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control file, seen from the simulator: the test writes what the library
 * would and reads what is published.
 */
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "tests/unit/testing.h"

static const unsigned plain[] = { TALLY_INS, TALLY_COUNT };

static void run(unsigned tid, int times)
{
	while (times-- > 0)
		fake_step(tid, plain);
}

/* A set in place @i that counts instructions of process @pid. */
static void ask(struct wire_control *c, int i, int pid, unsigned flags)
{
	c->sets[i].flags = flags;
	c->sets[i].tid = pid;
	c->sets[i].n = 1;
	c->sets[i].events[0] = fake_event("INST_RETIRED:ANY");
	c->sets[i].serial = (uint64_t)i + 1000;
	c->sets[i].state = WIRE_RUNNING;
}

/* What all processes together counted for set @i. */
static uint64_t total(const struct wire_control *c, int i)
{
	uint64_t sum = c->sets[i].ended[0].value;

	for (int p = 0; p < WIRE_PROCESSES; p++)
		if (c->slots[p].pid &&
		    c->processes[p].serials[i] == c->sets[i].serial)
			sum += c->processes[p].counts[i][0].value;
	return sum;
}

static void begin(struct wire_control *c)
{
	fake_reset(c);
	pmu.opt.control = "file";
	pmu_hooks.process_start();
	pmu_hooks.thread_start(1, 0);
}

/* The program that this one execs: the same process, all else is new. */
static void go_on(struct wire_control *c)
{
	uint32_t slot = fake.passed;

	fake_reset(c);
	pmu.opt.control = "file";
	pmu.opt.slot = slot + 1;
	pmu_hooks.process_start();
	pmu_hooks.thread_start(1, 0);
}

static void fork_to(int pid)
{
	fake.pid = pid;
	pmu_hooks.fork_child(1);
}

static int setup(void **state)
{
	struct wire_control *c = calloc(1, sizeof(*c));

	c->magic = WIRE_MAGIC;
	c->version = WIRE_VERSION;
	fake_reset(NULL); /* events can be named */
	*state = c;
	return 0;
}

static int teardown(void **state)
{
	pmu_hooks.process_exit(0);
	free(*state);
	return 0;
}

TEST_WITH(test_a_program_is_counted_from_its_first_instruction, setup, teardown)
{
	struct wire_control *c = *state;

	ask(c, 0, 100, WIRE_ON_EXEC);
	begin(c);
	run(1, 50);
	pmu_hooks.process_exit(0);
	assert_int_equal(total(c, 0), 50);
	assert_int_equal(c->leaving, c->left);
	assert_int_equal(c->slots[0].pid, 0);
}

TEST_WITH(test_a_child_without_a_place_is_known, setup, teardown)
{
	struct wire_control *c = *state;

	ask(c, 0, 100, WIRE_ON_EXEC);
	begin(c);
	pmu_hooks.fork_parent();
	assert_int_equal(c->forked - c->arrived, 1);
	fork_to(200);
	assert_int_equal(c->forked - c->arrived, 0);
}

TEST_WITH(test_another_process_is_not_counted, setup, teardown)
{
	struct wire_control *c = *state;

	ask(c, 0, 101, WIRE_ON_EXEC);
	begin(c);
	run(1, 50);
	pmu_hooks.process_exit(0);
	assert_int_equal(total(c, 0), 0);
}

TEST_WITH(test_a_killed_process_leaves_what_it_published, setup, teardown)
{
	struct wire_control *c = *state;

	ask(c, 0, 100, 0);
	begin(c);
	run(1, 50);
	c->poke++;
	pmu_hooks.safe_point(1);
	run(1, 50);
	assert_int_equal(total(c, 0), 50);
	assert_int_equal(c->slots[0].poked, c->poke);
}

TEST_WITH(test_exec_goes_on_from_the_old_program, setup, teardown)
{
	struct wire_control *c = *state;

	ask(c, 0, 100, WIRE_ON_EXEC);
	begin(c);
	run(1, 50);
	pmu_hooks.exec(1);
	go_on(c);
	run(1, 7);
	pmu_hooks.process_exit(0);
	assert_int_equal(total(c, 0), 57);
}

TEST_WITH(test_a_namesake_is_another_process, setup, teardown)
{
	struct wire_control *c = *state;

	ask(c, 0, 100, 0);
	begin(c);
	run(1, 50);
	c->poke++;
	pmu_hooks.safe_point(1);
	begin(c); /* of another namespace: the same process id, no exec */
	assert_int_equal(fake.held, WIRE_LOCKS + 1);
	assert_int_equal(c->slots[0].pid, c->slots[1].pid);
	assert_int_equal(total(c, 0), 50);
}

/* Else it could be taken for that of a killed process, and given away. */
TEST_WITH(test_a_place_is_locked_before_it_is_taken, setup, teardown)
{
	struct wire_control *c = *state;

	ask(c, 0, 100, 0);
	begin(c);
	assert_int_equal(fake.held, WIRE_LOCKS);
	assert_true(c->slots[0].pid);
	assert_false(fake.was_taken);
}

TEST_WITH(test_a_place_that_another_has_locked_is_left_alone, setup, teardown)
{
	struct wire_control *c = *state;

	ask(c, 0, 100, 0);
	fake_reset(c);
	fake.held_by_other = WIRE_LOCKS;
	pmu.opt.control = "file";
	pmu_hooks.process_start();
	pmu_hooks.thread_start(1, 0);
	assert_false(c->slots[0].pid);
	assert_true(c->slots[1].pid);
	assert_int_equal(fake.held, WIRE_LOCKS + 1);
}

TEST_WITH(test_a_process_without_room_is_lost, setup, teardown)
{
	struct wire_control *c = *state;

	ask(c, 0, 100, WIRE_INHERIT);
	begin(c);
	fake.disk_full = true;
	fork_to(101);
	run(1, 9);
	pmu_hooks.safe_point(1);
	pmu_hooks.process_exit(0);
	assert_int_equal(c->lost, 1);
	assert_int_equal(c->slots[1].pid, 0);
	assert_int_equal(total(c, 0), 0);
	assert_int_equal(c->varies, WIRE_VARIES_PROCESSES);
}

TEST_WITH(test_what_leaves_and_fails_is_told, setup, teardown)
{
	struct wire_control *c = *state;

	ask(c, 0, 100, 0);
	begin(c);
	pmu_hooks.leave(WIRE_ASIDE_SETUID);
	assert_int_equal(c->aside[WIRE_ASIDE_SETUID], 1);
	assert_int_equal(c->slots[0].flags, WIRE_LEAVES);
	pmu_hooks.safe_point(1); /* the exec failed: it is still here */
	assert_int_equal(c->slots[0].flags, 0);
	pmu_hooks.failure("no reason");
	pmu_hooks.failure("another one");
	assert_int_equal(c->failed, 2);
	assert_string_equal(c->why, "no reason");
}

TEST_WITH(test_a_failed_exec_changes_nothing, setup, teardown)
{
	struct wire_control *c = *state;

	ask(c, 0, 100, 0);
	begin(c);
	run(1, 50);
	pmu_hooks.exec(1);
	run(1, 7);
	pmu_hooks.process_exit(0);
	assert_int_equal(total(c, 0), 57);
}

TEST_WITH(test_children_add_up_if_inherited, setup, teardown)
{
	struct wire_control *c = *state;

	ask(c, 0, 100, WIRE_INHERIT);
	ask(c, 1, 100, 0);
	begin(c);
	run(1, 50);
	c->poke++;
	pmu_hooks.safe_point(1);
	fork_to(101); /* from here on this is the child */
	run(1, 9);
	pmu_hooks.process_exit(0);
	assert_int_equal(total(c, 0), 59);
	assert_int_equal(total(c, 1), 50);
}

/* What thread @tid of process @pid told of, in all. */
static uint64_t told(const struct wire_control *c, int pid, int tid)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < c->told; i++)
		if (c->threads[i].is_whole && c->threads[i].pid == pid &&
		    c->threads[i].tid == tid)
			sum += c->threads[i].counts[0].value;
	return sum;
}

TEST_WITH(test_each_thread_is_told_of, setup, teardown)
{
	struct wire_control *c = *state;

	ask(c, 0, 100, WIRE_INHERIT | WIRE_PER_THREAD);
	begin(c);
	pmu_hooks.thread_create(2, 1);
	pmu_hooks.thread_start(2, 1);
	pmu.lwp[1] = 100;
	pmu.lwp[2] = 102;
	run(1, 50);
	run(2, 30);
	pmu_hooks.thread_exit(2);
	run(1, 5);
	pmu_hooks.exec(1); /* and it fails: it goes on */
	run(1, 7);
	assert_int_equal(told(c, 100, 102), 30);
	pmu_hooks.process_exit(0);
	assert_int_equal(told(c, 100, 100), 62);
	assert_int_equal(total(c, 0), 92);
	assert_int_equal(c->threads[0].serial, c->sets[0].serial);
}

TEST_WITH(test_a_child_does_not_tell_of_its_parents_threads, setup, teardown)
{
	struct wire_control *c = *state;

	ask(c, 0, 100, WIRE_INHERIT | WIRE_PER_THREAD);
	begin(c);
	pmu_hooks.thread_create(2, 1);
	pmu_hooks.thread_start(2, 1);
	run(1, 50);
	run(2, 30);
	fork_to(101);
	pmu.lwp[1] = 101;
	run(1, 9);
	pmu_hooks.process_exit(0);
	assert_int_equal(c->told, 1);
	assert_int_equal(told(c, 101, 101), 9);
}

TEST_WITH(test_a_thread_that_never_ran_is_not_told_of, setup, teardown)
{
	struct wire_control *c = *state;

	ask(c, 0, 100, WIRE_INHERIT | WIRE_PER_THREAD);
	begin(c);
	run(1, 50);
	pmu_hooks.thread_create(2, 1);
	pmu_hooks.thread_exit(2);
	assert_int_equal(c->told, 0);
	pmu_hooks.thread_create(2, 1);
	fork_to(101); /* the new thread is its parent's */
	assert_int_equal(pmu.lwp[2], 0);
	pmu_hooks.process_exit(0);
	assert_int_equal(c->told, 1);
}

TEST_WITH(test_starting_and_stopping_a_running_process, setup, teardown)
{
	struct wire_control *c = *state;

	begin(c);
	run(1, 50);
	ask(c, 0, 100, 0);
	c->poke++;
	pmu_hooks.safe_point(1);
	run(1, 20);
	c->sets[0].state = WIRE_STOPPED;
	c->poke++;
	pmu_hooks.safe_point(1);
	run(1, 30);
	c->sets[0].state = WIRE_RUNNING;
	c->poke++;
	pmu_hooks.safe_point(1);
	run(1, 5);
	pmu_hooks.process_exit(0);
	assert_int_equal(total(c, 0), 25);
}

TEST_WITH(test_on_exec_waits_in_a_running_process, setup, teardown)
{
	struct wire_control *c = *state;

	begin(c);
	ask(c, 0, 100, WIRE_ON_EXEC);
	c->poke++;
	pmu_hooks.safe_point(1);
	run(1, 20);
	pmu_hooks.exec(1);
	go_on(c);
	run(1, 3);
	pmu_hooks.process_exit(0);
	assert_int_equal(total(c, 0), 3);
}

TEST_WITH(test_a_new_set_in_an_old_place_starts_from_zero, setup, teardown)
{
	struct wire_control *c = *state;

	ask(c, 0, 100, 0);
	begin(c);
	run(1, 50);
	c->sets[0].state = WIRE_FREE;
	c->poke++;
	pmu_hooks.safe_point(1);
	ask(c, 0, 100, 0);
	c->sets[0].serial = 5000;
	memset(c->sets[0].ended, 0, sizeof(c->sets[0].ended));
	c->poke++;
	pmu_hooks.safe_point(1);
	run(1, 4);
	pmu_hooks.process_exit(0);
	assert_int_equal(total(c, 0), 4);
}

TEST_WITH(test_own_sets_of_the_guest_count_its_children, setup, teardown)
{
	struct wire_open request = { .n = 1, .flags = WIRE_INHERIT };
	uint64_t args[6] = { WIRE_OPEN, (uintptr_t)&request };
	struct wire_count count;
	uint64_t id, result;

	fake_reset(NULL);
	request.events[0] = fake_event("INST_RETIRED:ANY");
	assert_true(pmu_hooks.request(1, args, &id));
	assert_true((int64_t)id > 0);
	args[0] = WIRE_START;
	args[1] = id;
	args[2] = (uintptr_t)&count;
	pmu_hooks.request(1, args, &result);
	run(1, 50);
	pmu_hooks.exec(1); /* publishes */
	fork_to(101);
	run(1, 9);
	pmu_hooks.process_exit(0);
	/* As the parent would see it: its own 50 and the child's 9. */
	assert_int_equal(((struct wire_control *)fake.memory)
				 ->sets[WIRE_SETS - 1]
				 .ended[0]
				 .value,
			 9);
}

RUN_ALL_TESTS
