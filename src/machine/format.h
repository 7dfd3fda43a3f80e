/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A measured machine outside this process: what it says of itself, and the
 * formats it is written in and read from. Measuring is measure.h's.
 */
#pragma once

#include <stdio.h>

#include "machine/machine.h"
#include "write/format.h"

/* Which machine this is, and what it says of itself. 0 or PAPI_ENOMEM. */
int machine_describe(struct machine *m);
int machine_add_nominal(struct machine *m);
/* The same for a modelled one. */
int machine_describe_model(struct machine *m, const char *model);

/* Formats that a machine is written in; each takes a struct machine. */
extern const struct format machine_formats[];

int machine_write_text(const void *machine, const struct report_style *style,
		       FILE *to);
int machine_document(const void *machine, struct json *j);
/* A file of constants, as formulas and models read them. */
int machine_write_file(const void *machine, const struct report_style *style,
		       FILE *to);
/* A model file, for the simulated PMU. */
int machine_write_model(const void *machine, const struct report_style *style,
			FILE *to);
/* One of the curves: --sweep moves it to the front. */
int machine_write_svg(const void *machine, const struct report_style *style,
		      FILE *to);

/* Constants and all curves, to look at in the browser. */
int machine_write_page(const void *machine, const struct report_style *style,
		       FILE *to);

/* A name of a machine that can be part of a file's name. */
bool machine_is_name(const char *name);

/*
 * Read what machine_document() described, or a file of constants. @m is zeroed,
 * and so it is after a failure.
 */
int machine_read(const char *path, struct machine *m, struct diag *diag);
/* The same from memory; @text ends with a NUL after @length bytes. */
int machine_parse(const char *path, const char *text, size_t length,
		  struct machine *m, struct diag *diag);

/* Several side by side. */
struct machine_pair {
	const struct machine *a, *b;
};
int machine_compare_text(const void *pair, const struct report_style *style,
			 FILE *to);
int machine_compare_describe(const void *pair, struct json *j);
