/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines that change or have others who count, old kernels, odd numbers. */
#include "tests/kernel/rig.h"

/* R5: a CPU that was added since is counted. */
TEST(test_a_cpu_that_came)
{
	static const char *const names[] = { "instructions", NULL };
	struct rig r;

	rig_boot(&r, "zen3"); /* with CPUs 0 to 11 */
	rig_slice(&r, names);
	r.slice->opt.granularity = PAPI_GRN_SYS;
	rig_open(&r);
	rig_start(&r);
	assert_int_equal(mk_enabled_events(), 12);
	rig_stop(&r);
	slice_free(r.slice);
	machine_put(&r.machine, "sys/devices/system/cpu/online", "0-12\n");
	mk->cpus = 13;
	mk->online[0] |= 1 << 12;
	mk->pmus[0].cpus[0] |= 1 << 12;
	rig_slice(&r, names);
	r.slice->opt.granularity = PAPI_GRN_SYS;
	rig_open(&r);
	rig_start(&r);
	assert_int_equal(mk_enabled_events(), 13);
	mk_migrate(12);
	mk_work(10 * MS);
	rig_stop(&r);
	ASSERT_ABOUT(r.counts[0].value, 30 * MS);
	rig_end(&r);
}

static void to_the_small_core(void)
{
	mk_migrate(15);
}

/*
 * L3: between learning its counter and reading it a thread may come to a core
 * that has none such, where the instruction ends the program.
 */
TEST(test_a_thread_that_went_to_another_kind_of_core)
{
	static const char *const names[] = { "cpu_core/config=0x110/",
					     "cpu_core/config=0x210/",
					     "cpu_core/config=0x310/",
					     "cpu_core/config=0x410/",
					     "cpu_core/config=0x510/",
					     "cpu_core/config=0x610/",
					     "cpu_core/config=0x710/",
					     "cpu_core/config=0x810/",
					     NULL };
	struct rig r;

	rig_boot(&r, "alder-lake");
	mk_migrate(0);
	rig_slice(&r, names);
	rig_open(&r);
	rig_start(&r);
	mk_work(MS);
	mk_before_rdpmc = to_the_small_core;
	assert_int_equal(slice_read(r.slice, r.counts), 0);
	mk_before_rdpmc = NULL;
	rig_end(&r);
}

/* C12: a format that says config3 goes there, if the kernel has it: 6.3. */
TEST(test_config3)
{
	static const char *const names[] = { "cpu/event=0x10,deep=5/", NULL };
	struct rig r;

	rig_boot(&r, "sapphire-rapids-2s");
	machine_put(&r.machine, "sys/bus/event_source/devices/cpu/format/deep",
		    "config3:0-7\n");
	rig_slice(&r, names);
	rig_open(&r);
	assert_int_equal(mk->events[mk->n_events - 1].config3, 5);
	rig_start(&r);
	mk_work(10 * MS);
	rig_stop(&r);
	assert_true(r.counts[0].value > 0);
	slice_close(r.slice);
	mk->version = MK_VERSION(6, 1);
	assert_int_equal(slice_open(r.slice), PAPI_ENOSUPP);
	assert_non_null(strstr(r.slice->diag.text, "Linux 6.3"));
	rig_end(&r);
}

/* R6: before Linux 4.13 inherited events are not read as a group. */
TEST(test_a_kernel_that_reads_no_inherited_groups)
{
	static const char *const names[] = { "cycles", "instructions", NULL };
	struct rig r;

	rig_boot(&r, "skylake-sp-quiet");
	rig_slice(&r, names);
	r.slice->opt.inherit = true;
	rig_open(&r);
	rig_start(&r);
	mk_work(10 * MS);
	rig_stop(&r);
	ASSERT_ABOUT(r.counts[0].value, 20 * MS);
	ASSERT_ABOUT(r.counts[1].value, 30 * MS);
	rig_end(&r);
}

/* R7: the highest number of a CPU is not how many there are. */
TEST(test_cpus_with_gaps)
{
	static const char *const names[] = { "cpu/instructions/", NULL };
	bool there = false;
	struct rig r;

	rig_boot(&r, "zen3");
	machine_put(&r.machine, "sys/devices/system/cpu/online", "0,2-3,40\n");
	mk->online[0] = 0xd | 1ULL << 40;
	mk->pmus[0].cpus[0] = mk->online[0];
	rig_slice(&r, names);
	r.slice->opt.target = TARGET_TASK;
	r.slice->opt.tid = getpid();
	r.slice->thresholds[0] = 1000000;
	if (r.component->ops->recorder->open(r.slice))
		fail_msg("%s", r.slice->diag.text);
	for (int i = 0; i < mk->n_events; i++)
		there = there || mk->events[i].cpu == 40;
	assert_true(there);
	r.component->ops->recorder->close(r.slice);
	rig_end(&r);
}

/*
 * C9: the kernel lets a group open that has no room beside the watchdog, and
 * counts its first events until the last one comes.
 */
TEST(test_a_group_that_ran_before_it_was_whole)
{
	static const char *const names[] = { "cycles", "r10d1", "r20d1",
					     "r30d1",  "r40d1", NULL };
	struct rig r;

	rig_boot(&r, "skylake-sp");
	rig_slice(&r, names);
	assert_int_equal(slice_open(r.slice), PAPI_ECNFLCT);
	assert_non_null(strstr(r.slice->diag.text, "never run"));
	rig_end(&r);
}

RUN_ALL_TESTS
