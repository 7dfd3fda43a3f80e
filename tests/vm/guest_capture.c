/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * guest capture PATTERN...: write down what the emulated machine's kernel says
 * of it, in the form of scripts/capture-machine, which needs Python.
 */
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/vm/guest.h"

/* Of /proc/meminfo only the first line: the rest changes. */
static void show(const char *path)
{
	FILE *file = fopen(path, "re");
	char line[4096];
	bool ended = true;

	if (!file)
		return;
	printf("-- %s --\n", path + 1);
	while (fgets(line, sizeof(line), file)) {
		if (strstr(path, "/meminfo") && !strstr(line, "MemTotal"))
			continue;
		fputs(line, stdout);
		ended = strchr(line, '\n') != NULL;
	}
	if (!ended)
		putchar('\n');
	fclose(file);
}

static void show_all(const char *pattern)
{
	char path[256];
	glob_t found;

	snprintf(path, sizeof(path), "/%s", pattern);
	if (glob(path, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct stat status;

		if (!stat(found.gl_pathv[i], &status) &&
		    S_ISREG(status.st_mode))
			show(found.gl_pathv[i]);
	}
	globfree(&found);
}

int guest_capture(int n, char **patterns)
{
	for (int i = 0; i < n; i++)
		show_all(patterns[i]);
	return 0;
}
