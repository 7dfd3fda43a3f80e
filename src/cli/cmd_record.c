/* SPDX-License-Identifier: BSD-3-Clause */
/* assay record: where in a program events happen. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "cli/cmd.h"
#include "measure/counting.h"
#include "measure/pmu.h"
#include "record/record.h"
#include "view/view.h"
#include "write/html.h"
#include "write/number.h"

enum {
	KEY_FOR = CMD_LONG,
};

#define MOST_HZ 100000 /* the kernel's timers are no faster */

struct record {
	struct selection selection;
	struct record_events events;
	bool stacks;
	const char *import;
	struct attach_target attach; /* the process of -p */
	const struct format *format;
	bool page; /* HTML instead */
	struct pmu pmu;
	bool is_open; /* pmu */
	struct gather gather;
};

static const struct cmd_option options[] = {
	{ 'e', "events", "EVENT[@THRESHOLD],...",
	  "take a sample every THRESHOLD occurrences of EVENT (100000, "
	  "100k, 1M); may be repeated; default: instructions on the "
	  "simulated PMU, cycles on the machine's, cpu-clock without a "
	  "PMU",
	  INTO_AS(EVENTS, record, selection) },
	{ 'c', "count", "THRESHOLD",
	  "sampling period of events given without one", BY_TAKE },
	{ 'F', "frequency", "HZ",
	  "take HZ samples per second of CPU time instead; of cpu-clock "
	  "unless -e names another clock",
	  BY_TAKE },
	{ 'p', "pid", "PID",
	  "sample a running process with all its threads until it ends or "
	  "Ctrl-C; the process is not stopped",
	  BY_TAKE },
	{ KEY_FOR, "for", "SECONDS", "sample for SECONDS; requires --pid",
	  BY_TAKE },
	{ 'g', "call-stacks", NULL, "also record call stacks",
	  INTO(record, stacks) },
	{ 'o', "output", "FILE",
	  "write to FILE in the format of its suffix: .json (for 'assay "
	  "view'), .txt, .folded, .callgrind or "
	  "callgrind.out*, .pb.gz (pprof), .speedscope.json, .html (the page "
	  "of 'assay view'); - is standard output",
	  BY_TAKE },
	{ CMD_FORMAT, "format", "NAME",
	  "write text, json, folded, callgrind, pprof, speedscope or "
	  "html, whatever the suffix",
	  BY_TAKE },
	{ 'j', "json", NULL, "short for --format json", BY_TAKE },
	{ 0, "import", "FILE",
	  "run nothing; convert a profile (.json) or a PAPI_profil "
	  "histogram written by assay_profil_write() to another format",
	  INTO(record, import) },
	{ 0 },
};

static int take_number(const struct cli *cli, const char *option,
		       const char *argument, uint64_t most, uint64_t *out)
{
	if (record_read_number(argument, out) && *out <= most)
		return 0;
	return say_usage(&cli->console,
			 "--%s requires a number from 1 to %llu, not '%s'",
			 option, (unsigned long long)most, argument);
}

static int take_record_option(struct cli *cli, int key, const char *argument)
{
	struct record *r = cli->state;

	switch (key) {
	case 'c':
		return take_number(cli, "count", argument, 1ULL << 53,
				   &r->events.period);
	case 'F':
		return take_number(cli, "frequency", argument, MOST_HZ,
				   &r->events.hz);
	case 'p':
		return attach_take_pid(&cli->console, &r->attach, argument);
	default:
		return attach_take_limit(&cli->console, &r->attach, argument);
	}
}

static int no_format(const struct cli *cli)
{
	STRBUF(all);

	format_add_names(profile_formats, &all);
	strbuf_add(&all, ", html");
	if (cli->output.format)
		say_error(&cli->console, "cannot write %s here; formats: %s",
			  cli->output.format, strbuf_text(&all));
	else
		say_error(
			&cli->console,
			"the suffix of '%s' is not a known format; choose one "
			"with --format: %s",
			cli->output.path, strbuf_text(&all));
	return CMD_USAGE;
}

static bool wants_page(const struct cli *cli)
{
	const char *dot =
		cli->output.path ? strrchr(cli->output.path, '.') : NULL;

	if (cli->output.format)
		return strcmp(cli->output.format, "html") == 0;
	return dot && strcmp(dot, ".html") == 0;
}

