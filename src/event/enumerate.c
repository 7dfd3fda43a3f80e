/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One event after the other, as PAPI_enum_event() gives them. Presets and
 * user events are their own lists; native events are those of one component,
 * or of all in turn when no component is named.
 */
#include "event/events.h"

/*
 * The modifiers that 7.2 added, as those before it. All presets are the CPU's
 * here: no component has its own.
 */
static int as_before(int modifier)
{
#if ASSAY_PAPI_MINOR >= 2
	if (modifier == PAPI_PRESET_ENUM_CPU)
		return PAPI_ENUM_EVENTS;
	if (modifier == PAPI_PRESET_ENUM_CPU_AVAIL)
		return PAPI_PRESET_ENUM_AVAIL;
#endif
	return modifier;
}

/* Whether a preset is among those that @modifier asks for. */
static bool is_wanted(struct events *e, unsigned i, int modifier)
{
	if (modifier == PAPI_ENUM_EVENTS || modifier == PAPI_ENUM_FIRST)
		return true;
	if (modifier == PAPI_PRESET_ENUM_AVAIL)
		return events_available(e, PRESET_CODE(i), NULL) == 0;
	return (preset_info[i].groups & (1u << modifier)) != 0;
}

static int next_preset(struct events *e, int *code, int modifier)
{
	unsigned i = modifier == PAPI_ENUM_FIRST ? 0 : PRESET_INDEX(*code) + 1;

	if (modifier < PAPI_ENUM_EVENTS || modifier > PAPI_PRESET_ENUM_FP)
		return PAPI_EINVAL;
	for (; i < PRESET_COUNT; i++) {
		if (is_wanted(e, i, modifier)) {
			*code = PRESET_CODE(i);
			return 0;
		}
	}
	return PAPI_ENOEVNT;
}

static int next_user(struct events *e, int *code, int modifier)
{
	size_t i = modifier == PAPI_ENUM_FIRST ? 0 : USER_INDEX(*code) + 1;
	size_t n;

	pthread_mutex_lock(&e->lock);
	events_read_tables(e);
	n = e->n_users;
	pthread_mutex_unlock(&e->lock);
	for (; i < n; i++) {
		int next = USER_CODE(i);

		if (modifier == PAPI_PRESET_ENUM_AVAIL &&
		    events_available(e, next, NULL))
			continue;
		*code = next;
		return 0;
	}
	return PAPI_ENOEVNT;
}

/* The first event of @c from index @i on that has the parent @parent. */
static int native_from(struct component *c, size_t i, size_t parent, int *code)
{
	size_t n = component_event_count(c);

	for (; i < n; i++) {
		const struct event *event = component_event(c, i);

		if (event->parent == parent && !event->hidden) {
			*code = NATIVE_CODE(c->index, i);
			return 0;
		}
	}
	return PAPI_ENOEVNT;
}

/* The first mask of an event, or the next one of a mask's event. */
static int next_mask(struct component *c, size_t i, int *code)
{
	const struct event *event = component_event(c, i);
	int err;

	if (!event)
		return PAPI_ENOEVNT;
	if (event->parent != EVENT_NO_PARENT)
		return native_from(c, i + 1, event->parent, code);
	err = component_list_masks(c, i);
	return err ? err : native_from(c, 0, i, code);
}

/* Enabled components from @first on, until one has an event. */
static int first_native(struct events *e, size_t first, int *code)
{
	for (size_t i = first; i < e->registry->n; i++) {
		struct component *c = e->registry->components[i];

		if (!c->disabled &&
		    native_from(c, 0, EVENT_NO_PARENT, code) == 0)
			return 0;
	}
	return PAPI_ENOEVNT;
}

static int next_native(struct events *e, int *code, int modifier, int component)
{
	unsigned at = NATIVE_COMPONENT(*code);
	size_t i = NATIVE_EVENT(*code);
	struct component *c;

	if (component >= 0 && modifier == PAPI_ENUM_FIRST)
		at = (unsigned)component;
	if (at >= e->registry->n ||
	    (component >= 0 && at != (unsigned)component))
		return PAPI_ENOCMP;
	c = e->registry->components[at];
	switch (modifier) {
	case PAPI_ENUM_FIRST:
		if (component < 0)
			return first_native(e, 0, code);
		return c->disabled ? PAPI_ENOEVNT
				   : native_from(c, 0, EVENT_NO_PARENT, code);
	case PAPI_ENUM_EVENTS:
		if (!native_from(c, i + 1, EVENT_NO_PARENT, code))
			return 0;
		return component < 0 ? first_native(e, at + 1, code)
				     : PAPI_ENOEVNT;
	case PAPI_NTV_ENUM_UMASKS:
	case PAPI_NTV_ENUM_UMASK_COMBOS:
		return next_mask(c, i, code);
	default:
		return modifier >= 0 && modifier <= PAPI_NTV_ENUM_GROUPS
			       ? PAPI_ENOEVNT
			       : PAPI_EINVAL;
	}
}

int events_next(struct events *e, int *code, int modifier, int component)
{
	if (component >= 0 && (size_t)component >= e->registry->n)
		return PAPI_ENOCMP;
	modifier = as_before(modifier);
	switch (code_kind(*code)) {
	case CODE_PRESET:
		return next_preset(e, code, modifier);
	case CODE_USER:
		return next_user(e, code, modifier);
	case CODE_NATIVE:
		return next_native(e, code, modifier, component);
	default:
		return PAPI_EINVAL;
	}
}
