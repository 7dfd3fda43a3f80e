/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sim component without a simulator: why it is disabled, what it refuses,
 * and its side of the control file. The test plays the simulator.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "components/components.h"
#include "core/slice.h"
#include "simpmu/wire.h"
#include "tests/unit/refuse.h"
#include "tests/unit/testing.h"

static const struct fs here = { .root = "" };

/* A component, the file it shares, and a slice of it. */
struct outside {
	char path[64];
	struct component *component;
	struct wire_control *control;
	struct slice *slice;
	struct count counts[WIRE_EVENTS];
};

TEST(test_without_a_simulator_it_says_how)
{
	struct component *c = component_new(&sim_component);

	assert_int_equal(component_probe(c, &here), 0);
	assert_true(c->disabled);
	assert_non_null(strstr(c->reason, "assay run --pmu sim"));
	assert_int_equal(component_event_count(c), 0);
	component_free(c);
}

TEST(test_models_are_checked)
{
	char path[] = "/tmp/assay-model-XXXXXX";
	struct diag diag = { .text = "" };
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "include icx\n[l1d]\nsets = 0\n", 27), 27);
	close(fd);
	assert_int_equal(sim_set_target("icx", NULL, NULL, &diag), 0);
	assert_int_equal(sim_set_target(NULL, NULL, NULL, &diag), 0);
	assert_int_equal(sim_set_target("vax", NULL, NULL, &diag), PAPI_EINVAL);
	assert_non_null(strstr(diag.text, "no machine model 'vax'"));
	assert_int_equal(sim_set_target(path, NULL, NULL, &diag), PAPI_EINVAL);
	assert_non_null(strstr(diag.text, path));
	assert_int_equal(sim_set_target("icx", "9x", NULL, &diag), PAPI_EINVAL);
	assert_int_equal(sim_set_target("icx", "17", NULL, &diag), PAPI_EINVAL);
	assert_int_equal(sim_set_target("icx", "4+2", NULL, &diag), 0);
	unlink(path);
}

static int setup(void **state)
{
	struct outside *o = calloc(1, sizeof(*o));
	int fd;

	if (!o)
		return -1;
	snprintf(o->path, sizeof(o->path), "/tmp/assay-control-%d", getpid());
	assert_int_equal(sim_set_target("icx", "4+2", o->path, NULL), 0);
	o->component = component_new(&sim_component);
	assert_int_equal(component_probe(o->component, &here), 0);
	assert_false(o->component->disabled);
	fd = open(o->path, O_RDWR);
	assert_true(fd >= 0);
	o->control = mmap(NULL, sizeof(*o->control), PROT_READ | PROT_WRITE,
			  MAP_SHARED, fd, 0);
	assert_true(o->control != MAP_FAILED);
	close(fd);
	assert_int_equal(slice_new(o->component, &o->slice), 0);
	*state = o;
	return 0;
}

static int teardown(void **state)
{
	struct outside *o = *state;

	slice_free(o->slice);
	component_free(o->component);
	munmap(o->control, sizeof(*o->control));
	unlink(o->path);
	free(o);
	return 0;
}

static void add(struct outside *o, const char *name)
{
	size_t i;

	assert_int_equal(component_find_event(o->component, name, &i, NULL), 0);
	assert_int_equal(slice_append(o->slice, i), 0);
}

static void attach(struct outside *o, pid_t pid)
{
	o->slice->opt.target = TARGET_TASK;
	o->slice->opt.tid = pid;
}

TEST_WITH(test_events_are_listed_without_a_simulator, setup, teardown)
{
	struct outside *o = *state;
	size_t n = component_event_count(o->component), i, k;

	assert_true(n >= 150);
	assert_string_equal(o->component->pmu, "sim-icx");
	assert_int_equal(o->component->counters, 6);
	assert_int_equal(
		component_find_event(o->component, "INST_RETIRED", &i, NULL),
		0);
	assert_int_equal(component_find_event(o->component, "INST_RETIRED:ANY",
					      &k, NULL),
			 0);
	assert_int_equal(i, k);
	assert_int_equal(component_find_event(o->component, "INST_RETIRED:NONE",
					      &i, NULL),
			 PAPI_ENOEVNT);
	assert_int_equal(component_try_event(o->component, k, NULL), 0);
}

