/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads from /proc/PID/task. */

#include "process/process.h"

#include <dirent.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static int by_number(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a;
	pid_t y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

int threads_list(pid_t pid, struct threads *out)
{
	struct threads t = { 0 };
	struct dirent *entry;
	char path[48];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	folder = opendir(path);
	if (!folder)
		return PAPI_EINVAL;
	while ((entry = readdir(folder))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid <= 0)
			continue;
		if (array_add(t.ids, t.n, tid)) {
			closedir(folder);
			threads_fini(&t);
			return PAPI_ENOMEM;
		}
	}
	closedir(folder);
	if (t.n > 0)
		qsort(t.ids, t.n, sizeof(*t.ids), by_number);
	*out = t;
	return 0;
}

void threads_fini(struct threads *t)
{
	free(t->ids);
	memset(t, 0, sizeof(*t));
}

pid_t threads_process(pid_t tid)
{
	char path[48], line[128];
	int process = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %d", &process) == 1)
			break;
	fclose(file);
	return (pid_t)process;
}

/* The kernel counts a thread no more from when it begins to exit, and shows it
 * for a while after. */
bool threads_is_ending(pid_t pid, pid_t tid)
{
	const unsigned exiting = 4; /* PF_EXITING of the kernel's sched.h */
	char path[64], line[512] = "";
	unsigned flags = 0;
	const char *after;
	char state = 'X';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid,
		 (int)tid);
	file = fopen(path, "re");
	if (!file)
		return true;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	after = strrchr(line, ')'); /* a name may hold anything */
	if (after)
		sscanf(after + 1, " %c %*d %*d %*d %*d %*d %u", &state, &flags);
	return state == 'X' || state == 'Z' || flags & exiting;
}

void threads_name(pid_t pid, pid_t tid, char *name, size_t capacity)
{
	char path[64];
	FILE *file;

	name[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid,
		 (int)tid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (!fgets(name, (int)capacity, file))
		name[0] = '\0';
	fclose(file);
	name[strcspn(name, "\n")] = '\0';
}
