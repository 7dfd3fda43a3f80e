/* SPDX-License-Identifier: BSD-3-Clause */
/* Definitions as data: their words, their fields, their formulas. */
#include "metric/defs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "metric/token.h"

static const char *const derived_names[DERIVED_KINDS] = {
	[DERIVED_NOT] = "NOT_DERIVED",
	[DERIVED_ADD] = "DERIVED_ADD",
	[DERIVED_SUB] = "DERIVED_SUB",
	[DERIVED_PS] = "DERIVED_PS",
	[DERIVED_ADD_PS] = "DERIVED_ADD_PS",
	[DERIVED_CMPD] = "DERIVED_CMPD",
	[DERIVED_POSTFIX] = "DERIVED_POSTFIX",
	[DERIVED_INFIX] = "DERIVED_INFIX",
	[DERIVED_FORMULA] = "FORMULA",
};

static const char *const key_names[KEY_COUNT] = {
	[KEY_LDESC] = "LDESC", [KEY_SDESC] = "SDESC",       [KEY_NOTE] = "NOTE",
	[KEY_UNIT] = "UNIT",   [KEY_GOOD] = "GOOD",         [KEY_BAD] = "BAD",
	[KEY_VALID] = "VALID", [KEY_CATEGORY] = "CATEGORY",
};

const char *derived_name(enum derived derived)
{
	return derived_names[derived];
}

const char *def_key_name(enum def_key key)
{
	return key_names[key];
}

const char *def_field(const struct def *def, enum def_key key)
{
	for (size_t i = 0; i < def->n_fields; i++)
		if (def->fields[i].key == key)
			return def->fields[i].value;
	return NULL;
}

const char *def_title(const struct def *def)
{
	const char *title = def_field(def, KEY_SDESC);

	if (!title)
		title = def_field(def, KEY_LDESC);
	return title ? title : "";
}

bool defs_section_has(const struct defs *defs, size_t section, const char *cpu)
{
	const struct def_section *s = &defs->sections[section];

	for (size_t i = 0; i < s->n; i++)
		if (ascii_is_same(s->cpus[i], cpu) ||
		    strcmp(s->cpus[i], "*") == 0)
			return true;
	return s->n == 0;
}

bool defs_section_is_for(const struct defs *defs, size_t section,
			 const char *const *cpus)
{
	if (defs_section_has(defs, section, ""))
		return true;
	for (; cpus && *cpus; cpus++)
		if (defs_section_has(defs, section, *cpus))
			return true;
	return false;
}

void defs_free(struct defs *defs)
{
	if (!defs)
		return;
	for (size_t i = 0; i < defs->n; i++) {
		free(defs->defs[i].bases);
		free(defs->defs[i].fields);
	}
	for (size_t i = 0; i < defs->n_sections; i++)
		free(defs->sections[i].cpus);
	map_fini(&defs->constant_names);
	free(defs->defs);
	free(defs->constants);
	free(defs->sections);
	free(defs->lines);
	texts_fini(&defs->texts);
	free(defs);
}

/* Names in a constant: constants above it. */
struct constants_above {
	const struct defs *defs;
	size_t n;
};

static int push_constant(void *context, const char *name,
			 struct formula_builder *b, struct diag *diag)
{
	const struct constants_above *above = context;
	size_t i;

	if (!map_find(&above->defs->constant_names, name, &i) || i >= above->n)
		return diag_fail(diag, PAPI_EINVAL,
				 "'%.40s' is not a constant defined above",
				 name);
	return builder_const(b, above->defs->constants[i].value);
}

int defs_constant_value(const struct defs *defs, size_t n, const char *text,
			double *value, struct diag *diag)
{
	struct constants_above above = { defs, n };
	struct formula_names names = { push_constant, &above };
	struct formula *f;
	double result;
	int err;

	if (!*text)
		return diag_fail_at(diag, PAPI_EINVAL, 1,
				    "the constant has no value");
	err = formula_compile(text, &names, &f, diag);
	if (err)
		return err;
	result = formula_eval(f, NULL);
	formula_free(f);
	if (isnan(result))
		return diag_fail_at(diag, PAPI_EINVAL, 1,
				    "the constant has no value: it divides by "
				    "zero or is too large");
	*value = result;
	return 0;
}

int defs_set_constant(struct defs *defs, const char *name, double value)
{
	size_t i;

	if (!map_find(&defs->constant_names, name, &i))
		return PAPI_ENOEVNT;
	defs->constants[i].value = value;
	defs->constants[i].is_set = true;
	for (i++; i < defs->n_constants; i++) {
		struct def_constant *c = &defs->constants[i];

		if (!c->is_set &&
		    defs_constant_value(defs, i, c->text, &c->value, NULL))
			c->value = (double)NAN; /* it divides by zero now */
	}
	return 0;
}

/* Names in one definition: bases and constants, then the caller's names. */
struct scope_of_def {
	const struct defs *defs;
	const struct def *def;
	const struct formula_names *outer;
};

/* "N12" is base 12. */
static bool is_base(const char *name, size_t *i)
{
	char *end;

	if (name[0] != 'N' || name[1] < '0' || name[1] > '9')
		return false;
	*i = strtoul(name + 1, &end, 10);
	return *end == '\0';
}

