/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The header keeps the interface of PAPI 7.0, 7.1 or 7.2, as ASSAY_PAPI_MINOR
 * says: a constant or a layout that moved does not compile. What the compiler
 * cannot see, the order of bits in a word and what macros make of a code, is
 * looked at when it runs.
 */
#include <string.h>

#include "papi.h"
#include "tests/unit/testing.h"

#define VALUE(name, value)                                                     \
	_Static_assert((long long)(name) == (value), "value of " #name);
#define SIZE(type, bytes)                                                      \
	_Static_assert(sizeof(type) == (bytes), "size of " #type);
#define OFFSET(type, member, bytes)                                            \
	_Static_assert(offsetof(type, member) == (bytes),                      \
		       "place of " #member " in " #type);
#include "tests/unit/papi/abi.def"
#if ASSAY_PAPI_MINOR < 2
#include "tests/unit/papi/abi-7.0.def"
#define BITS_AT 2264
#else
#include "tests/unit/papi/abi-7.2.def"
#define BITS_AT 3288
#endif
VALUE(PAPI_VERSION, 0x07000000 | ASSAY_PAPI_MINOR << 16)
VALUE(PAPI_VER_CURRENT, 0x07000000 | ASSAY_PAPI_MINOR << 16)

/* The word that holds the one-bit members, which lie behind the rest. */
static unsigned bits_of(const PAPI_component_info_t *info)
{
	unsigned word;

	memcpy(&word, (const char *)info + BITS_AT, sizeof(word));
	return word;
}

TEST(test_capabilities_are_bits_in_papi_order)
{
	PAPI_component_info_t info;

#define CHECK_BIT(member, bit)                                                 \
	do {                                                                   \
		memset(&info, 0, sizeof(info));                                \
		info.member = 1;                                               \
		CHECK_AT(__LINE__, bits_of(&info) == 1U << (bit));             \
	} while (0)
	CHECK_BIT(hardware_intr, 0);
	CHECK_BIT(precise_intr, 1);
	CHECK_BIT(posix1b_timers, 2);
	CHECK_BIT(kernel_profile, 3);
	CHECK_BIT(kernel_multiplex, 4);
	CHECK_BIT(fast_counter_read, 5);
	CHECK_BIT(fast_real_timer, 6);
	CHECK_BIT(fast_virtual_timer, 7);
	CHECK_BIT(attach, 8);
	CHECK_BIT(attach_must_ptrace, 9);
	CHECK_BIT(cntr_umasks, 10);
	CHECK_BIT(cpu, 11);
	CHECK_BIT(inherit, 12);
	CHECK_BIT(reserved_bits, 13);
}

TEST(test_code_says_what_kind_of_event)
{
	static const struct {
		int line;
		int code;
		int native, preset, user;
	} rows[] = {
		{ __LINE__, PAPI_TOT_CYC, 0, 1, 0 },
		{ __LINE__, PAPI_NATIVE_MASK | 7, 1, 0, 0 },
		{ __LINE__, PAPI_UE_MASK | 7, 0, 0, 1 },
		{ __LINE__, 7, 0, 0, 0 },
		{ __LINE__, PAPI_NULL, 0, 0, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int code = rows[i].code;

		CHECK_AT(rows[i].line,
			 (IS_NATIVE(code) ? 1 : 0) == rows[i].native);
		CHECK_AT(rows[i].line,
			 (IS_PRESET(code) ? 1 : 0) == rows[i].preset);
		CHECK_AT(rows[i].line,
			 (IS_USER_DEFINED(code) ? 1 : 0) == rows[i].user);
	}
}

TEST(test_version_comes_apart_again)
{
	int version = PAPI_VERSION_NUMBER(7, 2, 3, 4);

	assert_int_equal(PAPI_VERSION_MAJOR(version), 7);
	assert_int_equal(PAPI_VERSION_MINOR(version), 2);
	assert_int_equal(PAPI_VERSION_REVISION(version), 3);
	assert_int_equal(PAPI_VERSION_INCREMENT(version), 4);
}

RUN_ALL_TESTS
