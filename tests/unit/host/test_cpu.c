/* SPDX-License-Identifier: BSD-3-Clause */
/* Processors of the captured machines. */
#include "host/cpu.h"

#include "base/array.h"
#include "tests/unit/host/machine.h"

TEST(test_each_machine_is_known)
{
	static const struct {
		int line;
		const char *machine;
		enum host_vendor vendor;
		const char *vendor_name;
		const char *name;
		unsigned family, model, stepping, variant;
		int max_mhz, min_mhz;
	} rows[] = {
		{ __LINE__, "epyc-genoa-firecracker", HOST_VENDOR_AMD,
		  "AuthenticAMD", "AMD EPYC", 25, 17, 1, 0, 2596, 2596 },
		{ __LINE__, "zen3-2s-8n", HOST_VENDOR_AMD, "AuthenticAMD",
		  "AMD EPYC 7543 32-Core Processor", 25, 1, 1, 0, 3737, 1500 },
		{ __LINE__, "icelake-sp", HOST_VENDOR_INTEL, "GenuineIntel",
		  "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz", 6, 106, 6, 0,
		  3200, 800 },
		{ __LINE__, "neoverse-n1", HOST_VENDOR_ARM, "ARM",
		  "Neoverse-N1", 8, 0xd0c, 1, 3, 0, 0 },
		{ __LINE__, "qemu-virt-n1", HOST_VENDOR_ARM, "ARM",
		  "Neoverse-N1", 8, 0xd0c, 1, 4, 0, 0 },
		{ __LINE__, "power9-2s", HOST_VENDOR_IBM, "IBM", "POWER9", 0,
		  0x4e, 2, 2, 3800, 2154 },
		{ __LINE__, "container", HOST_VENDOR_INTEL, "GenuineIntel",
		  "Intel(R) Xeon(R) Platinum 8175M CPU @ 2.50GHz", 6, 85, 4, 0,
		  3103, 3103 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine m;
		struct host_cpu cpu;

		machine_open(&m, rows[i].machine);
		CHECK_AT(rows[i].line, cpu_read(&m.fs, &cpu) == 0);
		CHECK_AT(rows[i].line, cpu.vendor == rows[i].vendor);
		assert_string_equal(cpu.vendor_name, rows[i].vendor_name);
		assert_string_equal(cpu.name, rows[i].name);
		CHECK_AT(rows[i].line, cpu.family == rows[i].family);
		CHECK_AT(rows[i].line, cpu.model == rows[i].model);
		CHECK_AT(rows[i].line, cpu.stepping == rows[i].stepping);
		CHECK_AT(rows[i].line, cpu.variant == rows[i].variant);
		CHECK_AT(rows[i].line, (int)cpu.max_mhz == rows[i].max_mhz);
		CHECK_AT(rows[i].line, (int)cpu.min_mhz == rows[i].min_mhz);
		CHECK_AT(rows[i].line, !cpu.hybrid);
		machine_close(&m);
	}
}

TEST(test_two_kinds_of_core_are_hybrid)
{
	struct machine m;
	struct host_cpu cpu;

	machine_open(&m, "big-little");
	assert_int_equal(cpu_read(&m.fs, &cpu), 0);
	assert_true(cpu.hybrid);
	assert_string_equal(cpu.name, "Cortex-A53");
	machine_close(&m);
}

TEST(test_cpuid_stands_in_for_cpuinfo)
{
	struct machine m;
	struct host_cpu cpu;

	machine_open(&m, "epyc-genoa-firecracker");
	machine_put(&m, "proc/cpuinfo", NULL);
	assert_int_equal(cpu_read(&m.fs, &cpu), 0);
	assert_int_equal(cpu.vendor, HOST_VENDOR_AMD);
	assert_string_equal(cpu.name, "AMD EPYC");
	assert_int_equal(cpu.family, 25);
	assert_int_equal(cpu.model, 17);
	assert_int_equal(cpu.stepping, 1);
	machine_close(&m);
}

TEST(test_unknown_arm_part_keeps_its_numbers)
{
	struct machine m;
	struct host_cpu cpu;

	machine_init(&m);
	machine_put(&m, "proc/cpuinfo",
		    "CPU implementer\t: 0x99\nCPU part\t: 0xabc\n");
	assert_int_equal(cpu_read(&m.fs, &cpu), 0);
	assert_string_equal(cpu.name, "ARM implementer 0x99 part 0xabc");
	machine_close(&m);
}

TEST(test_nothing_to_read_is_nothing_known)
{
	static const char *const texts[] = { "", "\n\n\n", ":\n:::\n",
					     "cpu MHz\t: -7\nprocessor",
					     "cpu\t: \nclock\t:\n\xff\xfe" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct machine m;
		struct host_cpu cpu;

		machine_init(&m);
		machine_put(&m, "proc/cpuinfo", texts[i]);
		assert_int_equal(cpu_read(&m.fs, &cpu), 0);
		assert_int_equal(cpu.vendor, HOST_VENDOR_UNKNOWN);
		assert_string_equal(cpu.name, "");
		assert_true(cpu.max_mhz == 0);
		machine_close(&m);
	}
}

RUN_ALL_TESTS
