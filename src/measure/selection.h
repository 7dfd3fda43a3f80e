/* SPDX-License-Identifier: BSD-3-Clause */
/* Which events are to be counted: names given by the user, or the usual. */
#ifndef MEASURE_SELECTION_H
#define MEASURE_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct selection {
	char **names;
	size_t n;
	size_t named; /* the first so many are the user's own words */
	bool chosen;  /* by the user; else what fits of the usual events */
};

/*
 * Add the names of a list such as "PAPI_TOT_INS,cpu/event=0x3c,umask=1/". A
 * comma between slashes belongs to its name. A name that is there already is
 * not added again. 0, PAPI_EINVAL for an empty name, or PAPI_ENOMEM.
 */
int selection_add_list(struct selection *s, const char *list);

/* Add one name, unless it is there. 0 or PAPI_ENOMEM. */
int selection_add(struct selection *s, const char *name);

/*
 * Add the names in a file: one or a list a line; blank lines and what follows
 * a # do not count. An error has its sentence in @diag; also a file without a
 * name is one.
 */
int selection_add_file(struct selection *s, const char *path,
		       struct diag *diag);

/*
 * The usual events. Without a PMU that is also the few hardware events that
 * everybody looks for, so that their absence is explained.
 */
enum usual {
	USUAL_ALL,      /* of the machine's PMU and of the kernel */
	USUAL_HARDWARE, /* only the PMU's: the rest would be a simulator's */
	USUAL_SOFTWARE, /* the kernel's; no PMU */
};
int selection_add_usual(struct selection *s, enum usual usual);

void selection_fini(struct selection *s);

#endif /* MEASURE_SELECTION_H */
