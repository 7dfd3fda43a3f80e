/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting loops whose length is known: the counts have to be exact. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/array.h"
#include "tests/vm/guest.h"

static long long count_loop(int set, uint64_t n)
{
	long long values[8] = { 0 };

	EXPECT(PAPI_OK, PAPI_start(set));
	guest_loop(n);
	EXPECT(PAPI_OK, PAPI_stop(set, values));
	return values[0];
}

/* The least of a few, which no tick of the kernel's clock came into. */
static long long count_least(int set, uint64_t n)
{
	long long least = count_loop(set, n);

	for (int i = 0; i < 2; i++) {
		long long next = count_loop(set, n);

		if (next < least)
			least = next;
	}
	return least;
}

/*
 * A read that a tick comes into is begun again, and its instructions count
 * twice. That is seldom: once in a hundred counts at most.
 */
static bool is_read_twice(long long got, long long due)
{
	return got > due && got - due < 100;
}

/*
 * @set's first event counts @each for each iteration, exactly, and the same
 * excess (the library's own instructions) every time.
 */
static void check_slope(int set, long long each, const char *what)
{
	static const uint64_t sizes[] = { 4096, 10000, 1000000, 3000000 };
	long long excess;
	int twice = 0;

	/* bring in pages and caches of the kernel; often: it is left on then */
	count_loop(set, 1000);
	count_loop(set, 1000);
	excess = count_least(set, 4096) - each * 4096;
	CHECK(excess >= 0 && excess < 2000, "%s: excess of %lld", what, excess);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (int repeat = 0; repeat < 10; repeat++) {
			long long got = count_loop(set, sizes[i]);
			long long due = each * (long long)sizes[i] + excess;

			twice += is_read_twice(got, due);
			CHECK(got == due ||
				      (is_read_twice(got, due) && twice == 1),
			      "%s: loop of %llu gives %lld, not %lld", what,
			      (unsigned long long)sizes[i], got, due);
		}
	}
	printf("     %s: %lld n + %lld, every time but %d\n", what, each,
	       excess, twice);
}

static void instructions_are_exact(void)
{
	guest_init();
	check_slope(guest_set((const char *[]){ "instructions", NULL }), 2,
		    "instructions");
	check_slope(guest_set((const char *[]){ "arm_n1::INST_RETIRED", NULL }),
		    2, "arm_n1::INST_RETIRED");
	check_slope(guest_set((const char *[]){ "PAPI_TOT_INS", NULL }), 2,
		    "PAPI_TOT_INS");
	/* a software event beside it: one group, read by system call */
	check_slope(guest_set((const char *[]){ "r08", "page-faults", NULL }),
		    2, "r08 with page-faults");
}

/*
 * As validation has it: 1 to 1,000,000 turns of two instructions each, a
 * hundred repeats, and the overhead (that of one turn) taken away.
 */
static void instructions_are_as_predicted_at_every_size(void)
{
	long long overhead;
	int set, twice = 0;

	guest_init();
	set = guest_set((const char *[]){ "PAPI_TOT_INS", NULL });
	count_loop(set, 1000);
	count_loop(set, 1000);
	overhead = count_least(set, 1) - 2;
	for (uint64_t n = 1; n <= 1000000; n *= 10)
		for (int repeat = 0; repeat < 100; repeat++) {
			long long got = count_loop(set, n) - overhead;
			long long due = 2 * (long long)n;

			twice += is_read_twice(got, due);
			CHECK(got == due ||
				      (is_read_twice(got, due) && twice <= 7),
			      "%llu turns: %lld instructions, predicted %llu",
			      (unsigned long long)n, got,
			      2 * (unsigned long long)n);
		}
	printf("     1 to 1000000 turns: as predicted, 100 times each but for %d "
	       "of all, after %lld of overhead\n",
	       twice, overhead);
}

static void cycles_are_exact(void)
{
	guest_init();
	check_slope(guest_set((const char *[]){ "cycles", NULL }), 4, "cycles");
}

static void a_long_loop_passes_32_bits(void)
{
	int set;
	long long short_, long_;

	guest_init();
	set = guest_set((const char *[]){ "cycles", NULL });
	count_loop(set, 1000);
	short_ = count_least(set, 1000) - 4000;
	long_ = count_loop(set, 1100000000ULL) - 4400000000LL;
	CHECK(long_ == short_ || is_read_twice(long_, short_),
	      "excess of %lld, not %lld", long_, short_);
}

static void reads_add_up(void)
{
	long long first = 0, second = 0, third = 0, sum = 0;
	int set;

	guest_init();
	set = guest_set((const char *[]){ "instructions", NULL });
	EXPECT(PAPI_OK, PAPI_start(set));
	guest_loop(100000);
	EXPECT(PAPI_OK, PAPI_read(set, &first));
	guest_loop(100000);
	EXPECT(PAPI_OK, PAPI_read(set, &second));
	guest_loop(100000);
	EXPECT(PAPI_OK, PAPI_accum(set, &sum));
	EXPECT(PAPI_OK, PAPI_stop(set, &third));
	CHECK(first > 200000 && first < 202000, "first %lld", first);
	CHECK(second - first > 200000 && second - first < 202000,
	      "second - first %lld", second - first);
	CHECK(sum > 600000 && sum < 606000, "sum %lld", sum);
	CHECK(third >= 0 && third < 2000, "after accum %lld", third);
}

