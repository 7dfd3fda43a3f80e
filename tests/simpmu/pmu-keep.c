/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A walk that leaves the caches other than it finds them, counted by one
 * EventSet after the other: with the state of the machine restored each time
 * all of them count the same run, to the last cycle.
 */
#include <papi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>

#define BYTES (3L << 20) /* more than L2 */
#define EACH  4

/* What the sets have in common comes first. */
static const char *const events[][EACH] = {
	{ "PAPI_TOT_CYC", "PAPI_L2_DCM", "sim::CYCLE_ACTIVITY:STALLS_TOTAL",
	  "PAPI_BR_MSP" },
	{ "PAPI_TOT_CYC", "PAPI_L2_DCM", "PAPI_TLB_DM", "PAPI_L1_DCM" },
};

static volatile char *buffer;

/* Noinline: the same code each time. */
__attribute__((noinline)) static int count(int set, bool restore,
					   long long *values)
{
	uint64_t x = 88172645463325252u;

	if (restore && assay_restore_state())
		return 1;
	if (PAPI_start(set))
		return 1;
	for (int i = 0; i < 20000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		if (x & 64)
			buffer[x % BYTES]++;
	}
	return PAPI_stop(set, values);
}

static int make_set(const char *const *names)
{
	int set = PAPI_NULL;
	int err = PAPI_create_eventset(&set);

	for (int i = 0; !err && i < EACH; i++)
		err = PAPI_add_named_event(set, names[i]);
	return err ? PAPI_NULL : set;
}

static int fail(const char *what)
{
	puts(what);
	return 1;
}

int main(int argc, char **argv)
{
	static long long first[EACH], again[EACH], other[EACH];
	int a, b;

	(void)argv;
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return fail("no library");
	if (argc > 1) /* not simulated */
		return assay_keep_state() != PAPI_ENOSUPP ||
		       assay_restore_state() != PAPI_ENOSUPP;
	buffer = calloc(1, BYTES);
	a = make_set(events[0]);
	b = make_set(events[1]);
	if (!buffer || a == PAPI_NULL || b == PAPI_NULL)
		return fail("no sets");
	if (assay_restore_state() != PAPI_EINVAL)
		return fail("restored what was not kept");
	count(a, false, first);
	if (assay_keep_state())
		return fail("not kept");
	if (count(a, true, first) || count(a, false, other))
		return fail("not counted");
	if (first[0] == other[0])
		return fail("the walk finds what it left: nothing is tested");
	for (int i = 0; i < 5; i++) {
		if (count(b, true, other) || count(a, true, again))
			return fail("not counted");
		printf("%lld %lld, %lld %lld\n", again[0], again[1], other[0],
		       other[1]);
		if (memcmp(first, again, sizeof(first)) != 0)
			return fail("the same set counts otherwise");
		if (other[0] != first[0] || other[1] != first[1])
			return fail("the other set counts otherwise");
	}
	return 0;
}
