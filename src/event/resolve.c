/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names to codes and back. A name is looked for among presets, then among the
 * user's events, then "component::rest" in that component, then in each
 * component in turn. libpfm4's own "pmu::EVENT" is no component's prefix and
 * so reaches the component whole.
 */
#include "event/resolve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "event/events.h"

enum code_kind code_kind(int code)
{
	switch ((unsigned)code & (unsigned)PAPI_UE_MASK) {
	case (unsigned)PAPI_UE_MASK:
		return CODE_USER;
	case (unsigned)PAPI_PRESET_MASK:
		return CODE_PRESET;
	case (unsigned)PAPI_NATIVE_MASK:
		return CODE_NATIVE;
	default:
		return CODE_NONE;
	}
}

/*
 * The component whose events presets are made of. The last one that says so:
 * the simulated PMU comes after perf_event, and is there only if it was asked
 * for.
 */
static struct component *find_hardware(const struct registry *r)
{
	struct component *found = NULL;

	for (size_t i = 0; i < r->n; i++) {
		struct component *c = r->components[i];

		if (!c->disabled && (c->ops->caps & CAP_HARDWARE))
			found = c;
	}
	return found;
}

/* Files named by the environment; a program with more rights ignores them. */
static void load_environment(struct events *e)
{
	static const char *const variables[] = { "PAPI_CSV_EVENT_FILE",
						 "PAPI_USER_EVENTS_FILE" };

	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		const char *path = secure_getenv(variables[i]);
		struct diag diag = { 0 };

		if (!path || !*path || events_load_file(e, path, &diag) == 0 ||
		    e->env_file)
			continue;
		e->env_diag = diag;
		e->env_file = strdup(path);
		e->env_diag.file = e->env_file;
	}
}

int events_open(struct registry *r, struct events **out)
{
	struct events *e = calloc(1, sizeof(*e));

	if (!e)
		return PAPI_ENOMEM;
	e->natives = calloc(r->n ? r->n : 1, sizeof(*e->natives));
	if (!e->natives) {
		free(e);
		return PAPI_ENOMEM;
	}
	e->registry = r;
	e->hardware = find_hardware(r);
	pthread_mutex_init(&e->lock, NULL);
	load_environment(e);
	*out = e;
	return 0;
}

const struct diag *events_environment_diag(const struct events *e)
{
	return e->env_file ? &e->env_diag : NULL;
}

static void plan_fini(struct plan *plan)
{
	free(plan->natives);
	free(plan->weights);
	formula_free(plan->formula);
	free(plan->why);
	free(plan->apart);
}

static void natives_fini(struct native_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->events[i])
			free(list->events[i]->plan.apart);
		free(list->events[i]);
	}
	free(list->events);
}

void events_close(struct events *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->registry->n; i++)
		natives_fini(&e->natives[i]);
	for (int i = 0; i < PRESET_COUNT; i++)
		plan_fini(&e->preset_plans[i]);
	for (size_t i = 0; i < e->n_users; i++) {
		plan_fini(&e->users[i]->plan);
		free(e->users[i]);
	}
	while (e->n_files > 0)
		defs_free(e->files[--e->n_files]);
	texts_fini(&e->names);
	map_fini(&e->user_names);
	map_fini(&e->encodings);
	free(e->encoded);
	free(e->natives);
	free(e->users);
	free(e->files);
	free(e->env_file);
	pthread_mutex_destroy(&e->lock);
	free(e);
}

/* The component that @name begins with, and what comes after "::". */
static struct component *split_prefix(const struct registry *r,
				      const char *name, const char **rest)
{
	const char *colons = strstr(name, "::");

	if (!colons)
		return NULL;
	for (size_t i = 0; i < r->n; i++) {
		const char *prefix = r->components[i]->ops->name;
		size_t n = strlen(prefix);

		if (name + n == colons && strncmp(name, prefix, n) == 0) {
			*rest = colons + 2;
			if (**rest == ':') /* PAPI has three */
				++*rest;
			return r->components[i];
		}
	}
	return NULL;
}

