/* SPDX-License-Identifier: BSD-3-Clause */
/* Overflow and profiling: set up, told apart, called, turned off. */
#include "tests/unit/papi/open_toys.h"

static struct {
	int calls;
	int set;
	void *address;
	long long which;
} seen;

static void handler(int set, void *address, long long which, void *context)
{
	(void)context;
	seen.calls++;
	seen.set = set;
	seen.address = address;
	seen.which = which;
}

/* As a component's interrupt would: event @i of the last slice went over. */
static void interrupt(int i, void *address)
{
	toy.last->on_overflow(toy.last, 1ULL << i, address, NULL);
}

TEST_WITH(test_overflow_is_refused_when_wrong, open_toys, close_toys)
{
	int set = toy_set(2), code = toy_code(0);

#define REFUSED(call, code) CHECK_AT(__LINE__, (call) == (code))
	REFUSED(PAPI_overflow(set, code, -1, 0, handler), PAPI_EINVAL);
	REFUSED(PAPI_overflow(set, code, 100, 0, NULL), PAPI_EINVAL);
	REFUSED(PAPI_overflow(set, code, 100, 1, handler), PAPI_EINVAL);
	REFUSED(PAPI_overflow(set, code, 100,
			      PAPI_OVERFLOW_FORCE_SW | PAPI_OVERFLOW_HARDWARE,
			      handler),
		PAPI_EINVAL);
	REFUSED(PAPI_overflow(set, toy_code(7), 100, 0, handler), PAPI_ENOEVNT);
	REFUSED(PAPI_overflow(set, PAPI_TOT_CYC, 100, 0, handler),
		PAPI_ENOEVNT);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	REFUSED(PAPI_overflow(set, code, 100, 0, handler), PAPI_EISRUN);
}

TEST_WITH(test_handler_learns_which_event, open_toys, close_toys)
{
	int set = toy_set(3), at[4], n = 4, bits, here;

	memset(&seen, 0, sizeof(seen));
	assert_int_equal(PAPI_overflow(set, toy_code(2), 1000, 0, handler),
			 PAPI_OK);
	assert_int_equal(PAPI_state(set, &bits), PAPI_OK);
	assert_int_equal(bits, PAPI_STOPPED | PAPI_OVERFLOWING);
	assert_int_equal(toy.last->thresholds[2], 1000);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	interrupt(2, &here);
	assert_int_equal(seen.calls, 1);
	assert_int_equal(seen.set, set);
	assert_ptr_equal(seen.address, &here);
	assert_int_equal(PAPI_get_overflow_event_index(set, seen.which, at, &n),
			 PAPI_OK);
	assert_int_equal(n, 1);
	assert_int_equal(at[0], 2);
	assert_int_equal(PAPI_stop(set, NULL), PAPI_OK);

	assert_int_equal(PAPI_overflow(set, toy_code(2), 0, 0, handler),
			 PAPI_OK);
	assert_int_equal(PAPI_state(set, &bits), PAPI_OK);
	assert_int_equal(bits, PAPI_STOPPED);
}

TEST_WITH(test_overflow_index_needs_room_and_bits, open_toys, close_toys)
{
	int set = toy_set(2), at[2], n = 2;

	assert_int_equal(PAPI_get_overflow_event_index(set, 0, at, &n),
			 PAPI_EINVAL);
	assert_int_equal(PAPI_get_overflow_event_index(set, 1, NULL, &n),
			 PAPI_EINVAL);
	assert_int_equal(PAPI_get_overflow_event_index(set, 1, at, NULL),
			 PAPI_EINVAL);
	n = 0;
	assert_int_equal(PAPI_get_overflow_event_index(set, 1, at, &n),
			 PAPI_EINVAL);
}

TEST_WITH(test_samples_go_to_their_event_and_range, open_toys, close_toys)
{
	unsigned short low[16] = { 0 }, high[16] = { 0 };
	char code[64];
	int set = toy_set(2), bits;

	memset(&seen, 0, sizeof(seen));
	assert_int_equal(PAPI_profil(low, sizeof(low), code, 65536, set,
				     toy_code(0), 100, PAPI_PROFIL_POSIX),
			 PAPI_OK);
	assert_int_equal(PAPI_profil(high, sizeof(high), code + 32, 65536, set,
				     toy_code(1), 100, PAPI_PROFIL_POSIX),
			 PAPI_OK);
	assert_int_equal(PAPI_state(set, &bits), PAPI_OK);
	assert_true(bits & PAPI_PROFILING);
	assert_int_equal(PAPI_overflow(set, toy_code(0), 9, 0, handler),
			 PAPI_ECNFLCT);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	interrupt(0, code + 2);
	interrupt(0, code + 2);
	interrupt(1, code + 32);
	assert_int_equal(low[1], 2);
	assert_int_equal(high[0], 1);
	assert_int_equal(low[0] + high[1], 0);
	assert_int_equal(PAPI_stop(set, NULL), PAPI_OK);

	assert_int_equal(PAPI_profil(low, sizeof(low), code, 65536, set,
				     toy_code(0), 0, PAPI_PROFIL_POSIX),
			 PAPI_OK);
	assert_int_equal(PAPI_state(set, &bits), PAPI_OK);
	assert_true(bits & PAPI_PROFILING);
	assert_int_equal(PAPI_profil(NULL, 0, NULL, 0, set, toy_code(0), 0, 0),
			 PAPI_EINVAL);
	assert_int_equal(PAPI_profil(NULL, 0, NULL, 0, set, toy_code(1), 0, 0),
			 PAPI_OK);
	assert_int_equal(PAPI_state(set, &bits), PAPI_OK);
	assert_int_equal(bits, PAPI_STOPPED);
}

