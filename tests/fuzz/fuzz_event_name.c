/* SPDX-License-Identifier: BSD-3-Clause */
/* Any text as the name of an event, on a captured machine. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "components/components.h"
#include "event/resolve.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct component_ops *const list[] = {
	&perf_event_component,
	&net_component,
	&io_component,
};

/* A registry and its names; made anew now and then so that it stays small. */
static struct {
	struct registry *registry;
	struct events *events;
	unsigned used;
} here;

static void renew(void)
{
	if (here.events && ++here.used % 5000)
		return;
	if (here.events)
		events_close(here.events);
	registry_close(here.registry);
	here.events = NULL;
	if (registry_open(list, 3, "", &here.registry) ||
	    events_open(here.registry, &here.events))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag diag = { 0 };
	const char *near[3];
	char *name = malloc(size + 1);
	int code;

	renew();
	memcpy(name, data, size);
	name[size] = '\0';
	if (events_find(here.events, name, &code, &diag) == 0) {
		PAPI_event_info_t info;
		const struct recipe *recipe;

		assert(events_name(here.events, code));
		events_info(here.events, code, &info);
		events_plan(here.events, code, &recipe, &diag);
	} else {
		assert(diag.text[0]);
		if (here.used % 1024 == 0) /* slow, and of a simple kind */
			events_nearest(here.events, name, near, 3);
	}
	free(name);
	return 0;
}