static int push_outer(const struct scope_of_def *scope, const char *name,
		      struct formula_builder *b, struct diag *diag)
{
	return scope->outer->push(scope->outer->context, name, b, diag);
}

static int push_in_scope(void *context, const char *name,
			 struct formula_builder *b, struct diag *diag)
{
	const struct scope_of_def *scope = context;
	const struct def *def = scope->def;
	size_t i;

	if (map_find(&scope->defs->constant_names, name, &i) &&
	    i < def->constants)
		return builder_const(b, scope->defs->constants[i].value);
	if (def->derived == DERIVED_FORMULA || strcmp(name, "#") == 0)
		return push_outer(scope, name, b, diag);
	if (!is_base(name, &i))
		return diag_fail(diag, PAPI_EINVAL,
				 "'%.40s' is neither a base event (N0, N1, "
				 "...) nor a constant",
				 name);
	if (i >= def->n_bases)
		return diag_fail(diag, PAPI_EINVAL,
				 "%.20s: there are only %zu base events", name,
				 def->n_bases);
	return push_outer(scope, def->bases[i], b, diag);
}

/* Bases from @first on, joined by @op. */
static int push_bases(const struct scope_of_def *scope, size_t first,
		      enum formula_op op, struct formula_builder *b,
		      struct diag *diag)
{
	for (size_t i = first; i < scope->def->n_bases; i++) {
		int err = push_outer(scope, scope->def->bases[i], b, diag);

		if (!err && i > first)
			err = builder_op(b, op);
		if (err)
			return err;
	}
	return 0;
}

/* Bases from the second on, added, times the clock rate, per the first. */
static int push_rate(const struct scope_of_def *scope,
		     struct formula_builder *b, struct diag *diag)
{
	int err = push_bases(scope, 1, OP_ADD, b, diag);

	if (!err)
		err = push_outer(scope, "#", b, diag);
	if (!err)
		err = builder_op(b, OP_MUL);
	if (!err)
		err = push_outer(scope, scope->def->bases[0], b, diag);
	if (!err)
		err = builder_op(b, OP_DIV);
	return err;
}

/* Kinds that have no formula of their own. */
static int compile_bases(const struct scope_of_def *scope, struct formula **out,
			 struct diag *diag)
{
	struct formula_builder b = { 0 };
	int err;

	switch (scope->def->derived) {
	case DERIVED_ADD:
		err = push_bases(scope, 0, OP_ADD, &b, diag);
		break;
	case DERIVED_SUB:
		err = push_bases(scope, 0, OP_SUB, &b, diag);
		break;
	case DERIVED_PS:
	case DERIVED_ADD_PS:
		err = push_rate(scope, &b, diag);
		break;
	default:
		err = push_outer(scope, scope->def->bases[0], &b, diag);
		break;
	}
	if (!err)
		err = builder_finish(&b, out);
	builder_fini(&b);
	return err;
}

int defs_compile(const struct defs *defs, const struct def *def,
		 const struct formula_names *names, struct formula **out,
		 struct diag *diag)
{
	struct scope_of_def scope = { defs, def, names };
	struct formula_names inner = { push_in_scope, &scope };
	struct diag own = { 0 };
	int err;

	if (!diag)
		diag = &own;
	switch (def->derived) {
	case DERIVED_POSTFIX:
		err = formula_compile_rpn(def->formula, &inner, out, diag);
		break;
	case DERIVED_INFIX:
		err = formula_compile_infix(def->formula, &inner, out, diag);
		break;
	case DERIVED_FORMULA:
		err = formula_compile(def->formula, &inner, out, diag);
		break;
	default:
		err = compile_bases(&scope, out, diag);
		diag->column = 0;
		break;
	}
	if (err) {
		diag->file = defs->file;
		diag->line = def->line;
		diag->column = diag->column ? diag->column + def->column - 1
					    : def->column;
	}
	return err;
}

bool def_parse_threshold(const char *text, char op[3], double *limit)
{
	size_t n = strspn(text, "<>=");
	const char *end;
	double sign = 1;

	if (n < 1 || n > 2 || text[0] == '=' || (n == 2 && text[1] != '='))
		return false;
	memcpy(op, text, n);
	op[n] = '\0';
	text += n;
	text += strspn(text, " ");
	if (*text == '-') {
		sign = -1;
		text++;
	}
	end = token_parse_number(text, limit);
	*limit *= sign;
	return end && *end == '\0';
}

static bool passes(const char *threshold, double value)
{
	char op[3];
	double limit;

	if (!threshold || !def_parse_threshold(threshold, op, &limit))
		return false;
	if (op[1] && value == limit)
		return true;
	return op[0] == '<' ? value < limit : value > limit;
}

bool def_is_valid(const struct def *def, double value)
{
	const char *valid = def_field(def, KEY_VALID);

	return !valid || passes(valid, value);
}

int def_verdict(const struct def *def, double value)
{
	const char *good = def_field(def, KEY_GOOD);
	const char *bad = def_field(def, KEY_BAD);

	if ((!good && !bad) || isnan(value))
		return PAPI_ENOEVNT;
	if (passes(bad, value))
		return -1;
	if (passes(good, value))
		return 1;
	return 0;
}
