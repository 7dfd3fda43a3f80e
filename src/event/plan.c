/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a definition to a plan: base events are resolved, definitions in terms
 * of other definitions are put into one formula over native events.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "event/events.h"

/* Definitions in terms of definitions, so deep; each is a level of calls. */
#define MAX_DEPTH 64

/* The natives that a plan collects. */
struct planning {
	struct events *e;
	bool built_in;
	struct native *natives;
	size_t n;
};

static int slot_of(struct planning *p, struct native native, size_t *slot)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->natives[i].component == native.component &&
		    p->natives[i].event == native.event) {
			*slot = i;
			return 0;
		}
	}
	if (array_grow(&p->natives, p->n, sizeof(*p->natives)))
		return PAPI_ENOMEM;
	*slot = p->n;
	p->natives[p->n++] = native;
	return 0;
}

/* Put another event's plan into the formula being made. */
static int push_plan(struct planning *p, const struct plan *plan,
		     struct formula_builder *b)
{
	size_t n = plan->recipe.n;
	OWNED size_t *slots = malloc(n * sizeof(*slots));
	int err = slots ? 0 : PAPI_ENOMEM;

	for (size_t i = 0; !err && i < n; i++)
		err = slot_of(p, plan->natives[i], &slots[i]);
	if (!err && plan->formula)
		err = builder_formula(b, plan->formula, slots);
	else if (!err)
		err = builder_count(b, slots[0]);
	return err;
}

/*
 * A base event of a built-in table is meant of the component that the table
 * was chosen for; anybody else's name may be any event's. A table may give
 * names to encodings, for events that libpfm4 does not know.
 */
static int find_base(struct planning *p, const char *name, int *code,
		     struct diag *diag)
{
	struct component *hw = p->e->hardware;
	size_t i;
	int err;

	if (!p->built_in || !hw || strncmp(name, "PAPI_", 5) == 0)
		return events_find_locked(p->e, name, code, diag);
	if (events_find_encoding(p->e, name, code, diag, &err))
		return err;
	err = component_find_event(hw, name, &i, diag);
	if (!err)
		*code = NATIVE_CODE(hw->index, i);
	return err;
}

static int push_event(void *context, const char *name,
		      struct formula_builder *b, struct diag *diag)
{
	struct planning *p = context;
	const struct plan *plan;
	int code;
	int err;

	if (strcmp(name, "#") == 0)
		return builder_const(b, events_clock_hz(p->e));
	err = find_base(p, name, &code, diag);
	if (!err)
		err = events_plan_locked(p->e, code, &plan, diag);
	if (!err) {
		err = push_plan(p, plan, b);
		if (err)
			diag_fail(diag, err, "the formula becomes too large");
	}
	return err;
}

static double eval(const void *program, const double *counts)
{
	return formula_eval(program, counts);
}

/* Whole multiples are summed as whole numbers; one count is itself. */
static int choose_arithmetic(struct plan *plan, size_t n)
{
	plan->weights = calloc(n, sizeof(*plan->weights));
	if (!plan->weights)
		return PAPI_ENOMEM;
	if (!formula_is_linear(plan->formula, plan->weights)) {
		free(plan->weights);
		plan->weights = NULL;
	} else if (n == 1 && plan->weights[0] == 1) {
		free(plan->weights);
		plan->weights = NULL;
		return 0;
	}
	plan->recipe.weights = plan->weights;
	plan->recipe.eval = eval;
	plan->recipe.program = plan->formula;
	return 0;
}

static int fill_in(struct plan *plan, struct planning *p,
		   const struct meaning *meaning, int code)
{
	const char *unit = def_field(meaning->def, KEY_UNIT);

	plan->natives = p->natives;
	p->natives = NULL;
	plan->recipe = (struct recipe){
		.code = code,
		.unit = unit ? unit : "",
		.n = p->n,
		.natives = plan->natives,
		.is_count = meaning->def->is_preset,
	};
	return choose_arithmetic(plan, p->n);
}

