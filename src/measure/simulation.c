/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a simulated run left out and why, in sentences; the counts are the
 * library's.
 */
#include "measure/counting.h"

#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include <assay/assay.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "console/console.h"

/* Why a program was not simulated: of several, and of the one that was asked
 * for. */
static const struct {
	const char *several;
	const char *program;
} asides[ASSAY_ASIDE_KINDS] = {
	[ASSAY_ASIDE_CLASS] = { "for another processor (perhaps 32-bit)",
				"the program is for another processor "
				"(perhaps 32-bit)" },
	[ASSAY_ASIDE_SETUID] = { "setuid or setgid",
				 "the program is setuid or setgid" },
	[ASSAY_ASIDE_UNREAD] = { "not readable (only executable, or too many open files)",
				 "the program cannot be read" },
	[ASSAY_ASIDE_REACH] = { "after chroot or without permission to start "
				"the simulator",
				"the program cannot reach the simulator" },
};

static void add_part(struct strbuf *text, const char *part)
{
	strbuf_addf(text, "%s%s", text->len ? "; " : "", part);
}

static void add_number(struct strbuf *text, unsigned n, const char *one,
		       const char *many)
{
	if (n == 0)
		return;
	add_part(text, "");
	if (n == 1)
		strbuf_add(text, one);
	else
		strbuf_addf(text, "%u %s", n, many);
}

static void add_asides(struct strbuf *text, const struct assay_simulation *s)
{
	for (int i = 0; i < ASSAY_ASIDE_KINDS; i++) {
		if (s->aside[i] == 0)
			continue;
		add_number(text, s->aside[i], "1 program", "programs");
		strbuf_addf(text, " that cannot be simulated (%s)",
			    asides[i].several);
	}
}

/* NULL if all is there. */
static char *describe_missing(const struct assay_simulation *s)
{
	struct strbuf text = { 0 };

	add_asides(&text, s);
	add_number(&text, s->lost, "1 process for which there was no room",
		   "processes for which there was no room");
	add_number(&text, s->killed,
		   "what 1 killed process did since it last published its "
		   "counts",
		   "killed processes: what each did since it last published "
		   "its counts");
	add_number(
		&text, s->running,
		"what 1 process does that is still running in the background",
		"processes still running in the background: what they do from "
		"now on");
	if (s->varies & ASSAY_VARIES_SECCOMP)
		add_part(&text,
			 "perhaps because of a system call filter (seccomp), "
			 "which also restricts the simulator");
	if (text.len == 0)
		return NULL;
	return strbuf_take(&text);
}

static char *describe_varies(unsigned varies)
{
	static const struct {
		unsigned bit;
		const char *what;
	} parts[] = {
		{ ASSAY_VARIES_THREADS, "threads" },
		{ ASSAY_VARIES_PROCESSES, "several processes" },
		{ ASSAY_VARIES_RANDOM, "random numbers" },
		{ ASSAY_VARIES_CLOCK, "the clock" },
		{ ASSAY_VARIES_IDS, "process ids" },
		{ ASSAY_VARIES_NETWORK, "the network" },
		{ ASSAY_VARIES_ADDRESSES, "addresses that the kernel chose" },
		{ ASSAY_VARIES_SYSTEM, "the state of the system in /proc" },
	};
	struct strbuf text = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (varies & parts[i].bit)
			strbuf_addf(&text, "%s%s", text.len ? ", " : "",
				    parts[i].what);
	if (text.len == 0)
		return NULL;
	if (varies & (ASSAY_VARIES_RANDOM | ASSAY_VARIES_THREADS))
		strbuf_addf(&text, " (--repeatable fixes %s)",
			    varies & ASSAY_VARIES_RANDOM
				    ? "random numbers and the order of threads"
				    : "the order of threads where it can");
	return strbuf_take(&text);
}

