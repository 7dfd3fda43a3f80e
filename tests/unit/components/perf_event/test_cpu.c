/* SPDX-License-Identifier: BSD-3-Clause */
/* Which PMU a machine has, by /proc/cpuinfo of captured and made machines. */
#include "components/perf_event/cpu.h"

#include "base/array.h"
#include "tests/unit/host/machine.h"

TEST(test_machines_are_recognised)
{
	static const struct {
		int line;
		const char *machine;
		const char *pmu;
	} rows[] = {
		{ __LINE__, "alder-lake", "adl" },
		{ __LINE__, "apple-m1", "apple_m1" },
		{ __LINE__, "big-little", "arm_ac53" },
		{ __LINE__, "epyc-genoa-firecracker", "amd64_fam19h_zen4" },
		{ __LINE__, "icelake-sp-1s", "icx" },
		{ __LINE__, "kvm-guest", "icx" },
		{ __LINE__, "neoverse-n1", "arm_n1" },
		{ __LINE__, "neoverse-v1", "arm_v1" },
		{ __LINE__, "neoverse-v2", "arm_v2" },
		{ __LINE__, "power9-2s", "power9" },
		{ __LINE__, "power9-lpar", "power9" },
		{ __LINE__, "power10-lpar", "power10" },
		{ __LINE__, "qemu-virt-n1", "arm_n1" },
		{ __LINE__, "rk3399", "arm_mixed" },
		{ __LINE__, "sapphire-rapids-2s", "spr" },
		{ __LINE__, "skylake-sp", "skx" },
		{ __LINE__, "zen2", "amd64_fam17h_zen2" },
		{ __LINE__, "zen3-2s-8n", "amd64_fam19h_zen3" },
		{ __LINE__, "zen5", "amd64_fam1ah_zen5" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pe_cpu cpu = { "", 0 };
		struct machine m;

		machine_open(&m, rows[i].machine);
		CHECK_AT(rows[i].line, pe_cpu_find(&m.fs, &cpu));
		CHECK_AT(rows[i].line, strcmp(cpu.pmu, rows[i].pmu) == 0);
		CHECK_AT(rows[i].line, cpu.counters > 0);
		machine_close(&m);
	}
}

static void check_text(const char *cpuinfo, const char *pmu)
{
	struct pe_cpu cpu = { "", 0 };
	struct machine m;

	machine_init(&m);
	machine_put(&m, "proc/cpuinfo", cpuinfo);
	assert_int_equal(pe_cpu_find(&m.fs, &cpu), pmu != NULL);
	if (pmu)
		assert_string_equal(cpu.pmu, pmu);
	machine_close(&m);
}

TEST(test_models_and_steppings)
{
	check_text("vendor_id\t: GenuineIntel\ncpu family\t: 6\n"
		   "model\t\t: 85\nstepping\t: 7\n",
		   "clx");
	check_text("vendor_id\t: GenuineIntel\ncpu family\t: 6\n"
		   "model\t\t: 173\nstepping\t: 1\n",
		   "gnr");
	check_text("vendor_id\t: AuthenticAMD\ncpu family\t: 26\n"
		   "model\t\t: 68\nstepping\t: 0\n",
		   "amd64_fam1ah_zen5");
	check_text("vendor_id\t: AuthenticAMD\ncpu family\t: 25\n"
		   "model\t\t: 144\nstepping\t: 0\n",
		   "amd64_fam19h_zen4");
	check_text("vendor_id\t: GenuineIntel\ncpu family\t: 6\n"
		   "model\t\t: 250\nstepping\t: 1\n",
		   NULL);
	check_text("", NULL);
}

/* Two kinds of cores are one PMU to us if they have one table. */
TEST(test_mixed_cores)
{
	check_text("CPU implementer\t: 0x41\nCPU part\t: 0xd08\n\n"
		   "CPU implementer\t: 0x41\nCPU part\t: 0xd08\n\n",
		   "arm_ac72");
	check_text("CPU implementer\t: 0x41\nCPU part\t: 0xd08\n\n"
		   "CPU implementer\t: 0x41\nCPU part\t: 0xd03\n\n",
		   "arm_mixed");
	check_text("CPU implementer\t: 0x61\nCPU part\t: 0x032\n\n"
		   "CPU implementer\t: 0x61\nCPU part\t: 0x033\n\n",
		   "apple_m2");
}

RUN_ALL_TESTS
