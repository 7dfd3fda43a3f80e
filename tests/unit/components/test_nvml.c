/* SPDX-License-Identifier: BSD-3-Clause */
/* The nvml component on a stand-in for its library: see tests/gpu/fake. */
#include "tests/unit/components/gpu.h"

TEST(test_without_a_driver_it_is_disabled)
{
	struct counting c;

	unsetenv("ASSAY_CUDA_LIBRARIES");
	counting_probe(&c, &nvml_component, "proc/version", "Linux\n");
	assert_true(c.component->disabled);
	assert_non_null(strstr(c.component->reason, "driver is not loaded"));
	counting_close(&c);
}

TEST(test_what_is_missing_disables_it_with_the_reason)
{
	static const struct {
		const char *fake;
		const char *words;
	} cases[] = {
		{ "none", "shows no GPU" },
		{ "broken", "does not start (error 9)" },
	};
	struct counting c;

	for (size_t i = 0; i < 2; i++) {
		gpu_probe(&c, &nvml_component, cases[i].fake);
		assert_false(c.component->disabled);
		assert_int_equal(component_event_count(c.component), 0);
		assert_true(c.component->disabled);
		assert_non_null(strstr(c.component->reason, cases[i].words));
		counting_close(&c);
	}
	gpu_probe(&c, &nvml_component, "");
	setenv("ASSAY_CUDA_LIBRARIES", "/nowhere", 1);
	assert_int_equal(component_event_count(c.component), 0);
	assert_non_null(strstr(c.component->reason, "libnvidia-ml.so.1"));
	counting_close(&c);
}

/* What a GPU does not answer (fan, PCIe, throttling) is not listed. */
TEST(test_lists_what_each_gpu_answers)
{
	struct counting c;
	size_t n, i;

	gpu_probe(&c, &nvml_component, "");
	n = component_event_count(c.component);
	assert_int_equal(n, 12);
	assert_int_equal(
		component_find_event(c.component, "gpu0:fan", &i, NULL),
		PAPI_ENOEVNT);
	assert_int_equal(
		component_find_event(c.component, "gpu0:energy", &i, NULL), 0);
	assert_string_equal(component_event(c.component, i)->unit, "mJ");
	assert_int_equal(component_event(c.component, i)->kind, EVENT_RUNNING);
	counting_close(&c);

	gpu_probe(&c, &nvml_component, "two");
	assert_int_equal(component_event_count(c.component), 2 * n);
	assert_int_equal(
		component_find_event(c.component, "gpu1:power", &i, NULL), 0);
	counting_close(&c);
}

TEST(test_levels_are_as_they_are_and_energy_grows)
{
	static const char *const names[] = {
		"gpu0:energy",
		"gpu0:power",
		"gpu0:power:instant",
		"gpu0:temperature",
		"gpu0:clock:sm",
		"gpu0:clock:memory",
		"gpu0:memory:used",
		"gpu0:memory:free",
		"gpu0:memory:total",
		"gpu0:utilization:gpu",
		"gpu0:utilization:memory",
		NULL,
	};
	static const uint64_t levels[] = { 0,   200000, 201000, 40, 1980, 3201,
					   400, 600,    1000,   70, 30 };
	struct counting c;
	uint64_t before;

	gpu_probe(&c, &nvml_component, "");
	counting_open(&c, names);
	assert_int_equal(slice_start(c.slice, c.counts), 0);
	before = c.counts[0].value;
	assert_int_equal(slice_read(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].value - before, 200000);
	assert_int_equal(slice_stop(c.slice, c.counts), 0);
	assert_int_equal(c.counts[0].value - before, 400000);
	for (size_t i = 1; names[i]; i++)
		assert_int_equal(c.counts[i].value, levels[i]);
	assert_true(c.counts[1].running_ns > 0);
	assert_int_equal(c.counts[1].running_ns, c.counts[1].enabled_ns);
	counting_close(&c);
}

TEST(test_a_gpu_that_is_lost_is_an_error)
{
	static const char *const names[] = { "gpu0:power", NULL };
	struct counting c;

	gpu_probe(&c, &nvml_component, "");
	counting_open(&c, names);
	assert_int_equal(slice_start(c.slice, c.counts), 0);
	setenv("FAKE_GPU", "lost", 1);
	assert_int_equal(slice_read(c.slice, c.counts), PAPI_ESYS);
	assert_non_null(strstr(c.slice->diag.text, "gpu0:power"));
	setenv("FAKE_GPU", "forbidden", 1);
	assert_int_equal(slice_read(c.slice, c.counts), PAPI_EPERM);
	slice_close(c.slice);
	c.slice->thresholds[0] = 9;
	assert_int_equal(slice_open(c.slice), PAPI_ENOSUPP);
	assert_string_equal(c.slice->diag.text,
			    "GPU readings cannot raise interrupts");
	counting_close(&c);
}

RUN_ALL_TESTS