TEST_WITH(test_counters_are_limited, setup, teardown)
{
	struct outside *o = *state;

	add(o, "L1D:LOAD");
	add(o, "L1D:STORE");
	add(o, "L1D:MISS");
	add(o, "L1D:HIT");
	assert_int_equal(slice_open(o->slice), 0);
	slice_close(o->slice);
	add(o, "L1D:EVICT");
	assert_int_equal(slice_open(o->slice), PAPI_ECNFLCT);
	o->slice->opt.multiplex = true;
	assert_int_equal(slice_open(o->slice), 0);
}

TEST_WITH(test_this_process_cannot_be_counted, setup, teardown)
{
	struct outside *o = *state;

	add(o, "INST_RETIRED:ANY");
	assert_int_equal(slice_open(o->slice), 0);
	assert_int_equal(slice_start(o->slice, o->counts), PAPI_EINVAL);
	assert_non_null(strstr(o->slice->diag.text, "attach"));
	slice_close(o->slice);
	o->slice->opt.target = TARGET_CPU;
	assert_int_equal(slice_open(o->slice), PAPI_ENOSUPP);
}

TEST_WITH(test_overflow_is_refused, setup, teardown)
{
	struct outside *o = *state;

	add(o, "INST_RETIRED:ANY");
	o->slice->thresholds[0] = 1000;
	assert_int_equal(slice_open(o->slice), PAPI_ENOSUPP);
}

TEST_WITH(test_the_file_asks_for_what_the_slice_is, setup, teardown)
{
	struct outside *o = *state;
	const struct wire_set *set = &o->control->sets[0];
	uint32_t poke;

	add(o, "INST_RETIRED:ANY");
	add(o, "BR_INST_RETIRED:COND");
	attach(o, 1234567);
	o->slice->opt.inherit = o->slice->opt.on_exec = true;
	assert_int_equal(slice_open(o->slice), 0);
	assert_int_equal(set->state, WIRE_STOPPED);
	assert_int_equal(slice_start(o->slice, o->counts), 0);
	assert_int_equal(set->state, WIRE_RUNNING);
	assert_int_equal(set->tid, 1234567);
	assert_int_equal(set->n, 2);
	assert_int_equal(set->flags, WIRE_INHERIT | WIRE_ON_EXEC);
	poke = o->control->poke;
	assert_int_equal(slice_stop(o->slice, o->counts), 0);
	assert_int_equal(set->state, WIRE_STOPPED);
	assert_int_equal(o->control->poke, poke + 1);
	slice_close(o->slice);
	assert_int_equal(set->state, WIRE_FREE);
}

TEST_WITH(test_counts_of_all_processes_add_up, setup, teardown)
{
	struct outside *o = *state;
	struct wire_set *set = &o->control->sets[0];

	add(o, "INST_RETIRED:ANY");
	attach(o, 1234567);
	assert_int_equal(slice_open(o->slice), 0);
	assert_int_equal(slice_start(o->slice, o->counts), 0);
	assert_int_equal(o->counts[0].value, 0);

	/* One has ended, two are there, one counts for another set. */
	set->ended[0] = (struct wire_count){ 1, 10, 10, 0.5 };
	for (int i = 0; i < 3; i++) {
		struct wire_process *p = &o->control->processes[i * 7];

		o->control->slots[i * 7].pid = 0x7ffffff0 + i;
		p->serials[0] = i < 2 ? set->serial : 1;
		p->counts[0][0] = (struct wire_count){ 100, 1000, 500, 2 };
	}
	assert_int_equal(slice_read(o->slice, o->counts), 0);
	assert_int_equal(o->counts[0].value, 201);
	assert_int_equal(o->counts[0].enabled_ns, 2010);
	assert_int_equal(o->counts[0].running_ns, 1010);
	assert_true(o->counts[0].variance == 4.5);
}

