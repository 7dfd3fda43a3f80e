/* SPDX-License-Identifier: BSD-3-Clause */
/* assay explain: what an event means, and whether it can be counted here. */

#include <papi.h>
#include <stdio.h>
#include <string.h>

#include <assay/assay.h>

#include "base/strbuf.h"
#include "classify/classify.h"
#include "cli/cmd.h"
#include "measure/pmu.h"
#include "survey/survey.h"
#include "validate/validated.h"
#include "write/document.h"

static const struct format formats[] = {
	FORMAT("text", ".txt", explanation_write_text),
	DATA_FORMATS(explanation_describe),
	{ 0 },
};

/* Files that come with the command are sound: a test reads them all. */
static int explain_metric(struct explanation *x, const char *name,
			  const char *pmu)
{
	struct metrics metrics = { 0 };
	int err = metrics_init(&metrics, pmu, NULL);

	if (!err)
		err = explanation_of_metric(x, &metrics, name);
	metrics_fini(&metrics);
	return err;
}

/* Of an event; of a metric, that of each event which it needs. */
static char *phrase_on(const struct validated *kept,
		       const struct explanation *x)
{
	bool is_metric = strcmp(x->kind, "metric") == 0;
	struct strbuf all = { 0 };
	char text[64];

	if (!is_metric)
		return strdup(
			validated_phrase(kept, x->name, text, sizeof(text)));
	if (x->natives.n == 0)
		return NULL;
	for (size_t i = 0; i < x->natives.n; i++)
		strbuf_addf(&all, "%s%s %s", i ? "; " : "", x->natives.items[i],
			    validated_phrase(kept, x->natives.items[i], text,
					     sizeof(text)));
	return strbuf_take(&all);
}

/* A phrase to be freed; NULL if nothing was ever validated here. */
static char *recall_validation(const char *pmu, const struct explanation *x)
{
	struct validated kept;
	char *phrase = NULL;

	if (validated_load(pmu, &kept))
		return NULL;
	if (kept.n > 0)
		phrase = phrase_on(&kept, x);
	validated_fini(&kept);
	return phrase;
}

/* What is known of a GPU's events is kept as that of a PMU of its own. */
static const char *platform_of(const char *name, const char *pmu)
{
	return strncmp(name, "cuda::", strlen("cuda::")) == 0 ? "gpu" : pmu;
}

static int explain(const struct cli *cli, const char *name, const char *pmu,
		   const struct format *format)
{
	struct explanation x;
	int err = *name ? explanation_make(&x, name) : PAPI_ENOEVNT;
	int status;

	if (err == PAPI_ENOEVNT)
		err = explain_metric(&x, name, pmu);
	if (err == PAPI_ENOEVNT)
		return session_unknown_event(&cli->console, name);
	if (err) {
		say_error(&cli->console, "%s: %s", name, session_error(err));
		return err == PAPI_ENOMEM ? CMD_FAILED : CMD_USAGE;
	}
	/* of a preset that is one native event, what is known of that */
	x.measured = classify_recall(platform_of(x.name, pmu), x.name);
	if (!x.measured && x.natives.n == 1)
		x.measured = classify_recall(pmu, x.natives.items[0]);
	x.validated = recall_validation(platform_of(x.name, pmu), &x);
	status = output_write_as(&cli->output, format, &x, stdout, CMD_OK);
	explanation_fini(&x);
	return status;
}

static int run_explain(struct cli *cli, int argc, char **argv)
{
	const struct format *format = output_format(&cli->output, formats);
	struct pmu pmu;
	int status;

	if (!format)
		return CMD_USAGE;
	if (argc == 0)
		return say_usage(&cli->console,
				 "no event given; usage: %s PAPI_TOT_INS",
				 cli->console.as);
	if (argc > 1)
		return say_usage(
			&cli->console,
			"unexpected argument '%s': only one name is accepted",
			argv[1]);
	status = pmu_browse(&cli->console, &cli->pmu, &pmu);
	if (status)
		return status;
	status = explain(cli, argv[0], pmu.model, format);
	pmu_close(&pmu);
	return status;
}

const struct command command_explain = {
	.name = "explain",
	.summary = "describe an event and check whether it can be counted "
		   "here",
	.synopsis = "[--json] NAME",
	.text = "Describe an event, preset or metric: meaning, formula, "
		"component, other names, and whether it can be counted on "
		"this machine or why not.",
	.formats = formats,
	.common = COMMON_OUTPUT | COMMON_PMU,
	.run = run_explain,
};