static int choose_page(const struct cli *cli, struct record *r)
{
	r->page = true;
	if (!html_missing())
		return 0;
	return say_failure(&cli->console, "%s", html_missing());
}

static int choose_format(const struct cli *cli, struct record *r)
{
	bool to_stdout = cli->output.path && strcmp(cli->output.path, "-") == 0;

	if (wants_page(cli))
		return choose_page(cli, r);

	if (cli->output.format)
		r->format = format_find(profile_formats, cli->output.format);
	else if (cli->output.path && !to_stdout)
		r->format = format_for_file(profile_formats, cli->output.path);
	else
		r->format = format_find(profile_formats, "text");
	if (!r->format)
		return no_format(cli);
	if (r->format->binary && (!cli->output.path || to_stdout) &&
	    isatty(cli->output.path ? 1 : 2))
		return say_usage(
			&cli->console,
			"%s is a binary format: write it to a file with -o "
			"FILE",
			r->format->name);
	return 0;
}

/* What to sample if nobody says. */
static const char *usual_event(const struct pmu *pmu)
{
	switch (pmu->kind) {
	case PMU_HARDWARE:
		return "PAPI_TOT_CYC";
	case PMU_SIMULATED:
		return "PAPI_TOT_INS";
	default:
		return "cpu-clock";
	}
}

/* The kernel's own events need no PMU: then nothing is to be simulated. */
static int settle_pmu(struct cli *cli, const struct record *r)
{
	int status;

	if (cli->pmu.kind != PMU_AUTO || cli->pmu.model)
		return 0;
	if (r->attach.pid) /* nothing can be simulated there */
		cli->pmu.kind = PMU_HARDWARE;
	if (r->events.n == 0)
		return 0;
	status = session_open(&cli->console);
	if (status)
		return status;
	if (record_is_software(&r->events))
		cli->pmu.kind = PMU_NONE;
	PAPI_shutdown();
	return 0;
}

static int open_pmu(struct cli *cli, struct record *r)
{
	int status = settle_pmu(cli, r);

	if (!status)
		status = pmu_open(&cli->console, &cli->pmu, NULL, &r->pmu);
	if (status)
		return status;
	r->is_open = true;
	if (r->events.n == 0) {
		if (selection_add(&r->selection, usual_event(&r->pmu)))
			return say_no_memory(&cli->console);
		status = record_parse_events(&cli->console, &r->selection,
					     &r->events);
	}
	if (!status)
		status = record_look_up(&cli->console, &r->events, r->pmu.kind);
	return status;
}

static int write_page(const void *view, const struct report_style *style,
		      FILE *to)
{
	(void)style;
	return view_write_page(view, to);
}

/* The viewer with this profile in it. */
static int output_page(const struct cli *cli, struct record *r, int status)
{
	struct profile *p = &r->gather.profile;
	struct view view = { 0 };

	if (view_add_profile(&view, p->words ? p->command[0] : "profile", p) ||
	    view_complete(&view)) {
		status = say_no_memory(&cli->console);
	} else {
		status = output_write(&cli->output, write_page, &view, stdout,
				      status);
	}
	view_fini(&view);
	return status;
}

static uint64_t count_samples(const struct profile *p)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->n_events; i++)
		n += p->events[i].samples;
	return n;
}

static void tell_written(const struct cli *cli, const struct record *r,
			 uint64_t n)
{
	bool ours = !r->page && strcmp(r->format->name, "json") == 0;
	char text[NUMBER_CAPACITY];

	say_note(&cli->console, "%s sample%s in %s%s%s%s",
		 number_count(text, (double)n), n == 1 ? "" : "s",
		 cli->output.path, ours ? "; assay view " : "",
		 ours ? cli->output.path : "", ours ? " shows them" : "");
}

static int output(const struct cli *cli, struct record *r, int status)
{
	bool is_file = cli->output.path && strcmp(cli->output.path, "-") != 0;
	uint64_t n = count_samples(&r->gather.profile);
	int result =
		r->page ? output_page(cli, r, status)
			: output_write(&cli->output, r->format->write,
				       &r->gather.profile,
				       r->import ? stdout : stderr, status);

	if (result == status && is_file)
		tell_written(cli, r, n);
	return result;
}

