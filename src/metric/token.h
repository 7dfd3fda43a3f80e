/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tokens of formulas. Infix and reverse Polish differ in what ends a name: in
 * infix an operator does, in reverse Polish only '|' or a blank. Quotes, " or
 * ', make a name of anything in both.
 */
#pragma once

#include "base/err.h"

enum token_kind {
	TOKEN_END,
	TOKEN_NUMBER,
	TOKEN_NAME,
	TOKEN_OPERATOR, /* one character, in .op */
};

struct token {
	enum token_kind kind;
	size_t column; /* from 1 */
	const char *start;
	size_t len;
	double value;
	char op;
	char quote; /* the name was in these */
};

/* Where the reading stands. */
struct tokens {
	const char *text;
	const char *next;
};

/* The next token of an infix formula. */
int token_read_infix(struct tokens *from, struct token *token,
		     struct diag *diag);

/* The next token of a reverse Polish one; '|' is an operator token. */
int token_read_rpn(struct tokens *from, struct token *token, struct diag *diag);

/*
 * A number at @text: digits, a fraction, an exponent; no sign. Returns what
 * comes after it, or NULL if there is none or it is out of range. The same
 * in every locale.
 */
const char *token_parse_number(const char *text, double *value);

/* How much of a token to show in a sentence. */
#define TOKEN_SHOWN(token)                                                     \
	(int)((token)->len < 40 ? (token)->len : 40), (token)->start
