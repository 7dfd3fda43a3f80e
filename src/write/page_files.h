/* SPDX-License-Identifier: BSD-3-Clause */
/* The viewer's page, compiled in; empty in a build without Node. */
#pragma once

struct embedded {
	const char *file;
	const char *text;
};

extern const struct embedded page_files[];
