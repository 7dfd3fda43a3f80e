/* SPDX-License-Identifier: BSD-3-Clause */
#include "console/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/file.h"
#include "base/strbuf.h"

char *state_path(const char *name)
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");

	if (state && *state == '/') /* others are void by the standard */
		return str_format("%s/assay/%s", state, name);
	if (home && *home == '/')
		return str_format("%s/.local/state/assay/%s", home, name);
	return NULL;
}

/* Every folder on the way to @path; what is missing becomes the user's own. */
static int make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0700) && errno != EEXIST) {
			*slash = '/';
			return PAPI_ESYS;
		}
		*slash = '/';
	}
	return 0;
}

int state_write(const char *name, write_fn write, const void *what)
{
	const struct report_style style = { .width = 80 };
	char *path = state_path(name);
	struct outfile *file;
	int err = path ? make_folders(path) : PAPI_ESYS;

	if (!err)
		err = outfile_open(path, &file, NULL);
	free(path);
	if (err)
		return PAPI_ESYS;
	if (write(what, &style, outfile_stream(file))) {
		outfile_abort(file);
		return PAPI_ESYS;
	}
	return outfile_commit(file, NULL) ? PAPI_ESYS : 0;
}
