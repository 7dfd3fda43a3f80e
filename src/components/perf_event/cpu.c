/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPUs by /proc/cpuinfo. libpfm4 knows more of them, but asking it takes
 * longer than all the rest of the library's initialisation.
 */
#include "components/perf_event/cpu.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* What identifies a CPU; -1: not said. */
struct id {
	char vendor[32]; /* "GenuineIntel", "0x41" (ARM), "POWER9" */
	long family;
	long model; /* ARM: the part number */
	long stepping;
};

struct row {
	const char *vendor;
	long family;      /* -1: any */
	long first, last; /* models */
	long first_step, last_step;
	struct pe_cpu cpu;
};

#define ANY_STEP 0, 255

/*
 * Counters: [Intel SDM vol. 3B, Architectural Performance Monitoring: per
 * logical processor with hyper-threading], [AMD PPR: six core counters],
 * [Arm TRMs: six event counters and the cycle counter], [Linux 7.1,
 * drivers/perf/apple_m1_cpu_pmu.c], [POWER PMU user's guides].
 *
 * Models: [Linux 7.1, arch/x86/include/asm/intel-family.h,
 * tools/perf/pmu-events/arch/x86/mapfile.csv (AMD),
 * arch/arm64/include/asm/cputype.h]. Of parts with several kinds of cores any
 * core tells which part it is.
 */
/* clang-format off */
#define INTEL(model, pmu, counters) \
	{ "GenuineIntel", 6, model, model, ANY_STEP, { pmu, counters } }
#define AMD(family, first, last, pmu) \
	{ "AuthenticAMD", family, first, last, ANY_STEP, { pmu, 6 } }
#define ARM(part, pmu) { "0x41", -1, part, part, ANY_STEP, { pmu, 7 } }
#define OTHER_ARM(who, part, pmu, counters) \
	{ who, -1, part, part, ANY_STEP, { pmu, counters } }
#define POWER(name, pmu) { name, -1, -1, -1, -1, -1, { pmu, 6 } }

