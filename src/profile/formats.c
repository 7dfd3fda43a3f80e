/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of formats that profiles are written in. */

#include "profile/profile.h"

const struct format profile_formats[] = {
	FORMAT("text", ".txt", profile_write_text),
	FORMAT("json", ".json", profile_write_json),
	FORMAT("folded", ".folded", profile_write_folded),
	{ .name = "callgrind",
	  .suffix = ".callgrind",
	  .write = profile_write_callgrind,
	  .beginning = "callgrind.out" },
	{ .name = "pprof",
	  .suffix = ".pb.gz",
	  .write = profile_write_pprof,
	  .binary = true },
	FORMAT("speedscope", ".speedscope.json", profile_write_speedscope),
	{ 0 },
};
