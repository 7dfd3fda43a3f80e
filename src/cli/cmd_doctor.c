/* SPDX-License-Identifier: BSD-3-Clause */
/* assay doctor: what this machine can count, why not the rest, the remedy. */

#include <papi.h>
#include <stdio.h>

#include "cli/cmd.h"
#include "host/capture.h"
#include "measure/pmu.h"
#include "measure/slowdown.h"
#include "survey/survey.h"
#include "write/document.h"

struct doctor_options {
	const char *capture; /* a path, or NULL */
};

static const struct cmd_option rows[] = {
	{ 0, "capture", "FILE",
	  "write what the kernel reports about this machine and its PMUs to "
	  "FILE instead (- is standard output): event sources, processors, "
	  "memory, permissions, kernel version, but no names of users or hosts "
	  "and no addresses",
	  INTO(doctor_options, capture) },
	{ 0 },
};

static int write_capture(const void *what, const struct report_style *style,
			 FILE *to)
{
	(void)style;
	return capture_write(what, to);
}

static int capture(const struct cli *cli, const char *path)
{
	struct output output = { &cli->console, path, NULL };
	struct fs fs = { .root = "" };

	return output_write(&output, write_capture, &fs, stdout, CMD_OK);
}

static void ask_simulator(const struct cli *cli, struct facts *f)
{
	struct simulator_options options = { .model = cli->pmu.model };
	struct diag diag = { .text = "" };
	char slower[SLOWDOWN_TEXT];

	f->simulator = simulator_check(&options, &diag) ? KNOWN_NO : KNOWN_YES;
	if (f->simulator == KNOWN_YES) {
		slowdown_expect(NULL, NULL, slower, sizeof(slower));
		snprintf(f->simulator_says, sizeof(f->simulator_says),
			 "instructions, branches, caches, TLBs, cycles of a "
			 "modelled machine; %s",
			 slower);
	} else {
		snprintf(f->simulator_says, sizeof(f->simulator_says), "%s",
			 diag.text);
	}
}

static int examine(const struct cli *cli, struct facts *f)
{
	struct fs fs = { .root = "" };
	int status = session_open(&cli->console);

	if (status)
		return status;
	if (facts_read_machine(&fs, f) || facts_try_events(f)) {
		say_error(&cli->console, "cannot examine this machine: %s",
			  *assay_error() ? assay_error() : "out of memory");
		PAPI_shutdown();
		return CMD_FAILED;
	}
	ask_simulator(cli, f);
	return CMD_OK;
}

static const struct format formats[] = {
	FORMAT("text", ".txt", doctor_write_text),
	DATA_FORMATS(doctor_describe),
	{ 0 },
};

static int show(const struct cli *cli, const struct facts *f,
		const struct format *format)
{
	struct diagnosis d;
	struct checkup checkup = { f, &d };
	int status;

	if (diagnose(f, &d))
		return say_no_memory(&cli->console);
	status = cli->strict && d.cause != CAUSE_NONE ? CMD_UNMEASURED : CMD_OK;
	status =
		output_write_as(&cli->output, format, &checkup, stdout, status);
	diagnosis_fini(&d);
	return status;
}

static int run_doctor(struct cli *cli, int argc, char **argv)
{
	const struct format *format = output_format(&cli->output, formats);
	const struct doctor_options *o = cli->state;
	struct facts facts = { .pmu = { .name = "" } };
	int status;

	if (argc > 0)
		return say_usage(&cli->console, "unexpected argument '%s'",
				 argv[0]);
	if (!format)
		return CMD_USAGE;
	if (o->capture)
		return capture(cli, o->capture);
	status = examine(cli, &facts);
	if (!status) {
		status = show(cli, &facts, format);
		PAPI_shutdown();
	}
	facts_fini(&facts);
	return status;
}

const struct command command_doctor = {
	.name = "doctor",
	.summary = "diagnose what this machine can and cannot count, and how "
		   "to fix it",
	.synopsis = "[--json] [--strict] [--capture FILE]",
	.text = "Check processor, hypervisor, kernel and permissions, try "
		"the usual events, and report what can be counted here, "
		"what cannot, why, and how to fix it. With --strict, exit "
		"with status 3 if hardware events cannot be counted.",
	.formats = formats,
	.common = COMMON_OUTPUT | COMMON_STRICT,
	.options = rows,
	.state_bytes = sizeof(struct doctor_options),
	.run = run_doctor,
};
