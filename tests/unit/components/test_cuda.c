/* SPDX-License-Identifier: BSD-3-Clause */
/* The cuda component on stand-ins for NVIDIA's libraries: see tests/gpu/fake.
 */
#include "tests/unit/components/gpu.h"

#include <stdio.h>
#include <unistd.h>

#define PARAMS "proc/driver/nvidia/params"

static void assert_disabled(const struct component *c, const char *words)
{
	assert_true(c->disabled);
	assert_non_null(c->reason);
	if (!strstr(c->reason, words))
		fail_msg("'%s' does not say '%s'", c->reason, words);
}

/* The code and sentence that looking for @name gives. */
static int find(struct counting *c, const char *name, struct diag *diag)
{
	size_t i;

	*diag = (struct diag){ .text = "" };
	return component_find_event(c->component, name, &i, diag);
}

static void assert_says(const struct diag *diag, const char *words)
{
	if (!strstr(diag->text, words))
		fail_msg("'%s' does not say '%s'", diag->text, words);
}

TEST(test_without_a_driver_it_is_disabled)
{
	struct counting c;

	unsetenv("ASSAY_CUDA_LIBRARIES");
	counting_probe(&c, &cuda_component, "proc/version", "Linux\n");
	assert_disabled(c.component, "driver is not loaded");
	assert_int_equal(component_event_count(c.component), 0);
	counting_close(&c);
}

TEST(test_without_a_card_it_is_disabled)
{
	struct counting c;

	unsetenv("ASSAY_CUDA_LIBRARIES");
	counting_probe(&c, &cuda_component, VERSION, "NVRM\n");
	assert_disabled(c.component, "found no GPU");
	counting_close(&c);
}

TEST(test_without_permission_it_says_the_remedy)
{
	struct counting c;

	if (geteuid() == 0 && seteuid(65534))
		skip();
	gpu_probe(&c, &cuda_component, "");
	component_free(c.component);
	machine_put(&c.machine, PARAMS, "RmProfilingAdminOnly: 1\n");
	c.component = component_new(&cuda_component);
	assert_int_equal(component_probe(c.component, &c.machine.fs), 0);
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	assert_disabled(c.component, "NVreg_RestrictProfilingToAdminUsers=0");
	counting_close(&c);
}

/* Not before somebody asks for an event. */
TEST(test_probing_loads_nothing_and_makes_no_context)
{
	struct counting c;
	int before = gpu_contexts_made();

	gpu_probe(&c, &cuda_component, "");
	assert_false(c.component->disabled);
	assert_int_equal(c.component->n, 0);
	assert_int_equal(component_event_count(c.component), 6);
	assert_int_equal(gpu_contexts_made(), before);
	counting_close(&c);
}

TEST(test_a_library_that_is_missing_is_named)
{
	struct diag diag;
	struct counting c;

	gpu_probe(&c, &cuda_component, "");
	setenv("ASSAY_CUDA_LIBRARIES", "/nowhere", 1);
	assert_int_equal(find(&c, "fake__work", &diag), PAPI_ENOSUPP);
	assert_says(&diag, "libcuda.so.1");
	assert_int_equal(component_event_count(c.component), 0);
	assert_disabled(c.component, "libcuda.so.1");
	counting_close(&c);
}

TEST(test_a_driver_without_devices_is_told)
{
	static const struct {
		const char *fake;
		const char *words;
	} cases[] = {
		{ "none", "shows no GPU" },
		{ "broken", "does not start (cuInit error 999" },
	};

	for (size_t i = 0; i < 2; i++) {
		struct diag diag;
		struct counting c;

		gpu_probe(&c, &cuda_component, cases[i].fake);
		assert_int_equal(find(&c, "fake__work", &diag), PAPI_ENOSUPP);
		assert_says(&diag, cases[i].words);
		counting_close(&c);
	}
}

