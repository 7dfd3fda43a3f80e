/* SPDX-License-Identifier: BSD-3-Clause */
/* What is done with a finished formula: evaluate it, see if it is linear. */
#include "metric/formula.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NaN wins: a bound of something that has no value has none either. */
static double smaller(double a, double b)
{
	return isnan(a) || a < b ? a : b;
}

static double larger(double a, double b)
{
	return isnan(a) || a > b ? a : b;
}

/* x/0 and 0/0 alike: "no rate", never infinity. */
static double ratio(double a, double b)
{
	return b == 0.0 ? (double)NAN : a / b;
}

/*
 * One flat switch: this is what every value of every metric goes through. The
 * topmost value is kept apart from the stack, where a register holds it; the
 * first push puts one aside that nobody asks for.
 */
double formula_eval(const struct formula *formula, const double *counts)
{
	const struct formula_insn *insn = formula->insns;
	const struct formula_insn *end = insn + formula->len;
	double stack[FORMULA_DEPTH];
	double *below = stack; /* one past the value below the topmost */
	double top = 0;

	for (; insn < end; insn++) {
		switch (insn->op) {
		case OP_CONST:
			*below++ = top;
			top = insn->value;
			break;
		case OP_COUNT:
			*below++ = top;
			top = counts[insn->slot];
			break;
		case OP_NEG:
			top = -top;
			break;
		case OP_ADD:
			top = *--below + top;
			break;
		case OP_SUB:
			top = *--below - top;
			break;
		case OP_RSUB:
			top = top - *--below;
			break;
		case OP_MUL:
			top = *--below * top;
			break;
		case OP_DIV:
			top = ratio(*--below, top);
			break;
		case OP_RDIV:
			top = ratio(top, *--below);
			break;
		case OP_MIN:
			top = smaller(*--below, top);
			break;
		case OP_MAX:
			top = larger(*--below, top);
			break;
		case OP_GUARD:
			below--;
			top = isnan(*below) ? top : *below;
			break;
		case OP_RGUARD:
			below--;
			top = isnan(top) ? *below : top;
			break;
		default: /* the builder makes no others */
			__builtin_unreachable();
		}
	}

	assert(below == stack + 1);
	/* Beyond what a double holds there is no value either. */
	return isfinite(top) ? top : (double)NAN;
}

void formula_free(struct formula *formula)
{
	free(formula);
}

/*
 * One value on the stack of the linear reading: factors of the counts, and a
 * constant part. A value with both is not a sum of counts, but may be a
 * difference in which the constant goes away.
 */
struct linear {
	long long *factors;
	long long constant;
	bool plain; /* no count in it */
};

static bool is_whole(double value)
{
	return value == floor(value) && fabs(value) <= INT_MAX;
}

/* *to += sign * by; false if it does not fit. */
static bool add_times(long long *to, long long by, int sign)
{
	return !__builtin_mul_overflow(by, sign, &by) &&
	       !__builtin_add_overflow(*to, by, to);
}

/* a += sign * b; false if it does not fit. */
static bool add_linear(struct linear *a, const struct linear *b, int sign,
		       size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!add_times(&a->factors[i], b->factors[i], sign))
			return false;
	a->plain = a->plain && b->plain;
	return add_times(&a->constant, b->constant, sign);
}

static bool scale_linear(struct linear *a, long long by, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (__builtin_mul_overflow(a->factors[i], by, &a->factors[i]))
			return false;
	return !__builtin_mul_overflow(a->constant, by, &a->constant);
}

/* a *= b, where one of them must be a constant. */
static bool multiply_linear(struct linear *a, const struct linear *b, size_t n)
{
	long long by = a->constant;

	if (b->plain)
		return scale_linear(a, b->constant, n);
	if (!a->plain)
		return false;
	memcpy(a->factors, b->factors, n * sizeof(*a->factors));
	a->constant = b->constant;
	a->plain = false;
	return scale_linear(a, by, n);
}

static bool apply_linear(enum formula_op op, struct linear *a,
			 const struct linear *b, size_t n)
{
	switch (op) {
	case OP_ADD:
		return add_linear(a, b, 1, n);
	case OP_SUB:
		return add_linear(a, b, -1, n);
	case OP_RSUB:
		return scale_linear(a, -1, n) && add_linear(a, b, 1, n);
	case OP_MUL:
		return multiply_linear(a, b, n);
	default:
		return false;
	}
}

static bool push_linear(struct linear *top, const struct formula_insn *insn,
			size_t n)
{
	memset(top->factors, 0, n * sizeof(*top->factors));
	top->constant = 0;
	top->plain = insn->op == OP_CONST;
	if (!top->plain) {
		top->factors[insn->slot] = 1;
		return true;
	}
	if (!is_whole(insn->value))
		return false;
	top->constant = (long long)insn->value;
	return true;
}

/* Run the program on linear values; the result is stack[0]. */
static bool run_linear(const struct formula *formula, struct linear *stack)
{
	size_t n = formula->slots;
	struct linear *top = stack;

	for (size_t pc = 0; pc < formula->len; pc++) {
		const struct formula_insn *insn = &formula->insns[pc];
		bool fits;

		if (insn->op <= OP_COUNT) {
			fits = push_linear(top++, insn, n);
		} else if (insn->op == OP_NEG) {
			fits = scale_linear(top - 1, -1, n);
		} else {
			top--;
			fits = apply_linear(insn->op, top - 1, top, n);
		}
		if (!fits)
			return false;
	}
	return stack[0].constant == 0;
}

/* A formula larger than this is not worth the look. */
#define LINEAR_WORK ((size_t)1 << 20)

bool formula_is_linear(const struct formula *formula, int *weights)
{
	struct linear stack[FORMULA_DEPTH];
	size_t n = formula->slots;
	long long *factors;
	bool is_linear;

	if (n == 0 || formula->len > LINEAR_WORK / n)
		return false;
	factors = calloc(FORMULA_DEPTH * n, sizeof(*factors));
	if (!factors)
		return false;
	for (size_t i = 0; i < FORMULA_DEPTH; i++)
		stack[i].factors = factors + i * n;

	is_linear = run_linear(formula, stack);
	for (size_t i = 0; is_linear && i < n; i++)
		is_linear = factors[i] >= INT_MIN && factors[i] <= INT_MAX;
	for (size_t i = 0; is_linear && i < n; i++)
		weights[i] = (int)factors[i];
	free(factors);
	return is_linear;
}
