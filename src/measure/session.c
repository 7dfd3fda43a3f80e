/* SPDX-License-Identifier: BSD-3-Clause */
/* The counting library, opened for a verb. */

#include "measure/pmu.h"

#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>

#include "base/strbuf.h"
#include "console/console.h"
#include "measure/metrics.h"

#define SUGGESTIONS 3

int session_open(const struct console *console)
{
	int version = PAPI_library_init(PAPI_VER_CURRENT);

	if (version == PAPI_VER_CURRENT)
		return 0;
	return say_failure(console, "cannot start the counting library: %s",
			   session_error(version));
}

const char *session_error(int code)
{
	return *assay_error() ? assay_error() : PAPI_strerror(code);
}

const char *session_reason(const char *reason)
{
	const char *blank = strchr(reason, ' ');
	const char *colons = strstr(reason, "::");
	bool named = strncmp(reason, "PAPI_", 5) == 0 ||
		     (colons && blank && colons < blank);

	if (named && blank && blank > reason && blank[-1] == ':')
		return blank + 1;
	return reason;
}

/* Whether it is a metric, of which that is said. */
static bool is_metric(const struct console *console, const char *name)
{
	const struct metric_file *file;
	const struct metric *metric = NULL;
	struct metrics shipped = { 0 };

	if (metrics_init(&shipped, "", NULL) == 0)
		metric = metrics_find(&shipped, name, &file);
	if (metric)
		say_error(console,
			  "%s is a metric, not an event; its formula is %s",
			  metric->def->name, metric->def->formula);
	metrics_fini(&shipped);
	return metric;
}

/* What the library adds to that it does not know an event: a file that was to
 * define some could not be read. NULL: nothing. */
static char *unread_file(void)
{
	const char *more = strstr(assay_error(), "; ");

	return more ? strdup(more + 2) : NULL;
}

int session_unknown_event(const struct console *console, const char *name)
{
	OWNED char *file = unread_file(); /* of the look-up that failed */
	const char *names[SUGGESTIONS];
	int n = assay_nearest_events(name, names, SUGGESTIONS);
	STRBUF(hint);

	if (is_metric(console, name))
		return CMD_USAGE;
	for (int i = 0; i < n; i++)
		strbuf_addf(&hint, "%s%s",
			    i == 0      ? "did you mean "
			    : i + 1 < n ? ", "
					: " or ",
			    names[i]);
	if (n > 0)
		strbuf_add(&hint, "?");
	else
		strbuf_add(&hint, "'assay list WORDS' searches them");
	say_error_hint(console, strbuf_text(&hint), "there is no event '%s'",
		       name);
	if (file)
		say_note(console, "%s", file);
	return CMD_USAGE;
}
