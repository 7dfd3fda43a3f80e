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
	assert_int_equal(mk->reads, reads);
	rig_stop(&r);
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

/* C1: what counts a package begins at once, not at an exec that is no event. */
static void test_uncore_events_count_with_start_on_exec(void **state)
{
	static const char *const names[] = { "power/energy-pkg/", "cycles",
					     NULL };
	struct rig r;
	size_t i;

	(void)state;
	rig_boot(&r, "sapphire-rapids-2s");
	rig_slice(&r, names);
	r.slice->opt.on_exec = true;
	rig_open(&r);
	rig_start(&r);
	mk_work(10 * MS);
	rig_stop(&r);
	assert_true(r.counts[0].value > 0);
	assert_true(r.counts[0].enabled_ns >= 20 * MS); /* of two packages */
	i = rig_event(&r, "power/energy-pkg/");
	assert_true(component_event(r.component, i)->machine);
	assert_false(
		component_event(r.component, rig_event(&r, "cycles"))->machine);
	rig_end(&r);
}

/* C2: metrics get a slots leader, in any order, and are read by read(). */
static void test_topdown_metrics_count(void **state)
{
	static const char *const alone[] = { "topdown-retiring",
					     "topdown-bad-spec",
					     "topdown-fe-bound",
					     "topdown-be-bound", NULL };
	static const char *const late[] = { "cycles", "topdown-mem-bound",
					    "slots", NULL };
	const char *why = "";
	struct rig r;
	uint64_t sum = 0;

	(void)state;
	rig_boot(&r, "sapphire-rapids-2s");
	if (component_try_event(r.component, rig_event(&r, "topdown-fe-bound"),
				&why))
		fail_msg("%s", why);
	rig_slice(&r, alone);
	rig_open(&r);
	rig_start(&r);
	mk_work(10 * MS);
	rig_stop(&r);
	for (int i = 0; i < 4; i++)
		sum += r.counts[i].value;
	ASSERT_ABOUT(r.counts[0].value, 48 * MS); /* 0.4 of 12 a ns */
	ASSERT_ABOUT(sum, 120 * MS);
	slice_free(r.slice);
	rig_slice(&r, late);
	rig_open(&r);
	rig_start(&r);
	mk_work(10 * MS);
	rig_stop(&r);
	ASSERT_ABOUT(r.counts[0].value, 20 * MS);
	ASSERT_ABOUT(r.counts[1].value, 18 * MS);
	ASSERT_ABOUT(r.counts[2].value, 120 * MS);
	slice_free(r.slice);
	rig_slice(&r, alone);
	r.slice->opt.multiplex = true;
	rig_open(&r);
	rig_start(&r);
	mk_work(10 * MS);
	rig_stop(&r);
	ASSERT_ABOUT(r.counts[3].value, 36 * MS);
	rig_end(&r);
}

/* C4: on either kind of core events are added, and counts are whole. */
static void test_hybrid_processors_count_on_all_cores(void **state)
{
	static const char *const generic[] = { "cycles", "instructions", NULL };
	static const char *const kinds[] = { "cpu_core/instructions/",
					     "cpu_atom/instructions/", NULL };

	(void)state;
	for (int cpu = 0; cpu <= 15; cpu += 15) {
		struct rig r;
		uint64_t opened;

		rig_boot(&r, "alder-lake");
		mk_migrate(cpu);
		opened = mk->now;
		rig_slice(&r, generic);
		rig_open(&r);
		rig_start(&r);
		mk_work(10 * MS);
		mk_migrate(15 - cpu);
		mk_work(10 * MS);
		rig_stop(&r);
		ASSERT_ABOUT(r.counts[0].value, 40 * MS);
		ASSERT_ABOUT(r.counts[1].value, 60 * MS);
		assert_true(r.counts[0].running_ns >= r.counts[0].enabled_ns);
		slice_free(r.slice);
		mk_migrate(cpu);
		rig_slice(&r, kinds);
		rig_open(&r);
		rig_start(&r);
		mk_work(10 * MS);
		mk_migrate(15 - cpu);
		mk_work(30 * MS);
		rig_stop(&r);
		assert_true(r.counts[0].value > 0 && r.counts[1].value > 0);
		for (int i = 0; i < 2; i++)
			assert_true(r.counts[i].running_ns ==
				    r.counts[i].enabled_ns);
		ASSERT_ABOUT(r.counts[cpu ? 1 : 0].running_ns, 10 * MS);
		ASSERT_ABOUT(r.counts[cpu ? 0 : 1].running_ns, 30 * MS);
		assert_true(mk->now - opened < 100 * MS); /* no busy waits */
		rig_end(&r);
	}
}

