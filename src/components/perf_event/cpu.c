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
 * [Arm TRMs: six event counters and the cycle counter].
 */
/* clang-format off */
static const struct row rows[] = {
	{ "GenuineIntel", 6, 60, 60, ANY_STEP, { "hsw", 7 } },
	{ "GenuineIntel", 6, 63, 63, ANY_STEP, { "hsw_ep", 7 } },
	{ "GenuineIntel", 6, 79, 79, ANY_STEP, { "bdw_ep", 7 } },
	{ "GenuineIntel", 6, 86, 86, ANY_STEP, { "bdw_ep", 7 } },
	{ "GenuineIntel", 6, 78, 78, ANY_STEP, { "skl", 7 } },
	{ "GenuineIntel", 6, 94, 94, ANY_STEP, { "skl", 7 } },
	{ "GenuineIntel", 6, 85, 85, 0, 4, { "skx", 7 } },
	{ "GenuineIntel", 6, 85, 85, 5, 255, { "clx", 7 } },
	{ "GenuineIntel", 6, 106, 106, ANY_STEP, { "icx", 12 } },
	{ "GenuineIntel", 6, 108, 108, ANY_STEP, { "icx", 12 } },
	{ "GenuineIntel", 6, 125, 126, ANY_STEP, { "icl", 12 } },
	{ "GenuineIntel", 6, 143, 143, ANY_STEP, { "spr", 12 } },
	{ "AuthenticAMD", 0x17, 0x00, 0x2f, ANY_STEP, { "amd64_fam17h_zen1", 6 } },
	{ "AuthenticAMD", 0x17, 0x30, 0xff, ANY_STEP, { "amd64_fam17h_zen2", 6 } },
	{ "AuthenticAMD", 0x19, 0x00, 0x0f, ANY_STEP, { "amd64_fam19h_zen3", 6 } },
	{ "AuthenticAMD", 0x19, 0x10, 0x1f, ANY_STEP, { "amd64_fam19h_zen4", 6 } },
	{ "AuthenticAMD", 0x19, 0x20, 0x5f, ANY_STEP, { "amd64_fam19h_zen3", 6 } },
	{ "AuthenticAMD", 0x19, 0x60, 0x7f, ANY_STEP, { "amd64_fam19h_zen4", 6 } },
	{ "AuthenticAMD", 0x19, 0xa0, 0xaf, ANY_STEP, { "amd64_fam19h_zen4", 6 } },
	{ "0x41", -1, 0xd03, 0xd03, ANY_STEP, { "arm_ac53", 7 } },
	{ "0x41", -1, 0xd07, 0xd07, ANY_STEP, { "arm_ac57", 7 } },
	{ "0x41", -1, 0xd08, 0xd08, ANY_STEP, { "arm_ac72", 7 } },
	{ "0x41", -1, 0xd0c, 0xd0c, ANY_STEP, { "arm_n1", 7 } },
	{ "0x41", -1, 0xd40, 0xd40, ANY_STEP, { "arm_v1", 7 } },
	{ "0x41", -1, 0xd49, 0xd49, ANY_STEP, { "arm_n2", 7 } },
	{ "POWER8", -1, -1, -1, -1, -1, { "power8", 6 } },
	{ "POWER9", -1, -1, -1, -1, -1, { "power9", 6 } },
	{ "POWER10", -1, -1, -1, -1, -1, { "power10", 6 } },
};
/* clang-format on */

static void take_line(struct id *id, const char *key, const char *value)
{
	if (!strcmp(key, "vendor_id") || !strcmp(key, "CPU implementer"))
		snprintf(id->vendor, sizeof(id->vendor), "%s", value);
	else if (!strcmp(key, "cpu"))
		snprintf(id->vendor, sizeof(id->vendor), "%.*s",
			 (int)strcspn(value, " ("), value);
	else if (!strcmp(key, "cpu family"))
		id->family = strtol(value, NULL, 0);
	else if (!strcmp(key, "model") || !strcmp(key, "CPU part"))
		id->model = strtol(value, NULL, 0);
	else if (!strcmp(key, "stepping"))
		id->stepping = strtol(value, NULL, 0);
}

/* The first CPU's lines, "key\t: value"; the others are not read. */
static bool read_id(const struct fs *fs, struct id *id)
{
	FILE *file = fs_open(fs, "proc/cpuinfo");
	char line[256];

	if (!file)
		return false;
	*id = (struct id){ "", -1, -1, -1 };
	while (fgets(line, sizeof(line), file) && *line != '\n') {
		char *colon = strchr(line, ':');
		char *end = colon;

		if (!colon)
			continue;
		while (end > line && strchr("\t ", end[-1]))
			end--;
		*end = '\0';
		colon += 1 + strspn(colon + 1, " ");
		colon[strcspn(colon, "\n")] = '\0';
		take_line(id, line, colon);
	}
	fclose(file);
	return true;
}

bool pe_cpu_find(const struct fs *fs, struct pe_cpu *out)
{
	struct id id;

	if (!read_id(fs, &id))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		long step = id.stepping < 0 && row->first_step >= 0
				    ? 0
				    : id.stepping;

		if (strcmp(row->vendor, id.vendor) ||
		    (row->family >= 0 && row->family != id.family) ||
		    id.model < row->first || id.model > row->last ||
		    step < row->first_step || step > row->last_step)
			continue;
		*out = row->cpu;
		return true;
	}
	return false;
}
