/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosing a PMU. */

#include "measure/pmu.h"

#include <papi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <assay/assay.h>

#include "console/console.h"
#include "measure/slowdown.h"
#include "report/report.h"

/*
 * A simulated PMU need not be short of counters: all events are counted all
 * the time, as nothing is gained by an estimate. (--counters is
 * for those who study what a shortage does.)
 */
#define ENOUGH_COUNTERS "unlimited"

static void keep_reason(struct pmu *pmu, const char *reason)
{
	snprintf(pmu->reason, sizeof(pmu->reason), "%s",
		 reason ? session_reason(reason) : "");
}

/* Put what the library counts with into @pmu. */
static void describe(struct pmu *pmu)
{
	struct assay_pmu found = { .name = "" };

	if (assay_get_pmu(&found) || found.kind == ASSAY_PMU_NONE) {
		pmu->kind = PMU_NONE;
		keep_reason(pmu, found.reason);
		return;
	}
	pmu->kind = found.kind == ASSAY_PMU_SIMULATED ? PMU_SIMULATED
						      : PMU_HARDWARE;
	snprintf(pmu->model, sizeof(pmu->model), "%s", found.name);
	pmu->counters = (unsigned)found.counters;
}

static void remove_folder(struct pmu *pmu)
{
	scratch_remove(pmu->samples);
	scratch_remove(pmu->control);
	scratch_remove(pmu->folder);
	pmu->folder = pmu->control = pmu->samples = NULL;
}

/* A private folder for the control file. */
static int make_folder(struct pmu *pmu, struct diag *diag)
{
	pmu->folder = scratch_folder("pmu", diag);
	if (!pmu->folder)
		return PAPI_ESYS;
	pmu->control = scratch_inside(pmu->folder, "control");
	pmu->samples = scratch_inside(pmu->folder, "control.samples");
	if (pmu->control && pmu->samples)
		return 0;
	remove_folder(pmu);
	return diag_fail(diag, PAPI_ENOMEM, "out of memory");
}

static const char *simulated_reason(void)
{
	int index = PAPI_get_component_index("sim");
	const PAPI_component_info_t *info =
		index < 0 ? NULL : PAPI_get_component_info(index);

	return info ? info->disabled_reason : "there is none";
}

/* Tell the library of it; of a process that runs already it was told. */
static int choose_simulator(const struct console *console,
			    const struct pmu_choice *choice, struct pmu *pmu)
{
	struct diag diag = { .text = "" };

	if (choice->pid)
		return 0;
	if (!pmu->browsed && make_folder(pmu, &diag))
		return say_failure(console, "%s", diag.text);
	if (assay_simulate(choice->model, pmu->simulator.counters,
			   pmu->browsed ? "" : pmu->control)) {
		say_error(console, "%s", assay_error());
		remove_folder(pmu);
		return CMD_FAILED;
	}
	return 0;
}

static int open_simulator(const struct console *console,
			  const struct pmu_choice *choice, struct pmu *pmu)
{
	int status = choose_simulator(console, choice, pmu);

	if (status)
		return status;
	status = session_open(console);
	if (status) {
		remove_folder(pmu);
		return status;
	}
	describe(pmu);
	if (pmu->kind != PMU_SIMULATED) {
		say_error(console, "cannot simulate a PMU: %s",
			  simulated_reason());
		PAPI_shutdown();
		remove_folder(pmu);
		return CMD_FAILED;
	}
	pmu->simulator.control = pmu->control;
	return 0;
}

/* The machine has none: simulate, if that can be done. */
static int fall_back(const struct console *console,
		     const struct pmu_choice *choice, struct pmu *pmu)
{
	struct diag diag = { .text = "" };

	if (simulator_find(&diag))
		return 0;
	PAPI_shutdown();
	return open_simulator(console, choice, pmu);
}

static int open_machine(const struct console *console,
			const struct pmu_choice *choice, struct pmu *pmu)
{
	int status = session_open(console);

	if (status)
		return status;
	describe(pmu);
	if (choice->kind == PMU_AUTO && pmu->kind == PMU_NONE)
		return fall_back(console, choice, pmu);
	if (choice->kind == PMU_NONE) {
		pmu->kind = PMU_NONE;
		pmu->model[0] = '\0';
		pmu->counters = 0;
		keep_reason(pmu, "--pmu none was given");
	}
	return 0;
}

static int open_chosen(const struct console *console,
		       const struct pmu_choice *choice, const char *counters,
		       struct pmu *pmu)
{
	struct diag diag = { .text = "" };
	bool told = choice->kind == PMU_SIMULATED || choice->model || counters;
	int status;

	pmu->simulator.model = choice->model;
	pmu->simulator.engine = choice->engine;
	pmu->simulator.counters = counters ? counters : ENOUGH_COUNTERS;
	if (told) {
		status = simulator_check(&pmu->simulator, &diag);
		if (status) {
			say_error(console, "%s", diag.text);
			return status;
		}
	}
	return choice->kind == PMU_SIMULATED
		       ? open_simulator(console, choice, pmu)
		       : open_machine(console, choice, pmu);
}

int pmu_open(const struct console *console, const struct pmu_choice *choice,
	     const char *counters, struct pmu *pmu)
{
	*pmu = (struct pmu){ 0 };
	return open_chosen(console, choice, counters, pmu);
}

int pmu_browse(const struct console *console, const struct pmu_choice *choice,
	       struct pmu *pmu)
{
	*pmu = (struct pmu){ .browsed = true };
	return open_chosen(console, choice, NULL, pmu);
}

void pmu_close(struct pmu *pmu)
{
	PAPI_shutdown();
	remove_folder(pmu);
}

const char *pmu_model_name(const struct pmu *pmu)
{
	return report_model_name(pmu->model);
}

void pmu_announce(const struct console *console,
		  const struct pmu_choice *choice, const struct pmu *pmu,
		  const struct event_list *m)
{
	char slower[SLOWDOWN_TEXT];

	if (pmu->kind == PMU_NONE && choice->kind != PMU_NONE)
		say_note(console, "hardware events cannot be counted here: %s",
			 pmu->reason);
	if (pmu->kind != PMU_SIMULATED)
		return;
	slowdown_expect(pmu, m, slower, sizeof(slower));
	if (choice->kind == PMU_AUTO)
		say_note(console,
			 "no PMU here: counting on a simulated one (model "
			 "%s), %s; --pmu none counts without it",
			 pmu_model_name(pmu), slower);
	else
		say_note(console, "counting on a simulated PMU (model %s), %s",
			 pmu_model_name(pmu), slower);
}

void pmu_exec(void *context, char **argv)
{
	struct pmu *pmu = context;
	struct diag diag;

	if (pmu->kind == PMU_SIMULATED)
		simulator_exec(&pmu->simulator, argv, &diag);
	else
		execvp(argv[0], argv);
}
