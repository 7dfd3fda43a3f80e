/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels counted for papers, and metrics of what was counted. */

#include "papers/kernel_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>

#include "base/memfile.h"
#include "console/console.h"

int papers_events_set(const struct papers *papers, const char *text,
		      struct papers_events *events)
{
	struct diag diag = { .text = "" };
	const char *had = getenv("PAPI_USER_EVENTS_FILE");

	*events = (struct papers_events){
		.path = scratch_text("events", text, &diag),
		.before = had ? strdup(had) : NULL,
	};
	if (!events->path) {
		say_error(papers->console, "%s", diag.text);
		return CMD_FAILED;
	}
	if (setenv("PAPI_USER_EVENTS_FILE", events->path, 1))
		return say_no_memory(papers->console);
	return 0;
}

void papers_events_reset(struct papers_events *events)
{
	scratch_remove(events->path);
	if (events->before)
		setenv("PAPI_USER_EVENTS_FILE", events->before, 1);
	else
		unsetenv("PAPI_USER_EVENTS_FILE");
	free(events->before);
}

static int choose_events(const struct papers_plan *plan,
			 const struct metrics *metrics, struct selection *s)
{
	int err = 0;

	for (size_t i = 0; !err && plan->groups[i]; i++)
		err = metrics_add_events(metrics, plan->groups[i], s);
	for (size_t i = 0; !err && plan->extra && plan->extra[i]; i++)
		err = selection_add(s, plan->extra[i]);
	return err;
}

static struct experiment_unit *make_units(const struct papers_plan *plan)
{
	struct experiment_unit *units = calloc(plan->n, sizeof(*units));

	for (size_t i = 0; units && i < plan->n; i++)
		units[i] = (struct experiment_unit){
			.kernel = kernels_find(plan->works[i].kernel),
			.point = { .times = plan->works[i].times,
				   .footprint = plan->works[i].footprint,
				   .unit = plan->works[i].unit,
				   .k = plan->works[i].k },
		};
	return units;
}

static int count(const struct papers *papers, const struct papers_plan *plan,
		 struct papers_lab *lab)
{
	struct simulator_options simulator = {
		.model = machine_for(&papers->machine, plan->model),
		.counters = "unlimited"
	};
	struct selection events = { 0 };
	struct experiment experiment = {
		.simulator = &simulator,
		.units = make_units(plan),
		.n_units = plan->n,
		.repeats = plan->repeats,
		.what = "counting",
	};
	int status;

	if (!experiment.units || choose_events(plan, &lab->metrics, &events)) {
		status = papers_no_memory(papers);
	} else {
		experiment.events = (const char *const *)events.names;
		experiment.n_events = events.n;
		status = experiment_run(papers->console, &experiment,
					&lab->result);
	}
	free((void *)experiment.units);
	selection_fini(&events);
	return status;
}

int papers_lab_open(const struct papers *papers, const struct papers_plan *plan,
		    struct papers_lab *lab)
{
	struct diag diag = { .text = "" };
	struct assay_model model;
	char pmu[64];
	int status = 0;

	*lab = (struct papers_lab){ .works = plan->works, .n = plan->n };
	if (assay_get_model(machine_for(&papers->machine, plan->model),
			    &model)) {
		say_error(papers->console, "%s", assay_error());
		return CMD_FAILED;
	}
	snprintf(pmu, sizeof(pmu), "sim-%s", model.name);
	if (constants_open(&lab->constants, plan->constants, pmu, &diag)) {
		say_error(papers->console, "%s", diag.text);
		return CMD_FAILED;
	}
	lab->metrics.constants = &lab->constants;
	if (metrics_init(&lab->metrics, pmu, &diag)) {
		say_error(papers->console, "%s", diag.text);
		status = CMD_FAILED;
	}
	if (!status)
		status = count(papers, plan, lab);
	if (status)
		papers_lab_close(lab);
	return status;
}

void papers_lab_close(struct papers_lab *lab)
{
	experiment_free(lab->result);
	metrics_fini(&lab->metrics);
	constants_fini(&lab->constants);
	*lab = (struct papers_lab){ 0 };
}

double papers_lab_repeat(const struct papers_lab *lab, size_t i,
			 const char *event, unsigned repeat)
{
	const struct experiment_result *r = lab->result;

	for (size_t e = 0; e < r->n_events; e++)
		if (strcmp(r->events[e].name, event) == 0)
			return r->events[e].reason
				       ? NAN
				       : experiment_count(r, i, repeat, e);
	return NAN;
}

double papers_lab_count(const struct papers_lab *lab, size_t i,
			const char *event)
{
	return papers_lab_repeat(lab, i, event, 0);
}

/* An event's count; of the simulated machine's time, by its clock. */
static double value_of(const struct papers_lab *lab, size_t i, const char *name)
{
	double clock_hz = constants_get(&lab->constants, "clock_hz");

	if (strcmp(name, "#") == 0)
		return clock_hz;
	if (strcmp(name, "wall_s") == 0)
		return papers_lab_count(lab, i, "PAPI_TOT_CYC") / clock_hz;
	return papers_lab_count(lab, i, name);
}

double papers_lab_metric(const struct papers_lab *lab, size_t i,
			 const char *file, const char *name)
{
	for (size_t f = 0; f < lab->metrics.n; f++) {
		const struct metric_set *set = lab->metrics.files[f].set;
		const struct metric *metric;
		double *counts, value;

		if (strcmp(lab->metrics.files[f].name, file) != 0)
			continue;
		metric = metric_set_find(set, name);
		counts = calloc(set->names.n + 1, sizeof(*counts));
		value = NAN;
		for (size_t k = 0; metric && counts && k < metric->n_slots; k++)
			counts[metric->slots[k]] = value_of(
				lab, i, set->names.names[metric->slots[k]]);
		if (metric && counts)
			value = metric_eval(metric, counts);
		free(counts);
		return value;
	}
	return NAN;
}

static void put_csv(const struct chart *chart, FILE *to)
{
	fputs("series,x,y\r\n", to);
	for (size_t s = 0; s < chart->n; s++)
		for (size_t k = 0; k < chart->series[s].n; k++)
			fprintf(to, "%s,%.10g,%.10g\r\n", chart->series[s].name,
				chart->series[s].x[k], chart->series[s].y[k]);
}

int papers_draw(struct papers *papers, const char *name,
		const struct chart *chart)
{
	int status = 0;

	for (int svg = 0; svg < 2 && !status && papers->folder; svg++) {
		char file[96];
		struct memfile memory;

		if (memfile_open(&memory))
			return papers_no_memory(papers);
		if (svg)
			chart_write_svg(chart, memory.to);
		else
			put_csv(chart, memory.to);
		if (memfile_close(&memory))
			return papers_no_memory(papers);
		snprintf(file, sizeof(file), "%s.%s", name,
			 svg ? "svg" : "csv");
		status = papers_write(papers, file, memory.text);
		free(memory.text);
	}
	return status;
}
