/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A row of an option table: a verb's own, or one that several verbs share. A
 * row that says where its value goes, and what it may be, is all there is to
 * such an option; the parser stores it. The others go to the verb's take().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum option_store {
	STORE_BY_TAKE,  /* take() gets it */
	STORE_FLAG,     /* a bool, which becomes true */
	STORE_TEXT,     /* a const char *, which points to the argument */
	STORE_DIGITS,   /* the same, if the argument is a whole number */
	STORE_UNSIGNED, /* an unsigned from min to max */
	STORE_NUMBER,   /* a double from min to max */
	STORE_WORD,     /* an enum: which of the words it is */
	STORE_NAME,     /* a struct selection, to which the argument is added */
	STORE_EVENTS,   /* a struct selection; the argument is a list */
};

struct cmd_option {
	int key; /* its letter; else a number from CMD_LONG up, or 0 if stored
		  */
	const char *name;     /* without dashes; NULL ends a table */
	const char *argument; /* what it takes, as in "FILE"; NULL: nothing */
	const char *help;     /* a phrase or sentences, without a dot */
	enum option_store store;
	size_t at;                /* where in the verb's state */
	double min, max;          /* of a number; max is 0: no limit */
	const char *unit;         /* of a number, for messages; NULL: none */
	const char *const *words; /* of STORE_WORD; ends with NULL */
};

#define CMD_LONG 256 /* first key of an option that has no letter */

/* Hand it to take(). */
#define BY_TAKE .store = STORE_BY_TAKE

/* Store it in @field of struct @state, as the field's type says. */
#define INTO(state, field)                                                     \
	.store = _Generic(((struct state *)0)->field, bool                     \
			  : STORE_FLAG, const char *                           \
			  : STORE_TEXT, unsigned                               \
			  : STORE_UNSIGNED, double                             \
			  : STORE_NUMBER),                                     \
	.at = offsetof(struct state, field)

/* The same where the type does not tell. */
#define INTO_AS(how, state, field)                                             \
	.store = STORE_##how, .at = offsetof(struct state, field)
