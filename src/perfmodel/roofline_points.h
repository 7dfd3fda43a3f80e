/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where programs stand under a roofline: of each program the whole, its
 * threads, and the traffic of each level of the memory. Points of earlier runs
 * come from the JSON of `assay model roofline`.
 */
#ifndef PERFMODEL_ROOFLINE_POINTS_H
#define PERFMODEL_ROOFLINE_POINTS_H

#include <stddef.h>

#include "base/err.h"
#include "perfmodel/perfmodel.h"

enum roofline_kind {
	ROOFLINE_PROGRAM,
	ROOFLINE_LEVEL,
	ROOFLINE_THREAD,
};

struct roofline_point {
	char *program; /* "matmul 60" */
	char *name;    /* "memory", "L3", "thread 2"; of the program: "" */
	enum roofline_kind kind;
	double intensity; /* flop/B */
	double rate;      /* flop/s */
};

struct roofline_points {
	struct roofline_point *list;
	size_t n;
};

extern const char *const roofline_kinds[];

/* The program's name without directories, and its arguments; to be freed. */
char *roofline_program(const struct modelled *m);

/* Points of @m, of a file; each adds to @points. 0 or a code, the latter with
 * the sentence in @diag. */
int roofline_points_add(struct roofline_points *points,
			const struct modelled *m);
int roofline_points_read(struct roofline_points *points, const char *path,
			 struct diag *diag);
void roofline_points_fini(struct roofline_points *points);

#endif /* PERFMODEL_ROOFLINE_POINTS_H */
