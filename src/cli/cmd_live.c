/* SPDX-License-Identifier: BSD-3-Clause */
/* assay live: a program's metrics as a plot in the browser, while it runs. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/cmd.h"
#include "measure/counting.h"
#include "process/process.h"
#include "view/live.h"
#include "view/serve.h"
#include "write/html.h"

#define USUAL_MS    100
#define SHORTEST_MS 10
#define LONGEST_MS  60000

struct live {
	struct counting counting;
	struct selection groups;
	struct selection files;
	struct attach_target attach;
	struct serve_options serve_options;
	unsigned interval_ms;
	bool end;
	struct live_buffer buffer;
	struct live_sampler sampler;
	struct watch watch;
	struct serve *serve;
	char *folder; /* of the file of marks; NULL: none */
	char *marks_path;
	struct marks *marks;
};

static const struct cmd_option options[] = {
	{ 'e', "events", "EVENT,...",
	  "count these events; may be repeated; default: the usual events "
	  "that can be counted here",
	  INTO_AS(EVENTS, live, counting.selection) },
	{ 'g', "group", "NAME",
	  "show the metrics of a group and count the events they need; "
	  "may be repeated",
	  INTO_AS(NAME, live, groups) },
	{ 'm', "metrics", "FILE",
	  "also show the metrics in FILE; may be repeated",
	  INTO_AS(NAME, live, files) },
	{ 'I', "interval", "MS",
	  "take a sample every MS milliseconds; default: 100",
	  INTO(live, interval_ms), .min = SHORTEST_MS, .max = LONGEST_MS,
	  .unit = "milliseconds" },
	{ 0, "end", NULL,
	  "exit when the program exits; default: serve the page until "
	  "Ctrl-C",
	  INTO(live, end) },
	SERVE_OPTIONS(live, serve_options),
	{ 0 },
};

#define MARKS_FILE "marks"

/* One word that is a number, and of which there is no program, is a process. */
static bool is_process(int argc, char **argv)
{
	return argc == 1 && argv[0][0] &&
	       strspn(argv[0], "0123456789") == strlen(argv[0]);
}

static int check(struct cli *cli, int argc, char **argv)
{
	struct live *l = cli->state;
	const char *missing =
		serve_missing() ? serve_missing() : html_missing();
	bool attaches = is_process(argc, argv);
	int status =
		attaches ? attach_take_pid(&cli->console, &l->attach, argv[0])
			 : counting_need_program(&cli->console, argc, argv);

	if (!status && missing)
		return say_failure(&cli->console, "%s", missing);
	if (!attaches)
		return status;
	if (!status)
		status = attach_open(&cli->console, &cli->pmu, &l->attach);
	if (cli->pmu.kind == PMU_AUTO) /* nothing can be simulated here */
		cli->pmu.kind = PMU_HARDWARE;
	return status;
}

static char *title_of(char **argv)
{
	struct strbuf title = { 0 };

	for (; *argv && title.len < 200; argv++)
		strbuf_addf(&title, "%s%s", title.len ? " " : "", *argv);
	return strbuf_take(&title);
}

/* Where an instrumented program tells of its sections. It works without. */
static void open_marks(struct live *l)
{
	l->folder = scratch_folder("live", NULL);
	if (!l->folder)
		return;
	l->marks_path = scratch_inside(l->folder, MARKS_FILE);
	if (l->marks_path)
		l->marks = marks_create(l->marks_path);
	if (l->marks)
		setenv("ASSAY_LIVE_MARKS", l->marks_path, 1);
}

static void close_marks(struct live *l)
{
	marks_close(l->marks);
	scratch_remove(l->marks_path);
	scratch_remove(l->folder);
}

static int open_server(const struct cli *cli, struct live *l, char **argv)
{
	OWNED char *title = title_of(argv);
	struct diag diag = { 0 };
	int err = title ? live_buffer_init(&l->buffer, title,
					   (double)l->interval_ms / 1e3)
			: PAPI_ENOMEM;

	if (err)
		return say_no_memory(&cli->console);
	l->buffer.simulated = l->counting.pmu.kind == PMU_SIMULATED;
	serve_hold_signals(); /* they are not for the server's threads */
	err = serve_open(l->serve_options.port, live_answer, &l->buffer,
			 &l->serve, &diag);
	serve_release_signals();
	if (err)
		return say_failure(&cli->console, "%s", diag.text);
	serve_announce(&cli->console, l->serve, &l->serve_options, stderr);
	return 0;
}

static void set_watch(struct live *l)
{
	live_sampler_init(&l->sampler, &l->counting, &l->groups, &l->buffer);
	l->sampler.marks = l->marks;
	l->watch.timers[0] =
		(struct watch_timer){ (uint64_t)l->interval_ms * 1000000u,
				      live_sampler_fire, &l->sampler };
	l->counting.watch = &l->watch;
}

/* The page stays, so that the end can be looked at. */
static void stay(const struct cli *cli, const struct live *l, bool ended)
{
	if (l->end || !ended)
		return;
	say_note(&cli->console,
		 "the program has ended; the page is served until Ctrl-C");
	serve_hold_signals();
	serve_wait();
}

static int watch_it(struct cli *cli, char **argv)
{
	struct live *l = cli->state;
	struct counting *c = &l->counting;
	const struct child_result *result;
	bool ended = true;
	int status;

	set_watch(l);
	status = l->attach.pid
			 ? attach_run(&cli->console, &cli->pmu, &l->attach, c)
			 : counting_run(&cli->console, &cli->pmu, c, argv);
	if (status)
		return status;
	result = &c->results[c->runs - 1];
	live_sampler_take(&l->sampler, result->wall_ns);
	if (l->attach.pid)
		ended = threads_process(l->attach.pid) == 0;
	live_buffer_end(&l->buffer, result->status);
	stay(cli, l, ended);
	return result->status;
}

static int show(struct cli *cli, char **argv)
{
	struct live *l = cli->state;
	int status = counting_open(&cli->console, &cli->pmu, &l->counting);

	if (!status)
		status = live_choose(&cli->console, &l->counting, &l->groups,
				     &l->files);
	if (!status)
		status = counting_look_up(&cli->console, &cli->pmu,
					  &l->counting);
	if (!status)
		status = open_server(cli, l, argv);
	return status ? status : watch_it(cli, argv);
}

static int run_live(struct cli *cli, int argc, char **argv)
{
	struct live *l = cli->state;
	int status = check(cli, argc, argv);

	if (l->interval_ms == 0)
		l->interval_ms = USUAL_MS;
	if (!status) {
		if (!l->attach.pid)
			open_marks(l);
		status = show(cli, l->attach.pid ? l->attach.argv : argv);
	}
	if (l->serve) {
		live_buffer_close(&l->buffer);
		serve_close(l->serve);
	}
	live_sampler_fini(&l->sampler);
	live_buffer_fini(&l->buffer);
	close_marks(l);
	counting_fini(&l->counting);
	selection_fini(&l->groups);
	selection_fini(&l->files);
	attach_fini(&l->attach);
	return status;
}

const struct command command_live = {
	.name = "live",
	.summary = "plot a running program's metrics in the browser",
	.synopsis = "[options] [--] PROGRAM [ARGUMENT ...] | PID",
	.text = "Run PROGRAM, or watch the process PID, and plot its metrics "
		"live in the browser, with the sections of an "
		"instrumented program marked. The same address with "
		"'metrics' appended serves the latest values to "
		"Prometheus. The page is served on 127.0.0.1 only.",
	.options = options,
	.common = COMMON_PMU,
	.runs_program = true,
	.run = run_live,
	.state_bytes = sizeof(struct live),
};
