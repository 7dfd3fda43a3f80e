/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measuring: this machine by its own clock; or the simulated one, for which
 * this command starts itself once more on the simulated PMU, takes its cycles
 * for a clock, and hands over what it found in a file.
 */
#include <errno.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <assay/assay.h>

#include "base/strbuf.h"
#include "cli/machine_verb.h"
#include "console/console.h"
#include "machine/arch.h"
#include "machine/machine.h"
#include "measure/pmu.h"

/* ---- on the simulated PMU ---- */

/*
 * Between fences, as arch_ticks() is: loads that wait for nothing are else done
 * before the clock is read that was to time them.
 */
static uint64_t simulated_cycles(void *context)
{
	long long cycles = 0;

	arch_fence();
	PAPI_read(*(int *)context, &cycles);
	arch_fence();
	return (uint64_t)cycles;
}

static int start_cycles(const struct cli *cli, int *set)
{
	*set = PAPI_NULL;
	if (PAPI_create_eventset(set) == PAPI_OK &&
	    PAPI_add_named_event(*set, "PAPI_TOT_CYC") == PAPI_OK &&
	    PAPI_start(*set) == PAPI_OK)
		return 0;
	return say_failure(&cli->console, "cannot count simulated cycles: %s",
			   assay_error());
}

static int measure_inside(const struct cli *cli, struct machine *m)
{
	const struct machine_options *o = cli->state;
	int set;
	struct lab_clock clock = { simulated_cycles, &set, true };
	int status = start_cycles(cli, &set);

	if (status)
		return status;
	if (machine_measure_by(&cli->console, clock, o->quick, m) ||
	    machine_describe_model(m, cli->pmu.model))
		return say_no_memory(&cli->console);
	return CMD_OK;
}

/* Become this command on the simulated PMU, writing to @path. */
static int become_simulated(const struct cli *cli, char *path)
{
	const struct machine_options *o = cli->state;
	struct simulator_options options = {
		.model = cli->pmu.model,
		.counters = "unlimited",
	};
	struct diag diag = { .text = "" };
	char *argv[16] = {
		(char *)"/proc/self/exe",
		(char *)"machine",
		(char *)"--pmu=sim",
		(char *)"--no-save",
		(char *)"--format=json",
		(char *)"-o",
		path,
	};
	char exe[4096];
	ssize_t length = readlink(argv[0], exe, sizeof(exe) - 1);
	size_t n = 7;
	int status;

	if (length > 0) {
		exe[length] = '\0';
		argv[0] = exe;
	}
	if (cli->pmu.model) {
		argv[n++] = (char *)"--model";
		argv[n++] = (char *)cli->pmu.model;
	}
	if (o->quick)
		argv[n++] = (char *)"--quick";
	if (cli->console.quiet)
		argv[n++] = (char *)"--quiet";
	status = simulator_exec(&options, argv, &diag);
	say_error(&cli->console, "%s", diag.text);
	return status;
}

static int run_simulated(const struct cli *cli, char *path)
{
	pid_t pid = fork();
	int how = 0;

	if (pid < 0)
		return say_failure(&cli->console, "cannot start a process: %s",
				   strerror(errno));
	if (pid == 0)
		_exit(become_simulated(cli, path));
	while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(how))
		return CMD_SIGNAL + WTERMSIG(how);
	return WEXITSTATUS(how);
}

static int measure_outside(const struct cli *cli, struct machine *m)
{
	struct diag diag = { .text = "" };
	char *path = scratch_file("machine", &diag);
	int status;

	if (!path)
		return say_failure(&cli->console, "%s", diag.text);
	say_note(&cli->console, "measuring a simulated machine (model %s)",
		 simulator_model(cli->pmu.model));
	status = run_simulated(cli, path);
	if (!status && machine_read(path, m, &diag))
		status = say_failure(&cli->console, "%s", diag.text);
	scratch_remove(path);
	return status;
}

/* Whether this very process runs on the simulated PMU. */
static bool is_inside(void)
{
	struct assay_pmu pmu;

	return assay_get_pmu(&pmu) == PAPI_OK &&
	       pmu.kind == ASSAY_PMU_SIMULATED;
}

static int measure_simulated(const struct cli *cli, struct machine *m)
{
	struct simulator_options options = { .model = cli->pmu.model };
	struct diag diag = { .text = "" };
	int status = session_open(&cli->console);
	bool inside;

	if (status)
		return status;
	inside = is_inside();
	if (inside)
		status = measure_inside(cli, m);
	PAPI_shutdown();
	if (inside)
		return status;
	status = simulator_check(&options, &diag);
	if (status) {
		say_error(&cli->console, "%s", diag.text);
		return status;
	}
	return measure_outside(cli, m);
}

int machine_verb_measure(struct cli *cli, struct machine *m)
{
	const struct machine_options *o = cli->state;
	int status = CMD_OK;

	m->measured = (double)time(NULL);
	if (cli->pmu.kind == PMU_SIMULATED)
		status = measure_simulated(cli, m);
	else if (machine_measure_host(&cli->console, o->quick, m))
		status = say_no_memory(&cli->console);
	if (!status && o->name) {
		free(m->name);
		m->name = strdup(o->name);
		status = m->name ? CMD_OK : CMD_FAILED;
	}
	return status;
}
