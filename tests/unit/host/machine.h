/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Captured machines: unpack one of tests/fixtures/machines, which
 * scripts/capture-machine writes, below a temporary folder.
 */
#pragma once

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "tests/unit/testing.h"

struct machine {
	char root[64];
	struct fs fs;
};

static inline void machine_make_folders(char *path, size_t from)
{
	for (char *slash = strchr(path + from, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
		*slash = '/';
	}
}

/* Begin the entry that a line "-- path --" or "-- path -> target --" names. */
static inline FILE *machine_begin(const struct machine *m, char *line)
{
	char *end = strstr(line + 3, " --");
	char *arrow = strstr(line + 3, " -> ");
	char path[8192];
	FILE *file;

	assert_non_null(end);
	*end = '\0';
	if (arrow)
		*arrow = '\0';
	snprintf(path, sizeof(path), "%s/%s", m->root, line + 3);
	machine_make_folders(path, strlen(m->root) + 1);
	if (arrow) {
		assert_int_equal(symlink(arrow + 4, path), 0);
		return NULL;
	}
	file = fopen(path, "w");
	assert_non_null(file);
	return file;
}

/* An empty machine: nothing in /proc, nothing in /sys. */
static inline void machine_init(struct machine *m)
{
	/* A machine is hundreds of files: in memory, where that can be. */
	snprintf(m->root, sizeof(m->root), "%s/assay-machine-XXXXXX",
		 access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp");
	assert_non_null(mkdtemp(m->root));
	m->fs.root = m->root;
}

/* Unpack a captured machine from @archive, which is closed. */
static inline void machine_unpack(struct machine *m, FILE *archive)
{
	FILE *file = NULL;
	char line[4096];

	machine_init(m);
	assert_non_null(archive);
	while (fgets(line, sizeof(line), archive)) {
		if (strncmp(line, "-- ", 3) == 0) {
			if (file)
				fclose(file);
			file = machine_begin(m, line);
		} else if (file) {
			fputs(line, file);
		}
	}
	if (file)
		fclose(file);
	fclose(archive);
}

static inline void machine_open(struct machine *m, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/machines/%s", FIXTURES, name);
	machine_unpack(m, fopen(path, "r"));
}

/* Put @text into file @path of the machine, or remove the file if NULL. */
static inline void machine_put(const struct machine *m, const char *path,
			       const char *text)
{
	char full[512];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", m->root, path);
	if (!text) {
		assert_int_equal(unlink(full), 0);
		return;
	}
	machine_make_folders(full, strlen(m->root) + 1);
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static inline int machine_remove_entry(const char *path, const struct stat *st,
				       int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

static inline void machine_close(struct machine *m)
{
	assert_int_equal(
		nftw(m->root, machine_remove_entry, 16, FTW_DEPTH | FTW_PHYS),
		0);
}