TEST(test_metrics_are_listed_with_meaning_and_unit)
{
	const struct event *event;
	struct counting c;
	size_t i;

	gpu_probe(&c, &cuda_component, "");
	assert_int_equal(
		component_find_event(c.component, "fake__work", &i, NULL), 0);
	event = component_event(c.component, i);
	assert_string_equal(event->text, "# of fake work done");
	assert_string_equal(event->unit, "bytes");
	assert_int_equal(event->kind, EVENT_RUNNING);
	assert_int_equal(
		component_find_event(c.component, "fake__load", &i, NULL), 0);
	event = component_event(c.component, i);
	assert_string_equal(event->unit, "1e-6 %");
	assert_int_equal(event->kind, EVENT_LEVEL);
	counting_close(&c);
}

TEST(test_endings_are_an_events_masks)
{
	struct counting c;
	size_t base, i;

	gpu_probe(&c, &cuda_component, "");
	assert_int_equal(
		component_find_event(c.component, "fake__work", &base, NULL),
		0);
	assert_int_equal(component_list_masks(c.component, base), 0);
	assert_int_equal(component_event_count(c.component), 6 + 5);
	assert_int_equal(component_find_event(c.component,
					      "fake__work.sum.per_second", &i,
					      NULL),
			 0);
	assert_int_equal(component_event(c.component, i)->parent, base);
	counting_close(&c);
}

/* Neither crashes CUPTI, which trusts every name. */
TEST(test_wrong_names_are_refused_with_a_sentence)
{
	static const struct {
		const char *name;
		int code;
		const char *words;
	} cases[] = {
		{ "fake__nothing", PAPI_ENOEVNT, "no event called" },
		{ "fake__work.most", PAPI_EINVAL, "no suffix '.most'" },
		{ "fake__share.sum", PAPI_EINVAL, "no suffix '.sum'" },
		{ "fake__work.", PAPI_EINVAL, "no suffix '.'" },
		{ "fake__work:device=1", PAPI_EINVAL, "no GPU 1; there are 1" },
		{ "fake__work:device=x", PAPI_EINVAL, "is not a GPU number" },
		{ "fake__work:device=", PAPI_EINVAL, "neither" },
		{ "fake__work:device=99999999999", PAPI_EINVAL, "number" },
		{ "fake__work:stat=", PAPI_EINVAL, "neither" },
		{ "fake__work:", PAPI_EINVAL, "neither" },
		{ "__", PAPI_ENOEVNT, "no event called" },
		{ "__.sum:device=0", PAPI_ENOEVNT, "no event called" },
	};
	struct counting c;

	gpu_probe(&c, &cuda_component, "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct diag diag;
		int code = find(&c, cases[i].name, &diag);

		if (code != cases[i].code)
			fail_msg("%s: %d", cases[i].name, code);
		assert_says(&diag, cases[i].words);
	}
	counting_close(&c);
}

TEST(test_counts_what_was_done_between_start_and_stop)
{
	static const char *const names[] = {
		"fake__work",  "fake__double.sum", "fake__work.max",
		"fake__share", "fake__load",       NULL
	};
	struct counting c;

	gpu_probe(&c, &cuda_component, "");
	counting_open(&c, names);
	gpu_work(0, 1000);
	assert_int_equal(slice_start(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].value, 0);
	gpu_work(0, 30);
	assert_int_equal(slice_read(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].value, 30);
	gpu_work(0, 12);
	assert_int_equal(slice_stop(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].value, 42);
	assert_int_equal(c.counts[1].value, 84);
	assert_int_equal(c.counts[2].value, 12); /* of the last range */
	assert_int_equal(c.counts[3].value, 500000);
	assert_int_equal(c.counts[4].value, 25000000);
	assert_true(c.counts[0].running_ns > 0);
	assert_int_equal(c.counts[0].running_ns, c.counts[0].enabled_ns);

	/* What happens while stopped does not count. */
	gpu_work(0, 5000);
	assert_int_equal(slice_start(c.slice, c.counts), 0);
	gpu_work(0, 1);
	assert_int_equal(slice_stop(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].value, 43);
	counting_close(&c);
}

static int open_only(struct counting *c, const char *const *names)
{
	size_t i;

	assert_int_equal(slice_new(c->component, &c->slice), 0);
	for (; *names; names++) {
		assert_int_equal(
			component_find_event(c->component, *names, &i, NULL),
			0);
		assert_int_equal(slice_append(c->slice, i), 0);
	}
	return slice_open(c->slice);
}

