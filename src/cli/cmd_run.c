/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * assay run: a program on the chosen PMU, with no report of our own. For
 * programs that call PAPI or libhpm themselves.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <papi.h>

#include <assay/assay.h>

#include "cli/cmd.h"
#include "measure/pmu.h"
#include "measure/slowdown.h"
#include "process/process.h"

struct run_state {
	struct simulator_options simulator;
};

static const struct cmd_option options[] = {
	SIMULATOR_COUNTERS(run_state, simulator),
	SIMULATOR_BLIND(run_state, simulator),
	SIMULATOR_NOISE(run_state, simulator),
	{ 0, "skid", "N", "deliver a simulated overflow N instructions late",
	  INTO_AS(DIGITS, run_state, simulator.skid) },
	{ 0 },
};

/* Whether the machine's own PMU counts cycles. */
static bool has_hardware(void)
{
	struct assay_pmu pmu;
	bool has = false;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return false;
	has = assay_get_pmu(&pmu) == PAPI_OK && pmu.kind == ASSAY_PMU_HARDWARE;
	PAPI_shutdown();
	return has;
}

static bool wants_simulator(const struct cli *cli)
{
	if (cli->pmu.kind != PMU_AUTO)
		return cli->pmu.kind == PMU_SIMULATED;
	return !has_hardware();
}

static void announce(const struct cli *cli)
{
	char slower[SLOWDOWN_TEXT];

	if (cli->pmu.kind != PMU_AUTO)
		return;
	slowdown_expect(NULL, NULL, slower, sizeof(slower));
	say_note(&cli->console,
		 "this machine has no usable PMU, so the program runs on the "
		 "simulated one (model %s; %s); --pmu none runs it natively",
		 simulator_model(cli->pmu.model), slower);
}

static int run_natively(const struct cli *cli, char **argv)
{
	OWNED char *path = NULL;
	int status = program_need(&cli->console, argv[0], &path);

	if (status)
		return status;
	execv(path, argv);
	say_error(&cli->console, "cannot execute '%s': %s", argv[0],
		  strerror(errno));
	return CMD_CANNOT_EXECUTE;
}

static int run_simulated(struct cli *cli, char **argv)
{
	struct simulator_options *sim =
		&((struct run_state *)cli->state)->simulator;
	struct diag diag = { .text = "" };
	char *path;
	int status;

	sim->model = cli->pmu.model;
	sim->engine = cli->pmu.engine;
	status = simulator_check(sim, &diag);
	if (!status) {
		status = program_need(&cli->console, argv[0], &path);
		if (status)
			return status;
		free(path);
		announce(cli);
		status = simulator_exec(sim, argv, &diag);
	}
	say_error(&cli->console, "%s", diag.text);
	return status;
}

static int run_program(struct cli *cli, int argc, char **argv)
{
	OWNED char *path = NULL;

	if (argc < 1)
		return say_usage(&cli->console,
				 "no program given; usage: %s -- ./program",
				 cli->console.as);
	path = program_find(argv[0]);
	if (path)
		dropin_use(&cli->console, path);
	return wants_simulator(cli) ? run_simulated(cli, argv)
				    : run_natively(cli, argv);
}

const struct command command_run_program = {
	.name = "run",
	.summary =
		"run a program that does its own counting, on the chosen PMU",
	.synopsis = "[options] [--] program [arguments]",
	.text = "Run a program that calls PAPI or libhpm itself: the library "
		"finds the simulated PMU without further settings. The program "
		"replaces this command, so exit status and signals are those "
		"of the program. Programs linked with libpapi.so.7.0, 7.1 or "
		"7.2 get assay's replacement, and a note says so.",
	.options = options,
	.common = COMMON_PMU,
	.runs_program = true,
	.run = run_program,
	.state_bytes = sizeof(struct run_state),
};
