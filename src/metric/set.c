/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Definitions of a file put together and compiled; values of names are the
 * caller's.
 */
#include "metric/set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Definitions in terms of definitions, so deep. */
#define MAX_DEPTH 64

/* A name as it is pushed: a metric of the set, or one from outside. */
struct making {
	struct metric_set *set;
	size_t depth;
	bool *busy; /* metrics being made */
};

static int make_formula(struct making *m, size_t i, struct diag *diag);

static int push_name(void *context, const char *name, struct formula_builder *b,
		     struct diag *diag)
{
	struct making *m = context;
	struct metric_set *set = m->set;
	size_t i, n;
	OWNED size_t *slots = NULL;
	int err;

	if (!map_find(&set->by_name, name, &i))
		return name_list_push(&set->names, name, b, diag);
	err = make_formula(m, i, diag);
	if (err)
		return err;
	/* Its slots are the set's: nothing to renumber. */
	n = set->metrics[i].formula->slots;
	slots = malloc((n ? n : 1) * sizeof(*slots));
	if (!slots)
		return PAPI_ENOMEM;
	for (size_t s = 0; s < n; s++)
		slots[s] = s;
	return builder_formula(b, set->metrics[i].formula, slots);
}

static int make_formula(struct making *m, size_t i, struct diag *diag)
{
	struct metric *metric = &m->set->metrics[i];
	struct formula_names names = { push_name, m };
	int err;

	if (metric->formula)
		return 0;
	if (m->busy[i])
		return diag_fail(diag, PAPI_EINVAL,
				 "%.60s is defined in terms of itself",
				 metric->def->name);
	if (m->depth == MAX_DEPTH)
		return diag_fail(diag, PAPI_EINVAL,
				 "definitions nested more than %d deep",
				 MAX_DEPTH);
	m->busy[i] = true;
	m->depth++;
	err = defs_compile(m->set->defs, metric->def, &names, &metric->formula,
			   diag);
	m->depth--;
	m->busy[i] = false;
	return err;
}

/* Which names the formula reads. */
static int list_slots(struct metric *metric)
{
	const struct formula *f = metric->formula;
	OWNED bool *used = calloc(f->slots ? f->slots : 1, sizeof(*used));

	metric->slots =
		malloc((f->slots ? f->slots : 1) * sizeof(*metric->slots));
	if (!used || !metric->slots)
		return PAPI_ENOMEM;
	for (size_t pc = 0; pc < f->len; pc++) {
		const struct formula_insn *insn = &f->insns[pc];

		if (insn->op != OP_COUNT || used[insn->slot])
			continue;
		used[insn->slot] = true;
		metric->slots[metric->n_slots++] = insn->slot;
	}
	return 0;
}

static int add_metric(struct metric_set *set, const struct def *def)
{
	size_t i;

	if (map_find(&set->by_name, def->name, &i)) {
		set->metrics[i].def = def;
		return 0;
	}
	if (array_grow(&set->metrics, set->n, sizeof(*set->metrics)) ||
	    map_set(&set->by_name, def->name, set->n))
		return PAPI_ENOMEM;
	set->metrics[set->n++] = (struct metric){ .def = def };
	return 0;
}

static int make_all(struct metric_set *set, struct diag *diag)
{
	struct making m = { .set = set };
	int err = 0;

	m.busy = calloc(set->n ? set->n : 1, sizeof(*m.busy));
	if (!m.busy)
		return PAPI_ENOMEM;
	for (size_t i = 0; !err && i < set->n; i++)
		err = make_formula(&m, i, diag);
	for (size_t i = 0; !err && i < set->n; i++)
		err = list_slots(&set->metrics[i]);
	free(m.busy);
	return err;
}

int metric_set_new(const struct defs *defs, const char *const *cpus,
		   struct metric_set **out, struct diag *diag)
{
	struct metric_set *set = calloc(1, sizeof(*set));
	int err = set ? 0 : PAPI_ENOMEM;

	if (set)
		set->defs = defs;
	for (size_t i = 0; !err && i < defs->n; i++)
		if (defs_section_is_for(defs, defs->defs[i].section, cpus))
			err = add_metric(set, &defs->defs[i]);
	if (!err)
		err = make_all(set, diag);
	if (err) {
		metric_set_free(set);
		if (err == PAPI_ENOMEM)
			diag_fail(diag, err, "the metrics become too large");
		return err;
	}
	*out = set;
	return 0;
}

void metric_set_free(struct metric_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->n; i++) {
		formula_free(set->metrics[i].formula);
		free(set->metrics[i].slots);
	}
	free(set->metrics);
	name_list_fini(&set->names);
	map_fini(&set->by_name);
	free(set);
}

const struct metric *metric_set_find(const struct metric_set *set,
				     const char *name)
{
	size_t i;

	return map_find(&set->by_name, name, &i) ? &set->metrics[i] : NULL;
}

double metric_eval(const struct metric *metric, const double *counts)
{
	double value = formula_eval(metric->formula, counts);

	return def_is_valid(metric->def, value) ? value : NAN;
}
