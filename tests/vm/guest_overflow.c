/* SPDX-License-Identifier: BSD-3-Clause */
/* Counter interrupts: how many come, and where the program was. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tests/vm/guest.h"

struct seen {
	int calls;
	int inside; /* the loop */
	long long which;
};

static _Thread_local struct seen seen;

static void note(int set, void *address, long long which, void *context)
{
	const char *at = address;

	(void)set;
	(void)context;
	seen.calls++;
	seen.inside += at >= guest_loop_begin && at < guest_loop_end;
	seen.which |= which;
}

static int code_of(const char *name)
{
	int code;

	EXPECT(PAPI_OK, PAPI_event_name_to_code(name, &code));
	return code;
}

/* Count @n iterations with interrupts at every @threshold of entry @i. */
static long long run(int set, uint64_t n, int i)
{
	long long values[8] = { 0 };

	memset(&seen, 0, sizeof(seen));
	EXPECT(PAPI_OK, PAPI_start(set));
	guest_loop(n);
	EXPECT(PAPI_OK, PAPI_stop(set, values));
	return values[i];
}

static void check_calls(long long counted, int threshold)
{
	int due = (int)(counted / threshold);

	CHECK(seen.calls >= due - 1 && seen.calls <= due + 1,
	      "%d calls for %lld counts at every %d", seen.calls, counted,
	      threshold);
	/* the last may come in the library's own code */
	CHECK(seen.inside >= seen.calls - 1, "%d of %d in the loop",
	      seen.inside, seen.calls);
}

static void cycles_interrupt_at_each_threshold(void)
{
	static const int thresholds[] = { 1000000, 200000, 50000 };
	int set;

	guest_init();
	set = guest_set((const char *[]){ "cycles", NULL });
	for (size_t i = 0; i < 3; i++) {
		EXPECT(PAPI_OK, PAPI_overflow(set, code_of("cycles"),
					      thresholds[i], 0, note));
		for (int repeat = 0; repeat < 3; repeat++) {
			long long counted = run(set, 2500000, 0);

			CHECK(counted >= 10000000 && counted < 10100000,
			      "%lld cycles", counted);
			check_calls(counted, thresholds[i]);
			CHECK(seen.which == 1, "vector %llx", seen.which);
		}
		EXPECT(PAPI_OK,
		       PAPI_overflow(set, code_of("cycles"), 0, 0, note));
	}
	run(set, 1000000, 0);
	CHECK(seen.calls == 0, "%d calls after it was switched off",
	      seen.calls);
}

/* The event that interrupts is neither the first nor alone. */
static void a_member_of_a_group_interrupts(void)
{
	int set;

	guest_init();
	set = guest_set(
		(const char *[]){ "r08", "task-clock", "cycles", NULL });
	EXPECT(PAPI_OK, PAPI_overflow(set, code_of("cycles"), 500000, 0, note));
	for (int repeat = 0; repeat < 3; repeat++) {
		check_calls(run(set, 2500000, 2), 500000);
		CHECK(seen.which == 4, "vector %llx", seen.which);
	}
}

/* QEMU sees these late, see init.c: their number is right, not the place. */
static void instructions_interrupt(void)
{
	int set;

	guest_init();
	set = guest_set((const char *[]){ "instructions", NULL });
	EXPECT(PAPI_OK,
	       PAPI_overflow(set, code_of("instructions"), 200000, 0, note));
	check_calls(run(set, 5000000, 0), 200000);
}

static void *interrupted_thread(void *arg)
{
	int set;

	(void)arg;
	EXPECT(PAPI_OK, PAPI_register_thread());
	set = guest_set((const char *[]){ "cycles", NULL });
	EXPECT(PAPI_OK, PAPI_overflow(set, code_of("cycles"), 400000, 0, note));
	check_calls(run(set, 2000000, 0), 400000);
	EXPECT(PAPI_OK, PAPI_unregister_thread());
	return NULL;
}

static void threads_get_their_own_interrupts(void)
{
	pthread_t threads[3];

	guest_init();
	EXPECT(PAPI_OK, PAPI_thread_init(pthread_self));
	for (int i = 0; i < 3; i++)
		CHECK(!pthread_create(&threads[i], NULL, interrupted_thread,
				      NULL),
		      "pthread_create");
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static void profil_finds_the_loop(void)
{
	static unsigned short buckets[64];
	int set, total = 0, in_loop = 0;
	long long value;

	guest_init();
	set = guest_set((const char *[]){ "cycles", NULL });
	/* 64 halfwords for 128 bytes: one for each two bytes of code */
	EXPECT(PAPI_OK,
	       PAPI_profil(buckets, sizeof(buckets),
			   (vptr_t)(uintptr_t)guest_loop_begin, 65536, set,
			   code_of("cycles"), 100000, PAPI_PROFIL_POSIX));
	EXPECT(PAPI_OK, PAPI_start(set));
	guest_loop(2500000);
	EXPECT(PAPI_OK, PAPI_stop(set, &value));
	for (size_t i = 0; i < 64; i++) {
		total += buckets[i];
		if (i < 4)
			in_loop += buckets[i];
	}
	CHECK(total >= 98 && total <= 101, "%d samples", total);
	CHECK(in_loop >= total - 1, "%d of %d in the loop", in_loop, total);
}

static void software_events_interrupt(void)
{
	int set;

	guest_init();
	set = guest_set((const char *[]){ "task-clock", NULL });
	EXPECT(PAPI_OK,
	       PAPI_overflow(set, code_of("task-clock"), 1000000, 0, note));
	run(set, 5000000, 0); /* 20 ms */
	CHECK(seen.calls >= 15 && seen.calls <= 25, "%d calls", seen.calls);
	CHECK(seen.inside >= seen.calls - 2, "%d of %d in the loop",
	      seen.inside, seen.calls);
}

const struct guest_test overflow_tests[] = {
	{ "cycles interrupt at each threshold",
	  cycles_interrupt_at_each_threshold, false },
	{ "a member of a group interrupts", a_member_of_a_group_interrupts,
	  false },
	{ "instructions interrupt", instructions_interrupt, false },
	{ "threads get their own interrupts", threads_get_their_own_interrupts,
	  false },
	{ "profil finds the loop", profil_finds_the_loop, false },
	{ "software events interrupt", software_events_interrupt, false },
	{ "software events interrupt without a PMU", software_events_interrupt,
	  true },
	{ NULL, NULL, false },
};
