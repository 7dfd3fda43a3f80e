/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of a plan that the worker could not run, and events that it could not
 * count. It may lack what this processor has: a simulated one knows fewer
 * instructions.
 */

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "classify/classify.h"
#include "console/console.h"

/* So many are named; how many there are more is said. */
#define NAMED 12

/* The kernels that were refused for @why, each once. To be freed. */
static char *list_refused(const struct classify_plan *plan,
			  const struct experiment_result *r, const char *why)
{
	const struct kernel *last = NULL;
	struct strbuf names = { 0 };
	size_t n = 0;

	for (size_t u = 0; u < plan->n_units; u++) {
		if (!r->reasons[u] || strcmp(r->reasons[u], why) != 0 ||
		    plan->units[u].kernel == last)
			continue;
		last = plan->units[u].kernel;
		if (++n <= NAMED)
			strbuf_addf(&names, "%s%s", names.len ? ", " : "",
				    last->name);
	}
	if (n > NAMED)
		strbuf_addf(&names, " and %zu more", n - NAMED);
	return strbuf_take(&names);
}

/* Whether @why was the reason of a unit before @unit. */
static bool is_told(const struct experiment_result *r, size_t unit,
		    const char *why)
{
	for (size_t u = 0; u < unit; u++)
		if (r->reasons[u] && strcmp(r->reasons[u], why) == 0)
			return true;
	return false;
}

/* No event at all can be counted: the reason of the first has to do. */
static int tell_uncounted(const struct console *console,
			  const struct experiment_result *r)
{
	for (size_t e = 0; e < r->n_events; e++)
		if (!r->events[e].reason)
			return 0;
	if (r->n_events == 0)
		return 0; /* is told where they are judged */
	return say_failure(console, "%s%s cannot be counted: %s",
			   r->events[0].name,
			   r->n_events > 1 ? " and the other events" : "",
			   r->events[0].reason);
}

int classify_tell_refused(const struct console *console,
			  const struct classify_plan *plan,
			  const struct experiment_result *r)
{
	const char *why = NULL;
	size_t refused = 0;

	for (size_t u = 0; u < plan->n_units; u++) {
		char *names;

		if (!r->reasons[u])
			continue;
		why = r->reasons[u];
		refused++;
		if (is_told(r, u, why))
			continue;
		names = list_refused(plan, r, why);
		say_note(console, "left out: %s: %s", names ? names : "kernels",
			 why);
		free(names);
	}
	if (refused > 0 && refused == plan->n_units)
		return say_failure(console,
				   "none of the kernels could be run: %s", why);
	return tell_uncounted(console, r);
}
