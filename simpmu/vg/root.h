/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses as a root and a constant: VEX computes each from some earlier
 * value, often by adding a constant. Those with the same root differ by a
 * known number of bytes.
 */
#pragma once

#include <stdbool.h>

#include <pub_tool_basics.h>
#include <pub_tool_tooliface.h>

struct address {
	IRTemp root; /* IRTemp_INVALID: the address is the offset alone */
	Long offset;
};

struct roots {
	struct address *of; /* by temporary */
};

void roots_find(struct roots *roots, const IRSB *sb);
struct address roots_get(const struct roots *roots, const IRExpr *address);
