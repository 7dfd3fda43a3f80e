/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting on a machine where assay is not: a bundle is made here (one static
 * file), run there, and what it brought back is read here.
 */
#pragma once

#include "bundle/counts.h"
#include "bundle/request.h"
#include "classify/classify.h"
#include "console/console.h"

/* Write a bundle to @path. 0, or a status after a message. */
int bundle_pack(const struct console *console, const struct request *request,
		const char *path);

/* What a bundle brought back, and the plan it was counted by. */
struct bundle {
	struct counts counts;
	struct classify_plan plan;
};

/* Read the file @path. 0, or a status after a message. */
int bundle_unpack(const struct console *console, const char *path,
		  struct bundle *bundle);
void bundle_fini(struct bundle *bundle);
