/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What waits to be shown to the model, and the code that looks it up in the
 * filter first.
 */
#pragma once

#include <pub_tool_basics.h>
#include <pub_tool_tooliface.h>

#include "simpmu/vg/plan.h"
#include "simpmu/vg/root.h"
#include "simpmu/vg/site.h"

/* Look-ups of a kind between two calls; more would only cost registers. */
#define MAX_GROUPS 8

/* Accesses, or fetches, that one look-up covers. */
struct group {
	unsigned root;
	int64_t low, high; /* bytes [low, high) from the root */
	bool writes;
	unsigned accesses;
	unsigned last; /* number of the last access among all */
};

struct observer {
	IRSB *out;
	const IRSB *in;
	const VexGuestLayout *layout;
	const struct plan *plan;
	struct roots roots; /* of all addresses in the block */
	bool together;      /* a branch is shown with what comes before */
	bool by_call;       /* and nothing is inlined */

	/* how far the block has been shown */
	unsigned insn, access;
	enum {
		NOT_YET,
		LINES,
		RETIRED
	} shown;               /* of insns[insn] */
	unsigned first_access; /* of insns[insn], in the draft */

	/* what waits to be shown */
	struct site_draft draft;
	IRExpr *root[SITE_ROOTS];
	IRTemp root_temp[SITE_ROOTS];
	unsigned root_count;
	struct group line[MAX_GROUPS]; /* accesses to the same line */
	unsigned lines;
	struct group page[MAX_GROUPS]; /* and to the same page */
	unsigned pages;
};

/* Where something lies in memory: at + offset. */
struct entry {
	IRExpr *at; /* NULL: 0 */
	uint64_t offset;
};

struct lookup {
	struct entry core;
	/* Not 0 in bits that matter: something is missing. */
	IRExpr *code, *loads, *stores, *pages;
	IRExpr *lines; /* the same of all but pages of data */
	struct entry code_line[SITE_LINES], code_page[SITE_LINES];
	struct entry line[MAX_GROUPS], page[MAX_GROUPS];
};

/* The core that code runs on: by its address, if there is only one and no
 * thread that is paused can come here, else as the thread has it. */
bool lookup_names_core(void);
struct entry lookup_core(struct observer *observer);

/* Look all that waits up. Returns a test whether something is missing. */
IRExpr *lookup_accesses(struct observer *observer, struct lookup *lookup);

/* Note the uses; behind the call that was due if something was missing. */
void lookup_stamp(struct observer *observer, const struct lookup *lookup,
		  IRExpr *miss);

/* Look up only pages, and only whether they were touched before. */
IRExpr *lookup_pages(struct observer *observer);
