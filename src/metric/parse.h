/* SPDX-License-Identifier: BSD-3-Clause */
/* What the readers of infix and of reverse Polish share. */
#pragma once

#include "metric/formula.h"
#include "metric/token.h"

struct parse {
	struct tokens tokens;
	const struct formula_names *names;
	struct formula_builder builder;
	struct diag *diag;
	char *name; /* room for the longest name, NUL-terminated */
};

int parse_init(struct parse *p, const char *text,
	       const struct formula_names *names, struct diag *diag);

/* Push what a name stands for; a failure is about @token. */
int parse_push_name(struct parse *p, const struct token *token);

/* Push a number. */
int parse_push_number(struct parse *p, const struct token *token);

/* Refuse, with a sentence about @token. Returns PAPI_EINVAL. */
int parse_refuse(struct parse *p, const struct token *token,
		 const char *sentence);

/* Turn a builder's PAPI_ENOMEM into a sentence. */
int parse_too_large(struct parse *p, const struct token *token, int err);

void parse_fini(struct parse *p);
