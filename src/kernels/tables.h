/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of each file. Inside this folder only. */
#pragma once

#include "kernels/kernel.h"

struct kernel_table {
	const struct kernel *kernels;
	size_t n;
};

#define KERNEL_TABLE(name, rows)                                               \
	const struct kernel_table name = { rows,                               \
					   sizeof(rows) / sizeof((rows)[0]) }

void kernel_points_add(struct kernel_points *to, struct kernel_point point);

extern const struct kernel_table kernels_null;
extern const struct kernel_table kernels_branch;    /* Figure 11 and more */
extern const struct kernel_table kernels_branch_o3; /* Figure 8 */
extern const struct kernel_table kernels_cache;     /* and TLBs */
extern const struct kernel_table kernels_conflict;
extern const struct kernel_table kernels_rotate; /* Figures 16 and 17 */
extern const struct kernel_table kernels_system;
extern const struct kernel_table kernels_hpcc;      /* Figure 2 of 2011 */
extern const struct kernel_table kernels_share;     /* two threads */
extern const struct kernel_table kernels_x86_count; /* for validation */
extern const struct kernel_table kernels_arm64_count;
extern const struct kernel_table kernels_count_system; /* of the kernel */
extern const struct kernel_table kernels_x86_int;
extern const struct kernel_table kernels_x86_jump;
extern const struct kernel_table kernels_x86_wrong_path; /* wrong paths */
extern const struct kernel_table kernels_x86_access;
extern const struct kernel_table kernels_x86_store;
extern const struct kernel_table kernels_x86_flush; /* of lines in no cache */
extern const struct kernel_table kernels_x86_prefetch;
extern const struct kernel_table kernels_x86_fp;
extern const struct kernel_table kernels_x86_code; /* instruction caches */

extern const struct kernel_table kernels_gpu;     /* of a set of their own */
extern const struct kernel_table kernels_foreign; /* found by name only */
