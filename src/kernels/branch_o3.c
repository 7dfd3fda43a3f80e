/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 8 of the 2018 paper: an else of which an optimiser leaves no jump. It
 * copies the end of the loop behind both blocks instead.
 */

#include "kernels/if_else.h"

static const struct kernel rows[] = {
	IF_ELSE_ROW("branch/else-o3", "a random if with an else, optimised"),
};

KERNEL_TABLE(kernels_branch_o3, rows);