static int plan_definition(struct events *e, struct plan *plan,
			   const struct meaning *meaning, int code,
			   struct diag *diag)
{
	struct planning p = { .e = e, .built_in = meaning->built_in };
	struct formula_names names = { push_event, &p };
	int err;

	if (e->depth == MAX_DEPTH) {
		e->too_deep = true;
		return diag_fail(diag, PAPI_EINVAL,
				 "%s: definitions nested more than %d deep",
				 meaning->def->name, MAX_DEPTH);
	}
	e->depth++;
	err = defs_compile(meaning->defs, meaning->def, &names, &plan->formula,
			   diag);
	e->depth--;
	if (!err && p.n == 0)
		err = diag_fail(diag, PAPI_EINVAL, "%s contains no event",
				meaning->def->name);
	if (!err)
		err = fill_in(plan, &p, meaning, code);
	free(p.natives);
	return err;
}

static int no_definition(const struct events *e, int code, struct diag *diag)
{
	const char *pmu = e->hardware ? e->hardware->pmu : NULL;
	const char *name;

	if (code_kind(code) != CODE_PRESET)
		return diag_fail(diag, PAPI_ENOEVNT,
				 "there is no event with code 0x%08x",
				 (unsigned)code);
	if (PRESET_INDEX(code) >= PRESET_COUNT)
		return diag_fail(diag, PAPI_ENOTPRESET,
				 "0x%08x is not a preset", (unsigned)code);
	name = preset_info[PRESET_INDEX(code)].name;
	if (!e->hardware)
		return diag_fail(diag, PAPI_ENOEVNT,
				 "%s: no component counts hardware events",
				 name);
	if (!pmu)
		return diag_fail(diag, PAPI_ENOEVNT,
				 "%s: no PMU is known here, and perf has no "
				 "generic event for it",
				 name);
	return diag_fail(diag, PAPI_ENOEVNT,
			 "%s is not defined for this PMU (%s)", name, pmu);
}

static struct plan *plan_place(struct events *e, int code)
{
	switch (code_kind(code)) {
	case CODE_PRESET:
		return &e->preset_plans[PRESET_INDEX(code)];
	case CODE_USER:
		return &e->users[USER_INDEX(code)]->plan;
	default:
		return NULL;
	}
}

static void remember_failure(struct events *e, struct plan *plan, int err,
			     const struct diag *diag)
{
	bool is_inner = e->depth > 0;

	formula_free(plan->formula);
	plan->formula = NULL;
	free(plan->natives);
	plan->natives = NULL;
	plan->err = err;
	/*
	 * What is too deep below another may be fine by itself, and there may
	 * be memory the next time.
	 */
	plan->state = (e->too_deep && is_inner) || err == PAPI_ENOMEM
			      ? PLAN_NOT_YET
			      : PLAN_FAILED;
	e->too_deep = e->too_deep && is_inner;
	if (plan->state == PLAN_NOT_YET)
		return;
	plan->why = strdup(diag->text[0] ? diag->text : "it cannot be planned");
}

/*
 * A table may name events or masks that are unknown here, because libpfm4 is
 * older than the processor: then the generic definition will do, if there is
 * one.
 */
static bool use_spare(struct events *e, int code, int err)
{
	unsigned i = PRESET_INDEX(code);

	if (code_kind(code) != CODE_PRESET ||
	    (err != PAPI_ENOEVNT && err != PAPI_EATTR) || !e->spare[i].def)
		return false;
	e->presets[i] = e->spare[i];
	e->spare[i].def = NULL;
	return true;
}

/* A preset or user event: plan it now, or say what came of it before. */
static int plan_derived(struct events *e, int code, const struct plan **out,
			struct diag *diag)
{
	const struct meaning *meaning = events_meaning(e, code);
	struct diag own = { 0 };
	struct plan *plan;
	int err;

