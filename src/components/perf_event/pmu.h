/* SPDX-License-Identifier: BSD-3-Clause */
/* The PMUs that the kernel shows in sysfs, their events and their formats. */
#pragma once

#include "base/fs.h"
#include "components/perf_event/event.h"

/* Why events of a processor without a PMU cannot be counted. */
#define PE_NO_PMU                                                              \
	"no hardware PMU is exposed here; a hypervisor may hide it: give the " \
	"virtual machine a PMU; 'assay doctor' says what else helps"

struct pe_pmu {
	char *name;    /* "cpu", "uncore_imc_0" */
	uint32_t type; /* for perf_event_attr */
	bool core;     /* counts for a task, on the core that it runs on */
	bool slots;    /* core: has Intel's TopDown metrics */
	char *cpus;    /* where it counts, such as "0,28"; NULL: everywhere */
};

struct pe_pmus {
	bool loaded;
	struct pe_pmu *items;
	size_t n;
	size_t cores; /* how many of them are core PMUs: 2 if hybrid */
};

/* Read which PMUs there are, once. */
int pe_pmus_load(struct pe_pmus *pmus, const struct fs *fs);
void pe_pmus_fini(struct pe_pmus *pmus);

const struct pe_pmu *pe_pmus_find(const struct pe_pmus *pmus, const char *name,
				  size_t length);

/*
 * How many core PMUs there are, and the first one's name in @name; cheaper
 * than loading. In a virtual machine without one, sysfs has no such folder.
 */
size_t pe_pmus_count_cores(const struct fs *fs, char *name, size_t size);

/*
 * Whether sysfs names every event that can be opened: there are only the
 * kernel's own PMUs. Then no other table needs to be searched for events.
 */
bool pe_pmus_are_whole(const struct pe_pmus *pmus, const struct fs *fs);

/* What @code is of Intel's TopDown. */
enum pe_topdown pe_pmus_topdown(const struct pe_pmus *pmus,
				const struct pe_encoding *code);

/*
 * Encode @terms, what stands between the slashes of "cpu/event=0x3c,umask=1/".
 * @column is where they begin in the name that @diag is about. PAPI_EINVAL if
 * a term is unknown to the PMU or its value does not fit.
 */
int pe_pmu_encode(const struct pe_pmus *pmus, const struct fs *fs,
		  const struct pe_pmu *pmu, const char *terms, size_t column,
		  struct pe_event *out, struct diag *diag);

/* Encode the event called @event; PAPI_ENOEVNT if @pmu has none such. */
int pe_pmu_find_event(const struct pe_pmus *pmus, const struct fs *fs,
		      const struct pe_pmu *pmu, const char *event,
		      struct pe_event *out);

/* The unit of event @event, "2.3e-10 Joules", to be freed; NULL if plain. */
char *pe_pmu_unit(const struct fs *fs, const struct pe_pmu *pmu,
		  const char *event);

/* Names of the events that @pmu has in sysfs; as fs_list(). */
int pe_pmu_events(const struct fs *fs, const struct pe_pmu *pmu, char ***names,
		  size_t *n);
