/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of each file. Inside this folder only. */
#ifndef KERNELS_TABLES_H
#define KERNELS_TABLES_H

#include "kernels/kernel.h"

struct kernel_table {
	const struct kernel *kernels;
	size_t n;
};

#define KERNEL_TABLE(name, rows)                                               \
	const struct kernel_table name = { rows,                               \
					   sizeof(rows) / sizeof((rows)[0]) }

extern const struct kernel_table kernels_null;
extern const struct kernel_table kernels_branch; /* Figure 11 and more */

#endif /* KERNELS_TABLES_H */
