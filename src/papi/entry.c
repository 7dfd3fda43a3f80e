/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Look-ups between a user's event code and the recipe, EventSet and component
 * behind it. The entry points themselves are in the files of their noun.
 */
#include "papi/entry.h"

#include <sys/time.h>

int entry_plan(int code, const struct recipe **out, struct diag *diag)
{
	struct library *lib = library_get();
	int err;

	pthread_mutex_lock(&lib->lock);
	err = events_plan(lib->events, code, out, diag);
	pthread_mutex_unlock(&lib->lock);
	return err;
}

int entry_find(const struct eventset *set, int code)
{
	for (size_t i = 0; i < eventset_size(set); i++)
		if (eventset_recipe(set, i)->code == code)
			return (int)i;
	return PAPI_ENOEVNT;
}

void entry_apply_defaults(struct library *lib, size_t index,
			  struct eventset_options *options)
{
	pthread_mutex_lock(&lib->lock);
	if (index < lib->registry->n) {
		options->slice.domain = lib->defaults[index].domain;
		options->slice.granularity = lib->defaults[index].granularity;
	}
	options->slice.multiplex_ns = (uint64_t)lib->multiplex_ns;
	options->check_ns = (uint64_t)lib->check_ns;
	options->check_real = lib->timer == ITIMER_REAL;
	pthread_mutex_unlock(&lib->lock);
}

struct component *entry_component(struct library *lib, int cidx)
{
	if (cidx >= 0 && (size_t)cidx < lib->registry->n)
		return lib->registry->components[cidx];
	error_say(PAPI_ENOCMP, "%d is not a component", cidx);
	return NULL;
}
