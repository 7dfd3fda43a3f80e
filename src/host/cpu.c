/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processor's identity from /proc/cpuinfo and sysfs. /proc/cpuinfo is
 * written by each architecture in its own words; one function here for each.
 */
#include "host/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "host/cpuid.h"
#include "host/text.h"

static unsigned find_unsigned(const char *cpuinfo, const char *key)
{
	uint64_t value = 0;

	text_find_number(cpuinfo, key, &value);
	return (unsigned)value;
}

static enum host_vendor x86_vendor(const char *name)
{
	if (strcmp(name, "GenuineIntel") == 0)
		return HOST_VENDOR_INTEL;
	/* Hygon's Dhyana is AMD's Zen under licence. */
	if (strcmp(name, "AuthenticAMD") == 0 ||
	    strcmp(name, "HygonGenuine") == 0)
		return HOST_VENDOR_AMD;
	return HOST_VENDOR_OTHER;
}

static bool identify_x86(const char *cpuinfo, struct host_cpu *cpu)
{
	if (!text_find_field(cpuinfo, "vendor_id", cpu->vendor_name,
			     sizeof(cpu->vendor_name)))
		return false;
	cpu->vendor = x86_vendor(cpu->vendor_name);
	text_find_field(cpuinfo, "model name", cpu->name, sizeof(cpu->name));
	cpu->family = find_unsigned(cpuinfo, "cpu family");
	cpu->model = find_unsigned(cpuinfo, "model");
	cpu->stepping = find_unsigned(cpuinfo, "stepping");
	cpu->microcode = find_unsigned(cpuinfo, "microcode");
	return true;
}

/*
 * The names of x86 without /proc/cpuinfo, as in a container that hides it.
 * Family 15 and model fields extend as Intel's SDM, CPUID leaf 1, says; AMD
 * has them in the same places.
 */
static bool identify_by_cpuid(const struct fs *fs, struct host_cpu *cpu)
{
	struct cpuid_regs r;
	char name[49] = "";

	if (!cpuid_get(fs, 0, 0, &r))
		return false;
	memcpy(cpu->vendor_name, &r.ebx, 4);
	memcpy(cpu->vendor_name + 4, &r.edx, 4);
	memcpy(cpu->vendor_name + 8, &r.ecx, 4);
	cpu->vendor_name[12] = '\0';
	cpu->vendor = x86_vendor(cpu->vendor_name);
	if (cpuid_get(fs, 1, 0, &r)) {
		cpu->stepping = r.eax & 0xf;
		cpu->family = r.eax >> 8 & 0xf;
		cpu->model = r.eax >> 4 & 0xf;
		if (cpu->family == 6 || cpu->family == 15)
			cpu->model |= (r.eax >> 16 & 0xf) << 4;
		if (cpu->family == 15)
			cpu->family += r.eax >> 20 & 0xff;
	}
	for (uint32_t i = 0; i < 3; i++)
		if (cpuid_get(fs, 0x80000002U + i, 0, &r))
			memcpy(name + 16 * i, &r, 16);
	text_copy(cpu->name, sizeof(cpu->name), name);
	return true;
}

/* MIDR_EL1: implementer 31:24, variant 23:20, part 15:4, revision 3:0. */
static bool identify_arm(const struct fs *fs, const char *cpuinfo,
			 struct host_cpu *cpu)
{
	const char *name;
	uint64_t midr;

	if (text_read_number(fs, &midr,
			     "sys/devices/system/cpu/cpu0/regs/identification/"
			     "midr_el1")) {
		cpu->implementer = midr >> 24 & 0xff;
		cpu->variant = midr >> 20 & 0xf;
		cpu->model = midr >> 4 & 0xfff;
		cpu->stepping = midr & 0xf;
	} else if (find_unsigned(cpuinfo, "CPU implementer")) {
		cpu->implementer = find_unsigned(cpuinfo, "CPU implementer");
		cpu->variant = find_unsigned(cpuinfo, "CPU variant");
		cpu->model = find_unsigned(cpuinfo, "CPU part");
		cpu->stepping = find_unsigned(cpuinfo, "CPU revision");
	} else {
		return false;
	}
	cpu->vendor = HOST_VENDOR_ARM;
	cpu->family = find_unsigned(cpuinfo, "CPU architecture");
	strcpy(cpu->vendor_name, "ARM");
	name = arm_part_name(cpu->implementer, cpu->model);
	if (name)
		text_copy(cpu->name, sizeof(cpu->name), name);
	else
		snprintf(cpu->name, sizeof(cpu->name),
			 "ARM implementer 0x%x part 0x%x", cpu->implementer,
			 cpu->model);
	return true;
}

