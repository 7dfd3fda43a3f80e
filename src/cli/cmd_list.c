/* SPDX-License-Identifier: BSD-3-Clause */
/* assay list: what can be counted here, each one tried. */

#include <papi.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "measure/pmu.h"
#include "survey/survey.h"

#include "write/document.h"

struct list {
	bool presets;
	bool native;
	bool metrics;
	bool components;
	bool all;
};

static const struct cmd_option options[] = {
	{ 0, "presets", NULL, "list only presets (PAPI_TOT_INS, ...)",
	  INTO(list, presets) },
	{ 0, "native", NULL, "list only native events (perf::CYCLES, ...)",
	  INTO(list, native) },
	{ 0, "metrics", NULL, "list only metrics", INTO(list, metrics) },
	{ 0, "components", NULL, "list only components (sources of events)",
	  INTO(list, components) },
	{ 'a', "all", NULL,
	  "also list what cannot be counted here, each with the reason",
	  INTO(list, all) },
	{ 0 },
};

static void step(void *context, size_t done, size_t total)
{
	(void)total;
	progress_step(context, done);
}

/* The metrics that come with the command, for this PMU. */
static int gather_metrics(const struct listing_filter *filter, const char *pmu,
			  struct listing *l)
{
	struct metrics metrics = { 0 };
	int err = metrics_init(&metrics, pmu, NULL);

	if (!err)
		err = listing_add_metrics(l, &metrics, filter);
	metrics_fini(&metrics);
	return err;
}

static int gather(const struct cli *cli, const struct listing_filter *filter,
		  const char *pmu, struct listing *l)
{
	struct progress progress;
	int err = listing_collect(l, filter);

	if (!err && filter->metrics)
		err = gather_metrics(filter, pmu, l);

	if (!err) {
		progress_start(&progress, &cli->console, "trying", "events",
			       l->n_events);
		err = listing_try(l, step, &progress);
		progress_end(&progress);
	}
	if (err)
		say_error(&cli->console, "cannot list events: %s",
			  PAPI_strerror(err));
	return err ? CMD_FAILED : CMD_OK;
}

static const struct format formats[] = {
	FORMAT("text", ".txt", list_write_text),
	DATA_FORMATS(list_describe),
	{ 0 },
};

/* The words of an event's @name, which belong to @texts. */
static void add_words(struct nearest *near, const char *name,
		      struct texts *texts)
{
	for (; *name; name += strspn(name, ":_-.=")) {
		size_t length = strcspn(name, ":_-.=");
		const char *word = texts_take(texts, strndup(name, length));
		bool known = length == 0;

		for (size_t i = 0; i < near->n; i++)
			known |= strcasecmp(near->names[i], word) == 0;
		if (!known)
			nearest_add(near, word);
		name += length;
	}
}

/* A word that nothing has is to blame, and not the others. */
static int blame_word(const struct cli *cli, const char *word)
{
	static const struct listing_filter all = { .presets = true,
						   .native = true,
						   .left_out = true };
	struct listing l = { 0 };
	struct nearest near;

	nearest_init(&near, word);
	if (listing_collect(&l, &all) == PAPI_OK)
		for (size_t i = 0; i < l.n_events; i++)
			add_words(&near, l.events[i].name, &l.texts);
	say_error_hint(&cli->console, nearest_text(&near, ""),
		       "no event has '%s' in its name or description", word);
	listing_fini(&l);
	return CMD_NOTHING;
}

static int found_nothing(const struct cli *cli,
			 const struct listing_filter *filter, const char *pmu)
{
	STRBUF(all);

	for (size_t i = 0; filter->words[i]; i++) {
		char *one[] = { filter->words[i], NULL };
		struct listing_filter alone = *filter;
		struct listing l = { 0 };
		int err;

		alone.words = one;
		err = listing_collect(&l, &alone);
		if (!err && filter->metrics)
			err = gather_metrics(&alone, pmu, &l);
		if (!err && l.n_events == 0) {
			listing_fini(&l);
			return blame_word(cli, one[0]);
		}
		strbuf_addf(&all, "%s'%s' (%zu)", i ? " and " : "", one[0],
			    l.n_events);
		listing_fini(&l);
	}
	say_error(&cli->console,
		  "no event has all of the words %s in its name or "
		  "description; use fewer words",
		  strbuf_text(&all));
	return CMD_NOTHING;
}

static int show(const struct cli *cli, const struct format *format,
		const char *pmu, const struct listing_filter *filter)
{
	const struct list *list = cli->state;
	struct listing l = { 0 };
	struct list_view view = {
		.listing = &l,
		.events = filter->presets || filter->native || filter->metrics,
		.components = list->components ||
			      (!list->presets && !list->native &&
			       !list->metrics && !filter->words[0]),
		.all = list->all || filter->words[0],
	};
	int status = gather(cli, filter, pmu, &l);

	if (!status && filter->words[0] && l.n_events == 0) {
		status = found_nothing(cli, filter, pmu);
	} else if (!status) {
		status = output_write_as(&cli->output, format, &view, stdout,
					 CMD_OK);
	}
	listing_fini(&l);
	return status;
}

static int run_list(struct cli *cli, int argc, char **argv)
{
	const struct list *list = cli->state;
	bool any = list->presets || list->native || list->metrics ||
		   list->components;
	struct listing_filter filter = {
		.presets = list->presets || !any,
		.native = list->native || !any,
		.metrics = list->metrics || !any,
		.words = argv,
	};
	const struct format *format = output_format(&cli->output, formats);
	struct pmu pmu;
	int status;

	(void)argc;
	if (!format)
		return CMD_USAGE;
	filter.left_out = list->all || argv[0] || format != formats;
	status = pmu_browse(&cli->console, &cli->pmu, &pmu);
	if (status)
		return status;
	status = show(cli, format, pmu.model, &filter);
	pmu_close(&pmu);
	return status;
}

const struct command command_list = {
	.name = "list",
	.summary = "list events, presets and metrics, after trying each event",
	.synopsis = "[options] [WORD ...]",
	.text = "List presets, native events, metrics and components. An event "
		"is listed as available only after it has been opened and read "
		"on this machine; of the kernel's own events, the newest that "
		"there is shows that the others work. With WORDs, list the "
		"events whose name or description has all of them, "
		"available or not.",
	.options = options,
	.formats = formats,
	.common = COMMON_OUTPUT | COMMON_PMU,
	.run = run_list,
	.state_bytes = sizeof(struct list),
};
