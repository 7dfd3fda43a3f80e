/* SPDX-License-Identifier: BSD-3-Clause */
/* What captured machines allow a process to count. */
#include "host/permission.h"

#include "tests/unit/host/machine.h"

TEST(test_a_confined_process)
{
	struct host_permission p;
	struct machine m;

	machine_open(&m, "container");
	permission_read(&m.fs, &p);
	assert_int_equal(p.paranoid, 3);
	assert_false(p.is_root);
	assert_false(p.cap_perfmon);
	assert_false(p.cap_sys_admin);
	assert_true(p.no_new_privs);
	assert_int_equal(p.seccomp, 2);
	assert_int_equal(p.nmi_watchdog, PERMISSION_UNKNOWN);
	assert_int_equal(p.rdpmc, PERMISSION_UNKNOWN);
	assert_string_equal(p.lockdown, "");
	machine_close(&m);
}

TEST(test_capabilities_are_told_apart)
{
	struct host_permission p;
	struct machine m;

	machine_init(&m);
	machine_put(&m, "proc/self/status",
		    "Uid:\t1000\t0\t0\t0\nCapEff:\t0000004000000000\n");
	permission_read(&m.fs, &p);
	assert_true(p.is_root);
	assert_true(p.cap_perfmon);
	assert_false(p.cap_sys_admin);
	assert_int_equal(p.seccomp, PERMISSION_UNKNOWN);
	machine_put(&m, "proc/self/status", "CapEff:\t0000000000200000\n");
	permission_read(&m.fs, &p);
	assert_false(p.is_root);
	assert_false(p.cap_perfmon);
	assert_true(p.cap_sys_admin);
	machine_close(&m);
}

TEST(test_a_server)
{
	struct host_permission p;
	struct machine m;

	machine_open(&m, "zen3-2s-8n");
	permission_read(&m.fs, &p);
	assert_int_equal(p.paranoid, 2);
	assert_int_equal(p.nmi_watchdog, 1);
	assert_int_equal(p.rdpmc, 1);
	assert_string_equal(p.lockdown, "integrity");
	machine_close(&m);
}

TEST(test_negative_paranoid_is_a_value)
{
	struct host_permission p;
	struct machine m;

	machine_init(&m);
	permission_read(&m.fs, &p);
	assert_int_equal(p.paranoid, PERMISSION_UNKNOWN);
	machine_put(&m, "proc/sys/kernel/perf_event_paranoid", "-1\n");
	permission_read(&m.fs, &p);
	assert_int_equal(p.paranoid, -1);
	machine_close(&m);
}

RUN_ALL_TESTS
