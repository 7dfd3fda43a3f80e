/* SPDX-License-Identifier: BSD-3-Clause */
/* Building blocks for infix.c and rpn.c, which know the grammars. */
#include "metric/parse.h"

#include <stdlib.h>
#include <string.h>

int parse_init(struct parse *p, const char *text,
	       const struct formula_names *names, struct diag *diag)
{
	*p = (struct parse){
		.tokens = { text, text },
		.names = names,
		.diag = diag,
		.name = malloc(strlen(text) + 1),
	};
	if (!p->name)
		return diag_fail(diag, PAPI_ENOMEM, "out of memory");
	return 0;
}

void parse_fini(struct parse *p)
{
	builder_fini(&p->builder);
	free(p->name);
}

int parse_too_large(struct parse *p, const struct token *token, int err)
{
	if (err == PAPI_ENOMEM)
		diag_fail_at(p->diag, err, token->column,
			     "the formula becomes too large here");
	return err;
}

int parse_push_number(struct parse *p, const struct token *token)
{
	return parse_too_large(p, token,
			       builder_const(&p->builder, token->value));
}

int parse_push_name(struct parse *p, const struct token *token)
{
	size_t height = p->builder.height;
	int err;

	memcpy(p->name, token->start, token->len);
	p->name[token->len] = '\0';
	err = p->names->push(p->names->context, p->name, &p->builder, p->diag);
	if (!err && p->builder.height != height + 1)
		err = PAPI_EBUG;
	if (err && p->diag)
		p->diag->column = token->column;
	return err;
}

int parse_refuse(struct parse *p, const struct token *token,
		 const char *sentence)
{
	return diag_fail_at(p->diag, PAPI_EINVAL, token->column, "'%.*s': %s",
			    TOKEN_SHOWN(token), sentence);
}
