/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reverse Polish: operands and operators with '|' between them, as in
 * "PAPI_TOT_INS|PAPI_TOT_CYC|/". One '|' at the end is fine, and blanks around
 * tokens are. Operators are + - * / and the words min, max, guard and neg.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "metric/parse.h"

/* A program being read, with the column at which each value begins. */
struct rpn {
	struct parse parse;
	size_t *columns; /* one for each value on the builder's stack */
	size_t n;
};

static const struct {
	const char *word;
	enum formula_op op;
} words[] = {
	{ "min", OP_MIN },
	{ "max", OP_MAX },
	{ "guard", OP_GUARD },
	{ "neg", OP_NEG },
};

/* Whether @token is an operator, and which. */
static bool find_operator(const struct token *token, enum formula_op *op)
{
	static const char signs[] = "+-*/";
	static const enum formula_op ops[] = { OP_ADD, OP_SUB, OP_MUL, OP_DIV };

	if (token->kind == TOKEN_OPERATOR) {
		*op = ops[strchr(signs, token->op) - signs];
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (token->kind == TOKEN_NAME && !token->quote &&
		    strlen(words[i].word) == token->len &&
		    strncmp(words[i].word, token->start, token->len) == 0) {
			*op = words[i].op;
			return true;
		}
	}
	return false;
}

static int take_operator(struct rpn *r, const struct token *token,
			 enum formula_op op)
{
	int err = builder_op(&r->parse.builder, op);

	if (err == PAPI_EINVAL)
		return parse_refuse(&r->parse, token,
				    op == OP_NEG
					    ? "there is no value before it"
					    : "it needs two values before it");
	if (err)
		return parse_too_large(&r->parse, token, err);
	if (op != OP_NEG)
		r->n--; /* the result begins where its first operand does */
	return 0;
}

static int take_operand(struct rpn *r, const struct token *token)
{
	int err;

	if (array_grow(&r->columns, r->n, sizeof(*r->columns)))
		return parse_too_large(&r->parse, token, PAPI_ENOMEM);
	if (token->kind == TOKEN_NUMBER)
		err = parse_push_number(&r->parse, token);
	else
		err = parse_push_name(&r->parse, token);
	if (!err)
		r->columns[r->n++] = token->column;
	return err;
}

static bool is_bar(const struct token *token)
{
	return token->kind == TOKEN_OPERATOR && token->op == '|';
}

static int take_token(struct rpn *r, const struct token *token)
{
	enum formula_op op;

	if (is_bar(token))
		return parse_refuse(&r->parse, token,
				    "there is nothing before it");
	if (find_operator(token, &op))
		return take_operator(r, token, op);
	return take_operand(r, token);
}

/* Token, bar, token, bar ... until the end. */
static int read_all(struct rpn *r)
{
	struct parse *p = &r->parse;

	for (;;) {
		struct token token;
		int err = token_read_rpn(&p->tokens, &token, p->diag);

		if (err)
			return err;
		if (token.kind == TOKEN_END)
			return 0;
		err = take_token(r, &token);
		if (!err)
			err = token_read_rpn(&p->tokens, &token, p->diag);
		if (err)
			return err;
		if (token.kind == TOKEN_END)
			return 0;
		if (!is_bar(&token))
			return parse_refuse(p, &token,
					    "a '|' is missing before it");
	}
}

static int finish(struct rpn *r, struct formula **out)
{
	struct parse *p = &r->parse;
	int err;

	if (r->n == 0)
		return diag_fail_at(p->diag, PAPI_EINVAL, 1,
				    "the formula is empty");
	if (r->n > 1)
		return diag_fail_at(p->diag, PAPI_EINVAL, r->columns[1],
				    "%zu values are left: an operator is "
				    "missing after this one",
				    r->n);
	err = builder_finish(&p->builder, out);
	if (err)
		diag_fail(p->diag, err, "out of memory");
	return err;
}

int formula_compile_rpn(const char *text, const struct formula_names *names,
			struct formula **out, struct diag *diag)
{
	struct rpn r = { 0 };
	int err = parse_init(&r.parse, text, names, diag);

	if (err)
		return err;
	err = read_all(&r);
	if (!err)
		err = finish(&r, out);
	parse_fini(&r.parse);
	free(r.columns);
	return err;
}

bool formula_is_rpn(const char *text)
{
	char quote = '\0';

	for (; *text; text++) {
		if (quote)
			quote = *text == quote ? '\0' : quote;
		else if (*text == '"' || *text == '\'')
			quote = *text;
		else if (*text == '|')
			return true;
	}
	return false;
}

int formula_compile(const char *text, const struct formula_names *names,
		    struct formula **out, struct diag *diag)
{
	if (formula_is_rpn(text))
		return formula_compile_rpn(text, names, out, diag);
	return formula_compile_infix(text, names, out, diag);
}