TEST_WITH(test_a_writer_that_died_does_not_hold_up_readers, setup, teardown)
{
	struct outside *o = *state;
	struct wire_process *p = &o->control->processes[0];

	add(o, "INST_RETIRED:ANY");
	attach(o, 1234567);
	assert_int_equal(slice_open(o->slice), 0);
	assert_int_equal(slice_start(o->slice, o->counts), 0);
	o->control->slots[0].pid = 0x7ffffff0;
	p->sequence = 1;
	p->serials[0] = o->control->sets[0].serial;
	p->counts[0][0].value = 5;
	o->control->leaving = 1;
	assert_int_equal(slice_stop(o->slice, o->counts), 0);
	assert_int_equal(o->counts[0].value, 5);
}

TEST_WITH(test_sets_run_out, setup, teardown)
{
	struct outside *o = *state;
	struct slice *more[WIRE_SETS];

	add(o, "INST_RETIRED:ANY");
	attach(o, 1234567);
	assert_int_equal(slice_open(o->slice), 0);
	for (int i = 0; i < WIRE_SETS; i++) {
		assert_int_equal(slice_new(o->component, &more[i]), 0);
		slice_append(more[i], 0);
		more[i]->opt = o->slice->opt;
		assert_int_equal(slice_open(more[i]),
				 i < WIRE_SETS - 1 ? 0 : PAPI_ENOMEM);
	}
	for (int i = 0; i < WIRE_SETS; i++)
		slice_free(more[i]);
}

TEST(test_a_control_file_that_cannot_be_made)
{
	struct component *c = component_new(&sim_component);

	assert_int_equal(sim_set_target("icx", NULL, "/nowhere/control", NULL),
			 0);
	assert_int_equal(component_probe(c, &here), 0);
	assert_true(c->disabled);
	assert_string_equal(
		c->reason,
		"cannot create the control file /nowhere/control: No such "
		"file or directory; set TMPDIR to another directory");
	component_free(c);
	assert_int_equal(sim_set_target("icx", NULL, "/dev/full", NULL), 0);
	c = component_new(&sim_component); /* which has no length */
	assert_int_equal(component_probe(c, &here), 0);
	assert_true(c->disabled);
	component_free(c);
}

/* A verb that counts nothing needs no file: events are tried all the same. */
TEST(test_no_control_file_is_enough_to_ask)
{
	struct component *c = component_new(&sim_component);
	struct slice *s;
	size_t i;

	assert_int_equal(sim_set_target("icx", NULL, "", NULL), 0);
	assert_int_equal(component_probe(c, &here), 0);
	assert_false(c->disabled);
	assert_int_equal(component_find_event(c, "INST_RETIRED:ANY", &i, NULL),
			 0);
	assert_int_equal(component_try_event(c, i, NULL), 0);
	assert_int_equal(slice_new(c, &s), 0);
	assert_int_equal(slice_append(s, i), 0);
	assert_int_equal(slice_open(s), 0);
	slice_close(s);
	s->opt.target = TARGET_TASK;
	s->opt.tid = 1234567;
	assert_int_equal(slice_open(s), PAPI_ENOSUPP);
	assert_non_null(strstr(s->diag.text, "no control file"));
	slice_free(s);
	component_free(c);
}

TEST_WITH(test_a_set_holds_so_many, setup, teardown)
{
	struct outside *o = *state;

	for (int i = 0; i <= WIRE_EVENTS; i++)
		add(o, "INST_RETIRED:ANY");
	attach(o, 1234567);
	o->slice->opt.multiplex = true;
	assert_int_equal(slice_open(o->slice), PAPI_ECOUNT);
	assert_non_null(strstr(o->slice->diag.text, "64"));
}

static int visit(const struct thread_counts *t, void *data)
{
	*(uint64_t *)data += t->counts[0].value;
	return 0;
}