/* C4: an Arm kernel of before 6.6 has no generic event of a named PMU. */
static void test_big_little_counts_on_both(void **state)
{
	static const char *const kinds[] = { "armv8_cortex_a53/inst_retired/",
					     "armv8_cortex_a72/inst_retired/",
					     NULL };
	struct rig r;

	(void)state;
	rig_boot(&r, "big-little");
	rig_slice(&r, kinds);
	rig_open(&r);
	rig_start(&r);
	mk_work(10 * MS);
	mk_migrate(5);
	mk_work(10 * MS);
	rig_stop(&r);
	assert_true(r.counts[0].value > 0 && r.counts[1].value > 0);
	assert_true(r.counts[0].running_ns == r.counts[0].enabled_ns);
	rig_end(&r);
}

/* How often the kernel told of each. */
struct told {
	uint64_t throttled, lost;
};

static int note_record(void *context, const struct assay_record *record)
{
	struct told *told = context;

	if (record->kind == ASSAY_RECORD_THROTTLED)
		told->throttled += record->event == 0;
	if (record->kind == ASSAY_RECORD_LOST)
		told->lost += record->lost;
	return 0;
}

/* R2: samples that the kernel held back or the hardware lost are told of. */
static void test_missing_samples(void **state)
{
	static const char *const names[] = { "cpu/instructions/", NULL };
	const uint64_t lost = 7;
	const struct recorder_ops *recorder;
	struct told told = { 0 };
	bool written = false;
	struct rig r;

	(void)state;
	rig_boot(&r, "zen3");
	recorder = r.component->ops->recorder;
	rig_slice(&r, names);
	r.slice->opt.target = TARGET_TASK;
	r.slice->opt.tid = getpid();
	r.slice->thresholds[0] = 1000;
	if (r.component->ops->recorder->open(r.slice))
		fail_msg("%s", r.slice->diag.text);
	for (int i = 0; i < mk->n_events && !written; i++) {
		written = mk->events[i].used &&
			  mk->events[i].attr.sample_period == 1000;
		if (written)
			mk_ring_write(i, PERF_RECORD_LOST_SAMPLES, 0, &lost,
				      sizeof(lost));
	}
	mk_work(10 * MS);
	assert_int_equal(recorder->take(r.slice, note_record, &told), 0);
	assert_true(told.throttled > 0);
	assert_int_equal(told.lost, lost);
	r.component->ops->recorder->close(r.slice);
	rig_end(&r);
}

/* C5: on every CPU means on every CPU of the event's kind. */
static void test_hybrid_every_cpu(void **state)
{
	static const char *const names[] = { "cpu_core/instructions/", NULL };
	struct rig r;

	(void)state;
	rig_boot(&r, "alder-lake");
	rig_slice(&r, names);
	r.slice->opt.granularity = PAPI_GRN_SYS;
	rig_open(&r);
	rig_start(&r);
	mk_work(10 * MS);
	rig_stop(&r);
	assert_true(r.counts[0].value > 0);
	slice_free(r.slice);
	rig_slice(&r, names);
	r.slice->opt.target = TARGET_TASK;
	r.slice->opt.tid = getpid();
	r.slice->thresholds[0] = 1000000;
	if (r.component->ops->recorder->open(r.slice))
		fail_msg("%s", r.slice->diag.text);
	r.component->ops->recorder->close(r.slice);
	rig_end(&r);
}

/* C8: one CPU that another user has counters of does not scale the others. */
static void test_sums_over_cpus_are_scaled_by_cpu(void **state)
{
	static const char *const names[] = { "instructions", NULL };
	struct rig r;

	(void)state;
	rig_boot(&r, "zen3");
	rig_slice(&r, names);
	r.slice->opt.granularity = PAPI_GRN_SYS;
	rig_open(&r);
	rig_start(&r);
	mk_work(10 * MS);
	rig_stop(&r);
	ASSERT_ABOUT(r.counts[0].value, 30 * MS);
	assert_int_equal(r.counts[0].running_ns, r.counts[0].enabled_ns);
	rig_end(&r);
}

/* C8: as above, and one CPU is taken half of the time. */
static void test_a_busy_cpu_scales_its_own_count_only(void **state)
{
	static const char *const names[] = { "instructions", NULL };
	struct rig r;

	(void)state;
	rig_boot(&r, "zen3");
	rig_slice(&r, names);
	r.slice->opt.granularity = PAPI_GRN_SYS;
	rig_open(&r);
	rig_start(&r);
	mk_work(10 * MS);
	mk_migrate(1); /* where all counters are taken now */
	mk->stolen = 6;
	mk_migrate(1);
	mk_work(10 * MS);
	mk->stolen = 0;
	mk_migrate(1);
	mk_work(10 * MS);
	rig_stop(&r);
	/* 30 of CPU 0; 30 of CPU 1, which had counters 2/3 of its time */
	ASSERT_ABOUT(r.counts[0].value, 75 * MS);
	assert_true(r.counts[0].running_ns < r.counts[0].enabled_ns);
	assert_int_equal(r.slice->sums[0], COUNT_SUMMED);
	rig_end(&r);
}

