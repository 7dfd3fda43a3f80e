/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading what `assay machine` wrote as JSON. Nothing is taken on trust: a
 * file that is not one, or not whole, is refused with a sentence.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/tree.h"
#include "machine/format.h"
#include "metric/defs.h"

#define MOST_CONSTANTS 10000
#define MOST_POINTS    1000000

/* A member that is a number; NaN if it is null or not there. */
static double number_of(const struct tree *json, const char *key)
{
	double value = tree_number(tree_member(json, key));

	return isfinite(value) ? value : NAN;
}

static bool is_true(const struct tree *json, const char *key)
{
	return tree_is(tree_member(json, key), TREE_TRUE);
}

static unsigned whole_of(const struct tree *json, const char *key)
{
	double value = number_of(json, key);

	return value >= 0 && value < 4e9 ? (unsigned)value : 0;
}

static char *text_of(struct machine *m, const struct tree *json,
		     const char *key)
{
	const char *text = tree_text(json, key);
	char *copy = strdup(text ? text : "");

	if (!copy)
		m->failed = true;
	return copy;
}

/* A name that can stand in a formula. */
static bool is_name(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz"
				"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return n > 0 && n < 64 && !text[n] && (text[0] < '0' || text[0] > '9');
}

static int read_constant(struct machine *m, const struct tree *json,
			 struct diag *diag)
{
	const char *name = tree_text(json, "name");
	const char *unit = tree_text(json, "unit");
	const char *method = tree_text(json, "method");
	struct machine_constant *c;

	if (!name || !is_name(name))
		return diag_fail(diag, PAPI_EINVAL,
				 "a constant has no valid name");
	if (machine_find(m, name))
		return diag_fail(diag, PAPI_EINVAL, "%s is given twice", name);
	c = machine_add(m, name, number_of(json, "value"), unit ? unit : "",
			method ? method : "");
	if (!c)
		return PAPI_ENOMEM;
	c->nominal = number_of(json, "nominal");
	c->spread = number_of(json, "spread");
	c->stable = is_true(json, "stable");
	if (tree_text(json, "note"))
		machine_remark(m, c, tree_text(json, "note"));
	if (!c->stable)
		machine_doubt(m, c,
			      tree_text(json, "reason")
				      ? tree_text(json, "reason")
				      : "its file gives no reason");
	return 0;
}

static int read_point(struct machine *m, struct machine_sweep *s,
		      const struct tree *json, struct diag *diag)
{
	double v[4];

	if (json->kind != TREE_ARRAY || json->n != 4)
		return diag_fail(diag, PAPI_EINVAL,
				 "a point of %s does not have four numbers",
				 s->name);
	for (size_t i = 0; i < 4; i++) {
		v[i] = tree_number(tree_item(json, i));
		if (!isfinite(v[i]))
			return diag_fail(diag, PAPI_EINVAL,
					 "a point of %s is not a number",
					 s->name);
	}
	machine_add_point(m, s,
			  (struct machine_point){ v[0], v[1], v[2], v[3] });
	return 0;
}

static int read_sweep(struct machine *m, const struct tree *json,
		      struct diag *diag)
{
	const char *name = tree_text(json, "name");
	const char *x = tree_text(json, "x");
	const char *y = tree_text(json, "y");
	const struct tree *points = tree_member(json, "points");
	struct machine_sweep *s;
	int err = 0;

	if (!name || !points || points->kind != TREE_ARRAY ||
	    points->n > MOST_POINTS)
		return diag_fail(diag, PAPI_EINVAL,
				 "a curve has no name or no points");
	s = machine_add_sweep(m, name, x ? x : "", y ? y : "");
	for (size_t i = 0; s && !err && i < points->n; i++)
		err = read_point(m, s, &points->items[i], diag);
	return err;
}

static int read_head(struct machine *m, const struct tree *root,
		     struct diag *diag)
{
	const struct tree *head = tree_member(root, "machine");
	const struct tree *pmu = tree_member(root, "pmu");
	const struct tree *how = tree_member(root, "measurement");
	const char *kind = pmu ? tree_text(pmu, "kind") : NULL;