static int find_in(struct component *c, const char *name, int *code,
		   struct diag *diag)
{
	size_t event;
	int err = component_find_event(c, name, &event, diag);

	if (!err)
		*code = NATIVE_CODE(c->index, event);
	return err;
}

/* Perhaps a file was to define it that the environment names and that could
 * not be read: then it is said what is wrong there. */
static int unknown_event(const struct events *e, const char *name,
			 struct diag *diag)
{
	const struct diag *unread = events_environment_diag(e);

	if (!unread)
		return diag_fail(diag, PAPI_ENOEVNT,
				 "there is no event called %.200s", name);
	if (unread->line == 0)
		return diag_fail(diag, PAPI_ENOEVNT,
				 "there is no event called %.50s; %.160s", name,
				 unread->text); /* which names it */
	return diag_fail(diag, PAPI_ENOEVNT,
			 "there is no event called %.50s; %.80s:%zu: %.80s",
			 name, unread->file, unread->line, unread->text);
}

/* Offer @name to every component that works, the hardware's first. */
static int find_anywhere(struct events *e, const char *name, int *code,
			 struct diag *diag)
{
	int err = PAPI_ENOEVNT;

	if (e->hardware)
		err = find_in(e->hardware, name, code, diag);
	for (size_t i = 0; err == PAPI_ENOEVNT && i < e->registry->n; i++) {
		struct component *c = e->registry->components[i];

		if (!c->disabled && c != e->hardware)
			err = find_in(c, name, code, diag);
	}
	return err == PAPI_ENOEVNT ? unknown_event(e, name, diag) : err;
}

/* Show the event of @code as @name, unless it was shown by another name. */
static void name_native(struct events *e, int code, const char *name)
{
	struct native_list *list = &e->natives[NATIVE_COMPONENT(code)];
	size_t i = NATIVE_EVENT(code);
	struct native_event *native;
	const char *copy;

	if ((i < list->n && list->events[i]) || events_native(e, code, &native))
		return;
	copy = texts_copy(&e->names, name);
	if (*copy)
		native->name = copy;
}

bool events_find_encoding(struct events *e, const char *name, int *code,
			  struct diag *diag, int *err)
{
	size_t i;

	if (!e->hardware || !map_find(&e->encodings, name, &i))
		return false;
	*err = find_in(e->hardware, e->encoded[i]->bases[0], code, diag);
	if (!*err)
		name_native(e, *code, name);
	return true;
}

int events_find_locked(struct events *e, const char *name, int *code,
		       struct diag *diag)
{
	struct component *c;
	const char *rest;
	enum preset preset;
	size_t i;
	int err;

	if (!*name)
		return diag_fail(diag, PAPI_EINVAL,
				 "the event's name is empty");
	if (preset_find(name, &preset)) {
		*code = PRESET_CODE(preset);
		return 0;
	}
	events_read_tables(e);
	if (map_find(&e->user_names, name, &i)) {
		*code = USER_CODE(i);
		return 0;
	}
	if (events_find_encoding(e, name, code, diag, &err))
		return err;
	c = split_prefix(e->registry, name, &rest);
	if (!c)
		return find_anywhere(e, name, code, diag);
	return find_in(c, rest, code, diag);
}

int events_find(struct events *e, const char *name, int *code,
		struct diag *diag)
{
	int err;

	pthread_mutex_lock(&e->lock);
	err = events_find_locked(e, name, code, diag);
	pthread_mutex_unlock(&e->lock);
	return err;
}