static const struct row rows[] = {
	INTEL(42, "snb", 7), INTEL(45, "snb_ep", 7),
	INTEL(58, "ivb", 7), INTEL(62, "ivb_ep", 7),
	INTEL(60, "hsw", 7), INTEL(69, "hsw", 7), INTEL(70, "hsw", 7),
	INTEL(63, "hsw_ep", 7),
	INTEL(61, "bdw", 7), INTEL(71, "bdw", 7),
	INTEL(79, "bdw_ep", 7), INTEL(86, "bdw_ep", 7),
	/* Skylake, Kaby Lake and Coffee Lake, Comet Lake */
	INTEL(78, "skl", 7), INTEL(94, "skl", 7), INTEL(142, "skl", 7),
	INTEL(158, "skl", 7), INTEL(165, "skl", 7), INTEL(166, "skl", 7),
	{ "GenuineIntel", 6, 85, 85, 0, 4, { "skx", 7 } },
	{ "GenuineIntel", 6, 85, 85, 5, 255, { "clx", 7 } },
	/* Ice Lake, Tiger Lake, Rocket Lake */
	INTEL(125, "icl", 12), INTEL(126, "icl", 12), INTEL(157, "icl", 12),
	INTEL(140, "icl", 12), INTEL(141, "icl", 12), INTEL(167, "icl", 12),
	INTEL(106, "icx", 12), INTEL(108, "icx", 12),
	INTEL(143, "spr", 12), INTEL(207, "emr", 12),
	INTEL(173, "gnr", 12), INTEL(174, "gnr", 12),
	/* Alder Lake and Raptor Lake */
	INTEL(151, "adl", 12), INTEL(154, "adl", 12), INTEL(183, "adl", 12),
	INTEL(186, "adl", 12), INTEL(191, "adl", 12),
	INTEL(190, "adl_n", 9),
	/* Meteor Lake, and Arrow Lake-U, which is one */
	INTEL(170, "mtl", 12), INTEL(172, "mtl", 12), INTEL(181, "mtl", 12),
	INTEL(198, "arl", 14), INTEL(197, "arl_h", 14), INTEL(189, "lnl", 14),
	INTEL(204, "ptl", 14),
	INTEL(175, "srf", 11), INTEL(182, "grr", 11),
	INTEL(92, "glm", 7), INTEL(95, "glm", 7), INTEL(122, "glp", 7),
	INTEL(134, "tmt", 7), INTEL(150, "tmt", 7), INTEL(156, "tmt", 7),
	INTEL(87, "knl", 5), INTEL(133, "knm", 5),
	AMD(0x17, 0x00, 0x2f, "amd64_fam17h_zen1"),
	AMD(0x17, 0x30, 0xff, "amd64_fam17h_zen2"),
	/* Hygon's Dhyana is a Zen 1 */
	{ "HygonGenuine", 0x18, 0, 255, ANY_STEP, { "amd64_fam17h_zen1", 6 } },
	AMD(0x19, 0x00, 0x0f, "amd64_fam19h_zen3"),
	AMD(0x19, 0x10, 0x1f, "amd64_fam19h_zen4"),
	AMD(0x19, 0x20, 0x5f, "amd64_fam19h_zen3"),
	AMD(0x19, 0x60, 0xff, "amd64_fam19h_zen4"),
	AMD(0x1a, 0x00, 0x2f, "amd64_fam1ah_zen5"),
	AMD(0x1a, 0x40, 0x4f, "amd64_fam1ah_zen5"),
	AMD(0x1a, 0x60, 0x7f, "amd64_fam1ah_zen5"),
	AMD(0x1a, 0x30, 0xff, "amd64_fam1ah_zen6"),
	ARM(0xd03, "arm_ac53"), ARM(0xd04, "arm_ac35"), ARM(0xd05, "arm_ac55"),
	ARM(0xd06, "arm_ac65"), ARM(0xd4a, "arm_e1"),
	ARM(0xd07, "arm_ac57"), ARM(0xd08, "arm_ac72"), ARM(0xd09, "arm_ac73"),
	ARM(0xd0a, "arm_ac75"), ARM(0xd0b, "arm_ac76"), ARM(0xd0d, "arm_ac77"),
	ARM(0xd41, "arm_ac78"), ARM(0xd42, "arm_ac78"), ARM(0xd4b, "arm_ac78"),
	ARM(0xd44, "arm_x1"), ARM(0xd4c, "arm_x1"),
	ARM(0xd46, "arm_ac510"), ARM(0xd47, "arm_ac710"), ARM(0xd48, "arm_x2"),
	ARM(0xd0c, "arm_n1"), ARM(0xd49, "arm_n2"), ARM(0xd8e, "arm_n3"),
	ARM(0xd40, "arm_v1"), ARM(0xd4f, "arm_v2"),
	ARM(0xd83, "arm_v3"), ARM(0xd84, "arm_v3"),
	OTHER_ARM("0x42", 0x100, "arm_ac53", 7), /* Broadcom Brahma-B53 */
	OTHER_ARM("0x42", 0x516, "arm_thunderx2", 7),
	OTHER_ARM("0x43", 0xaf, "arm_thunderx2", 7),
	OTHER_ARM("0x46", 0x001, "arm_a64fx", 9),
	OTHER_ARM("0x46", 0x003, "arm_monaka", 9),
	OTHER_ARM("0x48", 0xd01, "arm_hisilicon_kunpeng", 13),
	OTHER_ARM("0x50", 0x000, "arm_xgene", 7),
	OTHER_ARM("0xc0", 0xac3, "arm_ampereone", 7),
	OTHER_ARM("0xc0", 0xac4, "arm_ampereonex", 7),
	/* M1, M1 Pro, M1 Max; M2 likewise */
	OTHER_ARM("0x61", 0x022, "apple_m1", 10),
	OTHER_ARM("0x61", 0x023, "apple_m1", 10),
	OTHER_ARM("0x61", 0x024, "apple_m1", 10),
	OTHER_ARM("0x61", 0x025, "apple_m1", 10),
	OTHER_ARM("0x61", 0x028, "apple_m1", 10),
	OTHER_ARM("0x61", 0x029, "apple_m1", 10),
	OTHER_ARM("0x61", 0x032, "apple_m2", 10),
	OTHER_ARM("0x61", 0x033, "apple_m2", 10),
	OTHER_ARM("0x61", 0x034, "apple_m2", 10),
	OTHER_ARM("0x61", 0x035, "apple_m2", 10),
	OTHER_ARM("0x61", 0x038, "apple_m2", 10),
	OTHER_ARM("0x61", 0x039, "apple_m2", 10),
	POWER("POWER8", "power8"), POWER("POWER8E", "power8"),
	POWER("POWER8NVL", "power8"),
	POWER("POWER9", "power9"), POWER("POWER10", "power10"),
};
/* clang-format on */

