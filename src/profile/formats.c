/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of formats that profiles are written in. */

#include <string.h>

#include "profile/profile.h"

const struct profile_format profile_formats[] = {
	{ .name = "text", .suffix = ".txt", .write = profile_write_text },
	{ .name = "json", .suffix = ".json", .write = profile_write_json },
	{ .name = "folded",
	  .suffix = ".folded",
	  .write = profile_write_folded },
	{ .name = "callgrind",
	  .suffix = ".callgrind",
	  .beginning = "callgrind.out",
	  .write = profile_write_callgrind },
	{ .name = "pprof",
	  .suffix = ".pb.gz",
	  .binary = true,
	  .write = profile_write_pprof },
	{ .name = "speedscope",
	  .suffix = ".speedscope.json",
	  .write = profile_write_speedscope },
	{ .name = NULL },
};

const struct profile_format *profile_format_find(const char *name)
{
	for (const struct profile_format *f = profile_formats; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

/* Several suffixes may fit (".speedscope.json", ".json"): the longest does. */
const struct profile_format *profile_format_for_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const struct profile_format *best = NULL;
	size_t longest = 0;

	for (const struct profile_format *f = profile_formats; f->name; f++) {
		size_t n = f->suffix ? strlen(f->suffix) : 0;

		if (f->beginning &&
		    strncmp(name, f->beginning, strlen(f->beginning)) == 0)
			return f;
		if (n > longest && strlen(name) > n &&
		    strcmp(name + strlen(name) - n, f->suffix) == 0) {
			longest = n;
			best = f;
		}
	}
	return best;
}
