/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a process has mapped that runs already: the kernel tells of maps only
 * when they are made, so those before are read from its list.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/process.h"
#include "record/record.h"

/* "start-end rwxp offset device inode path"; whether code may be there. */
static bool read_line(char *line, struct assay_record *out)
{
	char permissions[5];
	int path = -1;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*u %n",
		   &out->start, &out->end, permissions, &out->offset,
		   &path) != 4 ||
	    path < 0)
		return false;
	out->text = line + path;
	return strchr(permissions, 'x') != NULL;
}

int record_read_maps(struct gather *g, pid_t pid)
{
	struct assay_record record = { .kind = ASSAY_RECORD_EXEC,
				       .pid = pid,
				       .tid = pid };
	char path[40], name[32];
	OWNED char *line = NULL;
	size_t capacity = 0;
	FILE *maps;
	int err;

	threads_name(pid, pid, name, sizeof(name));
	record.text = name;
	err = gather_take(g, &record);
	record.kind = ASSAY_RECORD_MAP;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	while (!err && maps && getline(&line, &capacity, maps) > 0)
		if (read_line(line, &record))
			err = gather_take(g, &record);
	if (maps)
		fclose(maps);
	return err;
}
