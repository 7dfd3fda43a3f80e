/* SPDX-License-Identifier: BSD-3-Clause */
/* Directories and files of what is kept; what is in them, its owner knows. */
#include "console/kept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/fs.h"
#include "base/strbuf.h"

/*
 * Where, by the XDG base directory specification: data that a user may want to
 * copy to another machine, and state that may be made again.
 */
static const struct {
	const char *variable; /* names the base; a relative path is ignored */
	const char *base;     /* below HOME otherwise */
	const char *folder;
} places[] = {
	[KEPT_MACHINES] = { "XDG_DATA_HOME", ".local/share", "machines" },
	[KEPT_VALIDATION] = { "XDG_STATE_HOME", ".local/state", "validation" },
	[KEPT_CLASSES] = { "XDG_STATE_HOME", ".local/state", "classify" },
	[KEPT_TIMES] = { "XDG_STATE_HOME", ".local/state", "time" },
	[KEPT_SPEEDS] = { "XDG_STATE_HOME", ".local/state", "speed" },
};

static char *folder_of(enum kept_kind kind)
{
	const char *base = getenv(places[kind].variable);
	const char *home = getenv("HOME");

	if (base && *base == '/')
		return str_format("%s/assay/%s", base, places[kind].folder);
	if (home && *home == '/')
		return str_format("%s/%s/assay/%s", home, places[kind].base,
				  places[kind].folder);
	return NULL;
}

char *kept_path(enum kept_kind kind, const char *name)
{
	OWNED char *folder = folder_of(kind);
	char *path = folder ? str_format("%s/%s", folder, name) : NULL;

	for (char *p = path ? path + strlen(folder) + 1 : NULL; p && *p; p++)
		if (*p == '/')
			*p = '_';
	return path;
}

/* Every folder on the way to @path; 0, or an errno. */
static int make_folders(const char *path)
{
	OWNED char *part = strdup(path);
	int failed = part ? 0 : ENOMEM;

	for (char *slash = part ? strchr(part + 1, '/') : NULL;
	     slash && !failed; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(part, 0700) && errno != EEXIST)
			failed = errno;
		*slash = '/';
	}
	return failed;
}

int kept_write_to(const char *path, write_fn write, const void *what,
		  struct diag *diag)
{
	const struct report_style style = { .width = 80 };
	struct outfile *file;
	int failed = make_folders(path);
	int err;

	if (failed)
		return diag_fail(diag, PAPI_ESYS, "cannot create %s: %s", path,
				 strerror(failed));
	err = outfile_open(path, &file, diag);
	if (err)
		return err;
	if (write(what, &style, outfile_stream(file))) {
		outfile_abort(file);
		return diag_fail(diag, PAPI_ESYS, "cannot write %s", path);
	}
	return outfile_commit(file, diag);
}

int kept_write(enum kept_kind kind, const char *name, write_fn write,
	       const void *what, struct diag *diag)
{
	OWNED char *path = kept_path(kind, name);

	if (!path)
		return diag_fail(
			diag, PAPI_ESYS,
			"no directory to store results in: HOME is not set");
	return kept_write_to(path, write, what, diag);
}

int kept_names(enum kept_kind kind, char ***names, size_t *n)
{
	struct fs fs = { .root = "" };
	OWNED char *folder = folder_of(kind);
	int err = 0;

	*names = NULL;
	*n = 0;
	if (folder)
		err = fs_list(&fs, folder, names, n);
	return err;
}
