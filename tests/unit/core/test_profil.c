/* SPDX-License-Identifier: BSD-3-Clause */
/* Buckets of PAPI_profil, address by address. */
#include <string.h>

#include "core/profil.h"
#include "tests/unit/testing.h"

static uint16_t small[8];
static uint32_t middle[8];
static uint64_t large[8];

static PAPI_sprofil_t region(void *base, unsigned size, uintptr_t offset,
			     unsigned scale)
{
	return (PAPI_sprofil_t){ .pr_base = base,
				 .pr_size = size,
				 .pr_off = (void *)offset,
				 .pr_scale = scale };
}

static void clear(void)
{
	memset(small, 0, sizeof(small));
	memset(middle, 0, sizeof(middle));
	memset(large, 0, sizeof(large));
}

TEST(test_scale_says_how_many_bytes_a_bucket_has)
{
	static const struct {
		int line;
		unsigned scale;
		uintptr_t address;
		int bucket; /* -1: outside */
	} rows[] = {
		{ __LINE__, 65536, 0x1000, 0 },  { __LINE__, 65536, 0x1001, 0 },
		{ __LINE__, 65536, 0x1002, 1 },  { __LINE__, 65536, 0x100f, 7 },
		{ __LINE__, 65536, 0x1010, -1 }, { __LINE__, 65536, 0xfff, -1 },
		{ __LINE__, 32768, 0x1007, 1 },  { __LINE__, 8192, 0x1010, 1 },
		{ __LINE__, 0, 0x1000, -1 },     { __LINE__, 1, 0x1000, -1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		PAPI_sprofil_t r =
			region(small, sizeof(small), 0x1000, rows[i].scale);
		struct profil *p;

		clear();
		CHECK_AT(rows[i].line,
			 profil_new(&r, 1, PAPI_PROFIL_POSIX, &p) == 0);
		profil_add(p, (void *)rows[i].address, 1);
		for (int b = 0; b < 8; b++)
			CHECK_AT(rows[i].line,
				 small[b] == (b == rows[i].bucket));
		profil_free(p);
	}
}

TEST(test_bucket_sizes_and_saturation)
{
	PAPI_sprofil_t r16 = region(small, sizeof(small), 0x1000, 65536);
	PAPI_sprofil_t r32 = region(middle, sizeof(middle), 0x1000, 65536);
	PAPI_sprofil_t r64 = region(large, sizeof(large), 0x1000, 65536);
	struct profil *p16, *p32, *p64;

	clear();
	assert_int_equal(profil_new(&r16, 1, PAPI_PROFIL_BUCKET_16, &p16), 0);
	assert_int_equal(profil_new(&r32, 1, PAPI_PROFIL_BUCKET_32, &p32), 0);
	assert_int_equal(profil_new(&r64, 1, PAPI_PROFIL_BUCKET_64, &p64), 0);
	for (int i = 0; i < 65540; i++) {
		profil_add(p16, (void *)0x100e, 1);
		profil_add(p32, (void *)0x100e, 1);
		profil_add(p64, (void *)0x100e, 1);
	}
	assert_int_equal(small[7], 65535);
	assert_int_equal(middle[7], 65540);
	assert_int_equal(large[7], 65540);
	profil_free(p16);
	profil_free(p32);
	profil_free(p64);
}

TEST(test_nearest_region_below_takes_it)
{
	PAPI_sprofil_t rs[2];
	struct profil *p;

	clear();
	rs[0] = region(small, sizeof(small), 0x2000, 65536);
	rs[1] = region(middle, 16, 0x1000, 65536);
	assert_int_equal(profil_new(rs, 2, PAPI_PROFIL_BUCKET_16, &p), 0);
	profil_add(p, (void *)0x2000, 1);
	profil_add(p, (void *)0x1002, 1);
	profil_add(p, (void *)0x1fff, 1); /* past the end of the first */
	assert_int_equal(small[0], 1);
	assert_int_equal(((uint16_t *)middle)[1], 1);
	profil_free(p);
}

TEST(test_flags_change_the_increment)
{
	PAPI_sprofil_t r = region(large, sizeof(large), 0x1000, 65536);
	struct profil *p;

	clear();
	assert_int_equal(
		profil_new(&r, 1, PAPI_PROFIL_BUCKET_64 | PAPI_PROFIL_WEIGHTED,
			   &p),
		0);
	profil_add(p, (void *)0x1000, 200);
	profil_add(p, (void *)0x1000, 9999);
	assert_int_equal(large[0], 455);
	profil_free(p);

	clear();
	profil_new(&r, 1, PAPI_PROFIL_BUCKET_64 | PAPI_PROFIL_RANDOM, &p);
	for (int i = 0; i < 10000; i++)
		profil_add(p, (void *)0x1000, 1);
	assert_in_range(large[0], 7300, 7700); /* three in four */
	profil_free(p);

	clear();
	profil_new(&r, 1, PAPI_PROFIL_BUCKET_64 | PAPI_PROFIL_COMPRESS, &p);
	for (int i = 0; i < 200000; i++)
		profil_add(p, (void *)0x1000, 1);
	assert_in_range(large[0], 20000, 65537);
	profil_free(p);
}

TEST(test_weight_is_the_overshoot)
{
	static const struct {
		int line;
		uint64_t overshoot, threshold;
		unsigned weight;
	} rows[] = {
		{ __LINE__, 0, 1000, 1 },
		{ __LINE__, 1, 1000, 1 },
		{ __LINE__, 2, 100000, 1 },
		{ __LINE__, 500, 1000, 127 },
		{ __LINE__, 1000, 1000, 255 },
		{ __LINE__, 1001, 1000, 255 },
		{ __LINE__, 10, 20, 127 }, /* a threshold below 255 */
		{ __LINE__, UINT64_MAX, UINT64_MAX, 255 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_AT(rows[i].line,
			 profil_weight(rows[i].overshoot, rows[i].threshold) ==
				 rows[i].weight);
}

TEST(test_nonsense_is_refused)
{
	PAPI_sprofil_t r = region(small, sizeof(small), 0x1000, 65536);
	PAPI_sprofil_t no_buffer = region(NULL, 16, 0x1000, 65536);
	PAPI_sprofil_t too_fine = region(small, 16, 0x1000, 0x20001);
	struct profil *p;

	assert_int_equal(profil_new(NULL, 1, 0, &p), PAPI_EINVAL);
	assert_int_equal(profil_new(&r, 0, 0, &p), PAPI_EINVAL);
	assert_int_equal(profil_new(&no_buffer, 1, 0, &p), PAPI_EINVAL);
	assert_int_equal(profil_new(&too_fine, 1, 0, &p), PAPI_EINVAL);
	assert_int_equal(profil_new(&r, 1, 0x8000, &p), PAPI_EINVAL);
	assert_int_equal(
		profil_new(&r, 1, PAPI_PROFIL_BUCKET_16 | PAPI_PROFIL_BUCKET_32,
			   &p),
		PAPI_EINVAL);
}

RUN_ALL_TESTS
