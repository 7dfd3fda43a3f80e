/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies the files of capture.def and the answers of CPUID. Lines that tell
 * one machine from another of its kind are left out; what the rest means is
 * for those who read it.
 */
#include "host/capture.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "host/cpuid.h"

static const char *const patterns[] = {
#define CAPTURE(pattern) pattern,
#include "host/capture.def"
#undef CAPTURE
};

/* What CPUID is asked: leaves, and how many subleaves at most. */
static const struct {
	uint32_t first, last;
	uint32_t subleaves;
} leaves[] = {
	{ 0x0, 0x2, 1 },
	/* 3 is the processor's serial number */
	{ 0x4, 0x4, 8 },
	{ 0x5, 0x6, 1 },
	{ 0x7, 0x7, 3 },
	{ 0xa, 0xa, 1 },
	{ 0xb, 0xb, 3 },
	{ 0x14, 0x14, 2 },
	{ 0x15, 0x16, 1 },
	{ 0x18, 0x18, 16 },
	{ 0x1a, 0x1a, 1 },
	{ 0x1c, 0x1c, 1 },
	{ 0x23, 0x23, 6 },
	{ 0x40000000, 0x40000001, 1 },
	{ 0x80000000, 0x80000008, 1 },
	{ 0x80000019, 0x8000001b, 1 },
	{ 0x8000001d, 0x8000001d, 5 },
	{ 0x8000001e, 0x8000001e, 1 },
	{ 0x80000022, 0x80000022, 1 },
};

/* A line that names this very machine, or changes all the time. */
static bool is_left_out(const char *path, const char *line)
{
	size_t n = strlen(path);

	if (n >= 7 && strcmp(path + n - 7, "meminfo") == 0)
		return strstr(line, "MemTotal") == NULL;
	if (strcmp(path, "proc/cpuinfo") == 0)
		return strncmp(line, "Serial", 6) == 0 ||
		       strstr(line, "identification") != NULL;
	return false;
}

static void copy_lines(const char *path, FILE *from, FILE *to)
{
	OWNED char *line = NULL;
	size_t size = 0;
	ssize_t n;

	while ((n = getline(&line, &size, from)) > 0) {
		if (is_left_out(path, line))
			continue;
		fputs(line, to);
		if (line[n - 1] != '\n')
			putc('\n', to);
	}
}

/* Not there, a folder, or not for us to read: then it is left out. */
static void copy_file(const struct fs *fs, const char *path, FILE *to)
{
	FILE *from = fs_open(fs, path);
	struct stat st;

	if (!from)
		return;
	if (fstat(fileno(from), &st) == 0 && S_ISREG(st.st_mode)) {
		fprintf(to, "-- %s --\n", path);
		copy_lines(path, from, to);
	}
	fclose(from);
}

static int copy_pattern(const struct fs *fs, const char *pattern, FILE *to)
{
	OWNED char *full = str_format("%s/%s", fs->root, pattern);
	size_t root = strlen(fs->root) + 1;
	glob_t found;
	int err;

	if (!full)
		return PAPI_ENOMEM;
	err = glob(full, 0, NULL, &found);
	if (err)
		return err == GLOB_NOSPACE ? PAPI_ENOMEM : 0;
	for (size_t i = 0; i < found.gl_pathc; i++)
		copy_file(fs, found.gl_pathv[i] + root, to);
	globfree(&found);
	return 0;
}

static void copy_cpuid(const struct fs *fs, FILE *to)
{
	struct cpuid_regs r;

	if (!cpuid_get(fs, 0, 0, &r))
		return;
	fprintf(to, "-- cpuid --\n");
	for (size_t i = 0; i < ARRAY_SIZE(leaves); i++)
		for (uint32_t leaf = leaves[i].first; leaf <= leaves[i].last;
		     leaf++)
			for (uint32_t sub = 0; sub < leaves[i].subleaves; sub++)
				if (cpuid_get(fs, leaf, sub, &r))
					fprintf(to,
						"0x%08x 0x%02x: eax=0x%08x "
						"ebx=0x%08x ecx=0x%08x "
						"edx=0x%08x\n",
						leaf, sub, r.eax, r.ebx, r.ecx,
						r.edx);
}

int capture_write(const struct fs *fs, FILE *to)
{
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(patterns); i++)
		err = copy_pattern(fs, patterns[i], to);
	if (!err)
		copy_cpuid(fs, to);
	return !err && ferror(to) ? PAPI_ESYS : err;
}
