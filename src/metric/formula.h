/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Formulas over counts: compiled and checked once, evaluated many times.
 *
 * Text becomes a tree in a builder; the builder orders the tree so that the
 * program needs the smallest stack, and everything that can go wrong is
 * refused there. So formula_eval() cannot fail, allocates nothing, and gives a
 * number or NaN, which means "no value".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum formula_op {
	OP_CONST, /* push .value */
	OP_COUNT, /* push counts[.slot] */
	OP_NEG,   /* replace the topmost value */
	OP_ADD,   /* this and below: replace the two topmost values */
	OP_SUB,
	OP_RSUB, /* the same with its operands the other way round */
	OP_MUL,
	OP_DIV,
	OP_RDIV,
	OP_MIN,
	OP_MAX,
	OP_GUARD, /* the lower one, or the upper one if that has no value */
	OP_RGUARD,
};

struct formula_insn {
	enum formula_op op;
	union {
		double value;
		size_t slot;
	};
};

/*
 * The deepest stack a program can need. A tree ordered by depth needs one
 * more only for twice the operands, so 2^20 nodes never need more than 21.
 */
#define FORMULA_DEPTH     24
#define FORMULA_MAX_NODES ((size_t)1 << 20)

/* Never changes once made: threads share it without a lock. */
struct formula {
	size_t len;
	size_t slots; /* counts it reads */
	struct formula_insn insns[];
};

/* The value for @counts, which has formula->slots elements; NaN: none. */
double formula_eval(const struct formula *formula, const double *counts);

/*
 * If the formula is a sum of whole multiples of its counts, put the factors
 * into @weights (formula->slots elements) and say so. Then a value can be
 * had from 64-bit counts without rounding.
 */
bool formula_is_linear(const struct formula *formula, int *weights);

void formula_free(struct formula *formula);

/* A formula being put together: values are pushed, operators combine them. */
struct formula_node {
	struct formula_insn insn;
	size_t left, right;
	unsigned depth; /* of stack that it needs */
};

struct formula_builder {
	struct formula_node *nodes;
	size_t n;
	size_t *stack; /* nodes that no operator has taken yet */
	size_t height;
	size_t slots;
};

int builder_const(struct formula_builder *b, double value);
int builder_count(struct formula_builder *b, size_t slot);

/* PAPI_EINVAL if there are too few values for it. */
int builder_op(struct formula_builder *b, enum formula_op op);

/* All of @formula as one value; its slot i becomes @slots[i]. */
int builder_formula(struct formula_builder *b, const struct formula *formula,
		    const size_t *slots);

/* PAPI_EINVAL unless exactly one value is left. */
int builder_finish(struct formula_builder *b, struct formula **out);
void builder_fini(struct formula_builder *b);

/*
 * What names in a formula mean. push() puts one value on @b, a constant, a
 * count or a whole formula, or fails with a sentence in @diag; the compiler
 * adds the column.
 */
struct formula_names {
	int (*push)(void *context, const char *name, struct formula_builder *b,
		    struct diag *diag);
	void *context;
};

/*
 * Compile reverse Polish ("A|B|+"), infix ("A+B") or whichever of them @text
 * is: with a '|' outside quotes it is reverse Polish. PAPI_EINVAL if it is
 * malformed, and what push() returns; @diag has the token's column.
 */
int formula_compile_rpn(const char *text, const struct formula_names *names,
			struct formula **out, struct diag *diag);
int formula_compile_infix(const char *text, const struct formula_names *names,
			  struct formula **out, struct diag *diag);
int formula_compile(const char *text, const struct formula_names *names,
		    struct formula **out, struct diag *diag);

/* Whether @text is reverse Polish. */
bool formula_is_rpn(const char *text);
