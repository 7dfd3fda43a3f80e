/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules of the kernel that the perf_event path must know, each on a machine. */
#include "tests/kernel/rig.h"

#include <linux/perf_event.h>

/* The last event that the kernel has. */
static const struct mk_event *last_event(void)
{
	return &mk->events[mk->n_events - 1];
}

/* C11: Apple's driver and hosts of mediated guests refuse to count guests. */
static void test_core_events_count_on_every_machine(void **state)
{
	static const char *const names[] = { "cycles", "instructions", NULL };

	(void)state;
	for (size_t i = 0; i < mk_n_machines; i++) {
		struct rig r;

		rig_boot(&r, mk_machines[i].name);
		rig_slice(&r, names);
		if (slice_open(r.slice))
			fail_msg("%s: %s", mk_machines[i].name,
				 r.slice->diag.text);
		assert_true(last_event()->attr.exclude_guest);
		rig_start(&r);
		mk_work(10 * MS);
		rig_stop(&r);
		ASSERT_ABOUT(r.counts[0].value, 20 * MS);
		ASSERT_ABOUT(r.counts[1].value, 30 * MS);
		assert_true(r.counts[0].running_ns == r.counts[0].enabled_ns);
		rig_end(&r);
	}
}

/* C11: who asks for guests gets them, and nobody excludes them from uncore. */
static void test_guests_are_counted_when_asked_for(void **state)
{
	static const char *const guest[] = { "cycles:G", NULL };
	static const char *const both[] = { "cycles:GH", NULL };
	struct rig r;

	(void)state;
	rig_boot(&r, "sapphire-rapids-2s");
	rig_slice(&r, guest);
	rig_open(&r);
	assert_false(last_event()->attr.exclude_guest);
	assert_true(last_event()->attr.exclude_host);
	slice_free(r.slice);
	rig_slice(&r, both);
	rig_open(&r);
	assert_false(last_event()->attr.exclude_guest);
	assert_false(last_event()->attr.exclude_host);
	rig_end(&r);
}

static void ignore_overflow(struct slice *s, uint64_t which, void *address,
			    void *context)
{
	(void)s;
	(void)which;
	(void)address;
	(void)context;
}

/* C7: precision needs a period, so a plain count has none. */
static void test_precise_events_can_be_added_and_sampled(void **state)
{
	static const char *const names[] = { "cycles:pp", NULL };
	struct rig r;

	(void)state;
	rig_boot(&r, "skylake-sp");
	rig_slice(&r, names);
	rig_open(&r);
	assert_int_equal(last_event()->attr.precise_ip, 0);
	slice_free(r.slice);
	rig_slice(&r, names);
	r.slice->thresholds[0] = 1000000;
	r.slice->on_overflow = ignore_overflow;
	rig_open(&r);
	assert_int_equal(last_event()->attr.precise_ip, 2);
	rig_end(&r);
}

/* C10: what libpfm4's extended names say is done, or refused. */
static void test_attributes_of_libpfm_names(void **state)
{
	static const char *const on_cpu[] = { "skx::INST_RETIRED:ANY_P:cpu=3",
					      NULL };
	static const char *const precise[] = {
		"skx::INST_RETIRED:ANY_P:precise=2", NULL
	};
	static const char *const guests[] = { "skx::INST_RETIRED:ANY_P:mg=1",
					      NULL };
	static const char *const pinned[] = {
		"skx::INST_RETIRED:ANY_P:pinned=1", NULL
	};
	struct rig r;
	size_t i;

	(void)state;
	rig_boot(&r, "skylake-sp");
	rig_slice(&r, on_cpu);
	rig_open(&r);
	assert_int_equal(last_event()->cpu, 3);
	assert_int_equal(last_event()->task, -1);
	slice_free(r.slice);
	rig_slice(&r, precise);
	rig_open(&r);
	slice_free(r.slice);
	rig_slice(&r, guests);
	rig_open(&r);
	assert_true(last_event()->attr.exclude_host);
	assert_false(last_event()->attr.exclude_guest);
	slice_free(r.slice);
	rig_slice(&r, pinned);
	rig_open(&r);
	assert_true(last_event()->attr.pinned);
	assert_int_equal(
		component_find_event(r.component,
				     "skx::INST_RETIRED:ANY_P:period=1000", &i,
				     NULL),
		PAPI_EATTR);
	rig_end(&r);
}

/* L2: under kvm-clock there is no user time; counters are read all the same. */
static void test_guests_read_without_calls(void **state)
{
	static const char *const names[] = { "cycles", "instructions", NULL };
	struct rig r;
	uint64_t reads;

	(void)state;
	rig_boot(&r, "kvm-guest");
	rig_slice(&r, names);
	rig_open(&r);
	rig_start(&r);
	reads = mk->reads;
	mk_work(5 * MS);
	assert_int_equal(slice_read(r.slice, r.counts), 0);
	rig_stop(&r);
	assert_int_equal(mk->reads, reads);
	rig_end(&r);
}

static struct slice *read_by_handler;
static struct count seen_by_handler[2];

/* A signal handler that comes just before the counter is read. */
static void handler(void)
{
	mk_before_rdpmc = NULL; /* once */
	mk_work(MS);
	assert_int_equal(slice_read(read_by_handler, seen_by_handler), 0);
}

/* C3: a handler that reads the same counters leaves the interrupted read right
 */
static void test_reads_interrupted_by_reads(void **state)
{
	static const char *const names[] = { "cycles", "instructions", NULL };
	struct count before[64], after[64];
	struct rig r;

	(void)state;
	rig_boot(&r, "icelake-sp");
	read_by_handler = rig_slice(&r, names);
	rig_open(&r);
	rig_start(&r);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(slice_read(r.slice, before), 0);
		mk_before_rdpmc = i % 2 ? handler : NULL;
		assert_int_equal(slice_read(r.slice, after), 0);
		mk_before_rdpmc = NULL;
		for (int e = 0; e < 2; e++) {
			assert_true(after[e].value >= before[e].value);
			assert_true(after[e].value - before[e].value <
				    100 * MS);
		}
	}
	rig_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_core_events_count_on_every_machine),
		cmocka_unit_test(test_guests_are_counted_when_asked_for),
		cmocka_unit_test(test_precise_events_can_be_added_and_sampled),
		cmocka_unit_test(test_attributes_of_libpfm_names),
		cmocka_unit_test(test_guests_read_without_calls),
		cmocka_unit_test(test_reads_interrupted_by_reads),
	};

	/* libpfm4 looks at the processor below, but for this */
	setenv("LIBPFM_FORCE_PMU", "skx", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
