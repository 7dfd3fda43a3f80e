/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * assay metrics events: the native events that a file's metrics need on this
 * machine, for tools that count those and derive later. A preset gives the
 * events it is made of here.
 */

#include <assay/assay.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "console/console.h"
#include "measure/pmu.h"
#include "metricfile/metricfile.h"
#include "write/document.h"

/* One native event, or a name that means nothing here. */
struct need {
	char *name;
	char *from;   /* the name in the formulas, the first that led here */
	char *reason; /* why it cannot be counted here; NULL: it can */
};

struct needs {
	struct need *list;
	size_t n;
};

static void needs_fini(struct needs *needs)
{
	while (needs->n > 0) {
		struct need *need = &needs->list[--needs->n];

		free(need->name);
		free(need->from);
		free(need->reason);
	}
	free(needs->list);
}

static int add(struct needs *needs, const char *name, const char *from,
	       const char *reason)
{
	struct need need;

	for (size_t i = 0; i < needs->n; i++)
		if (strcmp(needs->list[i].name, name) == 0)
			return 0;
	if (array_grow(&needs->list, needs->n, sizeof(need)))
		return PAPI_ENOMEM;
	need.name = strdup(name);
	need.from = strdup(from);
	need.reason = reason ? strdup(session_reason(reason)) : NULL;
	needs->list[needs->n++] = need;
	return need.name && need.from && (need.reason || !reason) ? 0
								  : PAPI_ENOMEM;
}

/* The events a preset is made of, or the event's own full name. */
static int add_natives(struct needs *needs, const char *from, int code)
{
	const char *reason = NULL;
	PAPI_event_info_t info;
	char name[PAPI_MAX_STR_LEN];
	int err = 0;

	if (assay_event_available(code, &reason) == 0)
		reason = NULL;
	else if (!reason)
		reason = "it cannot be counted here";
	memset(&info, 0, sizeof(info));
	if (IS_PRESET(code) && PAPI_get_event_info(code, &info) == PAPI_OK &&
	    info.count > 0) {
		for (unsigned i = 0; !err && i < info.count; i++)
			err = add(needs, info.name[i], from, reason);
		return err;
	}
	if (PAPI_event_code_to_name(code, name) != PAPI_OK)
		snprintf(name, sizeof(name), "%s", from);
	return add(needs, name, from, reason);
}

static int collect(const struct metrics *m, struct needs *needs)
{
	const struct name_list *names = &m->files[0].set->names;
	int err = 0;

	for (size_t i = 0; !err && i < names->n; i++) {
		const char *name = names->names[i];
		int code;

		if (metrics_is_input(name))
			continue;
		if (PAPI_event_name_to_code(name, &code) == PAPI_OK)
			err = add_natives(needs, name, code);
		else
			err = add(needs, name, name,
				  "there is no event of this name here");
	}
	return err;
}

static int needs_text(const void *what, const struct report_style *style,
		      FILE *to)
{
	const struct needs *needs = what;

	(void)style;
	for (size_t i = 0; i < needs->n; i++) {
		const struct need *need = &needs->list[i];
		int pad = 44 - (int)strlen(need->name);

		fputs(need->name, to);
		if (need->reason)
			fprintf(to, "%*s  # not here: %s", pad > 0 ? pad : 0,
				"", need->reason);
		else if (strcmp(need->name, need->from) != 0)
			fprintf(to, "%*s  # for %s", pad > 0 ? pad : 0, "",
				need->from);
		putc('\n', to);
	}
	return ferror(to) ? PAPI_ESYS : 0;
}

static int needs_describe(const void *what, struct json *j)
{
	const struct needs *needs = what;

	json_table(j, "events");
	for (size_t i = 0; i < needs->n; i++)
		json_row_of(j, NULL, "name %s, for %s, available %d, reason %s",
			    needs->list[i].name, needs->list[i].from,
			    !needs->list[i].reason, needs->list[i].reason);
	json_end_array(j);
	return 0;
}

static bool all_here(const struct needs *needs)
{
	for (size_t i = 0; i < needs->n; i++)
		if (needs->list[i].reason)
			return false;
	return true;
}

int metrics_pmu_name(const struct metrics_call *call, char *pmu,
		     size_t capacity)
{
	const struct metrics_options *o = call->options;
	struct pmu here;
	int status;

	if (o->cpu) {
		snprintf(pmu, capacity, "%s", o->cpu);
		return 0;
	}
	status = pmu_browse(call->console, call->pmu, &here);
	if (status)
		return status;
	snprintf(pmu, capacity, "%s", here.model);
	pmu_close(&here);
	return 0;
}

static int show(const struct metrics_call *call, const struct format *format,
		const struct metrics *m)
{
	struct needs needs = { 0 };
	int status = CMD_FAILED;

	if (collect(m, &needs))
		say_error(call->console, "out of memory");
	else
		status = output_write_as(&call->output, format, &needs, stdout,
					 call->strict && !all_here(&needs)
						 ? CMD_UNMEASURED
						 : CMD_OK);
	needs_fini(&needs);
	return status;
}

int metrics_events(const struct metrics_call *call, int argc, char **argv)
{
	const struct metrics_options *o = call->options;
	static const struct format formats[] = {
		FORMAT("text", ".txt", needs_text),
		DATA_FORMATS(needs_describe),
		{ 0 },
	};
	const struct format *format = output_format(&call->output, formats);
	struct diag diag = { .text = "" };
	struct metrics m = { 0 };
	struct pmu pmu;
	int status;
	int err;

	(void)argc;
	if (!format)
		return CMD_USAGE;
	status = pmu_browse(call->console, call->pmu, &pmu);
	if (status)
		return status;
	err = metrics_load(&m, argv[0], o->cpu ? o->cpu : pmu.model, &diag);
	status = err ? metrics_say_fault(call->console, err, NULL, &diag)
		     : show(call, format, &m);
	metrics_fini(&m);
	pmu_close(&pmu);
	return status;
}