	if (!head || head->kind != TREE_OBJECT || !tree_text(head, "name"))
		return diag_fail(diag, PAPI_EINVAL,
				 "it does not say which machine it describes");
	m->name = text_of(m, head, "name");
	m->cpu = text_of(m, head, "cpu");
	m->vendor = text_of(m, head, "vendor");
	m->kernel = text_of(m, head, "kernel");
	m->family = whole_of(head, "family");
	m->model = whole_of(head, "model");
	m->stepping = whole_of(head, "stepping");
	m->cpus = whole_of(head, "cpus");
	m->virtual_ = is_true(head, "virtual");
	m->simulated = kind && strcmp(kind, "sim") == 0;
	if (!how || how->kind != TREE_OBJECT)
		return 0;
	m->measured = number_of(how, "time");
	m->seconds = number_of(how, "seconds");
	m->discarded = number_of(how, "discarded");
	m->quick = is_true(how, "quick");
	return 0;
}

static int read_all(struct machine *m, const struct tree *root,
		    struct diag *diag)
{
	const struct tree *constants = tree_member(root, "constants");
	const struct tree *sweeps = tree_member(root, "sweeps");
	double version = number_of(root, "assay");
	int err;

	if (version > 1)
		return diag_fail(diag, PAPI_EINVAL,
				 "it has version %g, from a newer assay; this "
				 "one reads version 1",
				 version);
	if (root->kind != TREE_OBJECT || !constants ||
	    constants->kind != TREE_ARRAY || constants->n > MOST_CONSTANTS)
		return diag_fail(diag, PAPI_EINVAL,
				 "it has no list of constants: assay machine "
				 "did not write it");
	err = read_head(m, root, diag);
	for (size_t i = 0; !err && i < constants->n; i++)
		err = read_constant(m, &constants->items[i], diag);
	for (size_t i = 0;
	     !err && sweeps && sweeps->kind == TREE_ARRAY && i < sweeps->n; i++)
		err = read_sweep(m, &sweeps->items[i], diag);
	if (!err && m->failed)
		err = diag_fail(diag, PAPI_ENOMEM, "out of memory");
	return err;
}

static int take_definition(struct machine *m, const struct def_constant *c,
			   struct diag *diag)
{
	if (!is_name(c->name) || machine_find(m, c->name))
		return diag_fail(diag, PAPI_EINVAL,
				 "'%s' is not a valid constant name, or is "
				 "defined twice",
				 c->name);
	machine_doubt(m, machine_add(m, c->name, c->value, "", ""),
		      "its file does not say how it was found");
	return 0;
}

/* A file of constants says nothing but names and values. */
static int read_definitions(const char *path, const char *text, size_t length,
			    struct machine *m, struct diag *diag)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	struct defs *defs;
	int err = defs_parse(path, text, length, &defs, diag);

	if (err)
		return err;
	if (defs->n_constants == 0)
		err = diag_fail(diag, PAPI_EINVAL, "it defines no constants");
	m->name = strndup(name, strcspn(name, "."));
	m->cpu = strdup("");
	m->vendor = strdup("");
	m->kernel = strdup("");
	if (!m->name || !m->cpu || !m->vendor || !m->kernel)
		m->failed = true;
	for (size_t i = 0; !err && i < defs->n_constants; i++)
		err = take_definition(m, &defs->constants[i], diag);
	defs_free(defs);
	if (!err && m->failed)
		err = diag_fail(diag, PAPI_ENOMEM, "out of memory");
	return err;
}

int machine_parse(const char *path, const char *text, size_t length,
		  struct machine *m, struct diag *diag)
{
	struct diag why = { .text = "" };
	struct tree *root = NULL;
	int err = 0;

	if (strlen(text) != length)
		err = diag_fail(&why, PAPI_EINVAL, "it is not text");
	if (!err && text[strspn(text, " \t\r\n")] != '{')
		err = read_definitions(path, text, length, m, &why);
	else if (!err)
		err = tree_parse(text, &root, &why);
	if (!err && root)
		err = read_all(m, root, &why);
	tree_free(root);
	if (!err)
		return 0;
	machine_fini(m);
	if (why.line)
		return diag_fail(diag, err, "cannot read %s: line %zu: %s",
				 path, why.line, why.text);
	return diag_fail(diag, err, "cannot read %s: %s", path,
			 *why.text ? why.text : "out of memory");
}

int machine_read(const char *path, struct machine *m, struct diag *diag)
{
	OWNED char *text = NULL;
	size_t length;
	int err = file_read(path, &text, &length, diag);

	if (err)
		return err;
	return machine_parse(path, text, length, m, diag);
}