TEST(test_a_set_of_two_passes_is_refused)
{
	static const char *const names[] = { "fake__work", "fake__other",
					     NULL };
	struct counting c;

	gpu_probe(&c, &cuda_component, "");
	assert_int_equal(open_only(&c, names), PAPI_ECNFLCT);
	assert_says(&c.slice->diag, "2 events need 2 passes");
	counting_close(&c);
}

TEST(test_a_metric_of_two_passes_is_refused)
{
	static const char *const names[] = { "fake__hard", NULL };
	struct counting c;
	const char *why;
	size_t i;

	gpu_probe(&c, &cuda_component, "");
	assert_int_equal(open_only(&c, names), PAPI_ENOSUPP);
	assert_says(&c.slice->diag, "alone needs 2 passes");
	assert_int_equal(
		component_find_event(c.component, "fake__hard", &i, NULL), 0);
	assert_int_equal(component_try_event(c.component, i, &why),
			 PAPI_ENOSUPP);
	assert_non_null(strstr(why, "2 passes"));
	counting_close(&c);
}

/* Each start is the next turn; all are scaled to the whole. */
TEST(test_multiplexed_events_take_turns)
{
	static const char *const names[] = { "fake__work", "fake__other",
					     "fake__double", NULL };
	struct counting c;

	gpu_probe(&c, &cuda_component, "");
	assert_int_equal(slice_new(c.component, &c.slice), 0);
	c.slice->opt.multiplex = true;
	for (const char *const *name = names; *name; name++) {
		size_t i;

		assert_int_equal(
			component_find_event(c.component, *name, &i, NULL), 0);
		assert_int_equal(slice_append(c.slice, i), 0);
	}
	assert_int_equal(slice_open(c.slice), 0);
	for (int pass = 0; pass < 2; pass++) {
		assert_int_equal(slice_start(c.slice, c.counts), 0);
		gpu_work(0, 10);
		assert_int_equal(slice_stop(c.slice, c.counts), 0);
	}
	assert_int_equal(c.counts[0].value, 10);
	assert_int_equal(c.counts[1].value, 30);
	assert_int_equal(c.counts[2].value, 20);
	for (int i = 0; i < 3; i++)
		assert_true(c.counts[i].running_ns < c.counts[i].enabled_ns);
	assert_true(c.counts[0].running_ns + c.counts[1].running_ns ==
		    c.counts[0].enabled_ns);
	counting_close(&c);
}

TEST(test_devices_are_counted_apart)
{
	static const char *const names[] = {
		"fake__work:device=0",
		"fake__work.sum:device=1",
		"fake__double:stat=sum:device=1",
		NULL,
	};
	struct counting c;

	gpu_probe(&c, &cuda_component, "two");
	counting_open(&c, names);
	assert_int_equal(slice_start(c.slice, c.counts), 0);
	gpu_work(0, 5);
	gpu_work(1, 7);
	assert_int_equal(slice_stop(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].value, 5);
	assert_int_equal(c.counts[1].value, 7);
	assert_int_equal(c.counts[2].value, 14);
	counting_close(&c);
}

TEST(test_a_device_counts_for_one_set_at_a_time)
{
	static const char *const names[] = { "fake__work", NULL };
	struct counting c;
	struct slice *other;
	struct count count;

	gpu_probe(&c, &cuda_component, "");
	counting_open(&c, names);
	assert_int_equal(slice_new(c.component, &other), 0);
	assert_int_equal(slice_append(other, c.slice->events[0]), 0);
	assert_int_equal(slice_open(other), 0);
	assert_int_equal(slice_start(c.slice, c.counts), 0);
	assert_int_equal(slice_start(other, &count), PAPI_ECNFLCT);
	assert_says(&other->diag, "another EventSet is counting on GPU 0");
	assert_int_equal(slice_stop(c.slice, c.counts), 0);
	/* By turns both count. */
	for (int i = 1; i <= 2; i++) {
		assert_int_equal(slice_start(other, &count), 0);
		gpu_work(0, 5);
		assert_int_equal(slice_stop(other, &count), 0);
		assert_int_equal(count.value, 5 * i);
		assert_int_equal(slice_start(c.slice, c.counts), 0);
		gpu_work(0, 7);
		assert_int_equal(slice_stop(c.slice, c.counts), 0);
		assert_int_equal(c.counts[0].value, 7 * i);
	}
	slice_free(other);
	counting_close(&c);
}

