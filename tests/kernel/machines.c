/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Machines as data: PMUs, counters, constraints, and the kernel they run. What
 * follows from them for a call is decided in the files beside this.
 */
#include "tests/kernel/machines.h"

#include <linux/perf_event.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))

#define UNCORE                                                                 \
	{ "uncore_", MK_UNCORE, 4, 0, 48, 0 },                                 \
		{ "power", MK_UNCORE, 8, 0, 64, 0 },                           \
		{ "amd_", MK_UNCORE, 4, 0, 48, 0 },                            \
		{ "nvidia_", MK_UNCORE, 6, 0, 64, 0 },                         \
	{                                                                      \
		"arm_", MK_UNCORE, 4, 0, 48, 0                                 \
	}
#define FREE                                                                   \
	{ "msr", MK_FREE, 0, 0, 64, MK_TASK },                                 \
	{                                                                      \
		"ibs_", MK_FREE, 0, 0, 64, 0                                   \
	}

/*
 * Counters: Intel SDM vol. 3B, chapter on architectural performance monitoring
 * (with hyper-threading a logical CPU of Skylake has four); AMD PPRs; Arm
 * TRMs; POWER PMU user's guides.
 */
const struct mk_machine mk_machines[] = {
	{ "skylake-sp",
	  "skylake-sp",
	  MK_VERSION(6, 1),
	  MK_WATCHDOG,
	  "skx",
	  { { "cpu", MK_INTEL, 4, 3, 48, 0 }, UNCORE, FREE } },
	{ "skylake-sp-no-ht",
	  "skylake-sp",
	  MK_VERSION(6, 1),
	  0,
	  "skx",
	  { { "cpu", MK_INTEL, 8, 3, 48, 0 }, UNCORE, FREE } },
	{ "skylake-sp-quiet",
	  "skylake-sp",
	  MK_VERSION(4, 12),
	  0,
	  "skx",
	  { { "cpu", MK_INTEL, 4, 3, 48, 0 }, UNCORE, FREE } },
	{ "icelake-sp",
	  "icelake-sp-1s",
	  MK_VERSION(6, 6),
	  MK_WATCHDOG,
	  "icx",
	  { { "cpu", MK_INTEL, 8, 4, 48, MK_METRICS }, UNCORE, FREE } },
	{ "sapphire-rapids-2s",
	  "sapphire-rapids-2s",
	  MK_VERSION(6, 8),
	  MK_WATCHDOG,
	  "spr",
	  { { "cpu", MK_INTEL, 8, 4, 48, MK_METRICS }, UNCORE, FREE } },
	{ "alder-lake",
	  "alder-lake",
	  MK_VERSION(6, 8),
	  0,
	  NULL,
	  { { "cpu_core", MK_INTEL, 8, 4, 48, MK_METRICS },
	    { "cpu_atom", MK_INTEL, 6, 3, 48, 0 },
	    { "uncore_", MK_UNCORE, 4, 0, 48, 0 },
	    { "power", MK_UNCORE, 8, 0, 64, 0 },
	    FREE } },
	{ "zen2",
	  "zen2",
	  MK_VERSION(5, 10),
	  0,
	  "amd64_fam17h_zen2",
	  { { "cpu", MK_AMD, 6, 0, 48, MK_PAIRS }, UNCORE, FREE } },
	{ "zen3",
	  "zen3",
	  MK_VERSION(6, 1),
	  0,
	  "amd64_fam19h_zen3",
	  { { "cpu", MK_AMD, 6, 0, 48, MK_PAIRS }, UNCORE, FREE } },
	{ "zen4-2s",
	  "zen4-2s",
	  MK_VERSION(6, 8),
	  MK_WATCHDOG,
	  "amd64_fam19h_zen4",
	  { { "cpu", MK_AMD, 6, 0, 48, MK_PAIRS }, UNCORE, FREE } },
	{ "zen5",
	  "zen5",
	  MK_VERSION(6, 12),
	  0,
	  NULL,
	  { { "cpu", MK_AMD, 6, 0, 48, MK_PAIRS }, UNCORE, FREE } },
	{ "zen5-mediated",
	  "zen5",
	  MK_VERSION(7, 0),
	  MK_MEDIATED,
	  NULL,
	  { { "cpu", MK_AMD, 6, 0, 48, MK_PAIRS }, UNCORE, FREE } },
	{ "neoverse-n1",
	  "neoverse-n1-metal",
	  MK_VERSION(6, 1),
	  0,
	  NULL,
	  { { "armv8", MK_ARM, 6, 1, 32, 0 }, UNCORE } },
	{ "neoverse-v1",
	  "neoverse-v1",
	  MK_VERSION(6, 1),
	  0,
	  NULL,
	  { { "armv8", MK_ARM, 6, 1, 32, 0 }, UNCORE } },
	{ "neoverse-v2",
	  "neoverse-v2",
	  MK_VERSION(6, 8),
	  0,
	  NULL,
	  { { "armv8", MK_ARM, 6, 1, 64, 0 }, UNCORE } },
	{ "big-little",
	  "rk3399",
	  MK_VERSION(6, 1),
	  0,
	  NULL,
	  { { "armv8_cortex_a53", MK_ARM, 6, 1, 32, 0 },
	    { "armv8_cortex_a72", MK_ARM, 6, 1, 32, 0 } } },
	{ "apple-m1",
	  "apple-m1",
	  MK_VERSION(6, 6),
	  0,
	  NULL,
	  { { "apple_", MK_APPLE, 8, 2, 48, 0 } } },
	{ "power9",
	  "power9-lpar",
	  MK_VERSION(6, 1),
	  0,
	  NULL,
	  { { "cpu", MK_POWER, 6, 0, 32, 0 } } },
	{ "power10",
	  "power10-lpar",
	  MK_VERSION(6, 1),
	  0,
	  NULL,
	  { { "cpu", MK_POWER, 6, 0, 32, 0 } } },
	{ "kvm-guest",
	  "kvm-guest",
	  MK_VERSION(6, 6),
	  MK_NO_USER_TIME,
	  "icx",
	  { { "cpu", MK_INTEL, 8, 3, 48, 0 } } },
};

