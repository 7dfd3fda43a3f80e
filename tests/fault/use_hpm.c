/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libhpm from hpmInit() to hpmTerminate(). Its calls return nothing, so the
 * performance file is judged: there is a whole one or none, and no number in
 * it is a leftover of memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <hpm.h>
#include <papi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fault/use.h"

#define ROOM       65536
#define MOST_COUNT 10000000000LL /* of page faults, and of ns here */

static char output[4096];

/* A state that is finished is kept: other threads may be at work in it. One
 * with failures has a sentence for each event, section and problem. */
const long use_keeps = 8;

void use_prepare(const char *folder, const char *scratch)
{
	(void)folder;
	snprintf(output, sizeof(output), "%s/hpm.xml", scratch);
	setenv("HPM_OUTPUT", output, 1);
	setenv("HPM_EVENTS", "perf::TASK-CLOCK,perf::PAGE-FAULTS", 1);
	if (!freopen("/dev/null", "w", stderr)) /* it says what it cannot */
		perror("/dev/null");
}

/* As Fortran calls them. */
void f_hpmtstart_(const int *id, const char *label, size_t n);
void f_hpmtstop_(const int *id);

static void *in_thread(void *unused)
{
	hpmTstart(3, "thread");
	hpmTstop(3);
	return unused;
}

/* Its first call is a wrong one. */
static void *in_careless_thread(void *unused)
{
	hpmTstop(5);
	return unused;
}

static void use_thread(struct round *r, void *(*run)(void *))
{
	pthread_t thread;
	int err = pthread_create(&thread, NULL, run, NULL);

	note(r, err ? PAPI_ESYS : PAPI_OK, "pthread_create");
	if (!err)
		pthread_join(thread, NULL);
}

static void use_sections(struct round *r)
{
	const int fortran = 4;

	hpmStart(1, "outer");
	hpmTstart(2, "inner");
	hpmTstop(2);
	f_hpmtstart_(&fortran, "fortran", 7);
	f_hpmtstop_(&fortran);
	use_thread(r, in_thread);
	use_thread(r, in_careless_thread);
	hpmStop(1);
}

/* The file's size, or -1 if it is not there or cannot be read. */
static ssize_t read_file(char *text)
{
	int fd = open(output, O_RDONLY | O_CLOEXEC);
	ssize_t got = 0, size = 0;

	if (fd < 0)
		return -1;
	while (size < ROOM - 1) {
		got = read(fd, text + size, (size_t)(ROOM - 1 - size));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		size += got;
	}
	close(fd);
	text[size] = '\0';
	return got < 0 ? -1 : size;
}

static bool is_whole(const char *text, size_t size)
{
	static const char end[] = "</hpm>\n";

	return strncmp(text, "<?xml", 5) == 0 && size > sizeof(end) &&
	       strcmp(text + size - (sizeof(end) - 1), end) == 0;
}

/* No sum of an event below 0 or beyond what can have happened, and none
 * without its reason. */
static bool has_sane_counts(const char *text)
{
	static const char mark[] = "<data name=\"perf::";

	while ((text = strstr(text, mark))) {
		const char *end = strstr(text, "/>");
		const char *raw = strstr(text, " raw=\"");
		const char *reason = strstr(text, " reason=\"");
		bool has_raw = raw && raw < end;
		long long value = has_raw ? strtoll(raw + 6, NULL, 10) : -1;

		if (has_raw ? value < 0 || value > MOST_COUNT
			    : !reason || reason > end || reason[9] == '"')
			return false;
		text = end;
	}
	return true;
}

static void judge_file(struct round *r)
{
	static const char *const wanted[] = {
		"complete=\"true\"",
		"perf::TASK-CLOCK\" counted=\"true\"",
		"label=\"outer\"",
		"label=\"inner\"",
		"label=\"fortran\"",
		"label=\"thread\"",
		"perf::PAGE-FAULTS\" counted=\"true\"",
		"perf::PAGE-FAULTS\" value="
	};
	static const char careless[] =
		"<Problem what=\"stopped but not started\" id=\"5\"";
	static char text[ROOM];
	ssize_t size = read_file(text);
	const char *problem;

	if (size < 0) {
		note(r, PAPI_ESYS, "performance file");
		return;
	}
	if (!is_whole(text, (size_t)size))
		r->spoilt = "half a performance file";
	else if (!has_sane_counts(text))
		r->spoilt = "a count that cannot be";
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!strstr(text, wanted[i]))
			note(r, PAPI_EBUG, wanted[i]);
	problem = strstr(text, "<Problem");
	if (!problem || strncmp(problem, careless, strlen(careless)) != 0)
		note(r, PAPI_EBUG, "the careless thread is not told of");
	if (problem && strstr(problem + 1, "<Problem"))
		note(r, PAPI_EBUG, "a problem in the file");
}

void use_library(struct round *r)
{
	unlink(output);
	hpmInit(0, "fault");
	use_sections(r);
	hpmTerminate(0);
	judge_file(r);
	PAPI_shutdown();
}