/* C12: a name without a box is all boxes, on all packages. */
static void test_boxes_are_summed(void **state)
{
	static const char *const one[] = { "uncore_imc_0/cas_count_read/",
					   NULL };
	static const char *const all[] = { "cas_count_read", NULL };
	static const char *const kind[] = { "uncore_imc/cas_count_read/",
					    NULL };
	static const char *const socket[] = { "cas_count_read:socket1", NULL };
	struct rig r;
	size_t i;

	(void)state;
	rig_boot(&r, "sapphire-rapids-2s");
	rig_slice(&r, one);
	rig_open(&r);
	rig_start(&r);
	assert_int_equal(mk_enabled_events(), 2); /* packages */
	slice_free(r.slice);
	rig_slice(&r, all);
	rig_open(&r);
	rig_start(&r);
	assert_int_equal(mk_enabled_events(), 16); /* of eight channels */
	mk_work(10 * MS);
	rig_stop(&r);
	assert_true(r.counts[0].value > 0);
	assert_int_equal(r.counts[0].running_ns, r.counts[0].enabled_ns);
	assert_non_null(strstr(
		component_event(r.component, r.slice->events[0])->unit, "MiB"));
	slice_free(r.slice);
	rig_slice(&r, kind);
	rig_open(&r);
	rig_start(&r);
	assert_int_equal(mk_enabled_events(), 16);
	slice_free(r.slice);
	rig_slice(&r, socket);
	rig_open(&r);
	rig_start(&r);
	assert_int_equal(mk_enabled_events(), 8); /* of the second package */
	for (int k = 0; k < mk->n_events; k++)
		assert_true(!mk->events[k].used || mk->events[k].cpu != 0);
	assert_int_equal(component_find_event(r.component,
					      "cas_count_read:socket2", &i,
					      NULL),
			 PAPI_ENOEVNT);
	rig_end(&r);
}

/* R4: a PMU of its own groups with its own events only. */
static void test_other_pmus_do_not_join_core_groups(void **state)
{
	static const char *const names[] = { "msr/tsc/", "cycles", NULL };
	struct rig r;

	(void)state;
	rig_boot(&r, "zen4-2s");
	rig_slice(&r, names);
	rig_open(&r);
	slice_free(r.slice);
	rig_slice(&r, names);
	assert_int_equal(
		slice_append(r.slice, rig_event(&r, "ibs_op/config=0/")), 0);
	assert_int_equal(slice_open(r.slice), PAPI_EINVAL);
	assert_null(strstr(r.slice->diag.text, "counters"));
	r.slice->thresholds[2] = 100000; /* it samples only */
	r.slice->on_overflow = ignore_overflow;
	rig_open(&r);
	rig_end(&r);
}

/* R5: a CPU that goes offline takes its own counts along, not all. */
static void test_a_cpu_that_went_offline(void **state)
{
	static const char *const names[] = { "instructions", NULL };
	struct rig r;

	(void)state;
	rig_boot(&r, "zen3");
	mk->online[0] &= ~(1ULL << 3);
	rig_slice(&r, names);
	r.slice->opt.granularity = PAPI_GRN_SYS;
	rig_open(&r);
	rig_start(&r);
	mk_work(10 * MS);
	rig_stop(&r);
	ASSERT_ABOUT(r.counts[0].value, 30 * MS);
	rig_end(&r);
}

/* C12: what counts a CPU needs perf_event_paranoid 0. */
static void test_the_remedy_for_cpus_is_enough(void **state)
{
	static const char *const names[] = { "uncore_imc_0/cas_count_read/",
					     NULL };
	struct rig r;

	(void)state;
	rig_boot(&r, "sapphire-rapids-2s");
	mk->privileged = false;
	rig_slice(&r, names);
	assert_int_equal(slice_open(r.slice), PAPI_EPERM);
	assert_non_null(strstr(r.slice->diag.text, "perf_event_paranoid=0"));
	assert_null(strstr(r.slice->diag.text, "user space only"));
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
		cmocka_unit_test(test_uncore_events_count_with_start_on_exec),
		cmocka_unit_test(test_topdown_metrics_count),
		cmocka_unit_test(test_hybrid_processors_count_on_all_cores),
		cmocka_unit_test(test_big_little_counts_on_both),
		cmocka_unit_test(test_hybrid_every_cpu),
		cmocka_unit_test(test_missing_samples),
		cmocka_unit_test(test_sums_over_cpus_are_scaled_by_cpu),
		cmocka_unit_test(test_a_busy_cpu_scales_its_own_count_only),
		cmocka_unit_test(test_boxes_are_summed),
		cmocka_unit_test(test_other_pmus_do_not_join_core_groups),
		cmocka_unit_test(test_a_cpu_that_went_offline),
		cmocka_unit_test(test_the_remedy_for_cpus_is_enough),
	};

	/* libpfm4 looks at the processor below, but for this */
	setenv("LIBPFM_FORCE_PMU", "skx", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
