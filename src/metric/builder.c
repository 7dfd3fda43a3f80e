/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a tree to a program. The deeper operand of each operator is computed
 * first (Sethi and Ullman), so the stack stays within FORMULA_DEPTH whatever
 * the formula looks like; nothing here recurses, so neither does it run out
 * of the caller's stack.
 */
#include <stdlib.h>

#include "base/array.h"
#include "metric/formula.h"

static int push_node(struct formula_builder *b, struct formula_node node)
{
	if (b->n == FORMULA_MAX_NODES)
		return PAPI_ENOMEM;
	if (array_grow(&b->nodes, b->n, sizeof(*b->nodes)) ||
	    array_grow(&b->stack, b->height, sizeof(*b->stack)))
		return PAPI_ENOMEM;
	b->nodes[b->n] = node;
	b->stack[b->height++] = b->n++;
	return 0;
}

int builder_const(struct formula_builder *b, double value)
{
	return push_node(b, (struct formula_node){
				    .insn = { .op = OP_CONST, .value = value },
				    .depth = 1 });
}

int builder_count(struct formula_builder *b, size_t slot)
{
	if (slot >= b->slots)
		b->slots = slot + 1;
	return push_node(b, (struct formula_node){
				    .insn = { .op = OP_COUNT, .slot = slot },
				    .depth = 1 });
}

static unsigned depth_of_both(unsigned left, unsigned right)
{
	if (left == right)
		return left + 1;
	return left > right ? left : right;
}

int builder_op(struct formula_builder *b, enum formula_op op)
{
	struct formula_node node = { .insn = { .op = op } };
	size_t takes = op == OP_NEG ? 1 : 2;

	if (b->height < takes)
		return PAPI_EINVAL;
	node.left = b->stack[b->height - takes];
	node.right = b->stack[b->height - 1];
	node.depth = b->nodes[node.left].depth;
	if (takes == 2)
		node.depth =
			depth_of_both(node.depth, b->nodes[node.right].depth);
	b->height -= takes;
	return push_node(b, node);
}

int builder_formula(struct formula_builder *b, const struct formula *formula,
		    const size_t *slots)
{
	for (size_t pc = 0; pc < formula->len; pc++) {
		const struct formula_insn *insn = &formula->insns[pc];
		int err;

		if (insn->op == OP_CONST)
			err = builder_const(b, insn->value);
		else if (insn->op == OP_COUNT)
			err = builder_count(b, slots[insn->slot]);
		else
			err = builder_op(b, insn->op);
		if (err)
			return err;
	}
	return 0;
}

static enum formula_op turned_round(enum formula_op op)
{
	switch (op) {
	case OP_SUB:
		return OP_RSUB;
	case OP_RSUB:
		return OP_SUB;
	case OP_DIV:
		return OP_RDIV;
	case OP_RDIV:
		return OP_DIV;
	case OP_GUARD:
		return OP_RGUARD;
	case OP_RGUARD:
		return OP_GUARD;
	default:
		return op;
	}
}

/* A node on its way into the program: first its operands, then itself. */
struct visit {
	size_t node;
	bool operands_done;
};

/* Replace the visit of an operator by itself, later, and its operands, now. */
static size_t put_operands(const struct formula_builder *b, size_t i,
			   struct visit *visits, size_t n)
{
	struct formula_node *node = &b->nodes[i];
	size_t first = node->left, second = node->right;

	visits[n++] = (struct visit){ i, true };
	if (node->insn.op == OP_NEG) {
		visits[n++] = (struct visit){ first, false };
		return n;
	}
	if (b->nodes[second].depth > b->nodes[first].depth) {
		node->insn.op = turned_round(node->insn.op);
		first = node->right;
		second = node->left;
	}
	visits[n++] = (struct visit){ second, false };
	visits[n++] = (struct visit){ first, false };
	return n;
}

static void emit(const struct formula_builder *b, struct visit *visits,
		 struct formula *out)
{
	size_t n = 0;

	visits[n++] = (struct visit){ b->stack[0], false };
	while (n > 0) {
		struct visit visit = visits[--n];
		const struct formula_node *node = &b->nodes[visit.node];

		if (visit.operands_done || node->insn.op <= OP_COUNT)
			out->insns[out->len++] = node->insn;
		else
			n = put_operands(b, visit.node, visits, n);
	}
}

int builder_finish(struct formula_builder *b, struct formula **out)
{
	struct formula *formula;
	OWNED struct visit *visits = NULL;

	if (b->height != 1)
		return PAPI_EINVAL;
	formula = malloc(sizeof(*formula) + b->n * sizeof(formula->insns[0]));
	/* A visit stands for a node not yet emitted, each at most once. */
	visits = malloc((b->n + 1) * sizeof(*visits));
	if (!formula || !visits) {
		free(formula);
		return PAPI_ENOMEM;
	}
	formula->len = 0;
	formula->slots = b->slots;
	emit(b, visits, formula);
	*out = formula;
	return 0;
}

void builder_fini(struct formula_builder *b)
{
	free(b->nodes);
	free(b->stack);
	*b = (struct formula_builder){ 0 };
}
