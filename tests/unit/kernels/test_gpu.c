/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels for GPUs as a table: what can be checked without one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/gpu/driver.h"
#include "kernels/kernel.h"
#include "tests/unit/testing.h"

static void expect(const struct kernel *k, double *values)
{
	struct kernel_machine machine = { 0 };
	struct kernel_point points[8];

	assert_true(kernel_points(k, &machine, points, 8) >= 2);
	kernel_expect(k, &points[0], &machine, values, NULL);
}

TEST(test_names_are_a_set_of_their_own)
{
	assert_true(kernels_gpu_count() >= 30);
	assert_null(kernels_gpu_get(kernels_gpu_count()));
	for (size_t i = 0; i < kernels_gpu_count(); i++) {
		const struct kernel *k = kernels_gpu_get(i);

		assert_memory_equal(k->name, "gpu/", 4);
		assert_true(k->text && *k->text);
		assert_int_equal(k->needs, NEEDS_GPU);
		assert_ptr_equal(kernels_find(k->name), k);
		for (size_t j = 0; j < kernels_count(); j++)
			assert_string_not_equal(kernels_get(j)->name, k->name);
	}
}

/* Concepts that say more of an instruction which is counted already. */
static bool is_remark(enum concept c)
{
	return c == CONCEPT_GPU_INS || c == CONCEPT_GPU_TAKEN ||
	       c == CONCEPT_GPU_DIVERGE || c == CONCEPT_GPU_LOAD_16 ||
	       c == CONCEPT_GPU_STORE_16;
}

/* Every instruction is of one kind, so the kinds add up to all of them. */
TEST(test_kinds_add_up_to_all_instructions)
{
	size_t stated = 0;

	for (size_t i = 0; i < kernels_gpu_count(); i++) {
		const struct kernel *k = kernels_gpu_get(i);
		double values[CONCEPT_COUNT], sum = 0;

		expect(k, values);
		for (int c = 0; c < CONCEPT_COUNT; c++)
			if (concepts[c].family == FAMILY_GPU &&
			    !is_remark((enum concept)c))
				sum += values[c];
		if (isnan(values[CONCEPT_GPU_INS]))
			continue; /* one whose warps split */
		stated++;
		if (fabs(sum - values[CONCEPT_GPU_INS]) > 1e-9)
			fail_msg("%s: %g of %g", k->name, sum,
				 values[CONCEPT_GPU_INS]);
	}
	assert_int_equal(stated, kernels_gpu_count() - 1);
}

/* A sector is found in L1, or asked of L2. */
TEST(test_sectors_come_from_somewhere)
{
	for (size_t i = 0; i < kernels_gpu_count(); i++) {
		const struct kernel *k = kernels_gpu_get(i);
		double v[CONCEPT_COUNT];

		expect(k, v);
		if (isnan(v[CONCEPT_GPU_LD_SECTOR]))
			continue;
		if (v[CONCEPT_GPU_LD_SECTOR] !=
		    v[CONCEPT_GPU_L1_HIT] + v[CONCEPT_GPU_L2_READ])
			fail_msg("%s", k->name);
		assert_true(v[CONCEPT_GPU_DRAM_READ] <= v[CONCEPT_GPU_L2_READ]);
	}
}

TEST(test_cpu_kernels_say_nothing_of_gpus)
{
	for (size_t i = 0; i < kernels_count(); i++) {
		const struct kernel *k = kernels_get(i);
		double v[CONCEPT_COUNT];
		struct kernel_machine machine = { 0 };
		struct kernel_point point = { .times = 1 };

		if (strcmp(k->name, "null") == 0 || k->predict)
			continue;
		kernel_expect(k, &point, &machine, v, NULL);
		if (!isnan(v[CONCEPT_GPU_INS]) && v[CONCEPT_GPU_INS] != 0)
			fail_msg("%s", k->name);
	}
}

/* With no driver all of it says so, and running one does no harm. */
TEST(test_without_a_gpu_there_is_a_reason)
{
	struct kernel_run run = { .point = { .times = DRIVER_WARPS } };
	const struct kernel *k = kernels_find("gpu/ffma");

	setenv("ASSAY_CUDA_LIBRARIES", "/nowhere", 1);
	assert_int_equal(kernel_lacks(NEEDS_GPU), NEEDS_GPU);
	assert_true(strlen(driver_why_not()) > 0);
	assert_false(driver_prepare(1));
	assert_false(driver_run("k_ffma", 1, 0));
	k->prepare(&run);
	k->run(&run);
}

RUN_ALL_TESTS