static void a_group_keeps_its_order(void)
{
	static const char *const names[] = { "r08:k",       "cycles:u",
					     "r08:u",       "task-clock",
					     "r08:u=1:k=1", NULL };
	long long v[5];
	int set;

	guest_init();
	set = guest_set(names);
	EXPECT(PAPI_OK, PAPI_start(set));
	guest_loop(1000000);
	EXPECT(PAPI_OK, PAPI_stop(set, v));
	CHECK(v[0] > 0 && v[0] < 1000000, "kernel instructions %lld", v[0]);
	CHECK(v[1] >= 4000000 && v[1] < 4010000, "user cycles %lld", v[1]);
	CHECK(v[2] >= 2000000 && v[2] < 2005000, "user instr. %lld", v[2]);
	CHECK(v[3] > 100000, "task-clock %lld ns", v[3]);
	CHECK(v[4] >= v[2] && v[4] < v[2] + 1000000, "all instr. %lld", v[4]);
}

/* Seven counters: one for cycles only, six for anything. */
static const char *const six[] = { "r08", "r01", "r02", "r03",
				   "r04", "r05", NULL };

static void a_group_too_large_is_refused(void)
{
	long long v[7];
	int set, err;

	guest_init();
	set = guest_set(six);
	err = PAPI_add_named_event(set, "r06");
	CHECK(err == PAPI_ECNFLCT, "a seventh gives %d", err);
	CHECK(strstr(assay_error(), "7 counters"), "says: %s", assay_error());
	EXPECT(PAPI_OK, PAPI_start(set));
	guest_loop(100000);
	EXPECT(PAPI_OK, PAPI_stop(set, v));
	CHECK(v[0] >= 200000 && v[0] < 210000, "still counts %lld", v[0]);
}

static void names_of_one_event_are_one(void)
{
	static const char *const others[] = { "r08",
					      "r0x008",
					      "arm_n1::INST_RETIRED",
					      "INST_RETIRED",
					      "armv8_pmuv3/inst_retired/",
					      "armv8_pmuv3/event=0x8/",
					      "inst_retired" };
	int set, err;

	guest_init();
	set = guest_set((const char *[]){ "r8", NULL });
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		err = PAPI_add_named_event(set, others[i]);
		CHECK(err == PAPI_ECNFLCT, "%s gives %d: %s", others[i], err,
		      assay_error());
	}
}

/* With read() forbidden, only a read in user space can still work. */
static void forbid_read(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(code), code };

	CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
	CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), "seccomp");
}

static void reads_need_no_system_call(void)
{
	long long v[2], w[2];
	int mixed, set;

	guest_init();
	mixed = guest_set((const char *[]){ "dummy", "r08:u=1", NULL });
	set = guest_set((const char *[]){ "instructions", "cycles", NULL });
	EXPECT(PAPI_OK, PAPI_start(set));
	forbid_read();
	EXPECT(PAPI_OK, PAPI_read(set, v));
	guest_loop(100000);
	EXPECT(PAPI_OK, PAPI_read(set, w));
	CHECK(w[0] - v[0] >= 200000 && w[0] - v[0] < 202000,
	      "instructions %lld", w[0] - v[0]);
	CHECK(w[1] - v[1] >= 400000 && w[1] - v[1] < 404000, "cycles %lld",
	      w[1] - v[1]);
	/* a stop switches the counters off and then does need read() */
	CHECK(PAPI_stop(set, v) != PAPI_OK, "stopped without read()");
	/* the counter-test: so does every read of this one */
	CHECK(PAPI_start(mixed) != PAPI_OK || PAPI_stop(mixed, v) != PAPI_OK,
	      "a software event was read without read()");
}

static void two_sets_share_the_counters(void)
{
	int a, b;

	guest_init();
	a = guest_set(six);
	b = guest_set(six);
	/* both need all counters, so the stopped one has to give way */
	count_loop(a, 1000);
	count_loop(b, 1000);
	for (int i = 0; i < 10; i++) {
		long long v = count_loop(i % 2 ? a : b, 1000000);

		CHECK(v >= 2000000 && v < 2003000, "turn %d: %lld", i, v);
	}
}

/* After its first reads such a set is read without system calls. */
static void software_events_read_often_are_exact(void)
{
	enum {
		PAGES = 300
	};
	long long before[2], after[2];
	char *area = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int set;

	guest_init();
	CHECK(area != MAP_FAILED, "mmap");
	set = guest_set(
		(const char *[]){ "page-faults", "minor-faults", NULL });
	EXPECT(PAPI_OK, PAPI_start(set));
	for (int i = 0; i < 300; i++)
		EXPECT(PAPI_OK, PAPI_read(set, before));
	for (int i = 0; i < PAGES; i++)
		*(volatile char *)(area + i * 4096) = 1;
	EXPECT(PAPI_OK, PAPI_read(set, after));
	for (int i = 0; i < 2; i++)
		CHECK(after[i] - before[i] == PAGES, "%lld faults",
		      after[i] - before[i]);
	EXPECT(PAPI_OK, PAPI_stop(set, before));
	CHECK(after[0] == before[0], "%lld, and %lld by the kernel", after[0],
	      before[0]);
}

const struct guest_test counts_tests[] = {
	{ "instructions are exact", instructions_are_exact, false },
	{ "instructions are as predicted at every size",
	  instructions_are_as_predicted_at_every_size, false },
	{ "cycles are exact", cycles_are_exact, false },
	{ "a long loop passes 32 bits", a_long_loop_passes_32_bits, false },
	{ "reads add up", reads_add_up, false },
	{ "a group keeps its order", a_group_keeps_its_order, false },
	{ "a group too large is refused", a_group_too_large_is_refused, false },
	{ "names of one event are one", names_of_one_event_are_one, false },
	{ "reads need no system call", reads_need_no_system_call, false },
	{ "two sets share the counters", two_sets_share_the_counters, false },
	{ "software events read often are exact",
	  software_events_read_often_are_exact, false },
	{ NULL, NULL, false },
};
