/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the components of GPUs meet on machines that lack something: a CUPTI
 * that is missing or too old, a program that can load nothing, no memory, and
 * no place for the control file. On the stand-ins of tests/gpu/fake.
 */
#include "tests/unit/components/gpu.h"

#include <stdio.h>
#include <unistd.h>

#include "base/array.h"
#include "base/loading.h"
#include "tests/unit/refuse.h"

#define MOST 2000 /* more allocations than any of these makes */

static const char *static_program; /* why it cannot load anything; or NULL */

const char *loading_refused(void)
{
	return static_program;
}

static void assert_disabled(struct counting *c, const char *words)
{
	assert_int_equal(component_event_count(c->component), 0);
	assert_true(c->component->disabled);
	if (!strstr(c->component->reason, words))
		fail_msg("'%s' does not say '%s'", c->component->reason, words);
}

TEST(test_a_program_that_can_load_nothing)
{
	static const struct component_ops *const components[] = {
		&cuda_component, &nvml_component
	};

	for (size_t i = 0; i < ARRAY_SIZE(components); i++) {
		struct counting c;

		gpu_probe(&c, components[i], "");
		static_program = "this program loads nothing";
		assert_disabled(&c, "this program loads nothing");
		static_program = NULL;
		counting_close(&c);
		gpu_probe(&c, components[i], "");
		assert_true(component_event_count(c.component) > 0);
		counting_close(&c);
	}
}

/* Give the folder @at the library @name, which is the driver's. */
static void link_driver(const char *at, const char *name)
{
	char path[700];

	snprintf(path, sizeof(path), "%s/%s", at, name);
	assert_int_equal(symlink(FAKE_GPU_LIBRARIES "/libcuda.so.1", path), 0);
}

static void unlink_driver(const char *at, const char *name)
{
	char path[700];

	snprintf(path, sizeof(path), "%s/%s", at, name);
	assert_int_equal(unlink(path), 0);
}

TEST(test_a_cupti_that_is_missing_or_too_old)
{
	char folder[] = "/tmp/assay-cupti-XXXXXX";
	struct counting c;

	assert_non_null(mkdtemp(folder));
	link_driver(folder, "libcuda.so.1");
	gpu_probe(&c, &cuda_component, "");
	setenv("ASSAY_CUDA_LIBRARIES", folder, 1);
	assert_disabled(&c, "CUPTI (libcupti.so.13) cannot be loaded");
	counting_close(&c);

	link_driver(folder, "libcupti.so.12"); /* one without CUPTI's calls */
	gpu_probe(&c, &cuda_component, "");
	setenv("ASSAY_CUDA_LIBRARIES", folder, 1);
	assert_disabled(&c, "too old: it has no cuptiProfilerInitialize");
	counting_close(&c);
	unlink_driver(folder, "libcuda.so.1");
	unlink_driver(folder, "libcupti.so.12");
	rmdir(folder);
}

TEST(test_a_set_that_cupti_refuses)
{
	static const char *const names[] = { "fake__work", "fake__double",
					     NULL };
	struct counting c;

	gpu_probe(&c, &cuda_component, "");
	counting_make(&c, names);
	setenv("FAKE_GPU", "cuptiProfilerHostConfigAddMetrics", 1);
	assert_int_equal(slice_open(c.slice), PAPI_ESYS);
	assert_string_equal(c.slice->diag.text, "CUPTI cannot schedule "
						"fake__work.sum and the "
						"others");
	setenv("FAKE_GPU", "", 1);
	assert_int_equal(slice_open(c.slice), 0);
	counting_close(&c);
}

/* Turns are for metrics that take one pass each. */
TEST(test_no_turn_for_a_metric_of_two_passes)
{
	static const char *const names[] = { "fake__work", "fake__hard", NULL };
	struct counting c;

	gpu_probe(&c, &cuda_component, "");
	counting_make(&c, names);
	c.slice->opt.multiplex = true;
	assert_int_equal(slice_open(c.slice), PAPI_ENOSUPP);
	assert_non_null(strstr(c.slice->diag.text,
			       "fake__hard.sum alone needs 2 passes"));
	slice_remove(c.slice, 1);
	assert_int_equal(slice_open(c.slice), 0);
	counting_close(&c);
}

