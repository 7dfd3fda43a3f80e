/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines in a folder, one file each. */

#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/strbuf.h"
#include "console/kept.h"
#include "machine/format.h"
#include "write/document.h"

#define SUFFIX ".json"

/* The file of @name in @folder, or in the user's own. */
static char *path_of(const char *folder, const char *name, const char *suffix)
{
	OWNED char *file = str_format("%s%s", name, suffix);
	char *path = NULL;

	if (file)
		path = folder ? str_format("%s/%s", folder, file)
			      : kept_path(KEPT_MACHINES, file);
	return path;
}

char *machine_store_constants(const char *name)
{
	return path_of(NULL, name, ".txt");
}

static int no_path(struct diag *diag)
{
	return diag_fail(diag, PAPI_ESYS,
			 "no directory to store machines in: HOME is not set");
}

static int write_machine(const void *machine, const struct report_style *style,
			 FILE *to)
{
	(void)style;
	return document_write_json(machine_document, machine, to);
}

int machine_store_save(const char *folder, const struct machine *m,
		       struct diag *diag)
{
	OWNED char *path = path_of(folder, m->name, SUFFIX);

	return path ? kept_write_to(path, write_machine, m, diag)
		    : no_path(diag);
}

int machine_store_load(const char *folder, const char *name, struct machine *m,
		       struct diag *diag)
{
	OWNED char *path = path_of(folder, name, SUFFIX);
	int err;

	if (!path)
		return no_path(diag);
	if (access(path, F_OK) == 0)
		err = machine_read(path, m, diag);
	else
		err = diag_fail(diag, PAPI_ENOEVNT,
				"there is no machine '%s'; 'assay machine "
				"list' lists the stored ones",
				name);
	return err;
}

static bool is_machine(const char *file)
{
	size_t n = strlen(file), suffix = strlen(SUFFIX);

	return n > suffix && strcmp(file + n - suffix, SUFFIX) == 0;
}

static int names_in(const char *folder, char ***names, size_t *n)
{
	struct fs fs = { .root = "" };

	return folder ? fs_list(&fs, folder, names, n)
		      : kept_names(KEPT_MACHINES, names, n);
}

static int give(const char *folder, const char *file, machine_store_fn each,
		void *context, struct diag *diag)
{
	struct machine m = { 0 };
	OWNED char *path = path_of(folder, file, "");
	int err = path ? machine_read(path, &m, diag) : no_path(diag);

	if (err)
		return err;
	err = each(context, &m);
	machine_fini(&m);
	return err ? diag_fail(diag, err, "out of memory") : 0;
}

static int none_in(const char *folder, struct diag *diag)
{
	OWNED char *path = path_of(folder, "", "");

	return path ? diag_fail(diag, PAPI_ENOEVNT,
				"no machine has been measured yet: there is "
				"none in %s",
				path)
		    : no_path(diag);
}

int machine_store_list(const char *folder, machine_store_fn each, void *context,
		       struct diag *diag)
{
	size_t n = 0, found = 0;
	char **names = NULL;
	int err = names_in(folder, &names, &n);

	if (err)
		return diag_fail(diag, err, "out of memory");
	for (size_t i = 0; !err && i < n; i++) {
		if (!is_machine(names[i]))
			continue;
		found++;
		err = give(folder, names[i], each, context, diag);
	}
	fs_free_names(names, n);
	return err || found ? err : none_in(folder, diag);
}