TEST(test_refusals_of_the_device_are_told)
{
	static const char *const names[] = { "fake__work", NULL };
	static const struct {
		const char *fake;
		int code;
		const char *words;
	} cases[] = {
		{ "unprivileged", PAPI_EPERM, "only root" },
		{ "busy", PAPI_ECNFLCT, "another process" },
	};

	for (size_t i = 0; i < 2; i++) {
		struct counting c;

		gpu_probe(&c, &cuda_component, cases[i].fake);
		counting_open(&c, names);
		assert_int_equal(slice_start(c.slice, c.counts), cases[i].code);
		assert_says(&c.slice->diag, cases[i].words);
		counting_close(&c);
	}
}

TEST(test_what_a_gpu_cannot_do_is_refused)
{
	static const char *const names[] = { "fake__work", NULL };
	struct counting c;

	gpu_probe(&c, &cuda_component, "");
	counting_open(&c, names);
	slice_close(c.slice);
	c.slice->thresholds[0] = 100;
	assert_int_equal(slice_open(c.slice), PAPI_ENOSUPP);
	assert_says(&c.slice->diag, "cannot raise interrupts");
	c.slice->thresholds[0] = 0;
	c.slice->opt.target = TARGET_CPU;
	assert_int_equal(slice_open(c.slice), PAPI_ENOSUPP);
	unsetenv("ASSAY_CUDA_CONTROL");
	c.slice->opt.target = TARGET_TASK;
	assert_int_equal(slice_open(c.slice), PAPI_ENOSUPP);
	assert_says(&c.slice->diag, "assay count");
	counting_close(&c);
}