const size_t mk_n_machines = N(mk_machines);

/*
 * [arch/x86/events/intel/core.c: intel_skl_event_constraints,
 * intel_icl_event_constraints, intel_glc_event_constraints]
 */
const struct mk_constraint mk_constraints[] = {
	{ "cpu", 0xff, 0x48, 0x4 },  /* L1D_PEND_MISS.PENDING */
	{ "cpu", 0xff, 0xcd, 0x0f }, /* MEM_TRANS_RETIRED */
	{ "cpu_core", 0xff, 0xcd, 0x0f },
	{ "cpu_atom", 0xff, 0xd0, 0x03 }, /* MEM_UOPS_RETIRED */
};

const size_t mk_n_constraints = N(mk_constraints);

static const struct mk_rule_row rules[] = {
	{ MK_PRECISE_NEEDS_PERIOD, MK_VERSION(4, 11), 0,
	  "x86_pmu_hw_config(): if (!is_sampling_event(event)) -EINVAL" },
	{ MK_NO_GROUP_READ_INHERITED, 0, MK_VERSION(4, 13),
	  "perf_event_alloc(): attr->inherit && PERF_FORMAT_GROUP" },
	{ MK_EXTENDED_TYPE, MK_VERSION(5, 13), 0,
	  "perf_init_event(): PERF_PMU_CAP_EXTENDED_HW_TYPE" },
	{ MK_HYBRID_CPU_CHECK, MK_VERSION(5, 13), 0,
	  "x86_pmu_event_init(): cpumask_test_cpu(..., supported_cpus)" },
	{ MK_APPLE_EXCLUDES_GUEST, 0, MK_VERSION(6, 16),
	  "m1_pmu_set_event_filter(): if (!attr->exclude_guest)" },
	{ MK_MEDIATED_REFUSES_GUEST, MK_VERSION(7, 0), 0,
	  "mediated_pmu_account_event(): nr_mediated_pmu_vms" },
	{ MK_HAS_CONFIG3, MK_VERSION(6, 3), 0,
	  "perf_copy_attr(): copy_struct_from_user(), PERF_ATTR_SIZE_VER8" },
};

bool mk_rule_holds(enum mk_rule rule, unsigned kernel)
{
	for (size_t i = 0; i < N(rules); i++)
		if (rules[i].rule == rule)
			return kernel >= rules[i].since &&
			       (!rules[i].before || kernel < rules[i].before);
	return false;
}

const struct mk_machine *mk_machine_find(const char *name)
{
	for (size_t i = 0; i < N(mk_machines); i++)
		if (strcmp(mk_machines[i].name, name) == 0)
			return &mk_machines[i];
	return NULL;
}

/*
 * [skl_hw_cache_event_ids and intel_pmu_init(): no stalled-cycles since
 * Skylake; amd_zen*_perfmon_event_map; armv8_pmuv3_perf_map;
 * power9_generic_events; m1_pmu_perf_map]
 */
