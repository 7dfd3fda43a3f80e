/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The audit: how VEX's view of each instruction differs from the
 * architecture's. Tools that count VEX's statements (lackey) differ from this
 * one by exactly what the audit counts, cause by cause.
 */
#pragma once

#include "simpmu/vg/plan.h"

/* Within one instruction. */
struct audit {
	unsigned segment;                /* in which it began */
	int loads, stores;               /* as VEX makes them */
	int called_loads, called_stores; /* inside helpers */
	int exits;
};

void audit_open(struct audit *audit, const struct plan *plan);
void audit_statement(struct audit *audit, const IRStmt *st, struct plan *plan);
void audit_exit(struct audit *audit, const struct x86 *x86, const IRStmt *st,
		struct plan *plan);

/* @skipped: a rep string that has no iteration here. */
void audit_close(struct audit *audit, const struct x86 *x86, struct plan *plan,
		 bool skipped);