TEST(test_no_place_for_the_control_file)
{
	static const char *const names[] = { "fake__work", NULL };
	struct counting c;
	char path[600];

	gpu_probe(&c, &cuda_component, "");
	counting_make(&c, names);
	c.slice->opt.target = TARGET_TASK;
	setenv("ASSAY_CUDA_CONTROL", "/nowhere/control", 1);
	assert_int_equal(slice_open(c.slice), 0);
	assert_int_equal(slice_start(c.slice, c.counts), PAPI_ESYS);
	assert_string_equal(c.slice->diag.text, "cannot write /nowhere/control:"
						" No such file or directory");
	setenv("ASSAY_CUDA_CONTROL", "/dev/full", 1);
	assert_int_equal(slice_start(c.slice, c.counts), PAPI_ESYS);
	assert_string_equal(c.slice->diag.text, "cannot write /dev/full: No "
						"space left on device");
	snprintf(path, sizeof(path), "%s/control", c.machine.root);
	setenv("ASSAY_CUDA_CONTROL", path, 1);
	assert_int_equal(slice_start(c.slice, c.counts), 0);
	assert_int_equal(slice_stop(c.slice, c.counts), 0);
	unlink(path);
	unsetenv("ASSAY_CUDA_CONTROL");
	counting_close(&c);
}

/* From a component to a count of @names, which take turns; 0 or a code. */
static int count(const struct component_ops *ops, const struct fs *fs,
		 const char *const *names, const char **said)
{
	static char text[256];
	struct component *c = component_new(ops);
	struct diag diag = { .text = "" };
	struct slice *s = NULL;
	struct count counts[4];
	int err = c ? component_probe(c, fs) : PAPI_ENOMEM;

	if (!err)
		err = slice_new(c, &s);
	for (; !err && *names; names++) {
		size_t i;

		err = component_find_event(c, *names, &i, &diag);
		if (!err)
			err = component_list_masks(c, i);
		if (!err)
			err = slice_append(s, i);
	}
	if (!err) {
		s->opt.multiplex = true;
		err = slice_open(s);
	}
	if (!err)
		err = slice_start(s, counts);
	if (!err)
		err = slice_stop(s, counts);
	snprintf(text, sizeof(text), "%s",
		 diag.text[0] ? diag.text
		 : s          ? s->diag.text
			      : "");
	*said = text;
	slice_free(s);
	component_free(c);
	return err;
}

TEST(test_no_memory)
{
	static const struct {
		const struct component_ops *ops;
		const char *names[4];
	} rows[] = {
		{ &cuda_component,
		  { "fake__work", "fake__other:device=1", "fake__double" } },
		{ &nvml_component, { "gpu0:power", "gpu0:energy" } },
	};

	if (!REFUSE_WORKS)
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *said;
		struct counting c;
		long n = 1;

		gpu_probe(&c, rows[i].ops, "two");
		for (; n < MOST; n++) {
			int err;

			refuse_nth(n);
			err = count(rows[i].ops, &c.machine.fs, rows[i].names,
				    &said);
			refuse_countdown = 0;
			if (!refused)
				break;
			/* a library that is not loaded, for lack of memory */
			if (err && err != PAPI_ENOMEM && !*said)
				fail_msg("%s, %ld: %d", rows[i].ops->name, n,
					 err);
			err = count(rows[i].ops, &c.machine.fs, rows[i].names,
				    &said);
			if (err)
				fail_msg("%s, after %ld: %d, %s",
					 rows[i].ops->name, n, err, said);
		}
		assert_in_range(n, 5, MOST - 1);
		counting_close(&c);
	}
}

RUN_ALL_TESTS
