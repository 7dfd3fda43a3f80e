/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sites: what the model is to be told at a place in translated code. The code
 * passes the site, and the values that are only known when it runs.
 */
#pragma once

#include "simpmu/model/stretch.h"
#include "simpmu/vg/state.h"

/*
 * Addresses are passed as roots: values from which those of several accesses
 * follow by adding constants. SITE_ABSOLUTE is the root 0.
 */
#define SITE_ROOTS    STRETCH_ROOTS
#define SITE_ABSOLUTE SITE_ROOTS
#define SITE_ACCESSES 48
#define SITE_LINES    24
#define SITE_INSNS    72

struct site_access {
	uint64_t pc;
	int64_t offset;
	uint16_t size;
	uint8_t kind; /* enum access_kind */
	uint8_t root;
};

struct site {
	/* branch, and for the cycle model the instructions: none if it is off
	 */
	struct stretch stretch;

	struct site *hash_next;
	uint32_t hash;
	uint32_t runs; /* of a site that is shown by one call */
	Addr block;    /* in which it lies */
	uint16_t lines, accesses;
	uint64_t *line;
	uint64_t *line_for; /* the instruction that each is fetched for */
	uint16_t *line_at;  /* and how many accesses come before it */
	struct site_access *access;
};

/* A site under construction. */
struct site_draft {
	uint64_t line[SITE_LINES];
	uint64_t line_for[SITE_LINES];
	uint16_t line_at[SITE_LINES];
	unsigned lines;
	struct site_access access[SITE_ACCESSES];
	unsigned accesses;
	struct insn insn[SITE_INSNS];
	unsigned insns;
	uint64_t pc; /* of the first instruction */
	Addr block;
	bool piece; /* see struct segment */
	struct branch branch;
};

/* One site for all drafts that are equal; never freed. */
struct site *site_intern(const struct site_draft *draft);

/*
 * Called by translated code. @guest is the guest state; roots that the site
 * does not use are not passed: they hold anything.
 */

/* Something is missing in the filter; @lines is 0 if it is only pages. */
void replay_accesses(void *guest, const struct site *site, uint64_t lines,
		     uint64_t r0, uint64_t r1, uint64_t r2);

/* The same if no trap watches the model, on the core of second_core(). */
void replay_front(const struct site *site, uint64_t lines, uint64_t r0,
		  uint64_t r1, uint64_t r2);

/* @way: for a conditional branch whether it is taken, else its target. */
void replay_branch(void *guest, const struct site *site, uint64_t way);
void replay_cond(void *guest, const struct site *site, uint64_t way);
void replay_all(void *guest, struct site *site, uint64_t way, uint64_t r0,
		uint64_t r1, uint64_t r2);

/* Only pages are watched. */
void replay_pages(void *guest, const struct site *site, uint64_t r0,
		  uint64_t r1, uint64_t r2);
