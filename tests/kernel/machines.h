/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the modelled kernel can be: machines, their PMUs and the rules of their
 * drivers, as data. The names and types of PMUs come from the captured or made
 * trees in tests/fixtures/machines, so that the model and what a program reads
 * below /sys agree; what no file there tells is here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MK_VERSION(major, minor) ((major)*1000u + (minor))

enum mk_driver {
	MK_INTEL,
	MK_AMD,
	MK_ARM,   /* drivers/perf/arm_pmu.c */
	MK_APPLE, /* likewise, with apple_m1_cpu_pmu.c on top */
	MK_POWER,
	MK_UNCORE, /* counts for a package: needs a CPU, knows no levels */
	MK_FREE,   /* needs no counter: msr, ibs and the like */
};

enum mk_pmu_flags {
	MK_METRICS = 1 << 0, /* Intel's PERF_METRICS behind fixed counter 3 */
	MK_PAIRS = 1 << 1,   /* AMD: PMCx003 takes two neighbouring counters */
	MK_TASK = 1 << 2,    /* MK_FREE: counts for a task */
};

/* The hardware behind the PMUs whose names begin with @prefix. */
struct mk_pmu_kind {
	const char *prefix;
	enum mk_driver driver;
	unsigned general; /* programmable counters */
	unsigned fixed;   /* Intel: instructions, cycles, reference, slots */
	unsigned width;   /* bits of a counter */
	unsigned flags;
};

/* An event, by the bits @mask of its encoding, that only @counters can count */
struct mk_constraint {
	const char *prefix;
	uint64_t mask, value;
	uint32_t counters;
};

enum mk_traits {
	MK_WATCHDOG = 1 << 0,     /* holds one counter for cycles */
	MK_NO_USER_TIME = 1 << 1, /* kvm-clock: cap_user_time is 0 */
	MK_MEDIATED = 1 << 2,     /* a guest with a mediated PMU exists */
	MK_NO_RDPMC = 1 << 3,     /* cap_user_rdpmc is 0 */
	MK_USER_ACCESS = 1 << 4,  /* arm64: kernel.perf_user_access = 1 */
};

struct mk_machine {
	const char *name;
	const char *files; /* in tests/fixtures/machines */
	unsigned kernel;   /* MK_VERSION() */
	unsigned traits;
	const char *pfm; /* what LIBPFM_FORCE_PMU is set to; NULL: nothing */
	struct mk_pmu_kind pmus[8];
};

extern const struct mk_machine mk_machines[];
extern const size_t mk_n_machines;
extern const struct mk_constraint mk_constraints[];
extern const size_t mk_n_constraints;

/* Refusals that came, or went, with a kernel. */
enum mk_rule {
	MK_PRECISE_NEEDS_PERIOD,
	MK_NO_GROUP_READ_INHERITED,
	MK_EXTENDED_TYPE,
	MK_HYBRID_CPU_CHECK,
	MK_APPLE_EXCLUDES_GUEST,
	MK_MEDIATED_REFUSES_GUEST,
	MK_HAS_CONFIG3,
};

struct mk_rule_row {
	enum mk_rule rule;
	unsigned since, before; /* kernels; 0: no limit */
	const char *where;      /* the line of the kernel */
};

bool mk_rule_holds(enum mk_rule rule, unsigned kernel);
const struct mk_machine *mk_machine_find(const char *name);

/* Whether the kernel's table for @driver has generic event @config. */
bool mk_has_generic(enum mk_driver driver, unsigned flags, uint64_t config);
bool mk_has_cache(enum mk_driver driver, uint64_t config);

/* The raw encoding of a generic event, as far as constraints need it. */
uint64_t mk_raw_of_generic(enum mk_driver driver, uint64_t config);
