/* SPDX-License-Identifier: BSD-3-Clause */
/* Hypervisors of the captured machines. */
#include "host/virt.h"

#include "base/array.h"
#include "host/host.h"
#include "tests/unit/host/machine.h"

TEST(test_each_machine)
{
	static const struct {
		int line;
		const char *machine;
		bool present;
		const char *signature, *hypervisor, *product, *container;
	} rows[] = {
		{ __LINE__, "epyc-genoa-firecracker", true, "KVMKVMKVM", "KVM",
		  "Firecracker", "" },
		{ __LINE__, "zen3-2s-8n", false, "", "", "", "" },
		{ __LINE__, "power9-2s", false, "", "", "", "" },
		{ __LINE__, "neoverse-n1", true, "", "",
		  "Amazon EC2 m6g.xlarge", "" },
		{ __LINE__, "container", true, "", "", "", "docker" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct host_virt v;
		struct machine m;

		machine_open(&m, rows[i].machine);
		virt_read(&m.fs, &v);
		CHECK_AT(rows[i].line, v.present == rows[i].present);
		assert_string_equal(v.signature, rows[i].signature);
		assert_string_equal(v.hypervisor, rows[i].hypervisor);
		assert_string_equal(v.product, rows[i].product);
		assert_string_equal(v.container, rows[i].container);
		machine_close(&m);
	}
}

TEST(test_signs_of_a_hypervisor)
{
	static const struct {
		int line;
		const char *path;
		const char *text;
		const char *hypervisor;
	} rows[] = {
		{ __LINE__, "proc/device-tree/hypervisor/compatible",
		  "linux,kvm", "KVM" },
		{ __LINE__, "proc/device-tree/compatible", "linux,dummy-virt",
		  "" },
		{ __LINE__, "sys/hypervisor/type", "xen\n", "Xen" },
		{ __LINE__, "sys/class/dmi/id/sys_vendor", "QEMU\n", "" },
		{ __LINE__, "proc/cpuinfo",
		  "machine : CHRP IBM pSeries (emulated by qemu)\n", "KVM" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct host_virt v;
		struct machine m;

		machine_init(&m);
		machine_put(&m, rows[i].path, rows[i].text);
		virt_read(&m.fs, &v);
		CHECK_AT(rows[i].line, v.present);
		assert_string_equal(v.hypervisor, rows[i].hypervisor);
		machine_close(&m);
	}
}

TEST(test_bare_metal_of_a_cloud_is_no_guest)
{
	struct host_virt v;
	struct machine m;

	machine_init(&m);
	machine_put(&m, "sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
	machine_put(&m, "sys/class/dmi/id/product_name", "c7g.metal\n");
	machine_put(&m, "proc/cpuinfo", "flags : fpu hypervisor_not\n");
	virt_read(&m.fs, &v);
	assert_false(v.present);
	machine_close(&m);
}

TEST(test_host_reads_all_of_a_machine)
{
	struct machine m;
	struct host host;

	machine_open(&m, "zen3-2s-8n");
	assert_int_equal(host_read(&m.fs, &host), 0);
	assert_string_equal(host.kernel, "5.14.0-362.el9.x86_64");
	assert_int_equal(host.topology.cpus, 128);
	assert_int_equal(host.caches.n_caches, 4);
	host_fini(&host);
	machine_close(&m);
}

/* Whatever this machine is, reading it works and adds up. */
TEST(test_this_machine)
{
	static const struct fs here = { .root = "" };
	struct host host;

	assert_int_equal(host_read(&here, &host), 0);
	assert_true(host.topology.cpus >= 1);
	assert_true(host.topology.threads * host.topology.cores *
			    host.topology.sockets >=
		    host.topology.cpus);
	assert_true(host.kernel[0] != '\0');
	assert_true(host.arch[0] != '\0');
	host_fini(&host);
}

RUN_ALL_TESTS
