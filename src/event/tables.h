/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of share/presets, compiled in: a script makes tables.c of them
 * when the library is built, so that no file is looked for when it runs.
 */
#pragma once

#include <stddef.h>

struct preset_table {
	const char *file;
	const char *const *cpus; /* that it has sections for, NULL at the end;
				    none at all: it is for every CPU */
	const char *text;
	size_t len;
};

extern const struct preset_table preset_tables[];
extern const size_t preset_table_count;