/* One thread of a process has ended, another runs still. */
TEST_WITH(test_threads_are_told_apart, setup, teardown)
{
	struct outside *o = *state;
	struct wire_set *set = &o->control->sets[0];
	struct wire_process *p = &o->control->processes[0];
	uint64_t sum = 0;

	add(o, "INST_RETIRED:ANY");
	attach(o, 1234567);
	o->slice->opt.inherit = true;
	o->slice->opt.per_thread = true;
	assert_int_equal(slice_open(o->slice), 0);
	assert_int_equal(slice_start(o->slice, o->counts), 0);
	p->serials[0] = set->serial;
	p->counts[0][0].value = 50;
	o->control->slots[0].pid = 1234567;
	o->control->threads[0].counts[0].value = 20;
	o->control->threads[0].pid = 1234567;
	o->control->threads[0].serial = set->serial;
	o->control->threads[0].is_whole = 1;
	o->control->told = 1;
	assert_int_equal(o->component->ops->threads(o->slice, visit, &sum), 0);
	assert_int_equal(sum, 50); /* 20 of the one, 30 of the other */

	o->control->told = WIRE_THREADS + 1;
	assert_int_equal(o->component->ops->threads(o->slice, visit, &sum),
			 PAPI_ECLOST);
	assert_non_null(strstr(o->slice->diag.text, "2048 threads"));
	o->control->slots[0].pid = 0;
	assert_int_equal(slice_stop(o->slice, o->counts), 0);
}

static int take_nothing(void *context, const struct assay_record *record)
{
	(void)context;
	(void)record;
	return 0;
}

TEST_WITH(test_damaged_samples_are_refused, setup, teardown)
{
	const struct wire_chunk chunk = { .magic = WIRE_CHUNK_MAGIC,
					  .bytes = 8,
					  .pid = 1 };
	struct outside *o = *state;
	const struct recorder_ops *ops = o->component->ops->recorder;
	char samples[96];
	FILE *to;

	add(o, "INST_RETIRED:ANY");
	o->slice->thresholds[0] = 1000;
	attach(o, 1234567);
	assert_int_equal(ops->open(o->slice), 0);
	snprintf(samples, sizeof(samples), "%s" WIRE_SAMPLES_SUFFIX, o->path);
	to = fopen(samples, "r+");
	assert_non_null(to);
	fwrite(&chunk, sizeof(chunk), 1, to);
	fwrite("\377\377\377\377\377\377\377\377", 8, 1, to);
	fclose(to);
	assert_int_equal(ops->take(o->slice, take_nothing, NULL), PAPI_ESYS);
	assert_string_equal(o->slice->diag.text,
			    "the file of samples is damaged");
	ops->close(o->slice);

	assert_int_equal(mkdir(samples, 0700), 0); /* something in its place */
	assert_int_not_equal(ops->open(o->slice), 0);
	assert_non_null(strstr(o->slice->diag.text, "cannot make"));
	rmdir(samples);
}

TEST_WITH(test_no_memory_to_record, setup, teardown)
{
	struct outside *o = *state;
	const struct recorder_ops *ops = o->component->ops->recorder;
	char samples[96];
	long n = 1;

	if (!REFUSE_WORKS)
		skip();
	add(o, "INST_RETIRED:ANY");
	o->slice->thresholds[0] = 1000;
	attach(o, 1234567);
	snprintf(samples, sizeof(samples), "%s" WIRE_SAMPLES_SUFFIX, o->path);
	for (;; n++) {
		int err;

		refuse_nth(n);
		err = ops->open(o->slice);
		refuse_countdown = 0;
		if (!refused) {
			assert_int_equal(err, 0);
			break;
		}
		assert_int_equal(err, PAPI_ENOMEM);
		assert_string_equal(o->slice->diag.text, "out of memory");
		assert_int_not_equal(access(samples, F_OK), 0);
	}
	assert_true(n > 1);
	assert_int_equal(access(samples, F_OK), 0);
	ops->close(o->slice);
}

RUN_ALL_TESTS