/* No event of the simulated PMU has a value. */
static int refuse_events(struct event_list *m, const char *reason)
{
	for (size_t i = 0; i < m->n; i++) {
		struct event_row *e = &m->events[i];

		if (e->reason || !e->source || strcmp(e->source, "sim") != 0)
			continue;
		e->reason = strdup(reason);
		if (!e->reason)
			return PAPI_ENOMEM;
		e->quality = ASSAY_NO_VALUE;
	}
	return 0;
}

/* What no simulator began to count has no value, rather than 0; what waits for
 * another pass is not due yet. */
static int refuse_unbegun(struct event_list *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct event_row *e = &m->events[i];

		if (e->reason || !e->source || e->enabled_ns ||
		    e->state == EVENT_NOT_YET || strcmp(e->source, "sim") != 0)
			continue;
		e->reason = strdup("the program ended before the simulator "
				   "started counting it");
		if (!e->reason)
			return PAPI_ENOMEM;
		e->quality = ASSAY_NO_VALUE;
	}
	return 0;
}

static void tell_engine(const struct console *console,
			const struct assay_simulation *seen)
{
	if (!console->verbose || !(seen->fast + seen->valgrind))
		return;
	if (seen->fast)
		say_note(console, "%u program%s ran on the fast engine",
			 seen->fast, seen->fast == 1 ? "" : "s");
	if (seen->valgrind)
		say_note(console, "%u program%s ran on Valgrind: %s",
			 seen->valgrind, seen->valgrind == 1 ? "" : "s",
			 seen->valgrind_reason ? seen->valgrind_reason
					       : "no other engine can");
}

static const char *engine_of(const struct assay_simulation *seen)
{
	if (seen->fast && seen->valgrind)
		return "both";
	if (seen->fast)
		return "fast";
	return seen->valgrind ? "valgrind" : NULL;
}

/* @reason: why no event has a value; owned, NULL if there was no memory. */
static int count_nothing(const struct console *console, struct event_list *m,
			 char *reason, struct simulation *s)
{
	s->uncounted = reason;
	if (reason && refuse_events(m, reason) == 0)
		return 0;
	return say_no_memory(console);
}

/* Nothing was started: a signal came first, or something was missing. */
static int judge_unstarted(const struct console *console, struct event_list *m,
			   int status, struct simulation *s)
{
	if (status <= CMD_SIGNAL)
		return say_failure(
			console, "the simulator did not start the program, so "
				 "nothing was counted");
	return count_nothing(console, m,
			     strdup("a signal ended the program before the "
				    "simulator had started it"),
			     s);
}

/* The program itself ran without the simulator. */
static int judge_aside(const struct console *console, struct event_list *m,
		       int first, struct simulation *s)
{
	say_note(console, "nothing is counted: %s", asides[first].program);
	return count_nothing(
		console, m,
		str_format("%s, so the simulated PMU cannot count it; it ran "
			   "without being counted",
			   asides[first].program),
		s);
}

int simulation_judge(const struct console *console, struct event_list *m,
		     int status, struct simulation *s)
{
	struct assay_simulation seen;

	simulation_fini(s);
	if (assay_get_simulation(&seen))
		return 0;
	if (seen.failed)
		return say_failure(
			console,
			"the simulator failed: %s; this is not the program's "
			"fault, and there are no counts. Please report it "
			"with this command line and the output of 'assay "
			"doctor'; CONTRIBUTING.md says where",
			seen.reason);
	/* Whoever was to start it has said why. */
	if (seen.started == 0 && seen.first_aside < 0)
		return judge_unstarted(console, m, status, s);
	if (seen.first_aside >= 0)
		return judge_aside(console, m, seen.first_aside, s);
	tell_engine(console, &seen);
	s->engine = engine_of(&seen);
	s->missing = describe_missing(&seen);
	s->varies = describe_varies(seen.varies);
	if (s->missing)
		say_note(console, "not in the counts: %s", s->missing);
	if (refuse_unbegun(m))
		return say_no_memory(console);
	return 0;
}

void simulation_fini(struct simulation *s)
{
	free(s->uncounted);
	free(s->missing);
	free(s->varies);
	*s = (struct simulation){ 0 };
}
