/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A new folder for the tests of one source file that includes this, and the
 * name of a file in it, "out", which they write.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "tests/unit/testing.h"

static char folder[] = "/tmp/assay-test-XXXXXX";
static char path[64];

static inline int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/out", folder);
	return 0;
}

static inline int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder); /* fails if something was left behind */
}

/* That file @name in the folder has @text in it, and nothing else. */
static inline void expect_file(int line, const char *name, const char *text)
{
	struct fs here = { .root = folder };
	char *found = fs_read(&here, name);

	if (!found || strcmp(found, text) != 0)
		fail_msg("line %d: %s has '%s'", line, name,
			 found ? found : "nothing");
	free(found);
}
