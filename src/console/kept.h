/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What commands keep between runs, for themselves and for each other: a
 * directory for each kind, a file for each name, the user's own (mode 0700).
 * Files are written whole or not at all; what they hold is its owner's
 * business.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "write/format.h"

enum kept_kind {
	KEPT_MACHINES,   /* machine/store.h; people put files there, too */
	KEPT_VALIDATION, /* validate/validated.h */
	KEPT_CLASSES,    /* what classify said of events */
	KEPT_TIMES,      /* validate/time.h: models' cycles against real ones */
	KEPT_SPEEDS,     /* measure/slowdown.h: of runs on the simulated PMU */
};

/*
 * The file of @name, to be freed; a '/' in the name becomes '_', as a machine
 * model may be a path. NULL if there is no home, or no memory.
 */
char *kept_path(enum kept_kind kind, const char *name);

/*
 * Let @write write @what into the file of @name, making folders as needed. 0,
 * or a PAPI error with @diag (which may be NULL).
 */
int kept_write(enum kept_kind kind, const char *name, write_fn write,
	       const void *what, struct diag *diag);

/* The same for a path of the caller's choice. */
int kept_write_to(const char *path, write_fn write, const void *what,
		  struct diag *diag);

/* The names of a kind, sorted, for fs_free_names(). 0, or PAPI_ENOMEM. */
int kept_names(enum kept_kind kind, char ***names, size_t *n);