static void append(const char *path, const char *text)
{
	FILE *file = fopen(path, "a");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Every process that used a GPU adds a line to the control file. */
TEST(test_another_process_counts_itself)
{
	static const char *const names[] = { "fake__work", "fake__share",
					     NULL };
	char path[600], line[100] = "";
	struct counting c;
	FILE *file;

	gpu_probe(&c, &cuda_component, "");
	snprintf(path, sizeof(path), "%s/control", c.machine.root);
	setenv("ASSAY_CUDA_CONTROL", path, 1);
	assert_int_equal(open_only(&c, (const char *const[]){ NULL }), 0);
	slice_free(c.slice);
	assert_int_equal(slice_new(c.component, &c.slice), 0);
	for (int i = 0; i < 2; i++) {
		size_t event;

		assert_int_equal(component_find_event(c.component, names[i],
						      &event, NULL),
				 0);
		assert_int_equal(slice_append(c.slice, event), 0);
	}
	c.slice->opt.target = TARGET_TASK;
	assert_int_equal(slice_open(c.slice), 0);
	assert_int_equal(slice_start(c.slice, c.counts), 0);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	fclose(file);
	assert_string_equal(line, "event fake__work\n");

	/* Nobody has counted yet: that is no zero. */
	assert_int_equal(slice_read(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].running_ns, 0);
	assert_true(c.counts[0].enabled_ns > 0);

	append(path, "counts 500 7 250000\nnonsense\ncounts\ncounts x\n");
	append(path, "counts 100 5 300000\ncounts 9 9"); /* the last is cut */
	assert_int_equal(slice_stop(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].value, 12);
	assert_int_equal(c.counts[1].value, 300000);
	assert_int_equal(c.counts[0].running_ns, 600);
	assert_int_equal(c.counts[0].enabled_ns, 600);
	unlink(path);
	counting_close(&c);
}

/* Find an event, count work, read it: the first code that is not 0. */
static int count_once(const char *fake, char *said, size_t room)
{
	struct diag diag = { .text = "" };
	struct counting c;
	uint64_t value = 0;
	size_t i;
	int err;

	gpu_probe(&c, &cuda_component, fake);
	err = component_find_event(c.component, "fake__work", &i, &diag);
	assert_int_equal(slice_new(c.component, &c.slice), 0);
	if (!err)
		err = slice_append(c.slice, i);
	if (!err)
		err = slice_open(c.slice);
	if (!err)
		err = slice_start(c.slice, c.counts);
	if (!err) {
		gpu_work(0, 5);
		err = slice_stop(c.slice, c.counts);
		value = c.counts[0].value;
	}
	snprintf(said, room, "%s",
		 diag.text[0] ? diag.text : c.slice->diag.text);
	counting_close(&c);
	return err || value == 5 ? err : PAPI_EBUG;
}

/* Whatever call fails, there is a code and a sentence, and then it works. */
TEST(test_each_call_may_fail)
{
	static const struct {
		const char *call;
		int code;
		const char *words;
	} rows[] = {
		{ "cuptiProfilerInitialize", PAPI_ESYS,
		  "CUPTI's profiler does not start" },
		{ "cuptiDeviceGetChipName", PAPI_ENOSUPP,
		  "CUPTI cannot identify the chip of GPU 0" },
		{ "cuptiProfilerHostInitialize", PAPI_ESYS,
		  "CUPTI does not list its metrics" },
		{ "cuptiProfilerHostGetBaseMetrics", PAPI_ESYS,
		  "CUPTI does not list its metrics" },
		{ "cuptiProfilerHostConfigAddMetrics", PAPI_ESYS,
		  "CUPTI cannot schedule fake__work.sum" },
		{ "cuptiProfilerHostGetConfigImageSize", PAPI_ESYS,
		  "CUPTI cannot schedule fake__work.sum" },
		{ "cuptiProfilerHostGetConfigImage", PAPI_ESYS,
		  "CUPTI cannot schedule fake__work.sum" },
		{ "cuptiProfilerHostGetNumOfPasses", PAPI_ESYS,
		  "CUPTI cannot schedule fake__work.sum" },
		{ "cuptiProfilerHostEvaluateToGpuValues", PAPI_ESYS,
		  "CUPTI cannot evaluate what it counted" },
		{ "cuptiRangeProfilerEnable", PAPI_ESYS,
		  "the GPU's counters cannot be used" },
		{ "cuptiRangeProfilerGetCounterDataSize", PAPI_ESYS,
		  "the GPU's counters do not start" },
		{ "cuptiRangeProfilerCounterDataImageInitialize", PAPI_ESYS,
		  "the GPU's counters do not start" },
		{ "cuptiRangeProfilerSetConfig", PAPI_ESYS,
		  "the GPU's counters do not start" },
		{ "cuptiRangeProfilerStart", PAPI_ESYS,
		  "the GPU's counters do not start" },
		{ "cuptiRangeProfilerPushRange", PAPI_ESYS,
		  "the GPU's counters do not start" },
		{ "cuptiRangeProfilerPopRange", PAPI_ESYS,
		  "the GPU's counters cannot be read" },
		{ "cuptiRangeProfilerStop", PAPI_ESYS,
		  "the GPU's counters cannot be read" },
		{ "cuptiRangeProfilerDecodeData", PAPI_ESYS,
		  "the GPU's counters cannot be read" },
		{ "cuDevicePrimaryCtxRetain", PAPI_ESYS,
		  "cannot create a context on GPU 0" },
		/* of these only words are missing then, or endings */
		{ "cuptiProfilerHostGetSubMetrics", 0, "" },
		{ "cuptiProfilerHostGetMetricProperties", 0, "" },
		{ "cuDeviceGetName", 0, "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char said[256];
		int err = count_once(rows[i].call, said, sizeof(said));

		if (err != rows[i].code || (err && !said[0]) ||
		    !strstr(said, rows[i].words))
			fail_msg("%s: %d, '%s'", rows[i].call, err, said);
		if (count_once("", said, sizeof(said)))
			fail_msg("after %s: %s", rows[i].call, said);
	}
}

RUN_ALL_TESTS
