/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ordinary infix: + and - below * and / below a sign, all from left to right,
 * parentheses, and the functions min, max (two or more arguments) and guard
 * (two). Dijkstra's way with a stack of pending operators, so that no depth of
 * parentheses can exhaust the caller's stack.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "metric/parse.h"

enum rank {
	RANK_OPEN, /* '(' and functions: only ')' takes them off */
	RANK_SUM,
	RANK_PRODUCT,
	RANK_SIGN,
};

/* An operator that waits for its right operand, or an open parenthesis. */
struct pending {
	enum rank rank;
	enum formula_op op;
	struct token token;
	bool is_function;
	size_t arguments; /* that a ',' has ended */
};

struct infix {
	struct parse parse;
	struct pending *pending;
	size_t n;
	bool wants_operand;
	struct token last; /* read before the present one */
};

static const struct {
	const char *name;
	enum formula_op op;
	size_t most; /* arguments; 0: any number */
} functions[] = {
	{ "min", OP_MIN, 0 },
	{ "max", OP_MAX, 0 },
	{ "guard", OP_GUARD, 2 },
};

static bool find_function(const struct token *token, size_t *i)
{
	for (*i = 0; *i < ARRAY_SIZE(functions); ++*i)
		if (strlen(functions[*i].name) == token->len &&
		    strncmp(functions[*i].name, token->start, token->len) == 0)
			return true;
	return false;
}

static int push_pending(struct infix *x, struct pending pending)
{
	if (array_add(x->pending, x->n, pending))
		return parse_too_large(&x->parse, &pending.token, PAPI_ENOMEM);
	return 0;
}

/* Carry out pending operators that bind at least as tightly as @rank. */
static int reduce(struct infix *x, enum rank rank)
{
	while (x->n > 0 && x->pending[x->n - 1].rank >= rank) {
		struct pending *top = &x->pending[--x->n];
		int err;

		if (top->rank == RANK_SIGN && top->token.op == '+')
			continue;
		err = builder_op(&x->parse.builder, top->op);
		if (err)
			return parse_too_large(&x->parse, &top->token, err);
	}
	return 0;
}

static bool is_call(const struct infix *x)
{
	const char *s = x->parse.tokens.next;

	while (*s == ' ' || *s == '\t')
		s++;
	return *s == '(';
}

/* A name before '(' is a function; the '(' is taken with it. */
static int open_function(struct infix *x, const struct token *token)
{
	struct token parenthesis;
	size_t i;

	if (!find_function(token, &i))
		return parse_refuse(&x->parse, token,
				    "there is no such function; functions: "
				    "min, max, guard");
	token_read_infix(&x->parse.tokens, &parenthesis, NULL);
	return push_pending(x, (struct pending){ .rank = RANK_OPEN,
						 .op = functions[i].op,
						 .token = *token,
						 .is_function = true });
}

static int take_operand(struct infix *x, const struct token *token)
{
	int err;

	if (token->kind == TOKEN_NUMBER) {
		err = parse_push_number(&x->parse, token);
	} else if (token->kind == TOKEN_NAME && !token->quote && is_call(x)) {
		return open_function(x, token);
	} else if (token->kind == TOKEN_NAME) {
		err = parse_push_name(&x->parse, token);
	} else if (token->op == '(') {
		return push_pending(x, (struct pending){ .rank = RANK_OPEN,
							 .token = *token });
	} else if (token->op == '-' || token->op == '+') {
		return push_pending(x, (struct pending){ .rank = RANK_SIGN,
							 .op = OP_NEG,
							 .token = *token });
	} else {
		return parse_refuse(&x->parse, token,
				    "a value is missing before it");
	}
	x->wants_operand = false;
	return err;
}

/* Combine a function's arguments, all of which are on the stack. */
static int close_function(struct infix *x, const struct pending *open)
{
	size_t arguments = open->arguments + 1;
	size_t i;

	find_function(&open->token, &i);
	if (arguments < 2)
		return parse_refuse(&x->parse, &open->token,
				    "it requires at least two arguments");
	if (functions[i].most && arguments > functions[i].most)
		return parse_refuse(&x->parse, &open->token,
				    "it requires two arguments");
	for (; arguments > 1; arguments--) {
		int err = builder_op(&x->parse.builder, open->op);

		if (err)
			return parse_too_large(&x->parse, &open->token, err);
	}
	return 0;
}

static int take_close(struct infix *x, const struct token *token)
{
	struct pending open;
	int err = reduce(x, RANK_SUM);

	if (err)
		return err;
	if (x->n == 0)
		return parse_refuse(&x->parse, token, "nothing is open");
	open = x->pending[--x->n];
	return open.is_function ? close_function(x, &open) : 0;
}

static int take_comma(struct infix *x, const struct token *token)
{
	int err = reduce(x, RANK_SUM);

	if (err)
		return err;
	if (x->n == 0 || !x->pending[x->n - 1].is_function)
		return parse_refuse(&x->parse, token,
				    "only a function has arguments");
	x->pending[x->n - 1].arguments++;
	x->wants_operand = true;
	return 0;
}

static int take_binary(struct infix *x, const struct token *token)
{
	static const char signs[] = "+-*/";
	static const enum formula_op ops[] = { OP_ADD, OP_SUB, OP_MUL, OP_DIV };
	size_t i = (size_t)(strchr(signs, token->op) - signs);
	enum rank rank = i < 2 ? RANK_SUM : RANK_PRODUCT;
	int err = reduce(x, rank);

	if (err)
		return err;
	x->wants_operand = true;
	return push_pending(x, (struct pending){ .rank = rank,
						 .op = ops[i],
						 .token = *token });
}

static int take_operator(struct infix *x, const struct token *token)
{
	if (token->kind != TOKEN_OPERATOR || token->op == '(')
		return parse_refuse(&x->parse, token,
				    "an operator is missing before it");
	if (token->op == ')')
		return take_close(x, token);
	if (token->op == ',')
		return take_comma(x, token);
	return take_binary(x, token);
}

static int finish(struct infix *x, struct formula **out)
{
	struct parse *p = &x->parse;
	int err;

	if (x->wants_operand && x->last.column == 0)
		return diag_fail_at(p->diag, PAPI_EINVAL, 1,
				    "the formula is empty");
	if (x->wants_operand)
		return parse_refuse(p, &x->last, "nothing follows it");
	err = reduce(x, RANK_SUM);
	if (err)
		return err;
	if (x->n > 0)
		return parse_refuse(p, &x->pending[x->n - 1].token,
				    "it is never closed");
	err = builder_finish(&p->builder, out);
	if (err)
		diag_fail(p->diag, err, "out of memory");
	return err;
}

static int read_all(struct infix *x)
{
	struct parse *p = &x->parse;

	for (;;) {
		struct token token;
		int err = token_read_infix(&p->tokens, &token, p->diag);

		if (err || token.kind == TOKEN_END)
			return err;
		if (x->wants_operand)
			err = take_operand(x, &token);
		else
			err = take_operator(x, &token);
		if (err)
			return err;
		x->last = token;
	}
}

int formula_compile_infix(const char *text, const struct formula_names *names,
			  struct formula **out, struct diag *diag)
{
	struct infix x = { .wants_operand = true };
	int err = parse_init(&x.parse, text, names, diag);

	if (err)
		return err;
	err = read_all(&x);
	if (!err)
		err = finish(&x, out);
	parse_fini(&x.parse);
	free(x.pending);
	return err;
}
