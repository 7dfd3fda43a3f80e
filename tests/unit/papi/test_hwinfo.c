/* SPDX-License-Identifier: BSD-3-Clause */
/* PAPI_get_hardware_info() on the captured machines. */
#include "papi/hwinfo.h"

#include <limits.h>

#include "base/array.h"
#include "tests/unit/host/machine.h"

static void read_machine(const char *name, PAPI_hw_info_t *hw)
{
	struct machine m;
	struct host host;

	machine_open(&m, name);
	assert_int_equal(host_read(&m.fs, &host), 0);
	hwinfo_from_host(&host, hw);
	host_fini(&host);
	machine_close(&m);
}

TEST(test_a_server_with_eight_nodes)
{
	PAPI_hw_info_t hw;

	read_machine("zen3-2s-8n", &hw);
	assert_int_equal(hw.vendor, PAPI_VENDOR_AMD);
	assert_string_equal(hw.vendor_string, "AuthenticAMD");
	assert_string_equal(hw.model_string, "AMD EPYC 7543 32-Core Processor");
	assert_int_equal(hw.totalcpus, 128);
	assert_int_equal(hw.nnodes, 8);
	assert_int_equal(hw.ncpu, 16);
	assert_int_equal(hw.sockets, 2);
	assert_int_equal(hw.cores, 32);
	assert_int_equal(hw.threads, 2);
	assert_int_equal(hw.cpu_max_mhz, 3737);
	assert_int_equal(hw.cpu_min_mhz, 1500);
	assert_int_equal(hw.clock_mhz, 3737);
	assert_int_equal(hw.virtualized, 0);
	assert_int_equal(hw.mem_hierarchy.levels, 3);
	assert_int_equal(hw.mem_hierarchy.level[2].cache[0].size, 32 << 20);
	assert_int_equal(hw.mem_hierarchy.level[2].cache[0].associativity, 16);
	assert_int_equal(hw.mem_hierarchy.level[2].cache[0].num_lines, 524288);
	assert_int_equal(hw.mem_hierarchy.level[2].cache[1].type,
			 PAPI_MH_TYPE_EMPTY);
}

TEST(test_vendors_and_revisions)
{
	static const struct {
		int line;
		const char *machine;
		int vendor;
		int model;
		int revision_tenths;
	} rows[] = {
		{ __LINE__, "icelake-sp", PAPI_VENDOR_INTEL, 106, 60 },
		{ __LINE__, "neoverse-n1", PAPI_VENDOR_ARM_ARM, 0xd0c, 31 },
		{ __LINE__, "power9-2s", PAPI_VENDOR_IBM, 0x4e, 22 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		PAPI_hw_info_t hw;

		read_machine(rows[i].machine, &hw);
		CHECK_AT(rows[i].line, hw.vendor == rows[i].vendor);
		CHECK_AT(rows[i].line, hw.model == rows[i].model);
		CHECK_AT(rows[i].line, hw.cpuid_model == rows[i].model);
		CHECK_AT(rows[i].line, (int)(hw.revision * 10 + 0.5F) ==
					       rows[i].revision_tenths);
	}
}

/* Loads and stores have their own first-level TLBs; PAPI has room for six. */
TEST(test_one_tlb_of_a_kind_and_page)
{
	const PAPI_mh_tlb_info_t *tlb;
	PAPI_hw_info_t hw;
	int data_4k = 0;

	read_machine("icelake-sp", &hw);
	tlb = hw.mem_hierarchy.level[0].tlb;
	for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++)
		if (tlb[i].type == PAPI_MH_TYPE_DATA &&
		    tlb[i].page_size == 4096) {
			data_4k++;
			assert_int_equal(tlb[i].num_entries, 64);
			assert_int_equal(tlb[i].associativity, 4);
		}
	assert_int_equal(data_4k, 1);
}

TEST(test_a_guest)
{
	PAPI_hw_info_t hw;

	read_machine("epyc-genoa-firecracker", &hw);
	assert_int_equal(hw.virtualized, 1);
	assert_string_equal(hw.virtual_vendor_string, "KVMKVMKVM");
	assert_int_equal(hw.mem_hierarchy.level[0].tlb[0].associativity,
			 SHRT_MAX);
	read_machine("neoverse-n1", &hw);
	assert_int_equal(hw.virtualized, 1);
	assert_string_equal(hw.virtual_vendor_string, "Amazon EC2 m6g.xlarge");
}

TEST(test_a_machine_that_tells_nothing)
{
	struct machine m;
	struct host host;
	PAPI_hw_info_t hw;

	machine_init(&m);
	assert_int_equal(host_read(&m.fs, &host), 0);
	hwinfo_from_host(&host, &hw);
	assert_int_equal(hw.vendor, PAPI_VENDOR_UNKNOWN);
	assert_int_equal(hw.totalcpus, 1);
	assert_int_equal(hw.ncpu, 1);
	assert_int_equal(hw.mem_hierarchy.levels, 0);
	host_fini(&host);
	machine_close(&m);
}

RUN_ALL_TESTS