/* "cpu : POWER9, altivec supported", "revision : 2.3 (pvr 004e 1203)". */
static bool identify_power(const char *cpuinfo, struct host_cpu *cpu)
{
	char value[128];
	unsigned major = 0, minor = 0, version = 0;

	if (!text_find_field(cpuinfo, "cpu", value, sizeof(value)) ||
	    !text_find_field(cpuinfo, "timebase", cpu->name, sizeof(cpu->name)))
		return false;
	value[strcspn(value, ",")] = '\0';
	text_copy(cpu->name, sizeof(cpu->name), value);
	cpu->vendor = HOST_VENDOR_IBM;
	strcpy(cpu->vendor_name, "IBM");
	if (text_find_field(cpuinfo, "revision", value, sizeof(value)) &&
	    sscanf(value, "%u.%u (pvr %x", &major, &minor, &version) == 3) {
		cpu->model = version;
		cpu->variant = major;
		cpu->stepping = minor;
	}
	return true;
}

/* Whether two CPUs differ in kind: Intel's P and E cores, Arm's big.LITTLE. */
static bool has_several_kinds(const struct fs *fs)
{
	uint64_t first, other;
	char list[8];

	if (text_read(fs, list, sizeof(list), "sys/devices/cpu_atom/cpus"))
		return true;
	if (!text_read_number(fs, &first,
			      "sys/devices/system/cpu/cpu0/regs/"
			      "identification/midr_el1"))
		return false;
	for (unsigned i = 1;
	     text_read_number(fs, &other,
			      "sys/devices/system/cpu/cpu%u/regs/"
			      "identification/midr_el1",
			      i);
	     i++)
		if (other != first)
			return true;
	return false;
}

/* The highest of all lines "cpu MHz : 2595.124", or POWER's "clock". */
static double present_mhz(const char *cpuinfo)
{
	double highest = 0;
	char value[64];

	for (const char *line = cpuinfo; line && *line;) {
		double mhz;

		if (strncmp(line, "cpu MHz", 7) == 0 &&
		    text_find_field(line, "cpu MHz", value, sizeof(value))) {
			mhz = atof(value);
			if (mhz > highest)
				highest = mhz;
		}
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	if (highest == 0 &&
	    text_find_field(cpuinfo, "clock", value, sizeof(value)))
		highest = atof(value);
	return highest > 0 ? highest : 0;
}

/*
 * cpufreq says what the kernel may choose between. Virtual machines have no
 * cpufreq; the present clock then stands for both. BogoMIPS is not a clock
 * (on arm64 it is the timer's), so it is not taken for one.
 */
static void read_clock(const struct fs *fs, const char *cpuinfo,
		       struct host_cpu *cpu)
{
	static const char dir[] = "sys/devices/system/cpu/cpu0/cpufreq";
	uint64_t khz;

	if (text_read_number(fs, &khz, "%s/cpuinfo_max_freq", dir))
		cpu->max_mhz = (double)khz / 1000;
	else
		cpu->max_mhz = present_mhz(cpuinfo);
	if (text_read_number(fs, &khz, "%s/cpuinfo_min_freq", dir))
		cpu->min_mhz = (double)khz / 1000;
	else
		cpu->min_mhz = cpu->max_mhz;
}

int cpu_read(const struct fs *fs, struct host_cpu *out)
{
	struct host_cpu cpu = { 0 };
	OWNED char *cpuinfo = fs_read(fs, "proc/cpuinfo");
	const char *text = cpuinfo ? cpuinfo : "";

	if (!identify_x86(text, &cpu) && !identify_arm(fs, text, &cpu) &&
	    !identify_power(text, &cpu) && !identify_by_cpuid(fs, &cpu))
		cpu = (struct host_cpu){ 0 };
	cpu.hybrid = has_several_kinds(fs);
	read_clock(fs, text, &cpu);
	*out = cpu;
	return 0;
}
