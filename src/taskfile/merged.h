/* SPDX-License-Identifier: BSD-3-Clause */
/* One number of a section, as it comes together from many tasks. */
#ifndef TASKFILE_MERGED_H
#define TASKFILE_MERGED_H

#include "taskfile/taskfile.h"

struct merged_datum {
	struct task_datum datum; /* sums so far; name and reason are owned */
	double activations;
	bool no_value;     /* some task or thread has none, for the reason */
	bool no_exclusive; /* likewise */
};

/* As @from is called and described, without numbers yet. False: no memory. */
bool merged_init(struct merged_datum *all, const struct task_datum *from);
void merged_free(struct merged_datum *all);

/*
 * Add what @task has, which it counted in @count activations. False: there is
 * no memory for the reason why there is no sum.
 */
bool merged_add(struct merged_datum *all, const struct task_datum *from,
		double count, long task);

/* The merged number, as far as there is one. */
struct task_datum merged_result(const struct merged_datum *all);

#endif /* TASKFILE_MERGED_H */
