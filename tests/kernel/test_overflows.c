/* SPDX-License-Identifier: BSD-3-Clause */
/* Overflows on the modelled kernel: whose, where, and when the first comes. */
#include <signal.h>
#include <sys/resource.h>

#include "tests/kernel/rig.h"

#define PARENT 0x1000
#define CHILD  0x2000

static struct {
	unsigned calls, in_child;
	uint64_t first; /* what the first call read */
} seen;

static void note(struct slice *s, uint64_t which, void *address, void *context)
{
	struct count counts[64];

	(void)which;
	(void)context;
	seen.in_child += (uintptr_t)address == CHILD;
	if (seen.calls++ == 0 && slice_read(s, counts) == 0)
		seen.first = counts[0].value;
}

static void open_overflowing(struct rig *r, const char *machine, bool inherit)
{
	static const char *const names[] = { "instructions", NULL };

	memset(&seen, 0, sizeof(seen));
	rig_boot(r, machine);
	rig_slice(r, names);
	r->slice->thresholds[0] = 3000000;
	r->slice->on_overflow = note;
	r->slice->opt.inherit = inherit;
	rig_open(r);
}

/* A child of this thread, which works somewhere else for @ns. */
static void work_in_child(uint64_t ns)
{
	bool done;
	int child;

	mk_enter();
	mk->tasks[mk_task_self()].address = PARENT;
	child = mk_task_add(getpid(), getpid() + 1, mk_task_self());
	mk->tasks[child].address = CHILD;
	mk->tasks[child].extra = ns;
	mk_leave();
	do {
		mk_enter();
		done = mk->tasks[child].work >= mk->tasks[child].extra;
		mk_leave();
	} while (!done);
}

/* R1: where an inherited event overflows is in the child. */
TEST(test_inherited_overflows_tell_where)
{
	static const char *const machines[] = { "zen3", "alder-lake",
						"neoverse-v2", "power10" };

	for (int i = 0; i < 4; i++) {
		struct rig r;

		open_overflowing(&r, machines[i], true);
		rig_start(&r);
		work_in_child(10 * MS);
		rig_stop(&r);
		assert_in_range(seen.calls, 9, 10);
		assert_int_equal(seen.in_child, seen.calls);
		ASSERT_ABOUT(r.counts[0].value, 30 * MS);
		rig_end(&r);
	}
}

/* R1: more signals than can be queued do not end the program. */
TEST(test_signals_that_find_no_room)
{
	struct rlimit before, none;
	struct rig r;

	open_overflowing(&r, "zen3", true);
	rig_start(&r);
	getrlimit(RLIMIT_SIGPENDING, &before);
	none = before;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_SIGPENDING, &none), 0);
	work_in_child(10 * MS);
	setrlimit(RLIMIT_SIGPENDING, &before);
	rig_stop(&r);
	ASSERT_ABOUT(r.counts[0].value, 30 * MS);
	rig_end(&r);
}

/* R3: the first overflow comes after a whole period, not less. */
TEST(test_the_first_period_is_whole)
{
	for (size_t i = 0; i < mk_n_machines; i++) {
		struct rig r;

		open_overflowing(&r, mk_machines[i].name, false);
		rig_start(&r);
		mk_work(2 * MS);
		if (seen.calls == 0 || seen.first - r.counts[0].value < 3000000)
			fail_msg("%s: the first of %u after %llu",
				 mk_machines[i].name, seen.calls,
				 (unsigned long long)(seen.first -
						      r.counts[0].value));
		rig_stop(&r);
		rig_end(&r);
	}
}

RUN_ALL_TESTS