/* A file that cannot be written is no discovery for the end of a long run. */
static int try_output(const struct cli *cli)
{
	struct diag diag = { .text = "" };
	struct outfile *file;

	if (!cli->output.path || strcmp(cli->output.path, "-") == 0)
		return 0;
	if (outfile_open(cli->output.path, &file, &diag))
		return say_failure(&cli->console, "%s", diag.text);
	outfile_abort(file);
	return 0;
}

/* With -F alone a clock is meant. */
static int choose_clock(const struct cli *cli, struct record *r)
{
	if (!r->events.hz || r->selection.n > 0 ||
	    selection_add(&r->selection, "cpu-clock") == 0)
		return 0;
	return say_no_memory(&cli->console);
}

static int sample(struct cli *cli, struct record *r, char **argv)
{
	struct record_run run = {
		.pmu = &r->pmu,
		.events = &r->events,
		.stacks = r->stacks,
		.gather = &r->gather,
	};
	int status = choose_clock(cli, r);

	if (!status)
		status = record_parse_events(&cli->console, &r->selection,
					     &r->events);
	if (!status)
		status = try_output(cli);
	if (!status)
		status = open_pmu(cli, r);
	if (status)
		return status;
	pmu_announce(&cli->console, &cli->pmu, &r->pmu, NULL);
	record_tell_periods(&cli->console, &r->events);
	status = r->attach.pid ? record_attach(&cli->console, &run, &r->attach)
			       : record_run(&cli->console, &run, argv);
	return status ? status : output(cli, r, r->gather.profile.exit);
}

static int import(struct cli *cli, struct record *r, int argc)
{
	struct diag diag = { .text = "" };

	if (argc > 0 || r->selection.n > 0 || r->stacks || r->attach.pid ||
	    r->events.hz || r->events.period)
		return say_usage(
			&cli->console,
			"--import cannot be combined with a program or events");
	if (record_import(r->import, &r->gather.profile, &diag))
		return say_diag(&cli->console, &diag);
	return output(cli, r, 0);
}

/* Options that contradict each other. */
static int check_options(const struct cli *cli, const struct record *r,
			 int argc)
{
	const char *wrong = NULL;

	if (r->attach.pid && argc > 0)
		wrong = "--pid cannot be combined with a program (--for limits "
			"the time)";
	else if (!r->attach.pid && r->attach.limit_ns)
		wrong = "--for requires --pid";
	else if (r->events.hz && r->events.period)
		wrong = "-F (by time) and -c (by occurrences) cannot be "
			"combined";
	if (wrong)
		say_error(&cli->console, "%s", wrong);
	return wrong ? CMD_USAGE : 0;
}

static int check_target(struct cli *cli, struct record *r, int argc,
			char **argv)
{
	return r->attach.pid ? attach_open(&cli->console, &cli->pmu, &r->attach)
			     : counting_need_program(&cli->console, argc, argv);
}

static int run_record(struct cli *cli, int argc, char **argv)
{
	struct record *r = cli->state;
	int status = check_options(cli, r, argc);

	if (!status)
		status = choose_format(cli, r);
	if (!status && r->import) {
		status = import(cli, r, argc);
	} else if (!status) {
		status = check_target(cli, r, argc, argv);
		if (!status)
			status = sample(cli, r, argv);
	}
	attach_fini(&r->attach);
	gather_fini(&r->gather);
	profile_fini(&r->gather.profile);
	if (r->is_open)
		pmu_close(&r->pmu);
	record_free_events(&r->events);
	selection_fini(&r->selection);
	return status;
}

const struct command command_record = {
	.name = "record",
	.summary = "sample a program on any event, by function and source "
		   "line",
	.synopsis = "[options] [--] PROGRAM [ARGUMENT ...] | -p PID | "
		    "--import FILE",
	.text = "Run PROGRAM with its threads and children, take a sample "
		"every N occurrences of an event, and report samples by "
		"function and source line. On the simulated PMU every "
		"sample has the exact address. The report goes to standard "
		"error unless -o is given; the exit status is that of the "
		"program.",
	.options = options,
	.formats = profile_formats,
	.common = COMMON_PMU,
	.runs_program = true,
	.take = take_record_option,
	.run = run_record,
	.state_bytes = sizeof(struct record),
};
