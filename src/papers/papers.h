/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The papers' tables and figures, made again, each with a gate that it passes
 * or does not. A paper is a rib: papers_NAME.c with a struct paper, and a row
 * in papers.c.
 */
#pragma once

#include <stdbool.h>

#include "base/strbuf.h"
#include "console/console.h"

/* A condition is a verdict, too: it holds or it does not. */
enum papers_verdict {
	PAPERS_FAIL = false,
	PAPERS_PASS = true,
	PAPERS_SKIP, /* cannot be made here; the detail says why */
};

struct papers_item {
	const char *paper; /* "microbenchmarks" */
	char *item;        /* the paper's figure, table or section: "Table 1" */
	enum papers_verdict verdict;
	char *detail; /* a sentence with the numbers */
	/* Where in the paper the expectation stands, and what it says there;
	 * NULL: nobody wrote it down, which a test complains of. */
	const char *source;
};

/* The source of a paper's item; NULL: it has none. */
const char *papers_source(const char *paper, const char *item);

/*
 * The machine model that takes the place of a shipped one. Every experiment
 * names the shipped model that it runs on and asks for it by machine_for().
 */
struct papers_machine {
	const char *model;    /* the user's: a name or a file; NULL: none */
	const char *replaces; /* the shipped one */
};

/* The model to run on where the usual one is @usual. */
const char *machine_for(const struct papers_machine *machine,
			const char *usual);

/* What is being made. */
struct papers {
	const struct console *console;
	struct papers_machine machine;
	const char *paper;    /* the one that runs */
	const char *folder;   /* where figures and data go; NULL: nowhere */
	struct strbuf tables; /* for people; not in JSON */
	struct papers_item *items;
	size_t n;
	bool failed; /* there was no memory */
};

struct paper {
	const char *name;
	const char *title; /* with authors and year */
	/* Make all of it. 0, or a status after a message: not a gate's. */
	int (*run)(struct papers *papers);
};

/* Ends with NULL. */
extern const struct paper *const paper_table[];
extern const struct paper paper_papi;
extern const struct paper paper_hpm;
extern const struct paper paper_microbenchmarks;
extern const struct paper paper_counter_inspection;
extern const struct paper paper_user_events;

/* One more gate. The detail is formatted. */
void papers_add(struct papers *papers, const char *item,
		enum papers_verdict verdict, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Text that people see: tables, with a newline at the end of each line. */
void papers_print(struct papers *papers, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A file in the folder, written whole or not at all: an SVG, a CSV. Nothing,
 * and 0, if no folder was asked for; a status after a message if it fails.
 */
int papers_write(struct papers *papers, const char *name, const char *text);

/* Says that there is none. The status of it. */
int papers_no_memory(const struct papers *papers);

/* Gates that failed. */
size_t papers_failures(const struct papers *papers);

void papers_fini(struct papers *papers);
