/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One EventSet for each thread that runs now; what they start later is
 * inherited. The process itself is not stopped, signalled or traced.
 */

#include "measure/counting.h"

#include <errno.h>
#include <papi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/strbuf.h"
#include "console/console.h"
#include "measure/pmu.h"
#include "process/process.h"

#define LONGEST_S 1e9

int attach_take_pid(const struct console *console, struct attach_target *a,
		    const char *text)
{
	char *end;
	long pid;

	errno = 0;
	pid = strtol(text, &end, 10);
	if (errno || end == text || *end || pid < 1 || pid > INT32_MAX)
		return say_usage(console,
				 "--pid requires a process ID, not '%s'", text);
	a->pid = (pid_t)pid;
	return 0;
}

int attach_take_limit(const struct console *console, struct attach_target *a,
		      const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds > 0) || seconds > LONGEST_S)
		return say_usage(console,
				 "--for requires a number of seconds, not '%s'",
				 text);
	a->limit_ns = (uint64_t)(seconds * 1e9);
	return 0;
}

/* The words stand behind each other, each with its zero byte. */
static int split(struct attach_target *a, size_t n)
{
	size_t words = 0;

	for (size_t i = 0; i < n; i += strlen(a->words + i) + 1)
		words++;
	a->argv = calloc(words + 1, sizeof(*a->argv));
	if (!a->argv)
		return PAPI_ENOMEM;
	words = 0;
	for (size_t i = 0; i < n; i += strlen(a->words + i) + 1)
		a->argv[words++] = a->words + i;
	return 0;
}

/* A kernel thread has no command line, but a name. */
static int read_command(struct attach_target *a)
{
	char path[40], chunk[4096], name[32];
	struct strbuf words = { 0 };
	size_t n;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)a->pid);
	file = fopen(path, "re");
	while (file && (n = fread(chunk, 1, sizeof(chunk), file)) > 0)
		strbuf_addn(&words, chunk, n);
	if (file)
		fclose(file);
	if (words.len == 0) {
		threads_name(a->pid, a->pid, name, sizeof(name));
		strbuf_addn(&words, name, strlen(name) + 1);
	}
	n = words.len;
	a->words = strbuf_take(&words);
	return a->words ? split(a, n) : PAPI_ENOMEM;
}

/* The simulator's own words, before the program's. */
static void skip_simulator(struct attach_target *a)
{
	size_t skip = 1;

	while (a->argv[0] && a->argv[skip] && a->argv[skip][0] == '-')
		skip++;
	if (!a->argv[0] || !a->argv[skip])
		return;
	for (size_t i = 0; i == 0 || a->argv[i - 1]; i++)
		a->argv[i] = a->argv[i + skip];
}

/* A process that runs on the simulated PMU is counted there. */
static int choose_simulated(const struct console *console, pid_t pid,
			    struct pmu_choice *choice)
{
	int err;

	if (choice->kind != PMU_SIMULATED && choice->kind != PMU_AUTO)
		return 0;
	err = assay_simulate_process(pid);
	if (err == PAPI_OK) {
		choice->kind = PMU_SIMULATED;
		choice->pid = pid;
		return 0;
	}
	if (err == PAPI_EINVAL) /* part of the simulator */
		return say_usage(console, "%s", assay_error());
	if (choice->kind == PMU_AUTO)
		return 0;
	return say_usage(
		console,
		"%s; a running process cannot be moved there: start it with "
		"assay run --pmu sim",
		assay_error());
}

int attach_open(const struct console *console, struct pmu_choice *choice,
		struct attach_target *a)
{
	pid_t process = threads_process(a->pid);

	if (process == 0)
		return say_usage(console, "there is no process %d",
				 (int)a->pid);
	if (process != a->pid)
		return say_usage(
			console,
			"%d is a thread of process %d; -p %d counts all its "
			"threads",
			(int)a->pid, (int)process, (int)process);
	if (choose_simulated(console, a->pid, choice))
		return CMD_USAGE;
	if (read_command(a) == 0) {
		if (choice->pid)
			skip_simulator(a);
		return 0;
	}
	return say_no_memory(console);
}

/* A handler has no context: whether a signal asked us to stop. */
static volatile sig_atomic_t asked_to_stop;

static void stop(int signal)
{
	(void)signal;
	asked_to_stop = 1;
}

static const int stop_signals[] = { SIGINT, SIGTERM, SIGHUP };

void attach_wait(const struct attach_target *a, const struct watch *meanwhile,
		 struct child_result *result)
{
	struct sigaction action = { .sa_handler = stop };
	struct sigaction old[ARRAY_SIZE(stop_signals)];
	struct watch watch = { .limit_ns = 0 };
	uint64_t start = clock_real_ns();

	if (meanwhile)
		watch = *meanwhile;
	watch.limit_ns = a->limit_ns;
	watch.stop = &asked_to_stop;
	asked_to_stop = 0;
	for (size_t i = 0; i < ARRAY_SIZE(stop_signals); i++)
		sigaction(stop_signals[i], &action, &old[i]);
	watch_process(a->pid, &watch, start);
	for (size_t i = 0; i < ARRAY_SIZE(stop_signals); i++)
		sigaction(stop_signals[i], &old[i], NULL);
	memset(result, 0, sizeof(*result));
	result->pid = a->pid;
	result->wall_ns = clock_real_ns() - start;
}

/* Why nothing at all is counted; NULL: something is. */
static const char *why_nothing(const struct event_list *m)
{
	const char *reason = "there are no events";

	for (size_t i = 0; i < m->n; i++) {
		if (m->events[i].state == EVENT_NOW)
			return NULL;
		/* the last: the kernel's own events come after the PMU's */
		if (m->events[i].reason)
			reason = m->events[i].reason;
	}
	return reason;
}

static int begin(const struct console *console, const struct attach_target *a,
		 struct counting *c)
{
	const char *nothing;
	int err;

	measure_begin(&c->measure);
	err = measure_attach(&c->measure, a->pid);
	nothing = err ? NULL : why_nothing(&c->measure);
	if (!err && !nothing)
		return 0;
	if (threads_process(a->pid) == 0)
		nothing = "it has ended";
	else if (err)
		nothing = session_error(err);
	say_error(console, "cannot count process %d: %s", (int)a->pid, nothing);
	measure_cancel(&c->measure);
	return CMD_FAILED;
}

int attach_run(const struct console *console, const struct pmu_choice *choice,
	       const struct attach_target *a, struct counting *c)
{
	int status, err;

	pmu_announce(console, choice, &c->pmu, &c->measure);
	c->results = calloc(1, sizeof(*c->results));
	if (!c->results)
		return say_no_memory(console);
	status = begin(console, a, c);
	if (status)
		return status;
	attach_wait(a, c->watch, &c->results[0]);
	err = measure_finish(&c->measure);
	if (err)
		return say_failure(console, "cannot read the counters: %s",
				   PAPI_strerror(err));
	measure_end(&c->measure);
	c->runs = 1;
	return 0;
}

void attach_fini(struct attach_target *a)
{
	free(a->argv);
	free(a->words);
	memset(a, 0, sizeof(*a));
}
