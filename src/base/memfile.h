/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A text that is written as if to a file. Unlike open_memstream()'s, it is
 * whole or not there: without memory that one drops what no longer fits, or
 * all of it when it is closed, and calls neither an error.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/strbuf.h"

struct memfile {
	FILE *to; /* where to write */
	char *text;
	size_t len;
	struct strbuf written;
};

/* 0 or PAPI_ENOMEM. @file must stay where it is until it is closed. */
int memfile_open(struct memfile *file);

/* 0 with the text, never NULL and to be freed; or PAPI_ENOMEM without one. */
int memfile_close(struct memfile *file);
