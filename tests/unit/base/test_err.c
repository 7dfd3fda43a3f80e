/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel's errors are called by PAPI's codes. */
#include <errno.h>

#include "base/array.h"
#include "base/err.h"
#include "tests/unit/testing.h"

TEST(test_errors_of_the_kernel)
{
	static const struct {
		int line, error, code;
	} rows[] = {
		{ __LINE__, 0, PAPI_OK },
		{ __LINE__, EPERM, PAPI_EPERM },
		{ __LINE__, EACCES, PAPI_EPERM },
		{ __LINE__, ENOMEM, PAPI_ENOMEM },
		{ __LINE__, ENOENT, PAPI_ENOEVNT },
		{ __LINE__, ENXIO, PAPI_ENOEVNT },
		{ __LINE__, ENODEV, PAPI_ENOEVNT },
		{ __LINE__, EOPNOTSUPP, PAPI_ENOSUPP },
		{ __LINE__, ENOSYS, PAPI_ENOSUPP },
		{ __LINE__, EINVAL, PAPI_EINVAL },
		{ __LINE__, E2BIG, PAPI_EINVAL },
		{ __LINE__, ESRCH, PAPI_EINVAL },
		{ __LINE__, ENOSPC, PAPI_ECNFLCT },
		{ __LINE__, EBUSY, PAPI_ECNFLCT },
		{ __LINE__, EMFILE, PAPI_ESYS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_AT(rows[i].line,
			 err_from_errno(rows[i].error) == rows[i].code);
}

TEST(test_a_sentence_is_optional)
{
	struct diag diag = { .text = "", .column = 9 };

	assert_int_equal(diag_fail(NULL, PAPI_EINVAL, "x"), PAPI_EINVAL);
	assert_int_equal(diag_fail_at(NULL, PAPI_ESYS, 3, "x"), PAPI_ESYS);
	assert_int_equal(diag_fail_at(&diag, PAPI_ESYS, 3, "no %s", "b"),
			 PAPI_ESYS);
	assert_string_equal(diag.text, "no b");
	assert_int_equal(diag.column, 3);
	assert_int_equal(diag_fail(&diag, PAPI_EINVAL, "no %s", "a"),
			 PAPI_EINVAL);
	assert_string_equal(diag.text, "no a");
	assert_int_equal(diag.column, 0);
}

RUN_ALL_TESTS
