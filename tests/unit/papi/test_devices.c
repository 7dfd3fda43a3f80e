/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine, the program and devices, on whatever machine this is. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/papi/open_toys.h"

static void test_nothing_before_init(void **state)
{
	PAPI_dmem_info_t dmem;
	void *handle = NULL;
	int value;

	(void)state;
	assert_null(PAPI_get_hardware_info());
	assert_null(PAPI_get_executable_info());
	assert_null(PAPI_get_shared_lib_info());
	assert_int_equal(PAPI_get_dmem_info(&dmem), PAPI_ENOINIT);
	assert_int_equal(PAPI_enum_dev_type(7, &handle), PAPI_ENOINIT);
	assert_int_equal(PAPI_get_dev_attr(handle, 0, 0, &value), PAPI_ENOINIT);
}

/* A walk begins with a handle that nobody set, and again after its end. */
static void test_a_walk_begins_with_any_handle(void **state)
{
	void *handle = (void *)state;

	for (int round = 0; round < 2; round++) {
		int n = 0;

		while (PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, &handle) ==
		       PAPI_OK)
			n++;
		assert_int_equal(n, PAPI_DEV_TYPE_ID__MAX_NUM);
	}
	assert_int_equal(PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__FIRST, &handle),
			 PAPI_OK);
	assert_int_equal(PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, NULL),
			 PAPI_EINVAL);
}

static void test_only_the_wanted_kinds(void **state)
{
	void *handle = NULL;
	int id = -1, count = -1;

	(void)state;
	assert_int_equal(PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__ROCM, &handle),
			 PAPI_OK);
	assert_int_equal(PAPI_get_dev_type_attr(
				 handle, PAPI_DEV_TYPE_ATTR__INT_PAPI_ID, &id),
			 PAPI_OK);
	assert_int_equal(id, PAPI_DEV_TYPE_ID__ROCM);
	assert_int_equal(PAPI_get_dev_type_attr(
				 handle, PAPI_DEV_TYPE_ATTR__INT_COUNT, &count),
			 PAPI_OK);
	assert_int_equal(count, 0);
	assert_int_equal(PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__ROCM, &handle),
			 PAPI_EINVAL);
}

static unsigned cpu_attr(void *handle, int id, PAPI_dev_attr_e attr)
{
	unsigned value = ~0U;

	assert_int_equal(PAPI_get_dev_attr(handle, id, attr, &value), PAPI_OK);
	return value;
}

/* Both ways of asking give the same machine; its nodes add up. */
static void test_the_processor(void **state)
{
	const PAPI_hw_info_t *hw = PAPI_get_hardware_info();
	unsigned nodes, threads, sum = 0;
	const char *name;
	void *cpu = NULL;

	(void)state;
	assert_non_null(hw);
	assert_int_equal(PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__CPU, &cpu),
			 PAPI_OK);
	assert_int_equal(
		PAPI_get_dev_attr(cpu, 0, PAPI_DEV_ATTR__CPU_CHAR_NAME, &name),
		PAPI_OK);
	assert_string_equal(name, hw->model_string);
	nodes = cpu_attr(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT);
	threads = cpu_attr(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT);
	assert_int_equal(nodes, hw->nnodes);
	assert_int_equal(threads, hw->totalcpus);
	for (unsigned i = 0; i < nodes; i++) {
		assert_true(cpu_attr(cpu, (int)i,
				     PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE) >
			    0);
		sum += cpu_attr(cpu, (int)i,
				PAPI_DEV_ATTR__CPU_UINT_THR_PER_NUMA);
	}
	assert_int_equal(sum, threads);
	for (unsigned i = 0; i < threads; i++)
		assert_true(
			cpu_attr(cpu, (int)i,
				 PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY) <
			nodes);
}

static void test_wrong_questions(void **state)
{
	unsigned value = 7;
	void *cpu = NULL;

	(void)state;
	assert_int_equal(PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__CPU, &cpu),
			 PAPI_OK);
	assert_int_equal(PAPI_get_dev_type_attr(&value, 0, &value),
			 PAPI_EINVAL);
	assert_int_equal(PAPI_get_dev_type_attr(cpu, 0, NULL), PAPI_EINVAL);
	assert_int_equal(PAPI_get_dev_type_attr(cpu, 99, &value), PAPI_ENOSUPP);
	assert_int_equal(PAPI_get_dev_attr(cpu, 0, 999, &value), PAPI_ENOSUPP);
	assert_int_equal(PAPI_get_dev_attr(cpu, -1,
					   PAPI_DEV_ATTR__CPU_UINT_FAMILY,
					   &value),
			 PAPI_EINVAL);
	assert_int_equal(PAPI_get_dev_attr(
				 cpu, 1 << 20,
				 PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE, &value),
			 PAPI_EINVAL);
	assert_int_equal(PAPI_get_dev_attr(NULL, 0, 0, &value), PAPI_EINVAL);
	assert_int_equal(PAPI_get_dmem_info(NULL), PAPI_EINVAL);
	assert_int_equal(value, 7);
}

static void test_the_program(void **state)
{
	const PAPI_exe_info_t *exe = PAPI_get_executable_info();
	uintptr_t here = (uintptr_t)test_wrong_questions;

	(void)state;
	assert_non_null(exe);
	assert_non_null(strstr(exe->fullname, exe->address_info.name));
	assert_true(here >= (uintptr_t)exe->address_info.text_start &&
		    here < (uintptr_t)exe->address_info.text_end);
	assert_ptr_equal(exe, PAPI_get_executable_info());
}

static bool has_library(const PAPI_shlib_info_t *info, const char *part)
{
	for (int i = 0; i < info->count; i++)
		if (strstr(info->map[i].name, part))
			return true;
	return false;
}

/* A library that is loaded later shows, and older lists stay valid. */
static void test_libraries_that_are_loaded_later(void **state)
{
	const PAPI_shlib_info_t *before = PAPI_get_shared_lib_info();
	const PAPI_shlib_info_t *after;
	void *library;

	(void)state;
	assert_non_null(before);
	assert_true(has_library(before, "libc.so"));
	assert_ptr_equal(before, PAPI_get_shared_lib_info());
	if (has_library(before, "libutil"))
		skip();
	library = dlopen("libutil.so.1", RTLD_NOW);
	if (!library)
		skip();
	after = PAPI_get_shared_lib_info();
	assert_non_null(after);
	assert_true(has_library(after, "libutil"));
	assert_false(has_library(before, "libutil"));
	dlclose(library);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_before_init),
		TOY_TEST(test_a_walk_begins_with_any_handle),
		TOY_TEST(test_only_the_wanted_kinds),
		TOY_TEST(test_the_processor),
		TOY_TEST(test_wrong_questions),
		TOY_TEST(test_the_program),
		TOY_TEST(test_libraries_that_are_loaded_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