TEST_WITH(test_overflow_and_profile_live_together, open_toys, close_toys)
{
	unsigned buckets[8] = { 0 };
	char code[32];
	PAPI_sprofil_t region = { buckets, sizeof(buckets), code, 65536 };
	int set = toy_set(2);

	memset(&seen, 0, sizeof(seen));
	assert_int_equal(PAPI_sprofil(&region, 1, set, toy_code(0), 10,
				      PAPI_PROFIL_BUCKET_32),
			 PAPI_OK);
	assert_int_equal(PAPI_overflow(set, toy_code(1), 10, 0, handler),
			 PAPI_OK);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	interrupt(0, code);
	assert_int_equal(seen.calls, 0);
	interrupt(1, code);
	assert_int_equal(seen.calls, 1);
	assert_int_equal(seen.which, 2);
	assert_int_equal(buckets[0], 1);
	assert_int_equal(PAPI_stop(set, NULL), PAPI_OK);
	assert_int_equal(PAPI_cleanup_eventset(set), PAPI_OK);
}

/* Looked at by a timer, the count is past its threshold by so much. */
TEST_WITH(test_samples_weigh_by_their_overshoot, open_toys, close_toys)
{
	volatile unsigned long long bucket = 0;
	int set = toy_set(1), code = toy_code(0);
	const int flags = PAPI_PROFIL_BUCKET_64 | PAPI_PROFIL_WEIGHTED;

	assert_int_equal(PAPI_profil((void *)(uintptr_t)&bucket, sizeof(bucket),
				     NULL, 2, set, code, 1000,
				     flags | PAPI_PROFIL_FORCE_SW),
			 PAPI_OK);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	toy.counts[0].value = 1500; /* half a threshold too late */
	while (bucket == 0)
		usleep(1); /* ThreadSanitizer keeps signals for a call */
	assert_int_equal(PAPI_stop(set, NULL), PAPI_OK);
	assert_int_equal(bucket, 127);

	/* an interrupt comes when it is due */
	bucket = 0;
	assert_int_equal(PAPI_profil((void *)(uintptr_t)&bucket, sizeof(bucket),
				     NULL, 2, set, code, 1000, flags),
			 PAPI_OK);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	interrupt(0, (void *)0x1000);
	assert_int_equal(PAPI_stop(set, NULL), PAPI_OK);
	assert_int_equal(bucket, 1);
}

TEST_WITH(test_profile_is_refused_when_wrong, open_toys, close_toys)
{
	unsigned short buckets[8];
	PAPI_sprofil_t region = { buckets, sizeof(buckets), NULL, 65536 };
	int set = toy_set(1), code = toy_code(0);

	REFUSED(PAPI_profil(NULL, 16, NULL, 65536, set, code, 9, 0),
		PAPI_EINVAL);
	REFUSED(PAPI_profil(buckets, 16, NULL, 0x20001, set, code, 9, 0),
		PAPI_EINVAL);
	REFUSED(PAPI_profil(buckets, 16, NULL, 65536, set, code, -9, 0),
		PAPI_EINVAL);
	REFUSED(PAPI_profil(buckets, 16, NULL, 65536, set, code, 9,
			    PAPI_PROFIL_BUCKET_16 | PAPI_PROFIL_BUCKET_32),
		PAPI_EINVAL);
	REFUSED(PAPI_profil(buckets, 16, NULL, 65536, set, toy_code(3), 9, 0),
		PAPI_ENOEVNT);
	REFUSED(PAPI_sprofil(NULL, 1, set, code, 9, 0), PAPI_EINVAL);
	REFUSED(PAPI_sprofil(&region, 0, set, code, 9, 0), PAPI_EINVAL);
	assert_int_equal(PAPI_start(set), PAPI_OK);
	REFUSED(PAPI_sprofil(&region, 1, set, code, 9, 0), PAPI_EISRUN);
}

RUN_ALL_TESTS
