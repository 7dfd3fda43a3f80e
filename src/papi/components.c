/* SPDX-License-Identifier: BSD-3-Clause */
/* Components: how many, what they are, and which to leave alone. */
#include <stdio.h>
#include <stdlib.h>

#include "papi/entry.h"
#include "papi/table.h"

int PAPI_num_components(void)
{
	struct library *lib = library_get();

	return lib ? (int)lib->registry->n : (int)component_table_n;
}

int PAPI_get_component_index(const char *name)
{
	struct library *lib = library_get();
	struct component *c;
	int index;

	if (!name)
		return error_set(PAPI_EINVAL);
	if (!lib) {
		index = component_table_find(name);
	} else {
		c = registry_find(lib->registry, name);
		index = c ? (int)c->index : PAPI_ENOCMP;
	}
	if (index < 0)
		return error_say(PAPI_ENOCMP, "there is no component \"%s\"",
				 name);
	return index;
}

int PAPI_disable_component(int cidx)
{
	if (cidx < 0 || cidx >= PAPI_num_components())
		return error_say(PAPI_ENOCMP, "%d is not a component", cidx);
	return library_disable((unsigned)cidx);
}

int PAPI_disable_component_by_name(const char *name)
{
	int cidx = PAPI_get_component_index(name);

	return cidx < 0 ? cidx : PAPI_disable_component(cidx);
}

/* What stands in the component's own table, open or not. */
static void describe(PAPI_component_info_t *info,
		     const struct component_ops *ops, int index)
{
	unsigned caps = ops->caps;

	snprintf(info->name, sizeof(info->name), "%s", ops->name);
	snprintf(info->short_name, sizeof(info->short_name), "%s", ops->name);
	snprintf(info->description, sizeof(info->description), "%s",
		 ops->summary);
	snprintf(info->version, sizeof(info->version), "%d.%d",
		 PAPI_VERSION_MAJOR(library_version()),
		 PAPI_VERSION_MINOR(library_version()));
	info->CmpIdx = index;
	info->default_domain = PAPI_DOM_USER;
	info->default_granularity = PAPI_GRN_THR;
	info->available_granularities = PAPI_GRN_THR;
	if (caps & CAP_CPU_ATTACH)
		info->available_granularities |= PAPI_GRN_SYS;
	if (caps & CAP_OVERFLOW)
		info->hardware_intr_sig = SIGIO;
	info->hardware_intr = (caps & CAP_OVERFLOW) != 0;
	info->kernel_multiplex = (caps & CAP_MULTIPLEX) != 0;
	info->fast_counter_read = (caps & CAP_FAST_READ) != 0;
	info->fast_real_timer = 1;
	info->attach = (caps & CAP_ATTACH) != 0;
	/* programs that believe it stop the process themselves, and wait */
	info->attach_must_ptrace = info->attach && !(caps & CAP_NO_PTRACE);
	info->cntr_umasks = ops->masks != NULL;
	info->cpu = (caps & CAP_CPU_ATTACH) != 0;
	info->inherit = (caps & CAP_INHERIT) != 0;
}

/* How many presets can be counted, and by component @index. */
static int count_presets(struct library *lib, unsigned index)
{
	int code = PAPI_PRESET_MASK;
	int n = 0;

	for (int mode = PAPI_ENUM_FIRST;
	     events_next(lib->events, &code, mode, -1) == 0;
	     mode = PAPI_ENUM_EVENTS) {
		const struct recipe *recipe;

		if (events_plan(lib->events, code, &recipe, NULL) == 0 &&
		    recipe->natives[0].component == index &&
		    events_available(lib->events, code, NULL) == 0)
			n++;
	}
	return n;
}

/* What only this machine can tell. */
static void describe_here(struct library *lib, struct component *c,
			  PAPI_component_info_t *info)
{
	const struct defaults *defaults = &lib->defaults[c->index];

	info->initialized = 1;
	if (defaults->domain)
		info->default_domain = (int)defaults->domain;
	info->default_granularity = defaults->granularity;
	info->available_domains = (int)c->domains;
	/* some find out only when they list their events */
	info->num_native_events = (int)component_event_count(c);
	if (c->disabled) {
		info->disabled = PAPI_ECMP_DISABLED;
		snprintf(info->disabled_reason, sizeof(info->disabled_reason),
			 "%s", c->reason ? c->reason : "");
		return;
	}
	if (c->ops->caps & CAP_HARDWARE)
		info->num_preset_events = count_presets(lib, c->index);
	info->num_cntrs = c->counters > 0 || c->ops->caps & CAP_HARDWARE
				  ? (int)c->counters
				  : info->num_native_events;
	info->num_mpx_cntrs = info->num_native_events;
	if (c->counters == 0) /* no counter to read without the kernel */
		info->fast_counter_read = 0;
	if (c->pmu)
		info->pmu_names[0] = (char *)c->pmu;
}

/*
 * Listing a component's events takes its time, so it is done for those that
 * somebody asks for.
 */
static const PAPI_component_info_t *info_of(struct library *lib, int cidx)
{
	struct component *c = entry_component(lib, cidx);
	PAPI_component_info_t *info;

	if (!c)
		return NULL;
	pthread_mutex_lock(&lib->lock);
	info = lib->infos[cidx];
	if (!info) {
		info = calloc(1, sizeof(*info));
		if (info) {
			describe(info, c->ops, cidx);
			describe_here(lib, c, info);
			lib->infos[cidx] = info;
		}
	}
	pthread_mutex_unlock(&lib->lock);
	if (!info)
		error_set(PAPI_ENOMEM);
	return info;
}

/*
 * Before the library is open, programs ask for names in order to disable one.
 * What the machine has is not known then: initialized is 0.
 */
static PAPI_component_info_t closed_infos[COMPONENT_TABLE_MAX];

static void describe_closed(void)
{
	for (size_t i = 0; i < component_table_n; i++)
		describe(&closed_infos[i], component_table[i], (int)i);
}

const PAPI_component_info_t *PAPI_get_component_info(int cidx)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct library *lib = library_get();

	if (lib)
		return info_of(lib, cidx);
	if (cidx < 0 || (size_t)cidx >= component_table_n) {
		error_say(PAPI_ENOCMP, "%d is not a component", cidx);
		return NULL;
	}
	pthread_once(&once, describe_closed);
	return &closed_infos[cidx];
}

int PAPI_num_cmp_hwctrs(int cidx)
{
	struct library *lib = library_need();
	const PAPI_component_info_t *info;

	if (!lib)
		return PAPI_ENOINIT;
	info = info_of(lib, cidx);
	return info ? info->num_cntrs : error_last();
}

int entry_hardware(const struct library *lib)
{
	int found = 0;

	for (size_t i = 0; i < lib->registry->n; i++) {
		const struct component *c = lib->registry->components[i];

		if (!c->disabled && (c->ops->caps & CAP_HARDWARE))
			found = (int)i;
	}
	return found;
}

int PAPI_num_hwctrs(void)
{
	struct library *lib = library_need();

	return lib ? PAPI_num_cmp_hwctrs(entry_hardware(lib)) : PAPI_ENOINIT;
}
