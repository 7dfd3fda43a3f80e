/* SPDX-License-Identifier: BSD-3-Clause */
/* What PAPI_get_event_info() tells of an event. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "event/events.h"

/* Copy what fits; fields of the struct are of fixed sizes. */
static void put(char *to, size_t size, const char *text)
{
	size_t n = text ? strnlen(text, size - 1) : 0;

	memcpy(to, text ? text : "", n);
	to[n] = '\0';
}

#define PUT(field, text) put(field, sizeof(field), text)

/* Write the topmost operand or two and @op after them as one operand. */
static size_t join(char **stack, size_t n, enum formula_op op)
{
	static const char *const signs[] = {
		[OP_NEG] = "neg",     [OP_ADD] = "+",        [OP_SUB] = "-",
		[OP_RSUB] = "-",      [OP_MUL] = "*",        [OP_DIV] = "/",
		[OP_RDIV] = "/",      [OP_MIN] = "min",      [OP_MAX] = "max",
		[OP_GUARD] = "guard", [OP_RGUARD] = "guard",
	};
	bool is_turned = op == OP_RSUB || op == OP_RDIV || op == OP_RGUARD;
	char *upper = op == OP_NEG ? NULL : stack[--n];
	char *lower = stack[n - 1];

	if (is_turned)
		stack[n - 1] = str_format("%s%s%s|", upper, lower, signs[op]);
	else
		stack[n - 1] = str_format("%s%s%s|", lower, upper ? upper : "",
					  signs[op]);
	free(lower);
	free(upper);
	return n;
}

/*
 * The formula with N0, N1, ... for the plan's natives, as PAPI writes it. A
 * formula that does not fit is left out: half of one would be wrong.
 */
static void put_postfix(PAPI_event_info_t *info, const struct formula *f)
{
	char *stack[FORMULA_DEPTH] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < f->len && i < sizeof(info->postfix); i++) {
		const struct formula_insn *insn = &f->insns[i];

		if (insn->op == OP_CONST)
			stack[n++] = str_format("%.17g|", insn->value);
		else if (insn->op == OP_COUNT)
			stack[n++] = str_format("N%zu|", insn->slot);
		else
			n = join(stack, n, insn->op);
		if (!stack[n - 1])
			break; /* no memory: no formula */
	}
	if (n == 1 && stack[0] && f->len < sizeof(info->postfix) &&
	    strlen(stack[0]) < sizeof(info->postfix))
		PUT(info->postfix, stack[0]);
	while (n > 0)
		free(stack[--n]);
}

/* The native events of a plan, as many as there is room for. */
static void put_natives(struct events *e, PAPI_event_info_t *info,
			const struct plan *plan)
{
	size_t n = plan->recipe.n;

	if (n > PAPI_MAX_INFO_TERMS)
		n = PAPI_MAX_INFO_TERMS;
	info->count = (unsigned)n;
	for (size_t i = 0; i < n; i++) {
		int code = NATIVE_CODE(plan->natives[i].component,
				       plan->natives[i].event);
		struct native_event *native;

		info->code[i] = (unsigned)code;
		PUT(info->name[i],
		    events_native(e, code, &native) == 0 ? native->name : "");
	}
}

static const char *or_else(const char *text, const char *other)
{
	return text ? text : other;
}

static void put_texts(PAPI_event_info_t *info, const struct def *def)
{
	PUT(info->units, def_field(def, KEY_UNIT));
	PUT(info->note, def_field(def, KEY_NOTE));
	if (def_field(def, KEY_SDESC))
		PUT(info->short_descr, def_field(def, KEY_SDESC));
	if (def_field(def, KEY_LDESC))
		PUT(info->long_descr, def_field(def, KEY_LDESC));
}

/* A definition's texts, and what it is made of here, if it can be counted. */
static void put_definition(struct events *e, int code, PAPI_event_info_t *info)
{
	const struct meaning *meaning;
	const struct plan *plan;
	const char *why = NULL;
	int err = events_available(e, code, &why);

	pthread_mutex_lock(&e->lock);
	meaning = events_meaning(e, code);
	if (meaning) {
		PUT(info->derived, derived_name(meaning->def->derived));
		put_texts(info, meaning->def);
	}
	if (events_plan_locked(e, code, &plan, NULL) == 0) {
		put_natives(e, info, plan);
		info->component_index = (int)plan->natives[0].component;
		if (plan->recipe.eval)
			put_postfix(info, plan->formula);
	}
	if (err) { /* known, but not countable here: PAPI says so by 0 */
		info->count = 0;
		PUT(info->derived, derived_name(DERIVED_NOT));
		if (!info->note[0])
			PUT(info->note, why);
	}
	pthread_mutex_unlock(&e->lock);
}

static int preset_info_of(struct events *e, int code, PAPI_event_info_t *info)
{
	const struct preset_info *preset;

	if (PRESET_INDEX(code) >= PRESET_COUNT)
		return PAPI_ENOTPRESET;
	preset = &preset_info[PRESET_INDEX(code)];
	PUT(info->symbol, preset->name);
	PUT(info->short_descr, preset->brief);
	PUT(info->long_descr, preset->text);
	info->event_type = preset->groups;
	put_definition(e, code, info);
	return 0;
}

static int user_info_of(struct events *e, int code, PAPI_event_info_t *info)
{
	const char *name = events_name(e, code);

	if (!name)
		return PAPI_ENOEVNT;
	PUT(info->symbol, name);
	PUT(info->short_descr, name);
	PUT(info->long_descr, name);
	info->data_type = PAPI_DATATYPE_INT64;
	put_definition(e, code, info);
	return 0;
}

static int native_info_of(struct events *e, int code, PAPI_event_info_t *info)
{
	struct native_event *native;
	const struct event *event;
	const struct component *c;
	int err;

	pthread_mutex_lock(&e->lock);
	err = events_native(e, code, &native);
	pthread_mutex_unlock(&e->lock);
	if (err)
		return err;
	c = e->registry->components[NATIVE_COMPONENT(code)];
	event = component_event(e->registry->components[c->index],
				NATIVE_EVENT(code));
	PUT(info->symbol, native->name);
	PUT(info->short_descr, or_else(event->text, native->name));
	PUT(info->long_descr, or_else(event->text, native->name));
	if (event->alias)
		snprintf(info->long_descr, sizeof(info->long_descr), "%s (%s)",
			 or_else(event->text, native->name), event->alias);
	PUT(info->units, event->unit);
	PUT(info->derived, derived_name(DERIVED_NOT));
	info->component_index = (int)c->index;
	info->value_type = event->kind == EVENT_LEVEL
				   ? PAPI_VALUETYPE_ABSOLUTE
				   : PAPI_VALUETYPE_RUNNING_SUM;
	info->timescope = event->kind == EVENT_LEVEL
				  ? PAPI_TIMESCOPE_POINT
				  : PAPI_TIMESCOPE_SINCE_START;
	info->count = 1;
	info->code[0] = (unsigned)code;
	PUT(info->name[0], native->name);
	return 0;
}

int events_info(struct events *e, int code, PAPI_event_info_t *info)
{
	memset(info, 0, sizeof(*info));
	info->event_code = (unsigned)code;
	switch (code_kind(code)) {
	case CODE_PRESET:
		return preset_info_of(e, code, info);
	case CODE_USER:
		return user_info_of(e, code, info);
	case CODE_NATIVE:
		return native_info_of(e, code, info);
	default:
		return PAPI_ENOEVNT;
	}
}