bool mk_has_generic(enum mk_driver driver, unsigned flags, uint64_t config)
{
	static const unsigned known[] = {
		[MK_INTEL] = 1u << PERF_COUNT_HW_CPU_CYCLES |
			     1u << PERF_COUNT_HW_INSTRUCTIONS |
			     1u << PERF_COUNT_HW_CACHE_REFERENCES |
			     1u << PERF_COUNT_HW_CACHE_MISSES |
			     1u << PERF_COUNT_HW_BRANCH_INSTRUCTIONS |
			     1u << PERF_COUNT_HW_BRANCH_MISSES |
			     1u << PERF_COUNT_HW_BUS_CYCLES |
			     1u << PERF_COUNT_HW_REF_CPU_CYCLES,
		[MK_AMD] = 0x3f | 1u << PERF_COUNT_HW_STALLED_CYCLES_FRONTEND |
			   1u << PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
		[MK_ARM] = 0x7f | 1u << PERF_COUNT_HW_STALLED_CYCLES_FRONTEND |
			   1u << PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
		[MK_APPLE] = 1u << PERF_COUNT_HW_CPU_CYCLES |
			     1u << PERF_COUNT_HW_INSTRUCTIONS,
		[MK_POWER] = 0x3f |
			     1u << PERF_COUNT_HW_STALLED_CYCLES_FRONTEND |
			     1u << PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	};

	(void)flags;
	return driver < N(known) && config < 32 && known[driver] >> config & 1;
}

#define CACHE(cache, op, result)                                               \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 |      \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

bool mk_has_cache(enum mk_driver driver, uint64_t config)
{
	static const uint32_t intel[] = {
		CACHE(L1D, READ, ACCESS),   CACHE(L1D, READ, MISS),
		CACHE(L1D, WRITE, ACCESS),  CACHE(L1I, READ, MISS),
		CACHE(LL, READ, ACCESS),    CACHE(LL, READ, MISS),
		CACHE(LL, WRITE, ACCESS),   CACHE(LL, WRITE, MISS),
		CACHE(DTLB, READ, ACCESS),  CACHE(DTLB, READ, MISS),
		CACHE(DTLB, WRITE, ACCESS), CACHE(DTLB, WRITE, MISS),
		CACHE(ITLB, READ, ACCESS),  CACHE(ITLB, READ, MISS),
		CACHE(BPU, READ, ACCESS),   CACHE(BPU, READ, MISS),
		CACHE(NODE, READ, ACCESS),  CACHE(NODE, READ, MISS),
	};
	static const uint32_t others[] = {
		CACHE(L1D, READ, ACCESS),  CACHE(L1D, READ, MISS),
		CACHE(L1I, READ, ACCESS),  CACHE(L1I, READ, MISS),
		CACHE(DTLB, READ, ACCESS), CACHE(DTLB, READ, MISS),
		CACHE(ITLB, READ, ACCESS), CACHE(ITLB, READ, MISS),
		CACHE(BPU, READ, ACCESS),  CACHE(BPU, READ, MISS),
	};
	const uint32_t *known = driver == MK_INTEL ? intel : others;
	size_t n = driver == MK_INTEL ? N(intel) : N(others);

	for (size_t i = 0; i < n && driver != MK_APPLE; i++)
		if (known[i] == config)
			return true;
	return false;
}

uint64_t mk_raw_of_generic(enum mk_driver driver, uint64_t config)
{
	static const struct {
		enum mk_driver driver;
		uint64_t generic, raw;
	} rows[] = {
		{ MK_INTEL, PERF_COUNT_HW_CPU_CYCLES, 0x3c },
		{ MK_INTEL, PERF_COUNT_HW_INSTRUCTIONS, 0xc0 },
		{ MK_INTEL, PERF_COUNT_HW_REF_CPU_CYCLES, 0x300 },
		{ MK_INTEL, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0xc4 },
		{ MK_INTEL, PERF_COUNT_HW_BRANCH_MISSES, 0xc5 },
		{ MK_AMD, PERF_COUNT_HW_CPU_CYCLES, 0x76 },
		{ MK_AMD, PERF_COUNT_HW_INSTRUCTIONS, 0xc0 },
		{ MK_ARM, PERF_COUNT_HW_CPU_CYCLES, 0x11 },
		{ MK_ARM, PERF_COUNT_HW_INSTRUCTIONS, 0x08 },
		{ MK_APPLE, PERF_COUNT_HW_CPU_CYCLES, 0x02 },
		{ MK_APPLE, PERF_COUNT_HW_INSTRUCTIONS, 0x8c },
		{ MK_POWER, PERF_COUNT_HW_CPU_CYCLES, 0x1e },
		{ MK_POWER, PERF_COUNT_HW_INSTRUCTIONS, 0x02 },
	};

	for (size_t i = 0; i < N(rows); i++)
		if (rows[i].driver == driver && rows[i].generic == config)
			return rows[i].raw;
	return 0xff0000e0 | config; /* an event that no constraint names */
}
