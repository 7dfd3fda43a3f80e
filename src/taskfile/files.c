/* SPDX-License-Identifier: BSD-3-Clause */
/* In a directory: what ends in .xml, in the order of numbers in names. */

#include "taskfile/taskfile.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/strbuf.h"

static int add(struct taskfile_files *files, char *path)
{
	if (!path || array_add(files->paths, files->n, path)) {
		free(path);
		return PAPI_ENOMEM;
	}
	return 0;
}

static int is_performance_file(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > 4 &&
	       strcmp(entry->d_name + len - 4, ".xml") == 0;
}

static int add_directory(struct taskfile_files *files, const char *name,
			 struct diag *diag)
{
	struct dirent **entries;
	int n = scandir(name, &entries, is_performance_file, versionsort);
	int err = 0;

	if (n < 0)
		return diag_fail(diag, PAPI_ESYS, "cannot read %s: %s", name,
				 strerror(errno));
	for (int i = 0; i < n; i++) {
		if (!err)
			err = add(files, str_format("%s/%s", name,
						    entries[i]->d_name));
		free(entries[i]);
	}
	free(entries);
	if (n == 0)
		return diag_fail(diag, PAPI_ESYS,
				 "no performance files (*.xml) in %s", name);
	return err ? diag_fail(diag, err, "out of memory") : 0;
}

int taskfile_files_find(struct taskfile_files *files, char *const *names,
			size_t n, struct diag *diag)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		struct stat what;

		if (stat(names[i], &what) == 0 && S_ISDIR(what.st_mode))
			err = add_directory(files, names[i], diag);
		else if (add(files, strdup(names[i])))
			err = diag_fail(diag, PAPI_ENOMEM, "out of memory");
	}
	return err;
}

void taskfile_files_free(struct taskfile_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		free(files->paths[i]);
	free(files->paths);
	*files = (struct taskfile_files){ 0 };
}
