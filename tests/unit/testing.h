/* SPDX-License-Identifier: BSD-3-Clause */
/* cmocka with what it needs included first, and a check that names a row. */
#ifndef TESTS_UNIT_TESTING_H
#define TESTS_UNIT_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CHECK_AT(line, condition)                                              \
	do {                                                                   \
		if (!(condition))                                              \
			fail_msg("row at line %d: %s", line, #condition);      \
	} while (0)

#endif /* TESTS_UNIT_TESTING_H */