	if (!meaning)
		return no_definition(e, code, diag);
	plan = plan_place(e, code);
	if (plan->state == PLAN_BUSY)
		return diag_fail(diag, PAPI_EINVAL,
				 "%s is defined in terms of itself",
				 meaning->def->name);
	if (plan->state == PLAN_NOT_YET) {
		plan->state = PLAN_BUSY;
		do
			err = plan_definition(e, plan, meaning, code, &own);
		while (err && use_spare(e, code, err));
		if (err)
			remember_failure(e, plan, err, &own);
		else
			plan->state = PLAN_MADE;
		if (err && diag)
			*diag = own;
	} else if (plan->state == PLAN_FAILED) {
		diag_fail(diag, plan->err, "%s", plan->why ? plan->why : "");
	}
	*out = plan;
	return plan->state == PLAN_MADE ? 0 : plan->err;
}

int events_plan_locked(struct events *e, int code, const struct plan **out,
		       struct diag *diag)
{
	struct native_event *native;
	int err;

	if (code_kind(code) != CODE_NATIVE)
		return plan_derived(e, code, out, diag);
	err = events_native(e, code, &native);
	if (err == PAPI_ENOEVNT)
		return no_definition(e, code, diag);
	if (err)
		return diag_fail(diag, err, "out of memory");
	*out = &native->plan;
	return 0;
}

int events_plan(struct events *e, int code, const struct recipe **out,
		struct diag *diag)
{
	const struct plan *plan;
	int err;

	pthread_mutex_lock(&e->lock);
	err = events_plan_locked(e, code, &plan, diag);
	pthread_mutex_unlock(&e->lock);
	if (!err)
		*out = &plan->recipe;
	return err;
}

/* The sentence for a code without a plan, as long as events live. */
static const char *why_not(struct events *e, int code)
{
	const struct meaning *meaning = events_meaning(e, code);
	const struct plan *plan = meaning ? plan_place(e, code) : NULL;

	if (plan && plan->why)
		return plan->why;
	if (code_kind(code) == CODE_PRESET && !e->hardware)
		return "no component counts hardware events";
	if (code_kind(code) == CODE_PRESET)
		return "it is not defined for this PMU";
	return "there is no such event";
}

/* Remember how it went; what is said of a failure stays as it was first. */
static void remember_together(struct events *e, struct plan *plan, int err,
			      const struct diag *diag, const char **why)
{
	pthread_mutex_lock(&e->lock);
	plan->fits = !err;
	if (err && !plan->apart)
		plan->apart = strdup(diag->text[0] ? diag->text : "failed");
	if (err && why)
		*why = plan->apart;
	pthread_mutex_unlock(&e->lock);
}

/* The natives of @plan that @component has; returns how many. */
static size_t natives_of(const struct plan *plan, unsigned component,
			 size_t *events)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->recipe.n; i++)
		if (plan->natives[i].component == component)
			events[n++] = plan->natives[i].event;
	return n;
}

/*
 * A recipe that needs more counters than the PMU has, or one counter twice,
 * can be counted by parts but not as a whole.
 */
static int try_together(struct events *e, struct plan *plan, const char **why)
{
	OWNED size_t *events = calloc(plan->recipe.n, sizeof(*events));
	struct diag diag = { 0 };
	int err = events ? 0 : PAPI_ENOMEM;

	for (unsigned c = 0; !err && c < e->registry->n; c++) {
		size_t n = natives_of(plan, c, events);

		if (n > 1)
			err = component_try_together(e->registry->components[c],
						     events, n, &diag);
	}
	remember_together(e, plan, err, &diag, why);
	return err;
}

int events_available(struct events *e, int code, const char **why)
{
	const struct plan *plan;
	bool fits = false;
	int err;

	pthread_mutex_lock(&e->lock);
	err = events_plan_locked(e, code, &plan, NULL);
	if (err && why)
		*why = why_not(e, code);
	if (!err)
		fits = plan->fits;
	pthread_mutex_unlock(&e->lock);
	if (err || fits)
		return err;
	for (size_t i = 0; !err && i < plan->recipe.n; i++) {
		const struct native *native = &plan->natives[i];

		err = component_try_event(
			e->registry->components[native->component],
			native->event, why);
	}
	/* Only presets and user events have several; those plans are ours. */
	if (!err && plan->recipe.n > 1)
		err = try_together(e, plan_place(e, code), why);
	return err;
}