static void take_line(struct id *id, const char *key, const char *value)
{
	if (!strcmp(key, "vendor_id") || !strcmp(key, "CPU implementer"))
		snprintf(id->vendor, sizeof(id->vendor), "%s", value);
	else if (!strcmp(key, "cpu"))
		snprintf(id->vendor, sizeof(id->vendor), "%.*s",
			 (int)strcspn(value, " (,"), value);
	else if (!strcmp(key, "cpu family"))
		id->family = strtol(value, NULL, 0);
	else if (!strcmp(key, "model") || !strcmp(key, "CPU part"))
		id->model = strtol(value, NULL, 0);
	else if (!strcmp(key, "stepping"))
		id->stepping = strtol(value, NULL, 0);
}

/* "key\t: value" of one line, trimmed in place; false if it is none. */
static bool split_line(char *line, char **value)
{
	char *colon = strchr(line, ':');
	char *end = colon;

	if (!colon)
		return false;
	while (end > line && strchr("\t ", end[-1]))
		end--;
	*end = '\0';
	*value = colon + 1 + strspn(colon + 1, " ");
	(*value)[strcspn(*value, "\n")] = '\0';
	return true;
}

/* The next CPU's lines; an empty one ends them. False at the file's end. */
static bool read_id(FILE *file, struct id *id)
{
	bool any = false;
	char line[256];

	*id = (struct id){ "", -1, -1, -1 };
	while (fgets(line, sizeof(line), file) && *line != '\n') {
		char *value;

		if (split_line(line, &value))
			take_line(id, line, value);
		any = true;
	}
	return any;
}

static const struct row *find_row(const struct id *id)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		long step = id->stepping < 0 && row->first_step >= 0
				    ? 0
				    : id->stepping;

		if (strcmp(row->vendor, id->vendor) == 0 &&
		    (row->family < 0 || row->family == id->family) &&
		    id->model >= row->first && id->model <= row->last &&
		    step >= row->first_step && step <= row->last_step)
			return row;
	}
	return NULL;
}

/*
 * ARM's cores of several kinds share neither events nor a PMU, so no table of
 * one of them holds for a thread that moves between them: what the kernel has
 * generic events for is left. Only ARM tells of each CPU what it is; elsewhere
 * one block is enough, and reading on would take milliseconds.
 */
static bool is_mixed(FILE *file, const struct id *first, const struct row *row)
{
	struct id id;

	if (strncmp(first->vendor, "0x", 2) != 0)
		return false;
	while (read_id(file, &id)) {
		const struct row *other = find_row(&id);

		if (id.model >= 0 && id.model != first->model &&
		    (!other || !row || strcmp(other->cpu.pmu, row->cpu.pmu)))
			return true;
	}
	return false;
}

bool pe_cpu_find(const struct fs *fs, struct pe_cpu *out)
{
	static const struct pe_cpu mixed = { "arm_mixed", 7 };
	FILE *file = fs_open(fs, "proc/cpuinfo");
	const struct row *row;
	bool is_known;
	struct id id;

	if (!file)
		return false;
	is_known = read_id(file, &id);
	row = is_known ? find_row(&id) : NULL;
	if (is_known && is_mixed(file, &id, row))
		*out = mixed;
	else if (row)
		*out = row->cpu;
	else
		is_known = false;
	fclose(file);
	return is_known;
}
