/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathering facts about what can be counted. */

#include "survey/survey.h"

#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "host/cpuid.h"
#include "measure/pmu.h"

/* What is tried: the events that everybody asks for first. */
static const struct {
	const char *name;
	bool hardware;
} wanted[] = {
	{ "task-clock", false },     { "context-switches", false },
	{ "cpu-migrations", false }, { "page-faults", false },
	{ "minor-faults", false },   { "major-faults", false },
	{ "PAPI_TOT_CYC", true },    { "PAPI_TOT_INS", true },
	{ "PAPI_BR_MSP", true },     { "PAPI_L1_DCM", true },
	{ "PAPI_TLB_DM", true },     { "PAPI_DP_OPS", true },
};

/*
 * Intel describes its PMU in CPUID leaf 0xA: version in EAX[7:0], counters a
 * thread in EAX[15:8]; a hypervisor that gives none answers 0. [SDM vol. 2A,
 * CPUID; vol. 3B, "Architectural Performance Monitoring"]
 */
static void ask_intel(const struct fs *fs, struct facts *f)
{
	struct cpuid_regs r = { 0 };
	unsigned version;

	if (!cpuid_get(fs, 0xa, 0, &r))
		r.eax = 0;
	version = r.eax & 0xff;
	f->cpu_has_pmu = version ? KNOWN_YES : KNOWN_NO;
	if (version)
		snprintf(f->cpu_says, sizeof(f->cpu_says),
			 "CPUID leaf 0xA: version %u, %u counters", version,
			 r.eax >> 8 & 0xff);
	else
		snprintf(f->cpu_says, sizeof(f->cpu_says),
			 "CPUID leaf 0xA: no performance monitoring");
}

/*
 * AMD since family 15h: CPUID Fn8000_0001 ECX[23] (PerfCtrExtCore), and since
 * Zen 4 the number of counters in Fn8000_0022 EBX[3:0]. [APM vol. 3, E.4]
 */
static void ask_amd(const struct fs *fs, struct facts *f)
{
	struct cpuid_regs r;

	if (!cpuid_get(fs, 0x80000001U, 0, &r))
		return;
	f->cpu_has_pmu = r.ecx >> 23 & 1 ? KNOWN_YES : KNOWN_NO;
	snprintf(f->cpu_says, sizeof(f->cpu_says),
		 f->cpu_has_pmu == KNOWN_YES
			 ? "CPUID 0x80000001: core performance counters"
			 : "CPUID 0x80000001: no core performance counters");
}

static bool is_core_pmu(const char *name)
{
	static const char *const beginnings[] = {
		"cpu",
		"armv",
		"cpum_cf",
		NULL,
	};

	for (size_t i = 0; beginnings[i]; i++)
		if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

static int ask_kernel(const struct fs *fs, struct facts *f)
{
	char **names;
	size_t n;
	int err = fs_list(fs, "sys/bus/event_source/devices", &names, &n);

	if (err)
		return err;
	for (size_t i = 0; i < n && !*f->kernel_pmu; i++)
		if (is_core_pmu(names[i]))
			snprintf(f->kernel_pmu, sizeof(f->kernel_pmu), "%s",
				 names[i]);
	fs_free_names(names, n);
	return 0;
}

int facts_read_machine(const struct fs *fs, struct facts *f)
{
	int err = host_read(fs, &f->host);

	if (err)
		return err;
	permission_read(fs, &f->permission);
	if (f->host.cpu.vendor == HOST_VENDOR_INTEL)
		ask_intel(fs, f);
	else if (f->host.cpu.vendor == HOST_VENDOR_AMD)
		ask_amd(fs, f);
	return ask_kernel(fs, f);
}

static int try_one(struct facts *f, size_t i)
{
	struct trial t = {
		.name = wanted[i].name,
		.hardware = wanted[i].hardware,
	};
	const char *why = NULL;
	int code;

	t.code = PAPI_event_name_to_code(wanted[i].name, &code);
	if (t.code)
		why = assay_error();
	else
		t.code = assay_event_available(code, &why);
	if (t.code)
		t.reason = texts_copy(&f->texts,
				      why && *why ? session_reason(why)
						  : PAPI_strerror(t.code));
	return array_add(f->trials, f->n_trials, t);
}

static int look_at_part(struct facts *f, const PAPI_component_info_t *info)
{
	struct part part = {
		.name = texts_copy(&f->texts, info->name),
		.events = info->num_native_events,
	};

	if (info->disabled)
		part.reason = texts_copy(&f->texts, info->disabled_reason);
	return array_add(f->parts, f->n_parts, part);
}

int facts_try_events(struct facts *f)
{
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(wanted); i++)
		err = try_one(f, i);
	for (int i = 0; !err && i < PAPI_num_components(); i++) {
		const PAPI_component_info_t *info = PAPI_get_component_info(i);

		if (info)
			err = look_at_part(f, info);
	}
	if (!err)
		err = texts_error(&f->texts);
	return err ? err : assay_get_pmu(&f->pmu);
}

void facts_fini(struct facts *f)
{
	texts_fini(&f->texts);
	free(f->trials);
	free(f->parts);
	host_fini(&f->host);
}

bool facts_any_works(const struct facts *f, bool hardware)
{
	for (size_t i = 0; i < f->n_trials; i++)
		if (f->trials[i].hardware == hardware && !f->trials[i].code)
			return true;
	return false;
}
