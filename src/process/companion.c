/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looked for from where the command's own file is, so that a build and an
 * installation can be moved.
 */

#include "process/process.h"

#include <errno.h>
#include <limits.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "console/build.h"

/* The folder that this command's own file is in. */
static int own_folder(char *path, size_t capacity)
{
	ssize_t n = readlink("/proc/self/exe", path, capacity - 1);
	char *slash;

	if (n <= 0)
		return -1;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return -1;
	*slash = '\0';
	return 0;
}

static char *find_beside(const struct companion *c)
{
	char folder[PATH_MAX];

	if (own_folder(folder, sizeof(folder)))
		return NULL;
	for (int installed = 0; installed < 2; installed++) {
		char *path = installed ? str_format("%s/../libexec/assay/%s",
						    folder, c->installed)
				       : str_format("%s/%s", folder, c->build);

		if (path && access(path, c->mode) == 0)
			return path;
		free(path);
	}
	return NULL;
}

char *companion_find(const struct companion *c, struct diag *diag)
{
	const char *chosen = getenv(c->variable);
	char *path;

	if (chosen && *chosen) {
		if (access(chosen, c->mode) == 0)
			return strdup(chosen);
		diag_fail(diag, PAPI_ESYS,
			  "%s names '%s', which cannot be %s: %s", c->variable,
			  chosen, c->mode == X_OK ? "executed" : "read",
			  strerror(errno));
		return NULL;
	}
	path = find_beside(c);
	if (!path)
		diag_fail(diag, PAPI_ESYS, "%s",
			  build_lacks() ? build_lacks() : c->missing);
	return path;
}
