/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples for a program outside: the test reads the file as it would. */
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "tests/unit/testing.h"

static const unsigned plain[] = { TALLY_INS, TALLY_COUNT };

static void run(unsigned tid, int times)
{
	while (times-- > 0) {
		fake_step(tid, plain);
		pmu_hooks.safe_point(tid);
	}
}

static void ask(struct wire_control *c, unsigned flags, uint64_t threshold)
{
	c->sets[0].flags = flags | WIRE_RECORD;
	c->sets[0].tid = 100;
	c->sets[0].n = 1;
	c->sets[0].events[0] = fake_event("INST_RETIRED:ANY");
	c->sets[0].thresholds[0] = threshold;
	c->sets[0].serial = 1000;
	c->sets[0].state = WIRE_RUNNING;
}

static void begin(struct wire_control *c)
{
	fake_reset(c);
	fake.object = "/lib/a.so";
	pmu.opt.control = "file";
	pmu_hooks.process_start();
	pmu_hooks.thread_start(1, 0);
}

/* How many records of @kind there are; the last of them. */
static int count(uint32_t kind, const struct wire_record **last)
{
	size_t at = 0;
	int n = 0;

	while (at < fake.sample_bytes) {
		const struct wire_chunk *chunk =
			(const void *)(fake.samples + at);
		size_t end = at + sizeof(*chunk) + chunk->bytes;

		assert_int_equal(chunk->magic, WIRE_CHUNK_MAGIC);
		assert_true(end <= fake.sample_bytes);
		for (at += sizeof(*chunk); at < end;) {
			const struct wire_record *r =
				(const void *)(fake.samples + at);

			if (r->kind == kind) {
				n++;
				*last = r;
			}
			at += r->bytes;
		}
	}
	return n;
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

TEST_WITH(test_every_crossing_has_its_address, setup, teardown)
{
	const struct wire_record *last = NULL;
	const struct wire_sample *sample;

	ask(*state, 0, 10);
	begin(*state);
	run(1, 105);
	pmu_hooks.process_exit(0);
	assert_int_equal(count(WIRE_REC_SAMPLE, &last), 10);
	sample = (const void *)last;
	assert_int_equal(sample->address, 400);
	assert_int_equal(sample->tid, 100);
	assert_int_equal(sample->time, 100);
	assert_int_equal(sample->stack_bytes, 0);
	assert_int_equal(count(WIRE_REC_BEGIN, &last), 1);
	assert_string_equal((const char *)(last + 1), "/bin/program");
	assert_int_equal(count(WIRE_REC_MAP, &last), 1);
	assert_string_equal((const char *)last + sizeof(struct wire_map),
			    "/lib/a.so");
}

TEST_WITH(test_a_map_that_changed_is_told_again, setup, teardown)
{
	const struct wire_record *last = NULL;

	ask(*state, 0, 10);
	begin(*state);
	run(1, 20);
	fake.object = "/lib/b.so";
	run(1, 20);
	fake.object = "/lib/a.so";
	run(1, 20);
	pmu_hooks.process_exit(0);
	assert_int_equal(count(WIRE_REC_MAP, &last), 3);
}

TEST_WITH(test_stacks_come_with_registers, setup, teardown)
{
	const struct wire_record *last = NULL;
	const struct wire_sample *sample;

	ask(*state, WIRE_STACKS, 10);
	begin(*state);
	run(1, 10);
	pmu_hooks.process_exit(0);
	assert_int_equal(count(WIRE_REC_SAMPLE, &last), 1);
	sample = (const void *)last;
	assert_int_equal(sample->stack_bytes, 16);
	assert_int_equal(sample->registers[16], 160);
	assert_int_equal(*(const char *)(sample + 1), 7);
}

TEST_WITH(test_a_fork_writes_nothing_twice, setup, teardown)
{
	const struct wire_record *last = NULL;

	ask(*state, WIRE_INHERIT, 10);
	begin(*state);
	run(1, 10);
	fake.pid = 101;
	pmu_hooks.fork_child(1);
	run(1, 30);
	pmu_hooks.process_exit(0);
	assert_int_equal(count(WIRE_REC_SAMPLE, &last), 3);
	assert_int_equal(((const struct wire_sample *)(const void *)last)->tid,
			 101);
}

TEST_WITH(test_a_full_disk_is_told, setup, teardown)
{
	struct wire_control *c = *state;
	const struct wire_record *last = NULL;

	ask(c, 0, 10);
	begin(c);
	fake.disk_full = true;
	run(1, 50);
	pmu_hooks.process_exit(0);
	assert_int_equal(c->lost_samples, 5);
	assert_int_equal(count(WIRE_REC_SAMPLE, &last), 0);
}

RUN_ALL_TESTS
