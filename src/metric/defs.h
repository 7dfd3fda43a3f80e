/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of definitions: constants, presets, user-defined events and metrics.
 *
 * One reader takes the text format of 2011 (#define NAME value, and
 * NAME, FORMULA) and PAPI's CPU, PRESET and EVENT lines, also in one file.
 * docs/formats/metrics.md describes both. A file is read whole or refused.
 */
#pragma once

#include "base/map.h"
#include "base/texts.h"
#include "metric/formula.h"

/* How an event is made of its base events; PAPI's words for it. */
enum derived {
	DERIVED_NOT,     /* the only base */
	DERIVED_ADD,     /* the sum of all */
	DERIVED_SUB,     /* the first minus the rest */
	DERIVED_PS,      /* the second per second; the first is cycles */
	DERIVED_ADD_PS,  /* all but the first, added, per second */
	DERIVED_CMPD,    /* the first base */
	DERIVED_POSTFIX, /* reverse Polish over N0, N1, ... */
	DERIVED_INFIX,   /* infix over N0, N1, ... */
	DERIVED_FORMULA, /* over event names; no bases: the text format */
	DERIVED_KINDS
};

/* PAPI's word for @derived. */
const char *derived_name(enum derived derived);

enum def_key {
	KEY_LDESC, /* what it is, in a sentence or more */
	KEY_SDESC, /* in a few words */
	KEY_NOTE,
	KEY_UNIT,
	KEY_GOOD,     /* a threshold, such as ">0.95" */
	KEY_BAD,      /* likewise */
	KEY_VALID,    /* likewise; what does not pass it is no value */
	KEY_CATEGORY, /* what it belongs to */
	KEY_COUNT
};

const char *def_key_name(enum def_key key);

struct def_field {
	enum def_key key;
	const char *value;
};

/* One definition. */
struct def {
	const char *name;
	bool is_preset; /* a PRESET line */
	enum derived derived;
	const char *formula; /* NULL if its kind needs none */
	const char **bases;
	size_t n_bases;
	struct def_field *fields; /* in the order of the file */
	size_t n_fields;
	size_t section;   /* whose CPUs it is for */
	size_t constants; /* how many were defined before it */
	size_t line;
	size_t column; /* of the formula */
};

struct def_constant {
	const char *name;
	const char *text; /* as written */
	double value;
	bool is_set; /* by defs_set_constant() */
	size_t line;
};

/* CPU lines that stand together: what follows is for any of these. */
struct def_section {
	const char **cpus; /* none: for every CPU */
	size_t n;
	size_t line;
};

enum def_line_kind {
	LINE_BLANK,
	LINE_COMMENT,
	LINE_CONSTANT,
	LINE_CPU,
	LINE_DEF
};

/* A line of the file, so that it can be written again as it was. */
struct def_line {
	enum def_line_kind kind;
	size_t index; /* in constants or defs; of a CPU line: in its section */
	size_t section;
	const char *text; /* of a comment, after '#'; of a CPU line, its type */
};

struct defs {
	struct texts texts; /* all texts that are below */
	const char *file;
	struct def *defs;
	size_t n;
	struct def_constant *constants;
	size_t n_constants;
	struct map constant_names;
	struct def_section *sections; /* [0]: before any CPU line */
	size_t n_sections;
	struct def_line *lines;
	size_t n_lines;
};

/*
 * Read @len bytes of @text, which came from @file. On error nothing is made,
 * and @diag has the sentence with line and column; its file is @file.
 *
 *   PAPI_EINVAL  malformed
 *   PAPI_ENOMEM
 */
int defs_parse(const char *file, const char *text, size_t len,
	       struct defs **out, struct diag *diag);
/*
 * The same for a file that is compiled in, which a test reads by defs_parse():
 * its formulas are not compiled to check them, which takes most of the time.
 */
int defs_parse_shipped(const char *file, const char *text, size_t len,
		       struct defs **out, struct diag *diag);
/*
 * And of it only constants and the definitions for one of @cpus (see
 * defs_section_is_for()); there are many others, and the command reads all
 * files at its start. Comments are not kept.
 */
int defs_parse_for(const char *file, const char *text, size_t len,
		   const char *const *cpus, struct defs **out,
		   struct diag *diag);
void defs_free(struct defs *defs);

/*
 * Give constant @name another value, such as this machine's; constants that
 * are defined by it follow. For formulas compiled afterwards. PAPI_ENOEVNT if
 * the file has no such constant.
 */
int defs_set_constant(struct defs *defs, const char *name, double value);

/*
 * The value of constant @text, by the first @n constants of @defs. PAPI_EINVAL
 * if it is malformed or has no value; @diag's column is within @text.
 */
int defs_constant_value(const struct defs *defs, size_t n, const char *text,
			double *value, struct diag *diag);

/* The value of a definition's field, or NULL. */
const char *def_field(const struct def *def, enum def_key key);

/* What it is, in a few words, or in a sentence where that is all; or "". */
const char *def_title(const struct def *def);

/* Whether a section is for @cpu. */
bool defs_section_has(const struct defs *defs, size_t section, const char *cpu);
/* Whether it is for any CPU, or for one of @cpus, which end with NULL. */
bool defs_section_is_for(const struct defs *defs, size_t section,
			 const char *const *cpus);

/*
 * Make a definition's formula. Bases and names in it are pushed by @names,
 * except constants of the file. "#" is pushed for the clock rate in Hz.
 */
int defs_compile(const struct defs *defs, const struct def *def,
		 const struct formula_names *names, struct formula **out,
		 struct diag *diag);

/*
 * What a value is by the thresholds of @def: 1 good, 0 between, -1 bad, or
 * PAPI_ENOEVNT if it has none, or @value is NaN.
 */
int def_verdict(const struct def *def, double value);

/* Whether @value passes KEY_VALID, or there is none. */
bool def_is_valid(const struct def *def, double value);

/* A threshold: "<", "<=", ">" or ">=", and a number. False if malformed. */
bool def_parse_threshold(const char *text, char op[3], double *limit);