/* "component::event", unless the event's name says where it is from. */
static const char *native_name(struct events *e, const struct component *c,
			       const struct event *event)
{
	const char *prefix = c->ops->name;
	char *name;

	if (strstr(event->name, "::") || strchr(event->name, '/') ||
	    (c->ops->caps & CAP_PLAIN_NAMES))
		return event->name;
	name = texts_reserve(&e->names,
			     strlen(prefix) + 2 + strlen(event->name));
	if (name)
		stpcpy(stpcpy(stpcpy(name, prefix), "::"), event->name);
	return name;
}

static struct native_event *native_new(struct events *e, struct component *c,
				       const struct event *event, int code)
{
	struct native_event *native = calloc(1, sizeof(*native));
	const char *name = native_name(e, c, event);

	if (!native || !name) {
		free(native);
		return NULL;
	}
	native->self = (struct native){ c->index, NATIVE_EVENT(code) };
	native->name = name;
	native->plan.state = PLAN_MADE;
	native->plan.natives = &native->self;
	native->plan.recipe = (struct recipe){
		.code = code,
		.unit = event->unit ? event->unit : "",
		.n = 1,
		.natives = &native->self,
		.is_count = true,
	};
	return native;
}

int events_native(struct events *e, int code, struct native_event **out)
{
	unsigned component = NATIVE_COMPONENT(code);
	size_t i = NATIVE_EVENT(code);
	struct native_list *list;
	struct component *c;
	struct event *event;

	if (component >= e->registry->n)
		return PAPI_ENOEVNT;
	list = &e->natives[component];
	c = e->registry->components[component];
	event = component_event(c, i);
	if (!event)
		return PAPI_ENOEVNT;
	while (list->n <= i) {
		if (array_grow(&list->events, list->n,
			       sizeof(struct native_event *)))
			return PAPI_ENOMEM;
		list->events[list->n++] = NULL;
	}
	if (!list->events[i])
		list->events[i] = native_new(e, c, event, code);
	if (!list->events[i])
		return PAPI_ENOMEM;
	*out = list->events[i];
	return 0;
}

const char *events_name(struct events *e, int code)
{
	struct native_event *native;
	const struct meaning *meaning;
	const char *name = NULL;

	pthread_mutex_lock(&e->lock);
	switch (code_kind(code)) {
	case CODE_PRESET:
		if (PRESET_INDEX(code) < PRESET_COUNT)
			name = preset_info[PRESET_INDEX(code)].name;
		break;
	case CODE_NATIVE:
		if (events_native(e, code, &native) == 0)
			name = native->name;
		break;
	case CODE_USER:
		meaning = events_meaning(e, code);
		name = meaning ? meaning->def->name : NULL;
		break;
	default:
		break;
	}
	pthread_mutex_unlock(&e->lock);
	return name;
}

const struct component_machine *events_machine(const struct events *e)
{
	return e->hardware ? e->hardware->machine : NULL;
}

/* Of the modelled machine; else of the first processor: what cpufreq says, or
 * /proc/cpuinfo. */
double events_clock_hz(struct events *e)
{
	const struct fs *fs = &e->registry->fs;
	char line[256];
	double mhz = 0;
	FILE *cpuinfo;
	long khz;

	/* cycles of a modelled machine are not this one's */
	if (events_machine(e))
		return events_machine(e)->clock_hz;
	if (e->clock_hz != 0)
		return e->clock_hz;
	if (fs_read_long(fs,
			 "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq",
			 &khz) == 0 &&
	    khz > 0)
		return e->clock_hz = (double)khz * 1e3;
	cpuinfo = fs_open(fs, "proc/cpuinfo");
	while (cpuinfo && mhz == 0 && fgets(line, sizeof(line), cpuinfo)) {
		const char *colon = strchr(line, ':');

		if (colon && strncmp(line, "cpu MHz", 7) == 0)
			mhz = strtod(colon + 1, NULL);
	}
	if (cpuinfo)
		fclose(cpuinfo);
	e->clock_hz = mhz > 0 ? mhz * 1e6 : (double)NAN;
	return e->clock_hz;
}
