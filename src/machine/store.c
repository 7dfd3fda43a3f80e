/* SPDX-License-Identifier: BSD-3-Clause */
/* Where machines are kept. */

#include "machine/store.h"

#include <stdlib.h>

#include "base/strbuf.h"

char *machine_store_path(const char *name)
{
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");

	/* The specification says that a relative path is to be ignored. */
	if (data && *data == '/')
		return str_format("%s/assay/%s", data, name);
	if (home && *home)
		return str_format("%s/.local/share/assay/%s", home, name);
	return NULL;
}

char *machine_store_file(const char *name)
{
	char *inside = str_format("machines/%s.txt", name);
	char *path = inside ? machine_store_path(inside) : NULL;

	free(inside);
	return path;
}
